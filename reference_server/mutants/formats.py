"""Servers that lie about the arguments of prompts: what they must be, and in which format."""

import re
from datetime import date, datetime
from typing import Any

from mcp.shared.exceptions import MCPError
from mcp_types import INTERNAL_ERROR

from reference_server.engine.caller import Caller
from reference_server.engine.formats import DATE, MONTH, Format
from reference_server.engine.prompts import Prompts
from reference_server.engine.tables import Product, PromptArgument, PromptRow

from .tables import Table, argument, lax_month, lax_since
from .wire import Line, Wire


def reads(text: str, form: str) -> bool:
    """Whether the standard library reads a text as a date of that form."""
    try:
        datetime.strptime(text, form)  # noqa: DTZ007
    except ValueError:
        return False
    return True


class MissingArgumentIsEmpty(Prompts):
    """A required argument that is missing is taken as an empty text."""

    rule = "KADU-PRM-06"

    def value(self, caller: Caller, row: PromptRow, argument: PromptArgument, given: str | None) -> Any:
        return given or "" if argument.name.endswith("_id") else super().value(caller, row, argument, given)


class MissingMonthIsTheCurrentOne(Prompts):
    """A month that is missing is taken as the current one."""

    rule = "KADU-PRM-06"

    def value(self, caller: Caller, row: PromptRow, argument: PromptArgument, given: str | None) -> Any:
        current = f"{caller.now:%Y-%m}" if argument.name == "month" else None
        return super().value(caller, row, argument, given or current)


class MissingEnvironmentIsAny(Prompts):
    """An environment that is missing is taken as any of them."""

    rule = "KADU-PRM-06"

    def value(self, caller: Caller, row: PromptRow, argument: PromptArgument, given: str | None) -> Any:
        default = "qualquer um" if argument.name == "environment_id" else None
        return super().value(caller, row, argument, given or default)


class MissingArgumentIsAnInternalError(Prompts):
    """A required argument that is missing is an internal error."""

    rule = "KADU-PRM-06"

    def value(self, caller: Caller, row: PromptRow, argument: PromptArgument, given: str | None) -> Any:
        if not given and argument.required:
            raise MCPError(INTERNAL_ERROR, f"KeyError: {argument.name}")
        return super().value(caller, row, argument, given)


class NoArgumentsAtAllIsAnInternalError(Wire):
    """A request that leaves its arguments out altogether is an internal error."""

    rule = "KADU-PRM-06"

    async def heard(self, line: Line) -> None:
        if line.method == "prompts/get" and "arguments" not in line.params:
            line.answer(200, error=(INTERNAL_ERROR, "Cannot read properties of undefined"))


class FormatErrorIsAnInternalError(Prompts):
    """An argument out of its format is an internal error."""

    rule = "KADU-PRM-07"

    def value(self, caller: Caller, row: PromptRow, argument: PromptArgument, given: str | None) -> Any:
        if given and not argument.format.accepts(given):
            raise MCPError(INTERNAL_ERROR, f"ValueError: {argument.name}")
        return super().value(caller, row, argument, given)


class WrongDateFallsBack(Prompts):
    """A date out of its format is taken as none, and the default stands."""

    rule = "KADU-PRM-07"

    def value(self, caller: Caller, row: PromptRow, argument: PromptArgument, given: str | None) -> Any:
        readable = given if given and argument.format.accepts(given) else None
        return super().value(caller, row, argument, given if argument.required else readable)


class DayThatIsNoneTaken(Table):
    """A date is taken by its figures: 2026-02-30 is one."""

    rule = "KADU-PRM-07"

    @staticmethod
    def edit(product: Product) -> Product:
        form = re.compile(r"\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])")
        return lax_since(product, lambda text: form.fullmatch(text) is not None)


class LeapDayOfAnyYearTaken(Table):
    """February has 29 days in every year: 2026-02-29 is one."""

    rule = "KADU-PRM-07"

    @staticmethod
    def edit(product: Product) -> Product:
        return lax_since(product, lambda text: re.fullmatch(r"\d{4}-02-29", text) is not None)


class MomentTakenAsDate(Table):
    """A date is taken by its beginning, whatever follows."""

    rule = "KADU-PRM-07"

    @staticmethod
    def edit(product: Product) -> Product:
        return lax_since(product, lambda text: DATE.accepts(text[:10]))


class ThirteenthMonthOfADateTaken(Table):
    """The month of a date is not looked at: 2026-13-01 is one."""

    rule = "KADU-PRM-07"

    @staticmethod
    def edit(product: Product) -> Product:
        form = re.compile(r"\d{4}-(1[3-9]|[2-9]\d)-\d{2}")
        return lax_since(product, lambda text: form.fullmatch(text) is not None)


class CompactDateTaken(Table):
    """A date without its dashes is taken."""

    rule = "KADU-PRM-07"

    @staticmethod
    def edit(product: Product) -> Product:
        return lax_since(
            product, lambda text: len(text) == 8 and text.isdigit() and bool(date.fromisoformat(text))
        )


class ShortDayTaken(Table):
    """A date is taken with a day of one figure."""

    rule = "KADU-PRM-07"

    @staticmethod
    def edit(product: Product) -> Product:
        return lax_since(product, lambda text: reads(text, "%Y-%m-%d"))


class LocalDateTaken(Table):
    """A date is taken as people write it, day first."""

    rule = "KADU-PRM-07"

    @staticmethod
    def edit(product: Product) -> Product:
        return lax_since(product, lambda text: reads(text, "%d/%m/%Y"))


class DateInWordsTaken(Table):
    """A date is taken in words."""

    rule = "KADU-PRM-07"

    @staticmethod
    def edit(product: Product) -> Product:
        return lax_since(product, str.isalpha)


class MonthTakenAsDate(Table):
    """A month is taken where a date is due."""

    rule = "KADU-PRM-07"

    @staticmethod
    def edit(product: Product) -> Product:
        return lax_since(product, lambda text: len(text) == 7 and reads(text, "%Y-%m"))


class WeekTakenAsDate(Table):
    """A day is taken by its week."""

    rule = "KADU-PRM-07"

    @staticmethod
    def edit(product: Product) -> Product:
        return lax_since(product, lambda text: "W" in text and reads(text, "%G-W%V-%u"))


class DayOfTheYearTakenAsDate(Table):
    """A day is taken by its number in the year."""

    rule = "KADU-PRM-07"

    @staticmethod
    def edit(product: Product) -> Product:
        return lax_since(product, lambda text: len(text) == 8 and reads(text, "%Y-%j"))


class LineBreakBehindADateTaken(Table):
    """A date is taken with a line break behind it."""

    rule = "KADU-PRM-07"

    @staticmethod
    def edit(product: Product) -> Product:
        return lax_since(product, lambda text: DATE.accepts(text.removesuffix("\n")))


class SpaceBeforeADateTaken(Table):
    """A date is taken with a space before it."""

    rule = "KADU-PRM-07"

    @staticmethod
    def edit(product: Product) -> Product:
        return lax_since(product, lambda text: DATE.accepts(text.removeprefix(" ")))


class SpaceBehindADateTaken(Table):
    """A date is taken with a space behind it."""

    rule = "KADU-PRM-07"

    @staticmethod
    def edit(product: Product) -> Product:
        return lax_since(product, lambda text: DATE.accepts(text.removesuffix(" ")))


class LeapDayRefused(Table):
    """The 29th of February is refused in every year."""

    rule = "KADU-PRM-05"

    @staticmethod
    def edit(product: Product) -> Product:
        strict = Format(DATE.name, lambda text: DATE.accepts(text) and not text.endswith("-02-29"))
        return argument(product, "review_failed_executions", "since", format=strict)


class ThirteenthMonthTaken(Table):
    """A thirteenth month is taken."""

    rule = "KADU-PRM-07"

    @staticmethod
    def edit(product: Product) -> Product:
        return lax_month(product, lambda text: re.fullmatch(r"\d{4}-1\d", text) is not None)


class MonthZeroTaken(Table):
    """A month of two zeros is taken."""

    rule = "KADU-PRM-07"

    @staticmethod
    def edit(product: Product) -> Product:
        return lax_month(product, lambda text: re.fullmatch(r"\d{4}-0\d", text) is not None)


class ShortMonthTaken(Table):
    """A month of one figure is taken."""

    rule = "KADU-PRM-07"

    @staticmethod
    def edit(product: Product) -> Product:
        return lax_month(product, lambda text: reads(text, "%Y-%m"))


class CompactMonthTaken(Table):
    """A month without its dash is taken."""

    rule = "KADU-PRM-07"

    @staticmethod
    def edit(product: Product) -> Product:
        return lax_month(product, lambda text: text.isdigit() and reads(text, "%Y%m"))


class MonthFirstTaken(Table):
    """A month is taken with the year behind it."""

    rule = "KADU-PRM-07"

    @staticmethod
    def edit(product: Product) -> Product:
        return lax_month(product, lambda text: reads(text, "%m-%Y"))


class DateTakenAsMonth(Table):
    """A date is taken where a month is due."""

    rule = "KADU-PRM-07"

    @staticmethod
    def edit(product: Product) -> Product:
        return lax_month(product, lambda text: reads(text, "%Y-%m-%d"))


class MonthInWordsTaken(Table):
    """A month is taken by its name."""

    rule = "KADU-PRM-07"

    @staticmethod
    def edit(product: Product) -> Product:
        return lax_month(product, str.isalpha)


class LineBreakBehindAMonthTaken(Table):
    """A month is taken with a line break behind it."""

    rule = "KADU-PRM-07"

    @staticmethod
    def edit(product: Product) -> Product:
        return lax_month(product, lambda text: MONTH.accepts(text.removesuffix("\n")))


class SpacesAroundAMonthTaken(Table):
    """A month is taken with spaces around it."""

    rule = "KADU-PRM-07"

    @staticmethod
    def edit(product: Product) -> Product:
        return lax_month(product, lambda text: MONTH.accepts(text.strip(" ")))
