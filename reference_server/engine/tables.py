"""What a product is made of: the types of its tables. Data only; the engine gives it behaviour."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date

from .formats import TEXT, Format


@dataclass(frozen=True)
class Listing:
    """Completion values are the ids of this listing operation, newest first."""

    operation: str


@dataclass(frozen=True)
class LastMonths:
    """Completion values are the last months (`AAAA-MM`), the current one first."""

    count: int = 12


@dataclass(frozen=True)
class Choices:
    """Completion values are these."""

    values: tuple[str, ...]


Source = Listing | LastMonths | Choices


@dataclass(frozen=True)
class ResourceRow:
    """A resource: its URI below the product's prefix (a template where it holds `{id}`) and the tool that
    reads it.

    `ids` is where the `{id}` of a template is completed from.
    """

    path: str
    operation: str
    name: str
    title: str
    description: str
    ids: Listing | None = None


@dataclass(frozen=True)
class PromptArgument:
    """An argument of a prompt. `default` gives the value of one left out, from today's date."""

    name: str
    description: str
    required: bool = False
    format: Format = TEXT
    default: Callable[[date], str] | None = None
    source: Source | None = None


@dataclass(frozen=True)
class PromptRow:
    """A prompt.

    Shown only to who may run all its `tools`; `text` builds it from checked arguments and today's date.
    """

    name: str
    title: str
    description: str
    tools: tuple[str, ...]
    text: Callable[[Mapping[str, str], date], str]
    arguments: tuple[PromptArgument, ...] = ()


@dataclass(frozen=True)
class Question:
    """The wording of a confirmation in the chat.

    `key` names the question in the answer map, `property` the yes in the form. `opening` and `arguments`
    frame the message: what will happen, then each argument.
    """

    key: str
    property: str
    property_title: str
    opening: str
    no_arguments: str
    arguments: str


@dataclass(frozen=True)
class Refusal:
    """What a refused destructive call answers: a documented code and a sentence."""

    code: str
    message: str


@dataclass(frozen=True)
class Link:
    """Approval by link where no form can be shown.

    `register_operation` stores a call upstream, `check_operation` is the tool that reads what became of it, `resource`
    the path below the product's prefix that does the same, `message` what the assistant is told.
    """

    register_operation: str
    check_operation: str
    resource: str
    message: str


@dataclass(frozen=True)
class Product:
    """All the engine knows of a product.

    `contract_path` and `extension` are where the upstream serves its contract and the key it describes
    operations with; `me_operation` tells who is calling and is listed first, `register_operation` records
    used confirmations. `error_codes` are the documented names of the upstream's error codes; one not listed
    goes by its own name.
    """

    name: str
    title: str
    server_name: str
    instructions: str
    upstream_variable: str
    contract_path: str
    extension: str
    uri_prefix: str
    me_operation: str
    register_operation: str
    resources: tuple[ResourceRow, ...]
    prompts: tuple[PromptRow, ...]
    question: Question
    without_forms: Refusal | Link
    personless: Refusal
    permission_code: str
    forbidden_code: str
    error_codes: Mapping[str, str] = field(default_factory=dict)
    confirmation_seconds: int = 300
