"""The transport: hostile peers become a sentence, connections are kept, bytes go out as given."""

import gzip
import socket
import threading

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from harness.clock import monotonic
from harness.connections import Connection, Deadline
from harness.transport import Sent, _write
from tests.wire.peers import STREAM, answering, get, http, once, post


def test_an_answer_comes_as_it_is(peer, transport) -> None:
    server = peer(answering(http(b"\xff\0body", b"X-Some: one", b"x-some: two", status=b"418 Tea")))
    sent = transport.send(post(server.url), timeout=5)
    assert sent.problem is None
    assert sent.answer.status == 418
    assert sent.answer.body == b"\xff\0body"
    assert [value for name, value in sent.answer.headers if name == "x-some"] == ["one", "two"]
    assert sent.answer.header("content-length") == "6"
    assert not sent.answer.cut
    assert 0 < sent.seconds < 5


def test_a_connection_is_used_again(peer, transport) -> None:
    server = peer(answering(http(b"{}")))
    for _ in range(20):
        assert transport.send(post(server.url), timeout=5).problem is None
    assert server.accepted == 1


def test_a_connection_on_which_the_end_came_is_not_used_again(peer, transport) -> None:
    closed = threading.Event()

    def behave(connection: socket.socket) -> None:
        once(http(b"{}"))(connection)
        connection.shutdown(socket.SHUT_WR)
        closed.set()
        connection.recv(1)

    server = peer(behave)
    for _ in range(3):
        assert transport.send(post(server.url), timeout=5).problem is None
        assert closed.wait(5)
        closed.clear()
    assert server.accepted == 3


def test_a_request_is_never_sent_twice_and_a_peer_that_hangs_up_gets_new_connections(peer, transport) -> None:
    requests: list[bytes] = []

    def behave(connection: socket.socket) -> None:
        requests.append(get(connection))
        connection.sendall(http(b"{}"))
        requests.append(get(connection))

    server = peer(behave)
    assert transport.send(post(server.url), timeout=5).problem is None
    failed = transport.send(post(server.url), timeout=5)
    assert failed.answer is None
    assert failed.problem == (
        "the connection was closed without an answer (on a connection kept open after an earlier answer)"
    )
    assert len(requests) == 2
    for _ in range(3):
        assert transport.send(post(server.url), timeout=5).problem is None


def test_bytes_go_out_as_given_and_nothing_is_added_but_what_http_needs(peer, transport) -> None:
    seen: list[bytes] = []

    def behave(connection: socket.socket) -> None:
        seen.append(get(connection))
        connection.sendall(http(b""))

    server = peer(behave)
    headers = [("Mcp-Name", "🦜".encode()), ("X-Raw", b"\xff\t\x80"), ("x-twice", "1"), ("x-twice", "2")]
    assert transport.send(post(server.url + "?a=b", b"\xff{", *headers), timeout=5).problem is None
    host = server.url.removeprefix("http://").removesuffix("/mcp").encode()
    assert seen == [
        b"POST /mcp?a=b HTTP/1.1\r\nHost: "
        + host
        + b"\r\nMcp-Name: "
        + "🦜".encode()
        + b"\r\nX-Raw: \xff\t\x80\r\n"
        b"x-twice: 1\r\nx-twice: 2\r\nAccept-Encoding: identity\r\nContent-Length: 2\r\n\r\n\xff{"
    ]


@pytest.mark.parametrize(
    "header",
    [
        ("X-A", " edge"),
        ("X-A", b"edge "),
        ("X-A", b"a\r\nX-B: c"),
        ("X-A", "a\nb"),
        ("X-A", b"\0"),
        ("X A", "b"),
        ("X-A", "não"),
        ("Content-Length", "7"),
        ("Transfer-Encoding", "gzip"),
    ],
)
def test_what_http_cannot_carry_is_not_sent(peer, transport, header) -> None:
    server = peer(once())
    sent = transport.send(post(server.url, b"{}", header), timeout=5)
    assert sent.answer is None
    assert sent.problem.startswith("not sent: ")
    assert server.accepted == 0


@pytest.mark.parametrize(
    "url", ["ftp://a/", "http://", "nothing", "http://a:99999/", "http://a/é", "http://[/", ""]
)
def test_what_is_no_url_is_not_sent(transport, url: str) -> None:
    assert transport.send(post(url), timeout=5).problem.startswith("not sent: ")


def test_a_refused_connection(transport) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    sent = transport.send(post(f"http://127.0.0.1:{port}/"), timeout=5)
    assert (sent.answer, sent.problem) == (None, f"no connection to 127.0.0.1:{port}: connection refused")


@pytest.mark.parametrize("host", ["nobody.invalid", "a" * 70 + ".example", "..", "a b"])
def test_a_host_nobody_knows(transport, host: str) -> None:
    sent = transport.send(post(f"http://{host}/"), timeout=5)
    assert sent.answer is None
    assert sent.problem.startswith("no connection to ")


def test_a_name_that_nobody_looks_up_ends_with_the_deadline(transport, monkeypatch) -> None:
    given_up, ask = threading.Event(), socket.getaddrinfo

    def silent(*asked, flags: int = 0, **more):
        if not flags & socket.AI_NUMERICHOST:
            given_up.wait(30)
        return ask(*asked, flags=flags, **more)

    monkeypatch.setattr(socket, "getaddrinfo", silent)
    began = monotonic()
    sent = transport.send(post("http://unheard.invalid/"), timeout=0.2)
    given_up.set()
    assert (sent.answer, sent.problem) == (
        None,
        "no connection to unheard.invalid: its name was not looked up within 0.2 s",
    )
    assert monotonic() - began < 10


def test_a_reset_connection(peer, transport) -> None:
    def behave(connection: socket.socket) -> None:
        get(connection)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")

    sent = transport.send(post(peer(behave).url), timeout=5)
    assert (sent.answer, sent.problem) == (None, "the connection broke: connection reset by peer")


@pytest.mark.parametrize(
    ("sent_bytes", "problem"),
    [
        (b"", "the connection was closed without an answer"),
        (b"SSH-2.0-x\r\n\r\n", "no valid HTTP: illegal status line"),
        (b"\x15\x03\x01\0\x02\x02\x16" * 9, "no valid HTTP"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n", "no valid HTTP: bad Content-Length"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc", "(HTTP 200, 3 bytes of the body)"),
        (http(b"abc") + b"def", "more came than the answer was said to hold"),
        (http(b"{}") + http(b"{}"), "more came than the answer was said to hold"),
        (STREAM.replace(b"event-stream", b"plain") + b"zz\r\n", "no valid HTTP: illegal chunk header"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nab", "no valid HTTP: peer closed"),
        (
            b"HTTP/1.1 200 OK\r\n" + b"X-A: b\r\n" * 100_000 + b"\r\n",
            "no valid HTTP: Receive buffer too long",
        ),
        (
            b"HTTP/1.1 200 OK\r\nX-A: " + b"b" * 1_000_000 + b"\r\n\r\n",
            "no valid HTTP: Receive buffer too long",
        ),
        (b"HTTP/1.1 200 OK\r\nX-A\0: b\r\n\r\n", "no valid HTTP: illegal header line"),
        (http(gzip.compress(b"0" * 10_000_000), b"Content-Encoding: gzip"), "comes encoded as 'gzip'"),
        (b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\n\r\n", "no valid HTTP"),
    ],
)
def test_what_is_no_usable_answer_is_a_problem(peer, transport, sent_bytes: bytes, problem: str) -> None:
    sent = transport.send(post(peer(once(sent_bytes)).url), timeout=5)
    assert sent.answer is None
    assert problem in sent.problem
    assert len(sent.problem) < 500


def test_the_answer_after_a_poisoned_connection_is_the_right_one(peer, transport) -> None:
    """Bytes behind an answer are a problem of that exchange, not of the next one."""
    first = [http(b"1") + http(b"poison")]

    def behave(connection: socket.socket) -> None:
        while get(connection):
            connection.sendall(first.pop() if first else http(b"2"))

    server = peer(behave)
    assert transport.send(post(server.url), timeout=5).problem.startswith("more came")
    assert transport.send(post(server.url), timeout=5).answer.body == b"2"
    assert server.accepted == 2


def test_redirects_are_answers(peer, transport) -> None:
    server = peer(answering(http(b"", b"Location: /other", status=b"307 Temporary Redirect")))
    assert transport.send(post(server.url), timeout=5).answer.status == 307


def test_an_interim_answer_is_passed_over(peer, transport) -> None:
    server = peer(answering(b"HTTP/1.1 103 Early Hints\r\n\r\n" + http(b"{}")))
    assert transport.send(post(server.url), timeout=5).answer.body == b"{}"


def test_an_early_refusal_of_a_long_body_is_an_answer(peer, transport) -> None:
    def behave(connection: socket.socket) -> None:
        connection.recv(1000)
        connection.sendall(http(b"too long", b"Connection: close", status=b"413 Too Long"))
        connection.recv(1000)

    sent = transport.send(post(peer(behave).url, b"x" * 30_000_000), timeout=5)
    assert sent.answer.status == 413


def test_an_early_refusal_by_a_peer_that_reads_no_more_is_an_answer(peer, transport) -> None:
    stop = threading.Event()

    def behave(connection: socket.socket) -> None:
        connection.sendall(http(b"too long", status=b"413 Too Long"))
        stop.wait(5)

    sent = transport.send(post(peer(behave).url, b"x" * 30_000_000), timeout=5)
    stop.set()
    assert sent.answer.status == 413
    assert sent.seconds < 4


def test_an_answer_that_came_before_the_peer_hung_up_is_still_read() -> None:
    ours, theirs = socket.socketpair()
    with ours:
        with theirs:
            theirs.sendall(http(b"too long"))
        _write(Connection(ours, (False, "", 0)), b"x" * 1000, Deadline(5, monotonic() + 5))
        assert ours.recv(1000) == http(b"too long")


def test_a_long_body_arrives_whole(peer, transport) -> None:
    lengths: list[int] = []

    def behave(connection: socket.socket) -> None:
        lengths.append(len(get(connection).partition(b"\r\n\r\n")[2]))
        connection.sendall(http(b""))

    assert transport.send(post(peer(behave).url, b"x" * 10_000_000), timeout=10).problem is None
    assert lengths == [10_000_000]


def test_many_requests_arrive_at_the_same_moment(peer, transport) -> None:
    """No request is answered before all have arrived: sent one after another, they would never end."""
    everybody = threading.Barrier(20)

    def behave(connection: socket.socket) -> None:
        body = get(connection).partition(b"\r\n\r\n")[2]
        everybody.wait(5)
        connection.sendall(http(body))

    server = peer(behave)
    sent = transport.send_many([post(server.url, b"%d" % n) for n in range(20)], timeout=5)
    assert [one.problem for one in sent] == [None] * 20
    assert [one.answer.body for one in sent] == [b"%d" % n for n in range(20)]
    assert server.accepted == 20


def test_many_requests_wait_for_the_slowest_connection(peer, transport) -> None:
    order: list[str] = []
    asked = threading.Event()

    def slow(connection: socket.socket) -> None:
        connection.recv(1)
        # Whoever did not wait would be here long before.
        asked.wait(0.2)
        order.append("connected")

    def quick(connection: socket.socket) -> None:
        get(connection)
        order.append("asked")
        asked.set()
        connection.sendall(http(b"{}"))

    requests = [post(peer(slow).url.replace("http:", "https:")), post(peer(quick).url)]
    sent = transport.send_many(requests, timeout=5)
    assert sent[0].problem.startswith("the TLS handshake failed: ")
    assert sent[1].answer.body == b"{}"
    assert order == ["connected", "asked"]


def test_of_many_requests_each_has_its_own_fate(peer, transport) -> None:
    server = peer(answering(http(b"{}")))
    bad = post(server.url, b"", ("X A", "b"))
    sent = transport.send_many(
        [post(server.url), bad, post("http://127.0.0.1:1/")], timeout=5, answers_ids=[1, 2, 3]
    )
    assert sent[0].answer.body == b"{}"
    assert sent[1].problem.startswith("not sent: ")
    assert sent[2].problem.startswith("no connection to 127.0.0.1:1")
    assert transport.send_many([], timeout=5) == []


def test_threads_share_a_transport(peer, transport) -> None:
    def behave(connection: socket.socket) -> None:
        while data := get(connection):
            connection.sendall(http(data.partition(b"\r\n\r\n")[2]))

    server = peer(behave)
    wrong: list[Sent] = []

    def work(name: bytes) -> None:
        for _ in range(50):
            sent = transport.send(post(server.url, name), timeout=5)
            if sent.answer is None or sent.answer.body != name:
                wrong.append(sent)

    threads = [threading.Thread(target=work, args=(b"%d" % n,)) for n in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    assert server.accepted <= 6


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.binary(max_size=200)
    | st.lists(
        st.sampled_from(
            [
                b"HTTP/1.1 ",
                b"200 OK\r\n",
                b"Content-Length: 3",
                b"\r\n",
                b"Transfer-Encoding: chunked",
                b"abc",
                b"0",
            ]
        )
    ).map(b"".join)
)
def test_nothing_a_peer_sends_raises(peer, transport, sent_bytes: bytes) -> None:
    sent = transport.send(post(peer(once(sent_bytes)).url), timeout=5)
    assert (sent.answer is None) == (sent.problem is not None)
