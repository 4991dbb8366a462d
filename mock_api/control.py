"""The listener of the control plane: who may use it, and how requests reach their handlers."""

import hmac
from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qsl

from jsonschema import Draft202012Validator

from mock_api import asgi, jsons
from mock_api.asgi import Receive, Scope, Send
from mock_api.control_routes import ROUTES, Asked, Done, Refused, Route
from mock_api.errors import control_problem
from mock_api.routing import Match, Router
from mock_api.tenants import Tenants
from mock_api.validation import compile_schema, flaws

BODY_LIMIT = 4_000_000
"""Bytes."""

_JSON = (b"content-type", b"application/json")
_NO_STORE = (b"cache-control", b"no-store")


class Control:
    """The ASGI app of the control plane. Every request must carry the secret as its bearer token."""

    def __init__(self, tenants: Tenants, secret: str) -> None:
        self._tenants = tenants
        self._secret = secret.encode()
        self._router: Router[Route] = Router([(each.method, each.template, each) for each in ROUTES])
        self._bodies = {each: compile_schema(each.body) for each in ROUTES if each.body is not None}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        try:
            done = await self._serve(scope, receive)
        except asgi.Disconnected:
            return
        except Refused as refused:
            done = Done(refused.status, jsons.write(control_problem(refused.code, refused.message)))
        fields = (_NO_STORE,) if done.status == 204 else (_JSON, _NO_STORE)
        await asgi.answer(send, done.status, done.body, fields)

    async def _serve(self, scope: Scope, receive: Receive) -> Done:
        given = asgi.bearer(asgi.headers_of(scope))
        if not hmac.compare_digest(given.encode(), self._secret):
            raise Refused(401, "unauthorized", "the control plane needs its secret as bearer token")
        match = self._router.match(scope["method"], asgi.raw_path(scope))
        route = match.target
        if route is None:
            raise Refused(404, "not_found", "there is no such route; see docs/control-plane.md")
        asked = Asked(
            tenants=self._tenants,
            path=match.path,
            query=_query(route, scope["query_string"]),
            body=_body(self._bodies.get(route), await asgi.read_body(receive, BODY_LIMIT)),
        )
        if "tenant" not in match.path:
            return route.handler(asked)
        return self._for_tenant(route, match, asked)

    def _for_tenant(self, route: Route, match: Match[Route], asked: Asked) -> Done:
        tenant = self._tenants.get(match.path["tenant"])
        if tenant is None:
            raise Refused(404, "not_found", "there is no such tenant")
        tenant.catch_up()
        return route.handler(asked)


def _query(route: Route, raw: bytes) -> Mapping[str, str]:
    try:
        pairs = parse_qsl(
            raw.decode("ascii"), keep_blank_values=True, strict_parsing=bool(raw), max_num_fields=10
        )
    except ValueError:
        raise Refused(400, "bad_request", "the query cannot be read") from None
    for name, _ in pairs:
        if name not in route.query:
            raise Refused(400, "bad_request", f"{name}: is no parameter of this route")
    return dict(pairs)


def _body(validator: Draft202012Validator | None, text: bytes | None) -> Mapping[str, Any]:
    if text is None:
        raise Refused(400, "bad_request", f"the body is longer than {BODY_LIMIT} bytes")
    if validator is None:
        if text:
            raise Refused(400, "bad_request", "this route takes no body")
        return {}
    try:
        body = jsons.read(text) if text else {}
    except ValueError as error:
        raise Refused(400, "bad_request", str(error)) from None
    found = flaws(validator, body, "body")
    if found:
        raise Refused(400, "bad_request", "; ".join(found))
    result: Mapping[str, Any] = body
    return result
