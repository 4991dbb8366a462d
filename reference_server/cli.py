"""The command line: arguments in, one ready line out, an exit code.

Nothing of the SDK is imported before the arguments are known to be good, so that `--help` and refusals are
quick.
"""

import argparse
import gc
import json
import os
import secrets
import socket
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from .options import Options, Unusable

PRODUCTS = ("kadu",)
STATE_KEY_VARIABLE = "REFERENCE_STATE_KEY"
WRONG_USAGE = 2
KEY_BYTES = 32
FIRST_LINE = "-"
LONGEST_LINE = 2000


def main(argv: Sequence[str]) -> int:
    """Run the server until it is told to stop. Gives 0 then, 2 for what kept it from starting."""
    try:
        if _parser().parse_args(argv).list_mutants:
            _list_mutants()
            return 0
        options = read_options(argv, os.environ)
        # Nearly all that start-up makes is there to stay; looking for garbage in it costs a tenth of the start.
        gc.disable()
        from .run import run

        run(options if options.upstream != FIRST_LINE else replace(options, upstream=_first_line()))
    except Unusable as problem:
        print(f"reference_server: {problem}", file=sys.stderr)  # noqa: T201
        return WRONG_USAGE
    return 0


def read_options(argv: Sequence[str], environment: Mapping[str, str]) -> Options:
    """The options of a command line. Raises Unusable, or SystemExit(2) from argparse."""
    given = _parser().parse_args(argv)
    variable = f"{given.product.upper()}_API_URL"
    upstream = given.upstream or environment.get(variable, "")
    if upstream != FIRST_LINE and not upstream.startswith(("http://", "https://")):
        raise Unusable(f"say where the upstream is: --upstream URL, or {variable} in the environment")
    state_key = _state_key(given.state_key_file, environment)
    return Options(
        product=given.product,
        upstream=upstream,
        listener=_listener(given.host, given.port),
        state_key=state_key,
        mutants=given.mutants,
        exit_with_stdin=given.exit_with_stdin,
        hosts=tuple(given.allowed_host),
        origins=tuple(given.allowed_origin),
    )


def _first_line() -> str:
    # Byte by byte and unbuffered: what follows, and the end, is for whoever watches standard input.
    line = bytearray()
    while len(line) < LONGEST_LINE and (byte := os.read(sys.stdin.fileno(), 1)) not in (b"", b"\n"):
        line += byte
    upstream = line.decode("latin-1").strip()
    if not upstream.startswith(("http://", "https://")):
        raise Unusable("the first line of standard input is not the base URL of an API")
    return upstream


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="reference_server", description="A correct MCP server, to judge clients and harnesses against."
    )
    parser.add_argument("--product", choices=PRODUCTS, required=True, help="whose tables to serve")
    parser.add_argument(
        "--upstream",
        metavar="URL",
        help="the API's base URL (-: the first line of standard input); default: the product's environment variable",
    )
    parser.add_argument("--host", default="127.0.0.1", help="where to listen (default: %(default)s)")
    parser.add_argument("--port", type=int, default=0, help="where to listen; 0 means any free port")
    parser.add_argument(
        "--state-key-file",
        metavar="FILE",
        help=f"key shared by replicas, 32 bytes or more; default: {STATE_KEY_VARIABLE}, else a random one",
    )
    parser.add_argument(
        "--allowed-host",
        action="append",
        default=[],
        metavar="HOST",
        help="a Host header to serve, beside loopback",
    )
    parser.add_argument(
        "--allowed-origin",
        action="append",
        default=[],
        metavar="ORIGIN",
        help="an Origin to serve, beside loopback",
    )
    parser.add_argument("--mutants", action="store_true", help="serve each mutant too, at /mutants/NAME/mcp")
    parser.add_argument(
        "--list-mutants", action="store_true", help="list the mutants as a line of JSON, and end"
    )
    parser.add_argument("--exit-with-stdin", action="store_true", help="end when standard input ends")
    return parser


def _list_mutants() -> None:
    from .mutants import mutants

    told = [{"name": each.name, "rule": each.rule, "lie": each.lie} for each in mutants()]
    print(json.dumps({"ready": True, "mutants": told}, ensure_ascii=False))  # noqa: T201


def _state_key(path: str | None, environment: Mapping[str, str]) -> bytes:
    if path is not None:
        try:
            key = Path(path).read_bytes().strip()
        except OSError as problem:
            raise Unusable(f"cannot read the state key file {path}: {problem.strerror}") from None
    elif STATE_KEY_VARIABLE in environment:
        key = environment[STATE_KEY_VARIABLE].encode()
    else:
        return secrets.token_bytes(KEY_BYTES)
    if len(key) < KEY_BYTES:
        raise Unusable(f"the state key has {len(key)} bytes; give it {KEY_BYTES} random ones or more")
    return key


def _listener(host: str, port: int) -> socket.socket:
    if not 0 <= port <= 65535:
        raise Unusable(f"port {port} does not exist; give one of 0 to 65535")
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listener = socket.socket(family, kind, protocol)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
    except OSError as problem:
        raise Unusable(f"cannot listen on {host} port {port}: {problem.strerror}") from None
    return listener
