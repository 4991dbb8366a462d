"""A request as a `curl` command that a person can paste into a shell."""

import shlex
from urllib.parse import urlsplit

from reports.record import Request
from reports.visible import visible

_OWN_TO_CURL = frozenset(
    {"content-length", "connection", "transfer-encoding", "accept-encoding", "user-agent"}
)


def curl(request: Request) -> str | None:
    """The command that sends `request` again, `$TOKEN` and `$COOKIE` in place of the credentials.

    None where no command says the same: another scheme than http(s), a body the record cut, a NUL.
    """
    parts = [request.method, request.url, request.body, *(part for pair in request.headers for part in pair)]
    if (
        not request.url.startswith(("http://", "https://"))
        or request.cut
        or any("\x00" in part for part in parts)
        # curl reads a header that begins with @ from a file of that name.
        or any(name.startswith("@") for name, _ in request.headers)
    ):
        return None
    lines = [f"curl --include --globoff --request {quoted(request.method)} --url {quoted(request.url)}"]
    lines += [f"--header {header}" for header in _headers(request)]
    if request.body:
        # --data-raw: a body that begins with @ is no file name.
        lines.append(f"--data-raw {quoted(request.body)}")
    return " \\\n  ".join(lines)


def _headers(request: Request) -> list[str]:
    authority = _authority(request.url)
    headers = []
    for name, value in request.headers:
        lower = name.lower()
        if lower in _OWN_TO_CURL or (lower == "host" and value == authority):
            continue
        if lower == "authorization" and value.lower().startswith("bearer "):
            headers.append('"Authorization: Bearer $TOKEN"')
        elif lower == "cookie":
            headers.append('"Cookie: $COOKIE"')
        else:
            # "name:" alone would tell curl to leave the header out; "name;" sends it empty.
            headers.append(quoted(f"{name}: {value}" if value else f"{name};"))
    return headers


def _authority(url: str) -> str | None:
    try:
        return urlsplit(url).netloc
    except ValueError:
        return None


def quoted(text: str) -> str:
    r"""`text` as one shell word; with characters nobody can see, as $'…' (bash, zsh) by their bytes."""
    if visible(text) == text and "\r" not in text:
        return shlex.quote(text)
    return "$'" + "".join(_ansi_c(character) for character in text) + "'"


def _ansi_c(character: str) -> str:
    if character in "\\'":
        return f"\\{character}"
    if character == "\n":
        return "\\n"
    if visible(character) == character:
        return character
    # Octal of exactly three digits: a hexadecimal escape would swallow a digit that follows it.
    return "".join(f"\\{byte:03o}" for byte in character.encode("utf-8", "surrogatepass"))
