"""The console of the product, as far as approvals by link go: login, the approval screen, Settings › Approvals.

Server-rendered HTML in Portuguese without scripts. It decides only by a form that it showed to the person's own
session: never by GET, by the API or by a bearer token (KADU-APR-17).
"""

ROOTS = frozenset({b"login", b"logout", b"approvals", b"settings", b"console"})
"""The first segments of the console's paths on the public listener."""
