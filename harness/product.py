"""A product under judgement: the names its documents give, read from `features/<product>/product.toml`."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

Item = TypeVar("Item")
FEATURES = Path(__file__).resolve().parent.parent / "features"


@dataclass(frozen=True)
class Product:
    """One product. `records` says, for some tools, on which record they are tried; `destructive`
    are those whose asking the features judge one by one; `samples` has values for arguments that not every value
    fits; `inside` names, for arguments that hold others, the field of that record which says as a JSON Schema what
    they hold; `optional` are tools that a server may do without."""

    id: str
    title: str
    upstream_variable: str
    features: tuple[Path, ...]
    uri_prefix: str
    tool_prefix: str
    codes: tuple[str, ...]
    records: Mapping[str, Mapping[str, str]]
    destructive: tuple[str, ...]
    optional: tuple[str, ...]
    samples: Mapping[str, Any]
    inside: Mapping[str, Mapping[str, str]]

    def sample(self, tool: str, argument: str) -> Any:
        """A value that this argument of a tool may have; None where the product names none."""
        return self.samples.get(f"{tool}.{argument}", self.samples.get(argument))

    def own(self, tools: Mapping[str, Item]) -> dict[str, Item]:
        """Of tools by name those of this product; what a server offers of others has rules of its own."""
        return {name: tool for name, tool in tools.items() if name.startswith(self.tool_prefix)}


@cache
def load(product: str) -> Product:
    """The product of that id. Raises LookupError naming the known ones where there is none."""
    path = FEATURES / product / "product.toml"
    known = sorted(found.parent.name for found in FEATURES.glob("*/product.toml"))
    if product not in known:
        raise LookupError(f"There is no product {product!r}; known: {', '.join(known)}.")
    data: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))
    return Product(
        id=data["id"],
        title=data["title"],
        upstream_variable=data["upstream_variable"],
        features=tuple(FEATURES / directory for directory in data["features"]),
        uri_prefix=data["uri_prefix"],
        tool_prefix=data["tool_prefix"],
        codes=tuple(data["codes"]),
        records=data.get("records", {}),
        destructive=tuple(data.get("destructive", ())),
        optional=tuple(data.get("optional", ())),
        samples=data.get("samples", {}),
        inside=data.get("inside", {}),
    )
