"""The ASGI app of the console: reads requests, guards forms, and puts the headers on every page."""

from email.utils import format_datetime
from urllib.parse import parse_qsl

from mock_api import asgi, clock
from mock_api.asgi import Receive, Scope, Send
from mock_api.console.pages import style
from mock_api.console.screens import Asked, Handler, Reply, Screens
from mock_api.console.sessions import COOKIE
from mock_api.routing import Router
from mock_api.tenants import Tenants

BODY_LIMIT = 64_000
"""Bytes of a form."""
MOST_FIELDS = 20
FORM = "application/x-www-form-urlencoded"

_HEADERS = (
    (b"content-type", b"text/html; charset=utf-8"),
    (b"cache-control", b"no-store"),
    (
        b"content-security-policy",
        b"default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    ),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"x-content-type-options", b"nosniff"),
    (b"cross-origin-opener-policy", b"same-origin"),
)
_STYLE = (
    (b"content-type", b"text/css; charset=utf-8"),
    (b"cache-control", b"public, max-age=3600"),
    (b"x-content-type-options", b"nosniff"),
)


class Console:
    """Serves what `ROOTS` names. A bearer token means nothing here (KADU-APR-13)."""

    def __init__(self, tenants: Tenants) -> None:
        self._screens = screens = Screens(tenants)
        self._routes: Router[Handler] = Router(
            [
                ("GET", "/login", screens.login_form),
                ("POST", "/login", screens.login),
                ("POST", "/logout", screens.logout),
                ("GET", "/approvals/{link}", screens.approval),
                ("POST", "/approvals/{link}/continue", screens.proceed),
                ("POST", "/approvals/{link}/cancel", screens.cancel),
                ("GET", "/settings", screens.settings),
                ("GET", "/settings/approvals", screens.approvals),
                ("GET", "/settings/approvals/{id}", screens.one_approval),
                ("GET", "/console/console.css", _style),
            ]
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request. Raises Disconnected."""
        reply = await self._reply(scope, receive)
        fields = [*(reply.fields if reply.bare else (*_HEADERS, *reply.fields))]
        moment = clock.now() if reply.tenant is None else reply.tenant.clock.now()
        fields.append((b"date", format_datetime(moment, usegmt=True).encode("ascii")))
        fields.append((b"content-length", b"%d" % len(reply.body)))
        await send({"type": "http.response.start", "status": reply.status, "headers": fields})
        await send({"type": "http.response.body", "body": b"" if scope["method"] == "HEAD" else reply.body})

    async def _reply(self, scope: Scope, receive: Receive) -> Reply:
        method, raw_path = scope["method"], asgi.raw_path(scope)
        body = await asgi.read_body(receive, BODY_LIMIT)
        match = self._routes.match("GET" if method == "HEAD" else method, raw_path)
        headers = asgi.headers_of(scope)
        visitor = self._screens.sessions.visitor(_cookie(headers))
        if match.target is None:
            if not match.allowed:
                return self._screens.nothing(visitor)
            allowed = [*match.allowed, *(["HEAD"] if "GET" in match.allowed else [])]
            return self._screens.wrong_method(visitor, ", ".join(allowed))
        form: dict[str, str] = {}
        if method == "POST":
            # Forms of other sites are none of ours; browsers say where a request comes from.
            if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
                return self._screens.refused(visitor)
            kind = headers.get("content-type", FORM).partition(";")[0].strip().lower()
            if body is None or kind != FORM:
                return self._screens.unreadable(visitor, 413 if body is None else 415)
            try:
                form = _fields(body)
            except ValueError:
                return self._screens.unreadable(visitor, 400)
        try:
            query = _fields(scope["query_string"])
        except ValueError:
            query = {}
        path = raw_path.decode("latin-1")
        return await match.target(Asked(path, match.path, query, form, visitor))


async def _style(_asked: Asked) -> Reply:
    return Reply(200, style(), _STYLE, bare=True)


def _fields(text: bytes) -> dict[str, str]:
    """Read a form or a query. Raises ValueError."""
    pairs = parse_qsl(
        text.decode("ascii"), keep_blank_values=True, errors="strict", max_num_fields=MOST_FIELDS
    )
    return dict(pairs)


def _cookie(headers: dict[str, str]) -> str:
    for part in headers.get("cookie", "").replace(",", ";").split(";"):
        name, _, value = part.strip().partition("=")
        if name == COOKIE:
            return value
    return ""
