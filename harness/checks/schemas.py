"""What a tool says of itself: of one argument in its inputSchema, and in its hints. A stranger's: it may be no schema."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from harness.schemas import as_list, as_schema, needed, properties, resolve

KEY = "idempotency_key"


@dataclass(frozen=True)
class KeyArgument:
    """How a tool takes the key of idempotency: whether at all, as an optional text, and how long."""

    present: bool
    optional_text: bool
    shortest: int | None
    longest: int | None

    @property
    def narrow(self) -> bool:
        """Whether it is said that a key of 1 or of 255 characters is none. What is no number says nothing."""
        short, long = self.shortest, self.longest
        return (isinstance(short, int) and short > 1) or (isinstance(long, int) and long < 255)


def hints(tool: Mapping[str, Any]) -> Mapping[str, Any]:
    """The annotations of a tool; none where they are no object."""
    found = tool.get("annotations")
    return found if isinstance(found, Mapping) else {}


def key_argument(tool: Mapping[str, Any]) -> KeyArgument:
    """What a tool's inputSchema says of its idempotency_key."""
    schema = as_schema(tool.get("inputSchema"))
    forms = properties(schema, choose=False)
    if KEY not in forms:
        return KeyArgument(False, False, None, None)
    form = resolve(forms[KEY], schema, choose=False)
    branches = [as_schema(one) for word in ("anyOf", "oneOf") for one in as_list(form.get(word))]
    choices = [form, *(resolve(one, schema, choose=False) for one in branches)]
    kinds = [kind for one in choices for kind in _kinds(one.get("type"))]
    text = next((one for one in choices if "string" in _kinds(one.get("type"))), form)
    optional = KEY not in needed(schema, choose=False)
    return KeyArgument(True, optional and "string" in kinds, text.get("minLength"), text.get("maxLength"))


def _kinds(kind: Any) -> list[str]:
    return [kind] if isinstance(kind, str) else list(kind) if isinstance(kind, list) else []
