"""Servers that lie about prompts: which there are, who is shown them, what their texts say."""

from calendar import isleap
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import date, timedelta

from mcp.shared.exceptions import MCPError
from mcp_types import INTERNAL_ERROR, GetPromptResult, Prompt, PromptMessage, TextContent

from reference_server.engine.caller import Caller
from reference_server.engine.prompts import Prompts
from reference_server.engine.tables import Product, PromptArgument, PromptRow

from .tables import Table, argument, prompt, row
from .wire import Line, Wire

REVIEW, EXPLAIN = "review_failed_executions", "explain_execution"
USAGE, READINESS = "monthly_usage_report", "check_task_readiness"


class PromptTooMany(Table):
    """There is a fifth prompt."""

    rule = "KADU-PRM-01"

    @staticmethod
    def edit(product: Product) -> Product:
        fifth = replace(row(product, EXPLAIN), name="rerun_execution")
        return replace(product, prompts=(*product.prompts, fifth))


class PromptMissing(Table):
    """One of the four prompts is missing."""

    rule = "KADU-PRM-01"

    @staticmethod
    def edit(product: Product) -> Product:
        return replace(product, prompts=tuple(one for one in product.prompts if one.name != READINESS))


class OptionalArgumentMarkedRequired(Table):
    """The optional date is marked as required."""

    rule = "KADU-PRM-01"

    @staticmethod
    def edit(product: Product) -> Product:
        return argument(product, REVIEW, "since", required=True)


class RequiredArgumentMarkedOptional(Prompts):
    """The required month is listed as optional."""

    rule = "KADU-PRM-01"

    def describe(self, row: PromptRow) -> Prompt:
        listed = super().describe(row)
        for one in listed.arguments or ():
            one.required = one.required and one.name != "month"
        return listed


class ArgumentNotListed(Prompts):
    """The task's environment is needed and not listed."""

    rule = "KADU-PRM-01"

    def describe(self, row: PromptRow) -> Prompt:
        listed = super().describe(row)
        listed.arguments = [one for one in listed.arguments or () if one.name != "environment_id"]
        return listed


class ArgumentTooMany(Table):
    """A prompt takes an argument that the documents do not name."""

    rule = "KADU-PRM-01"

    @staticmethod
    def edit(product: Product) -> Product:
        more = PromptArgument(name="language", description="A língua da resposta.")
        return prompt(product, EXPLAIN, arguments=(*row(product, EXPLAIN).arguments, more))


class PromptsShownToEverybody(Prompts):
    """Prompts are listed to everybody, whatever tools they may run."""

    rule = "KADU-PRM-02"

    def listed(self, caller: Caller) -> list[Prompt]:  # noqa: ARG002
        return [self.describe(row) for row in self.rows.values()]


class PromptShownByScopeAlone(Prompts):
    """A prompt is shown by the token's scopes alone."""

    rule = "KADU-PRM-02"

    def shown(self, caller: Caller, row: PromptRow) -> bool:
        return all(self.visibility.has_scope(caller, tool) for tool in self.operations[row.name])


class PromptShownByPermissionAlone(Prompts):
    """A prompt is shown by the person's permissions alone."""

    rule = "KADU-PRM-02"

    def shown(self, caller: Caller, row: PromptRow) -> bool:
        return all(self.visibility.has_permission(caller, tool) for tool in self.operations[row.name])


class PromptShownForAnyOfItsTools(Prompts):
    """A prompt is shown to who may run one of its tools."""

    rule = "KADU-PRM-02"

    def shown(self, caller: Caller, row: PromptRow) -> bool:
        return any(self.visibility.may_run(caller, tool) for tool in self.operations[row.name])


class UsagePromptAlwaysShown(Table):
    """The usage report rests on no tool, and is shown to everybody."""

    rule = "KADU-PRM-02"

    @staticmethod
    def edit(product: Product) -> Product:
        return prompt(product, USAGE, tools=())


class ReviewShownWithoutExecutions(Table):
    """The review of failures rests on the tools of usage, and is shown to who may read no execution."""

    rule = "KADU-PRM-02"

    @staticmethod
    def edit(product: Product) -> Product:
        return prompt(product, REVIEW, tools=("kadu_usage_get",))


class HiddenPromptServed(Prompts):
    """A prompt that is not listed to a caller is served to them all the same."""

    rule = "KADU-PRM-03"

    def get(self, caller: Caller, name: str, arguments: Mapping[str, str]) -> GetPromptResult:
        everything = [tool for tools in self.operations.values() for tool in tools]
        scopes = frozenset(tool.scope for tool in everything if tool.scope)
        permissions = frozenset(tool.permission for tool in everything if tool.permission)
        return super().get(replace(caller, scopes=scopes, permissions=permissions), name, arguments)


class PromptServedByScopeAlone(Prompts):
    """A prompt that is hidden for want of a permission is served all the same."""

    rule = "KADU-PRM-03"

    def get(self, caller: Caller, name: str, arguments: Mapping[str, str]) -> GetPromptResult:
        everything = [tool for tools in self.operations.values() for tool in tools]
        permissions = frozenset(tool.permission for tool in everything if tool.permission)
        return super().get(replace(caller, permissions=permissions), name, arguments)


class UnknownPromptIsEmpty(Prompts):
    """An unknown prompt answers a text that says so."""

    rule = "KADU-PRM-03"

    def get(self, caller: Caller, name: str, arguments: Mapping[str, str]) -> GetPromptResult:
        return super().get(caller, name, arguments) if name in self.rows else said("user", "Não há.")


class HiddenPromptIsAnInternalError(Prompts):
    """A prompt that is hidden is refused as an internal error."""

    rule = "KADU-PRM-03"

    def get(self, caller: Caller, name: str, arguments: Mapping[str, str]) -> GetPromptResult:
        if name in self.rows and not self.shown(caller, self.rows[name]):
            raise MCPError(INTERNAL_ERROR, "Forbidden")
        return super().get(caller, name, arguments)


class GettingAPromptSynchronizes(Wire):
    """Getting the readiness of a task has the repository synchronized."""

    rule = "KADU-PRM-04"

    async def heard(self, line: Line) -> None:
        if line.method == "prompts/get" and line.params.get("name") == READINESS:
            await self._engine.upstream.ask("POST", "/v1/repository/sync", token=line.token, body={})


class GettingAnyPromptCreates(Wire):
    """Getting the review of failures leaves a memory of it."""

    rule = "KADU-PRM-04"

    async def heard(self, line: Line) -> None:
        if line.method == "prompts/get" and line.params.get("name") == REVIEW:
            body = {"name": "Revisão de falhas"}
            await self._engine.upstream.ask("POST", "/v1/workspaces", token=line.token, body=body)


class EightDays(Table):
    """The date that is computed lies eight days back."""

    rule = "KADU-PRM-05"

    @staticmethod
    def edit(product: Product) -> Product:
        return since(product, lambda today: today - timedelta(days=8))


class SixDays(Table):
    """The date that is computed lies six days back."""

    rule = "KADU-PRM-05"

    @staticmethod
    def edit(product: Product) -> Product:
        return since(product, lambda today: today - timedelta(days=6))


class DateOfTheRelease(Table):
    """The date that is computed is a fixed one."""

    rule = "KADU-PRM-05"

    @staticmethod
    def edit(product: Product) -> Product:
        return since(product, lambda today: date(2026, 10, 24))


class LeapDayForgotten(Table):
    """February has 28 days in every year that a date is counted back."""

    rule = "KADU-PRM-05"

    @staticmethod
    def edit(product: Product) -> Product:
        def reckon(today: date) -> date:
            crossed = isleap(today.year) and today.month == 3 and today.day <= 7
            return today - timedelta(days=8 if crossed else 7)

        return since(product, reckon)


class YearNotTurnedBack(Table):
    """A date that is counted back over new year keeps the year."""

    rule = "KADU-PRM-05"

    @staticmethod
    def edit(product: Product) -> Product:
        return since(product, lambda today: (today - timedelta(days=7)).replace(year=today.year))


class GivenDateIgnored(Table):
    """The date that is given is not the one in the text."""

    rule = "KADU-PRM-05"

    @staticmethod
    def edit(product: Product) -> Product:
        text = row(product, REVIEW).text
        week = timedelta(days=7)
        return prompt(product, REVIEW, text=lambda _, today: text({"since": f"{today - week}"}, today))


class DateLeftToTheModel(Table):
    """The text leaves it to the model to reckon with seven days."""

    rule = "KADU-PRM-05"

    @staticmethod
    def edit(product: Product) -> Product:
        return prompt(product, REVIEW, text=lambda _, today: "Analise as falhas dos últimos sete dias.")


class MonthMissing(Table):
    """The usage report does not say which month it is about."""

    rule = "KADU-PRM-05"

    @staticmethod
    def edit(product: Product) -> Product:
        return prompt(product, USAGE, text=lambda _, today: "Resuma uso e custo do mês, por tarefa.")


class MonthOfToday(Table):
    """The usage report is about the current month, whichever was given."""

    rule = "KADU-PRM-05"

    @staticmethod
    def edit(product: Product) -> Product:
        text = row(product, USAGE).text
        return prompt(product, USAGE, text=lambda _, today: text({"month": f"{today:%Y-%m}"}, today))


class AssistantSpeaksFirst(Prompts):
    """The first message of a prompt is the assistant's."""

    rule = "KADU-PRM-08"

    def get(self, caller: Caller, name: str, arguments: Mapping[str, str]) -> GetPromptResult:
        result = super().get(caller, name, arguments)
        hello = PromptMessage(role="assistant", content=TextContent(text="Posso ajudar."))
        return result.model_copy(update={"messages": [hello, *result.messages]})


class PromptWithoutMessages(Prompts):
    """A prompt has a description and no message."""

    rule = "KADU-PRM-08"

    def get(self, caller: Caller, name: str, arguments: Mapping[str, str]) -> GetPromptResult:
        return super().get(caller, name, arguments).model_copy(update={"messages": []})


class PromptWithoutText(Prompts):
    """The message of a prompt is an empty text."""

    rule = "KADU-PRM-08"

    def get(self, caller: Caller, name: str, arguments: Mapping[str, str]) -> GetPromptResult:
        super().get(caller, name, arguments)
        return said("user", "")


class GivenIdLeftOut(Table):
    """The text does not say which execution it is about."""

    rule = "KADU-PRM-08"

    @staticmethod
    def edit(product: Product) -> Product:
        return prompt(product, EXPLAIN, text=lambda _, today: "Explique a execução mais recente.")


class SecondIdLeftOut(Table):
    """The text names the task and leaves the environment out."""

    rule = "KADU-PRM-08"

    @staticmethod
    def edit(product: Product) -> Product:
        return prompt(product, READINESS, text=lambda given, _: f"A tarefa {given['task_id']} pode rodar?")


def said(role: str, text: str) -> GetPromptResult:
    """A prompt of one message."""
    message = PromptMessage.model_validate({"role": role, "content": {"type": "text", "text": text}})
    return GetPromptResult(messages=[message])


def since(product: Product, reckon: Callable[[date], date]) -> Product:
    """The product whose `since` is reckoned otherwise where it is left out."""
    return argument(product, REVIEW, "since", default=lambda today: reckon(today).isoformat())
