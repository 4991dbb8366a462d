"""The options of `run`, each alone and all together: what they mean, and what of them does not fit."""

import random
import re
import shlex
import ssl
from collections.abc import Mapping
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from harness.actors.deputy import MANUAL
from harness.cli.choices import Accepting, Given
from harness.controls.choosing import check as check_time
from harness.runner.refusal import CannotRun

ORDERS: Final = 1_000_000
LOOPBACK: Final = ("localhost", "127.0.0.1", "::1")
EVERYWHERE: Final = ("0.0.0.0", "::")
HEADER_NAME: Final = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")
HEADER_VALUE: Final = re.compile(r"[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?")
# These make a request what it is: a scenario about them must be able to rely on it.
OURS: Final = (
    "accept",
    "accept-encoding",
    "authorization",
    "connection",
    "content-length",
    "content-type",
    "cookie",
    "host",
    "origin",
    "transfer-encoding",
)


def check(given: Given) -> None:
    """Raises CannotRun for the first option that does not fit the others."""
    _check_urls(given)
    check_time(given.time, command=given.command is not None, max_wait=given.max_wait)
    _check_person(given)
    if given.read_only:
        _check_read_only(given)
    elif given.token_file or given.token_variable:
        raise CannotRun(
            "--token-file and --token-env go with --read-only; otherwise the mock API makes the tokens."
        )
    elsewhere = (given.api_url, given.control_url, given.control_secret_file)
    if any(elsewhere) and not all(elsewhere):
        raise CannotRun(
            "--api-url, --control-url and --control-secret-file belong together: give all three or none."
        )
    for name, value in (("--api-port", given.api_port), ("--api-host", given.api_host)):
        if given.api_url and value:
            raise CannotRun(f"{name} is for a mock API that we start; it does not go with --api-url.")
    if given.api_host in EVERYWHERE and not given.api_public_url:
        raise CannotRun(
            f"--api-host {given.api_host} needs --api-public-url: under which address do server and people find it?"
        )
    if given.command is None and any("{port}" in url for url in given.urls):
        raise CannotRun("{port} in --url stands for the port of a server that --command starts.")


def _check_person(given: Given) -> None:
    if given.person is not None and given.person_command is not None:
        raise CannotRun("--person and --person-command do not go together: one of them decides.")
    if given.person not in (None, MANUAL):
        raise CannotRun(
            f"--person takes {MANUAL!r}, not {given.person!r}; a program is given by --person-command."
        )
    try:
        empty = given.person_command is not None and not shlex.split(given.person_command)
    except ValueError as error:
        raise CannotRun(f"--person-command cannot be taken apart into words: {error}.") from error
    if empty:
        raise CannotRun("--person-command is empty.")


def _check_urls(given: Given) -> None:
    if not given.urls and given.command is None:
        raise CannotRun("Say which server to judge: --url URL, or --command COMMAND.")
    for name, url in (
        *(("--url", url) for url in given.urls),
        ("--api-url", given.api_url),
        ("--control-url", given.control_url),
        ("--api-public-url", given.api_public_url),
    ):
        if url and not url.startswith(("http://", "https://")):
            raise CannotRun(f"{name} takes an http or https URL, not {url!r}.")
        if url and "@" in urlsplit(url.replace("{port}", "1")).netloc:
            raise CannotRun(f"{name} holds a user name; what lets a request in goes into --header-env.")
    public = urlsplit(given.api_public_url or "")
    if public.path.strip("/") or public.query or public.fragment:
        raise CannotRun(
            f"--api-public-url is an address without a path, such as http://host.docker.internal:8766, "
            f"not {given.api_public_url!r}."
        )
    try:
        _ = public.port
    except ValueError as error:
        raise CannotRun(f"--api-public-url {given.api_public_url!r} is no URL: {error}.") from error


def _check_read_only(given: Given) -> None:
    for name, value in (
        ("--command", given.command),
        ("--api-url", given.api_url),
        ("--control-url", given.control_url),
        ("--control-secret-file", given.control_secret_file),
        ("--api-port", given.api_port),
        ("--api-host", given.api_host),
        ("--api-public-url", given.api_public_url),
    ):
        if value:
            raise CannotRun(f"{name} does not go with --read-only: a real system runs, and there is no mock.")
    if bool(given.token_file) == bool(given.token_variable):
        raise CannotRun("--read-only needs a token of yours: --token-file FILE, or --token-env NAME.")


def token_of(given: Given, environment: Mapping[str, str]) -> str:
    """The token for a real system. Raises CannotRun where it cannot be had or is none."""
    if given.token_file is not None:
        where, token = f"the file {given.token_file}", first_line(given.token_file, "token")
    else:
        where = f"the environment variable {given.token_variable}"
        token = environment.get(given.token_variable or "", "").strip()
    if not token:
        raise CannotRun(f"No token is in {where}.")
    if not HEADER_VALUE.fullmatch(token) or " " in token:
        raise CannotRun(f"What is in {where} is no token: a word of printable ASCII was expected.")
    return token


def headers_of(given: Given, environment: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """The headers to send with every request. Raises CannotRun, without telling a value, where one is none."""
    found = [_header("--header", text) for text in given.headers]
    for text in given.header_variables:
        name, variable = _header("--header-env", text)
        if variable not in environment:
            raise CannotRun(f"--header-env {name}: there is no environment variable {variable}.")
        found.append(_header("--header-env", f"{name}: {environment[variable]}"))
    return tuple(found)


def _header(option: str, text: str) -> tuple[str, str]:
    name, colon, value = (part.strip(" \t") for part in text.partition(":"))
    if not colon or not HEADER_NAME.fullmatch(name):
        raise CannotRun(
            f"{option} takes 'Name: value'; what was given has no name of a header before a colon."
        )
    if not HEADER_VALUE.fullmatch(value):
        raise CannotRun(f"{option} {name}: the value is empty or not printable ASCII.")
    if name.lower() in OURS or name.lower().startswith("mcp-"):
        raise CannotRun(f"{option} {name}: the scenarios decide on this header themselves.")
    return name, value


def shard_of(text: str | None) -> tuple[int, int] | None:
    """The part of a run that I/N means. Raises CannotRun."""
    if text is None:
        return None
    found = re.fullmatch(r"([0-9]{1,4})/([0-9]{1,4})", text)
    number, of = (int(found[1]), int(found[2])) if found else (0, 0)
    if not 1 <= number <= of:
        raise CannotRun(f"--shard takes I/N with I from 1 to N, such as 1/3, not {text!r}.")
    return number, of


def order_of(text: str) -> int | None:
    """The seed of a shuffled order, a new one where none is named; None for the order as written. Raises CannotRun."""
    if text == "written":
        return None
    if text == "random":
        return random.SystemRandom().randrange(ORDERS)
    found = re.fullmatch(r"random:([0-9]{1,9})", text)
    if found is None:
        raise CannotRun(f"--order takes written, random or random:SEED, such as random:7, not {text!r}.")
    return int(found[1])


def authorities_of(path: Path | None) -> str | None:
    """The file with certificate authorities, proven to hold some. Raises CannotRun."""
    if path is None:
        return None
    try:
        ssl.create_default_context().load_verify_locations(path)
    except ssl.SSLError as error:
        raise CannotRun(f"--ca-file {path} holds no certificates in PEM: {error.reason or error}.") from error
    except OSError as error:
        raise CannotRun(f"--ca-file {path} cannot be read: {error.strerror}.") from error
    return str(path.absolute())


def check_accepting(accepting: Accepting) -> None:
    """Raises CannotRun where the options of the baseline do not fit."""
    if accepting.update and accepting.baseline is None:
        raise CannotRun("--update-baseline adds to a file: name it with --baseline FILE.")


def first_line(path: Path, what: str) -> str:
    """The first line of a file that holds a secret. Raises CannotRun where there is none."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise CannotRun(f"The {what} cannot be read from {path}: {reason}.") from error
    if not lines or not lines[0].strip():
        raise CannotRun(f"The file {path} holds no {what}: its first line is empty.")
    return lines[0].strip()
