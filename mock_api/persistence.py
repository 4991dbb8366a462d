"""Tenants that outlive the process: what a request got hold of is kept before its answer goes out.

A request gets at a tenant by `KeptTenants` and in no other way, so no route has to say that it changed something.
Between what a request does and its answer nothing awaits, so a transaction holds each operation wholly, with its
entry in the ledger and its idempotency key, or not at all.
"""

from collections.abc import Iterator
from contextvars import ContextVar
from datetime import datetime

from mock_api.asgi import ABORT, App, Receive, Scope, Send
from mock_api.product import Product
from mock_api.state_file import StateFile
from mock_api.tenants import Person, Tenant, Tenants, Token

READING = ("GET", "HEAD", "OPTIONS")


class KeptTenants(Tenants):
    """Every tenant of this mock, those of the state file to begin with. Raises Mistake as the file does."""

    def __init__(self, product: Product, public_url: str, file: StateFile) -> None:
        super().__init__(product, public_url)
        self._file = file
        self._touched: ContextVar[dict[str, Tenant]] = ContextVar("touched")
        self._left: frozenset[str] = frozenset()
        for tenant in file.tenants(product, public_url):
            self._admit(tenant)

    def keeping(self, app: App) -> App:
        """The app, whose answers go out when the tenants of their requests are kept."""

        async def kept(scope: Scope, receive: Receive, send: Send) -> None:
            touched: dict[str, Tenant] = {}
            self._touched.set(touched)
            reading = scope["method"] in READING

            def keep() -> None:
                self._keep(touched, reading)
                touched.clear()

            async def answer(message: Scope) -> None:
                keep()
                await send(message)

            extensions = scope.get("extensions", {})
            if ABORT in extensions:
                abort = extensions[ABORT]

                def drop() -> None:
                    keep()
                    abort()

                scope = {**scope, "extensions": {**extensions, ABORT: drop}}
            try:
                await app(scope, receive, answer)
            finally:
                keep()

        return kept

    def _keep(self, touched: dict[str, Tenant], reading: bool) -> None:
        gone = [each for each in touched.values() if each.closed and each.id not in self._left]
        self._file.keep([each for each in touched.values() if each not in gone], gone, reading=reading)

    def _touch(self, tenant: Tenant) -> None:
        touched = self._touched.get(None)
        if touched is not None:
            touched[tenant.id] = tenant

    def __iter__(self) -> Iterator[Tenant]:
        """Whoever goes through the tenants to find one has got hold of that where it stops."""
        for tenant in super().__iter__():
            touched = self._touched.get({})
            known = tenant.id in touched
            touched[tenant.id] = tenant
            yield tenant
            if not known:
                touched.pop(tenant.id, None)

    def get(self, tenant_id: str) -> Tenant | None:
        """The tenant of that id."""
        tenant = super().get(tenant_id)
        if tenant is not None:
            self._touch(tenant)
        return tenant

    def token(self, value: str) -> Token | None:
        """The token of that text, valid or revoked."""
        token = super().token(value)
        if token is not None:
            self._touch(token.tenant)
        return token

    def accounts(self, email: str) -> list[tuple[Tenant, Person]]:
        """Who has that e-mail address, and where: the newest organization first."""
        accounts = super().accounts(email)
        for tenant, _ in accounts:
            self._touch(tenant)
        return accounts

    def create(self, seed: str, now: datetime, guests: list[Person | None]) -> Tenant:
        """Make a tenant. Raises ValueError when that would make somebody a member twice."""
        tenant = super().create(seed, now, guests)
        self._touch(tenant)
        return tenant

    def close(self) -> None:
        """Answer for no tenant any more; the file keeps them."""
        self._left = frozenset(each.id for each in super().__iter__())
        super().close()
