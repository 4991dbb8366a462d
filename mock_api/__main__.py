"""`python -m mock_api`: the mock API of a product and its control plane. See docs/control-plane.md."""

import argparse
import contextlib
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from mock_api.errors import Mistake

if TYPE_CHECKING:
    from mock_api.asgi import App
    from mock_api.product import Product
    from mock_api.serving import Listener
    from mock_api.tenants import Tenants

SECRET_VARIABLE = "MOCK_CONTROL_SECRET"
LONGEST_SECRET = 4096
WRONG_USAGE = 2


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise Mistake(f"{message[:1].upper()}{message[1:]}; see --help.")


def main(argv: Sequence[str], load: "Callable[[str], Product] | None" = None) -> int:
    """Run the program with these arguments and give its exit code; `load` finds a product by its id."""
    try:
        options = _parser().parse_args(argv)
        if options.list_mutants:
            _list_mutants()
        else:
            _serve(options, load)
    except Mistake as mistake:
        sys.stderr.write(f"{mistake}\n")
        return WRONG_USAGE
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="python -m mock_api", description="The upstream of a server under test.", allow_abbrev=False
    )
    parser.add_argument("--product", default="kadu", help="id of the product (default: %(default)s)")
    parser.add_argument("--host", default="127.0.0.1", help="where the API listens (default: %(default)s)")
    parser.add_argument("--port", type=_port, default=0, help="port of the API, 0 for any free one")
    parser.add_argument(
        "--control-port", type=_port, default=0, help="port of the control plane, on loopback"
    )
    parser.add_argument(
        "--control-secret-file",
        metavar="FILE",
        help=f"holds the secret of the control plane; - for standard input; else ${SECRET_VARIABLE}",
    )
    parser.add_argument("--public-url", metavar="URL", type=_url, help="base of the URLs the API hands out")
    parser.add_argument(
        "--state", metavar="FILE", help="keep every tenant in FILE, and go on with those it holds"
    )
    parser.add_argument(
        "--check-answers", action="store_true", help="answer 500 where an own answer breaks the contract"
    )
    parser.add_argument(
        "--mutant", metavar="NAME", help="break one rule; for tests of who judges, never beside a server"
    )
    parser.add_argument("--list-mutants", action="store_true", help="list the mutants as a line of JSON")
    return parser


def _list_mutants() -> None:
    from mock_api.jsons import write
    from mock_api.mutants import mutants

    told = [{"name": each.name, "rule": each.rule, "lie": each.lie} for each in mutants()]
    sys.stdout.write(write({"ready": True, "mutants": told}).decode() + "\n")


def _port(text: str) -> int:
    if not text.isascii() or not text.isdigit() or int(text) > 65535:
        raise argparse.ArgumentTypeError(f"a port is a number from 0 to 65535, not {text!r}")
    return int(text)


def _url(text: str) -> str:
    from urllib.parse import urlsplit

    parts = urlsplit(text)
    if parts.scheme not in ("http", "https") or not parts.netloc:
        raise argparse.ArgumentTypeError(f"an absolute http(s) URL is needed, not {text!r}")
    return text.rstrip("/")


def _secret(source: str | None) -> str:
    """The secret, from where the options say; it does not stay in the environment. Raises Mistake."""
    from_environment = os.environ.pop(SECRET_VARIABLE, "")
    if source is None:
        secret, place = from_environment, f"the environment variable {SECRET_VARIABLE}"
    elif source == "-":
        secret, place = _first_line(), "the first line of standard input"
    else:
        place = source
        try:
            secret = Path(source).read_text(encoding="utf-8")
        except OSError as error:
            raise Mistake(f"The secret file {source} cannot be read: {error.strerror}.") from None
        except UnicodeDecodeError:
            raise Mistake(f"The secret file {source} is not UTF-8 text.") from None
    secret = secret.strip()
    if not secret or len(secret) > LONGEST_SECRET or not secret.isascii() or not secret.isprintable():
        raise Mistake(f"The secret of the control plane must be a line of printable ASCII text in {place}.")
    return secret


def _first_line() -> str:
    # Byte by byte and unbuffered: what follows, and the end, is for the watcher.
    line = bytearray()
    while len(line) <= LONGEST_SECRET:
        byte = os.read(sys.stdin.fileno(), 1)
        if byte in (b"", b"\n"):
            break
        line += byte
    return line.decode("latin-1")


def _serve(options: argparse.Namespace, load: "Callable[[str], Product] | None") -> None:
    # Imported here so that --help and a mistyped option answer at once.
    if options.mutant is not None:
        from mock_api.mutants import tell

        tell(options.mutant)
    from mock_api.execution import check_product
    from mock_api.product import load_product
    from mock_api.serving import listen
    from mock_api.tenants import Tenants

    secret = _secret(options.control_secret_file)
    product = (load or load_product)(options.product)
    check_product(product)
    with contextlib.ExitStack() as opened:
        api = listen(options.host, options.port)
        opened.enter_context(api.socket)
        control = listen("127.0.0.1", options.control_port)
        opened.enter_context(control.socket)
        public_url = options.public_url or api.url
        if options.state is None:
            _run(options, api, control, secret, Tenants(product, public_url), lambda app: app)
            return
        # Imported here so that a mock in memory does without it.
        from mock_api.persistence import KeptTenants
        from mock_api.state_file import StateFile

        file = opened.enter_context(contextlib.closing(StateFile(options.state, product.contract)))
        kept = KeptTenants(product, public_url, file)
        _run(options, api, control, secret, kept, kept.keeping)


def _run(
    options: argparse.Namespace,
    api: "Listener",
    control: "Listener",
    secret: str,
    tenants: "Tenants",
    wrapped: "Callable[[App], App]",
) -> None:
    from mock_api.api import Api
    from mock_api.control import Control
    from mock_api.jsons import write
    from mock_api.serving import run

    def ready() -> None:
        line = write({"ready": True, "api_url": api.url, "control_url": control.url})
        sys.stdout.write(line.decode() + "\n")
        sys.stdout.flush()

    run(
        [
            (wrapped(Api(tenants, check_answers=options.check_answers)), api),
            (wrapped(Control(tenants, secret)), control),
        ],
        ready=ready,
        stopping=tenants.close,
        watch_stdin=options.control_secret_file == "-",
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
