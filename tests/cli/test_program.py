"""Programs we start: ready, seen through, and gone with everything they started."""

import os
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from harness.runner.output import Tail
from harness.runner.program import Program, no_answer
from harness.runner.refusal import CannotRun
from harness.transport import Transport

READY = 'import sys, time, json, os\nprint(json.dumps({"ready": True, "pid": os.getpid(), **extra}), flush=True)\n'


def lives(pid: int) -> bool:
    """Whether a process still runs; one that nobody has waited for yet does not."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state not in "ZX"


def gone(pid: int) -> bool:
    """Whether a process ends within ten seconds."""
    deadline = time.monotonic() + 10
    while lives(pid) and time.monotonic() < deadline:
        threading.Event().wait(0.01)
    return not lives(pid)


def start(command, **more):
    return Program("The program", command, dict(os.environ), **more)


@pytest.mark.parametrize("how", ["in its group", "in a group of its own", "ignoring SIGTERM"])
def test_a_program_is_stopped_with_its_children(script, how):
    child = {
        "in its group": "pass",
        "in a group of its own": "os.setpgid(0, 0)",
        "ignoring SIGTERM": "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN)",
    }[how]
    text = f"""
import os, sys, time, json
read, write = os.pipe()
child = os.fork()
if child == 0:
    {child}
    os.write(write, b"x")
    time.sleep(60)
os.read(read, 1)
print(json.dumps({{"ready": True, "child": child}}), flush=True)
time.sleep(60)
"""
    with start(script(text)) as program:
        pids = [program.pid, program.ready_line(10)["child"]]
        assert all(map(lives, pids))
        program.stop(grace=0.2)
    assert all(map(gone, pids))


def test_a_child_that_outlives_the_program_is_stopped_too(script):
    text = """
import os, sys, time, json
child = os.fork()
if child == 0:
    time.sleep(60)
print(json.dumps({"ready": True, "child": child}), flush=True)
"""
    with start(script(text)) as program:
        child = program.ready_line(10)["child"]
        while program.alive:
            threading.Event().wait(0.01)
        assert lives(child)
    assert gone(child)


def test_an_exception_stops_the_program(script):
    with pytest.raises(KeyError), start(script("import time; time.sleep(60)")) as program:
        raise KeyError
    assert not program.alive


def test_the_end_of_our_process_stops_the_program(tmp_path):
    """A process that never comes to stop its program, because it falls over."""
    text = """
import os, sys
from harness.runner.program import Program
program = Program("x", [sys.executable, "-c", "import time; time.sleep(60)"], dict(os.environ))
print(program.pid, flush=True)
raise RuntimeError
"""
    done = subprocess.run(
        [sys.executable, "-c", text], capture_output=True, text=True, timeout=30, check=False
    )
    assert done.returncode == 1
    assert gone(int(done.stdout))


def test_a_program_that_is_stopped_politely_may_say_goodbye(script):
    text = """
import signal, sys, time, json
def bye(number, frame):
    print("bye", flush=True)
    sys.exit(0)
signal.signal(signal.SIGTERM, bye)
print(json.dumps({"ready": True}), flush=True)
time.sleep(60)
"""
    program = start(script(text))
    program.ready_line(10)
    program.stop()
    assert program.output.endswith("bye\n")


def test_the_children_of_a_program_may_say_goodbye_too(script):
    text = """
import os, signal, sys, time, json
read, write = os.pipe()
if os.fork() == 0:
    os.setpgid(0, 0)
    def bye(number, frame):
        print("the child says bye", flush=True)
        os._exit(0)
    signal.signal(signal.SIGTERM, bye)
    os.write(write, b"x")
    time.sleep(60)
os.read(read, 1)
print(json.dumps({"ready": True}), flush=True)
time.sleep(60)
"""
    program = start(script(text))
    program.ready_line(10)
    program.stop()
    assert program.output.endswith("the child says bye\n")


def test_the_ready_line_comes_after_other_words(script):
    with start(
        script('print("hello"); print("[1]"); print(\'{"ready": true, "n": 1}\', flush=True); input()'),
        first_line="x",
    ) as program:
        assert program.ready_line(10) == {"ready": True, "n": 1}


def test_the_first_line_reaches_standard_input(script):
    with start(
        script('import json; print(json.dumps({"ready": True, "got": input()}), flush=True); input()'),
        first_line="the secret",
    ) as program:
        assert program.ready_line(10)["got"] == "the secret"


def test_the_end_of_standard_input_ends_a_program_that_watches_it(script):
    with start(
        script('import sys; print(\'{"ready": true}\', flush=True); sys.stdin.read(); print("over")'),
        first_line="x",
    ) as program:
        program.ready_line(10)
        program.stop()
    assert program.output.endswith(("over\n", '{"ready": true}\n'))


def test_a_program_that_ends_early_is_refused_with_its_last_words(script):
    with (
        start(script('import sys; sys.stderr.write("no such port"); sys.exit(3)')) as program,
        pytest.raises(
            CannotRun,
            match=r"^The program ended with exit code 3 before it was ready\. It said: no such port$",
        ),
    ):
        program.ready_line(10)


def test_a_program_that_is_killed_early_is_refused(script):
    with (
        start(script("import os; os.kill(os.getpid(), 9)")) as program,
        pytest.raises(CannotRun, match="ended by signal 9"),
    ):
        program.ready_line(10)


def test_a_program_that_is_never_ready_is_refused(script):
    with (
        start(script("import time; time.sleep(60)")) as program,
        pytest.raises(CannotRun, match=r"not ready after 0\.05 s"),
    ):
        program.ready_line(0.05)


@pytest.mark.parametrize("command", [["/no/such/program"], [""], ["/etc/hostname"], ["a\0b"]])
def test_what_cannot_be_started_is_refused(command):
    with pytest.raises(CannotRun, match="The program cannot be started"):
        start(command)


SERVER = """
import http.server, os, sys
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(405)
        self.end_headers()
    def log_message(self, *args): pass
http.server.HTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
"""


def test_a_server_is_waited_for_until_it_answers(script):
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    url = f"http://127.0.0.1:{port}/mcp"
    with Transport() as transport, start([*script(SERVER), str(port)]) as program:
        program.wait_until_it_answers(url, transport, 10)
        assert no_answer(url, transport, 1) is None


def test_a_server_that_dies_while_it_is_waited_for_is_refused(script):
    with (
        Transport() as transport,
        start(script('print("no database", flush=True); raise SystemExit(4)')) as program,
        pytest.raises(CannotRun, match=r"exit code 4 before it was ready\. It said: no database"),
    ):
        program.wait_until_it_answers("http://127.0.0.1:9/mcp", transport, 10)


def test_a_server_that_never_answers_is_refused(script):
    with (
        Transport() as transport,
        start(script("import time; time.sleep(60)")) as program,
        pytest.raises(CannotRun, match=r"did not answer at http://127\.0\.0\.1:9/mcp within 0\.1 s"),
    ):
        program.wait_until_it_answers("http://127.0.0.1:9/mcp", transport, 0.1)


def test_much_output_never_blocks_a_program_and_only_its_tail_is_kept(script):
    text = 'import sys\nfor n in range(40000): print(f"line {n}")\nprint(\'{"ready": true}\', flush=True)\nimport time; time.sleep(60)'
    with start(script(text)) as program:
        program.ready_line(10)
        assert len(program.output) <= 64 * 1024
        assert "line 39999\n" in program.output


def test_a_tail_keeps_the_last_bytes():
    tail = Tail(limit=5)
    for chunk in (b"ab", b"cd", b"efgh"):
        tail.add(chunk)
    assert tail.text() == "defgh"
    tail.add(b"0123456789")
    assert tail.text() == "56789"
    assert sum(map(len, tail._chunks)) < 10, "older bytes are forgotten"


def test_a_program_reads_from_nothing_unless_told(script):
    with start(
        script('import sys, json; print(json.dumps({"ready": True, "read": sys.stdin.read()}), flush=True)')
    ) as program:
        assert program.ready_line(10)["read"] == ""


def test_a_program_does_not_get_our_interrupts(script):
    with start(script("print('{\"ready\": true}', flush=True); import time; time.sleep(60)")) as program:
        program.ready_line(10)
        assert os.getpgid(program.pid) != os.getpgid(0)
