"""Lies told by a product's tables: an edit of the correct one."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, ClassVar

from reference_server.engine.formats import Format
from reference_server.engine.tables import Product, PromptRow, ResourceRow


class Table:
    """A product's tables, edited."""

    rule: ClassVar[str]

    @staticmethod
    def edit(product: Product) -> Product:
        """The edited tables."""
        raise NotImplementedError


def without_resource(product: Product, path: str) -> Product:
    """The product without the resource of that path."""
    return replace(product, resources=tuple(row for row in product.resources if row.path != path))


def with_resource(product: Product, path: str, operation: str) -> Product:
    """The product with one more resource."""
    row = ResourceRow(path, operation, path.partition("/")[0], path, path)
    return replace(product, resources=(*product.resources, row))


def resource(product: Product, path: str, **changes: Any) -> Product:
    """The product with something else in the resource of that path."""
    rows = (replace(row, **changes) if row.path == path else row for row in product.resources)
    return replace(product, resources=tuple(rows))


def prompt(product: Product, name: str, **changes: Any) -> Product:
    """The product with something else in the prompt of that name."""
    rows = (replace(row, **changes) if row.name == name else row for row in product.prompts)
    return replace(product, prompts=tuple(rows))


def argument(product: Product, of: str, name: str, **changes: Any) -> Product:
    """The product with something else in that argument of a prompt."""
    given = row(product, of).arguments
    return prompt(product, of, arguments=tuple(replace(a, **changes) if a.name == name else a for a in given))


def row(product: Product, name: str) -> PromptRow:
    """The prompt of that name."""
    return next(one for one in product.prompts if one.name == name)


def lax_since(product: Product, accepts: Callable[[str], bool]) -> Product:
    """The product that also takes such a `since`."""
    correct = row(product, "review_failed_executions").arguments[0].format
    lax = Format(correct.name, lambda text: correct.accepts(text) or accepts(text))
    return argument(product, "review_failed_executions", "since", format=lax)


def lax_month(product: Product, accepts: Callable[[str], bool]) -> Product:
    """The product that also takes such a `month`, and does not reckon with it."""
    correct = row(product, "monthly_usage_report").arguments[0].format
    lax = Format(correct.name, lambda text: correct.accepts(text) or accepts(text))
    edited = argument(product, "monthly_usage_report", "month", format=lax)
    return prompt(edited, "monthly_usage_report", text=lambda given, _: f"Uso e custo de {given['month']}.")
