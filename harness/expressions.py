"""Steps written as Cucumber Expressions: the decorators, the parameter types and the one registry behind them.

A step function takes the world of the scenario first, then the values of its expression by position, then, where it
wants them, `datatable` (rows of text) and `docstring` (text):

    @when("the assistant calls {tool}")
    def call(world: World, tool: str) -> None: ...
"""

import inspect
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final, Literal, NamedTuple, TypeVar

from cucumber_expressions.argument import Argument
from cucumber_expressions.errors import CucumberExpressionError
from cucumber_expressions.expression import CucumberExpression
from cucumber_expressions.parameter_type import ParameterType
from cucumber_expressions.parameter_type_registry import ParameterTypeRegistry

StepType = Literal["given", "when", "then"]
Function = TypeVar("Function", bound=Callable[..., None])

# In an editor these turn the text into a regular expression, and the step is no longer found.
FORBIDDEN: Final = "().*|\\"
EXTRAS: Final = ("datatable", "docstring")


class StepDefinitionError(Exception):
    """A step cannot be defined this way; the message names file, line and what to do."""


@dataclass(frozen=True, eq=False)
class StepDefinition:
    """One step: for which keyword (None: any), its expression, its function and where it stands."""

    type: StepType | None
    expression: CucumberExpression
    function: Callable[..., None]
    extras: frozenset[str]
    path: str
    line: int

    @property
    def text(self) -> str:
        """The expression as written."""
        return str(self.expression.source)

    @property
    def place(self) -> str:
        """Where the step function stands: file and line."""
        return f"{self.path}:{self.line}"

    def match(self, text: str) -> list[Argument] | None:
        """The arguments when the expression fits the text, else None."""
        found: list[Argument] | None = self.expression.match(text)
        return found


class Match(NamedTuple):
    """A step definition that fits a text, with the arguments that were found in it."""

    definition: StepDefinition
    arguments: tuple[Argument, ...]

    def values(self) -> list[Any]:
        """The arguments, transformed by their parameter types. Raises what a transform raises."""
        return [argument.value for argument in self.arguments]


class StepRegistry:
    """Every step definition and parameter type. Matches are remembered: a text is matched once for a keyword."""

    def __init__(self, types: ParameterTypeRegistry | None = None) -> None:
        self._types = types or ParameterTypeRegistry()
        self._definitions: list[StepDefinition] = []
        self._matches: dict[tuple[str, str], tuple[Match, ...]] = {}

    def __iter__(self) -> Iterator[StepDefinition]:
        return iter(self._definitions)

    def of(self, package: str) -> "StepRegistry":
        """A registry with the definitions of one package (or module) alone."""
        chosen = StepRegistry(self._types)
        chosen._definitions = [
            definition
            for definition in self._definitions
            if f"{definition.function.__module__}.".startswith(f"{package}.")
        ]
        return chosen

    def define_parameter_type(
        self, *, name: str, regexp: str | Iterable[str], transform: Callable[..., Any] | None = None
    ) -> None:
        """Make `{name}` known to expressions written after this.

        `transform` gets the groups of the pattern (the whole text where it has none) and returns the value; None
        leaves the text. Raises StepDefinitionError when the name is taken or the pattern is none.
        """
        patterns = [regexp] if isinstance(regexp, str) else list(regexp)
        try:
            for pattern in patterns:
                re.compile(pattern)
            self._types.define_parameter_type(
                ParameterType(name, patterns, str, transform or _same, False, False)
            )
        except (CucumberExpressionError, re.error) as error:
            raise StepDefinitionError(
                f"The parameter type {name!r} cannot be defined: {_line(error)}"
            ) from error

    def define(self, text: str, type: StepType | None, function: Callable[..., None]) -> StepDefinition:
        """Add a step. Raises StepDefinitionError when text or function are not as the module's docstring says."""
        code = inspect.unwrap(function).__code__
        place = f"{code.co_filename}:{code.co_firstlineno}"
        _check_kind(function, place)
        _check_text(text, place)
        try:
            expression = CucumberExpression(text, self._types)
        except CucumberExpressionError as error:
            raise StepDefinitionError(
                f"{place}: {text!r} is no Cucumber Expression: {_line(error)}"
            ) from error
        extras = _check_signature(text, function, len(expression.parameter_types), place)
        for other in self._definitions:
            if other.text == text and (other.type == type or None in (other.type, type)):
                raise StepDefinitionError(f"{place}: {text!r} is already defined at {other.place}.")
        definition = StepDefinition(type, expression, function, extras, code.co_filename, code.co_firstlineno)
        self._definitions.append(definition)
        self._matches.clear()
        return definition

    def matches(self, type: str, text: str) -> tuple[Match, ...]:
        """Every definition that fits this text under this keyword: one, where all is well."""
        key = (type, text)
        if key not in self._matches:
            self._matches[key] = tuple(
                Match(definition, tuple(arguments))
                for definition in self._definitions
                if definition.type in (None, type)
                for arguments in [definition.match(text)]
                if arguments is not None
            )
        return self._matches[key]

    def decorator(self, text: str, type: StepType | None) -> Callable[[Function], Function]:
        """The decorator that adds the function below it as a step, and leaves it as it is."""

        def add(function: Function) -> Function:
            self.define(text, type, function)
            return function

        return add


def _same(*groups: str | None) -> str:
    return next((group for group in groups if group is not None), "")


def _line(error: Exception) -> str:
    return " ".join(str(error).split())


def _check_kind(function: Callable[..., Any], place: str) -> None:
    plain = inspect.unwrap(function)
    if inspect.iscoroutinefunction(plain) or inspect.isasyncgenfunction(plain):
        raise StepDefinitionError(
            f"{place}: a step is a plain function; an `async def` would pass without running."
        )
    if inspect.isgeneratorfunction(plain):
        raise StepDefinitionError(
            f"{place}: a step is a plain function; one with `yield` would pass without running."
        )


def _check_text(text: str, place: str) -> None:
    if not text.strip() or text != text.strip():
        raise StepDefinitionError(
            f"{place}: a step's text is not empty and has no blanks around it; got {text!r}."
        )
    for mark in FORBIDDEN:
        if mark in text:
            raise StepDefinitionError(
                f"{place}: {text!r} contains {mark!r}, which editors take for a pattern; word it without."
            )


def _check_signature(text: str, function: Callable[..., Any], wanted: int, place: str) -> frozenset[str]:
    parameters = list(inspect.signature(function).parameters.values())
    plain = all(
        parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD)
        and parameter.default is parameter.empty
        for parameter in parameters
    )
    names = [parameter.name for parameter in parameters]
    extras = [name for name in names if name in EXTRAS]
    values = [name for name in names if name not in EXTRAS][1:]
    if not plain or not names or names[0] != "world" or names[len(names) - len(extras) :] != extras:
        raise StepDefinitionError(
            f"{place}: the step {text!r} takes `world`, then its values by position without defaults, then perhaps "
            "`datatable` and `docstring`."
        )
    if len(values) != wanted:
        raise StepDefinitionError(
            f"{place}: the step {text!r} has {wanted} parameter(s), but its function takes {len(values)} value(s)."
        )
    return frozenset(extras)


REGISTRY: Final = StepRegistry()


def given(text: str) -> Callable[[Function], Function]:
    """Define a step for `Given` (and what follows it with `And` or `But`)."""
    return REGISTRY.decorator(text, "given")


def when(text: str) -> Callable[[Function], Function]:
    """Define a step for `When`."""
    return REGISTRY.decorator(text, "when")


def then(text: str) -> Callable[[Function], Function]:
    """Define a step for `Then`."""
    return REGISTRY.decorator(text, "then")


def step(text: str) -> Callable[[Function], Function]:
    """Define a step for every keyword."""
    return REGISTRY.decorator(text, None)


def define_parameter_type(
    *, name: str, regexp: str | Iterable[str], transform: Callable[..., Any] | None = None
) -> None:
    """Make `{name}` known to the expressions of every step defined after this; see StepRegistry."""
    REGISTRY.define_parameter_type(name=name, regexp=regexp, transform=transform)
