"""Servers that lie about which resources there are, and for whom."""

from reference_server.engine.caller import Caller
from reference_server.engine.resources import ID, Resources
from reference_server.engine.tables import Product, ResourceRow

from .tables import Table, with_resource, without_resource


class FixedResourceMissing(Table):
    """The list of fixed resources lacks the repository."""

    rule = "KADU-RES-01"

    @staticmethod
    def edit(product: Product) -> Product:
        return without_resource(product, "repository")


class FixedResourceTooMany(Table):
    """The list of fixed resources has one that the documents do not name."""

    rule = "KADU-RES-01"

    @staticmethod
    def edit(product: Product) -> Product:
        return with_resource(product, "usage", "kadu_usage_get")


class TemplateMissing(Table):
    """The list of templates lacks the activities."""

    rule = "KADU-RES-02"

    @staticmethod
    def edit(product: Product) -> Product:
        return without_resource(product, "activities/{id}")


class TemplateTooMany(Table):
    """The list of templates has one that the documents do not name."""

    rule = "KADU-RES-02"

    @staticmethod
    def edit(product: Product) -> Product:
        return with_resource(product, "webhooks/{id}", "kadu_webhooks_get")


class RowsListedWithoutScope(Resources):
    """A row is listed by the person's permission alone."""

    rule = "KADU-RES-05"

    def shown(self, caller: Caller) -> list[ResourceRow]:
        permitted = self.visibility.has_permission
        return [row for row, operation in self.operations.items() if permitted(caller, operation)]


class RowsListedWithoutPermission(Resources):
    """A row is listed by the token's scope alone."""

    rule = "KADU-RES-05"

    def shown(self, caller: Caller) -> list[ResourceRow]:
        scoped = self.visibility.has_scope
        return [row for row, operation in self.operations.items() if scoped(caller, operation)]


class SubRowsListedWithTheExecution(Resources):
    """Whoever may read executions is listed their events, logs and todos too."""

    rule = "KADU-RES-05"

    def shown(self, caller: Caller) -> list[ResourceRow]:
        known = super().shown(caller)
        if not any(row.path == "executions/{id}" for row in known):
            return known
        return [row for row in self.operations if row in known or row.path.startswith("executions/")]


class FixedResourcesListedToEverybody(Resources):
    """The fixed resources are listed to everybody, the templates to who may read them."""

    rule = "KADU-RES-05"

    def shown(self, caller: Caller) -> list[ResourceRow]:
        known = super().shown(caller)
        return [row for row in self.operations if row in known or ID not in row.path]


class RowsHiddenFromRestrictedTokens(Resources):
    """A token that lacks any scope is listed nothing but who it is, whatever it may read."""

    rule = "KADU-RES-05"

    def shown(self, caller: Caller) -> list[ResourceRow]:
        known = super().shown(caller)
        scopes = {operation.scope for operation in self.operations.values() if operation.scope}
        return known if scopes <= caller.scopes else [row for row in known if row.path == "me"]


class RowsHiddenFromRestrictedPeople(Resources):
    """A person who lacks any permission is listed nothing but who they are, whatever they may read."""

    rule = "KADU-RES-05"

    def shown(self, caller: Caller) -> list[ResourceRow]:
        known = super().shown(caller)
        wanted = {operation.permission for operation in self.operations.values() if operation.permission}
        return known if wanted <= caller.permissions else [row for row in known if row.path == "me"]


class FilesOfferedAsTemplate(Table):
    """Files are offered as resources."""

    rule = "KADU-RES-07"

    @staticmethod
    def edit(product: Product) -> Product:
        return with_resource(product, "files/{id}", "kadu_files_get")


class FilesOfferedAsDocument(Table):
    """The list of files is offered as a fixed resource."""

    rule = "KADU-RES-07"

    @staticmethod
    def edit(product: Product) -> Product:
        return with_resource(product, "files", "kadu_files_list")
