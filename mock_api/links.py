"""Presigned links: who has one gets or puts the bytes of a file, without a token and without an entry in the ledger.

A link names no tenant; it is that tenant's whose records its signature fits.
"""

from mock_api.tenants import Tenant, Tenants

UPLOAD_LIMIT = 10_485_760
"""Bytes."""


def download(tenants: Tenants, path: str) -> tuple[Tenant, bytes] | None:
    """The bytes that a link gives now, and whose they are."""
    open_ = tenants.product.download
    if open_ is None:
        return None
    for tenant in tenants:
        content = open_(tenant.records, path, tenant.catch_up())
        if content is not None:
            return tenant, content
    return None


def upload(tenants: Tenants, path: str, content: bytes) -> Tenant | None:
    """Keep the bytes put to a link; gives whose they are now."""
    take = tenants.product.upload
    if take is None:
        return None
    return next((each for each in tenants if take(each.records, path, content, each.catch_up())), None)
