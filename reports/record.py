"""The run record (docs/run-record.md) as data: all that reports know of a run."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from reports.fields import Fields, named
from reports.verdicts import Verdict

FORMAT = 1
WRITTEN = "written"
"""The order in which the features have the scenarios."""


@dataclass(frozen=True)
class Rule:
    """A catalogued rule: `level` is M, D or A; `seat` is "server", "with the mock" or "only the mock"."""

    id: str
    group: str
    level: str
    eras: tuple[str, ...]
    seat: str
    statement: str
    document: str
    section: str


@dataclass(frozen=True)
class Subject:
    """What was judged: its URLs, the command it was started with, whether it is the bundled reference server."""

    urls: tuple[str, ...]
    command: str | None
    reference: bool


@dataclass(frozen=True)
class Part:
    """A record that was merged into this one: its name, its server, how many scenario runs; False when cut off."""

    record: str
    server: str
    scenarios: int
    complete: bool


@dataclass(frozen=True)
class Header:
    """The first line: what was judged, with what, and which rules were asked; of a merged record also its parts.

    `shard` is which part of how many ("2/3") the run was; None where it was the whole, or several made one. `order` is
    how the scenarios were ordered.
    """

    tool: str
    tool_version: str
    product: str
    title: str
    started_at: str
    subject: Subject
    eras: tuple[str, ...]
    seed: int
    workers: int
    controls: dict[str, str]
    rules: tuple[Rule, ...]
    asked: tuple[str, ...]
    shard: str | None = None
    order: str = WRITTEN
    merged: tuple[Part, ...] = ()


@dataclass(frozen=True)
class Step:
    """A step of a scenario; `status` is passed, failed or not run."""

    keyword: str
    text: str
    line: int
    status: str
    seconds: float


@dataclass(frozen=True)
class Finding:
    """One thing that is not as `rule` says; `exchange` is the number of the exchange that shows it."""

    rule: str
    advisory: bool
    message: str
    expected: str
    actual: str
    exchange: int | None


@dataclass(frozen=True)
class Request:
    """What was sent. `cut` is true when the record holds the beginning of the body only."""

    method: str
    url: str
    headers: tuple[tuple[str, str], ...]
    body: str
    cut: bool


@dataclass(frozen=True)
class Answer:
    """What came back. `cut` is true when the record holds the beginning of the body only."""

    status: int
    headers: tuple[tuple[str, str], ...]
    body: str
    cut: bool


@dataclass(frozen=True)
class Exchange:
    """A request and its answer; without one, `problem` says why."""

    number: int
    actor: str
    label: str
    seconds: float
    request: Request
    answer: Answer | None
    problem: str | None


@dataclass(frozen=True)
class Scenario:
    """One scenario run: a scenario, an example row, an era; in a record merged of several servers, its server."""

    id: str
    feature: str
    feature_title: str
    rule: str
    rule_title: str
    name: str
    example: dict[str, str]
    line: int
    tags: tuple[str, ...]
    era: str
    advisory: bool
    verdict: Verdict
    reason: str | None
    seconds: float
    steps: tuple[Step, ...]
    findings: tuple[Finding, ...]
    exchanges: tuple[Exchange, ...]
    error: str | None
    tenant: str | None
    server: str | None = None

    def exchange(self, number: int | None) -> Exchange | None:
        """The exchange of that number, if the record holds it."""
        return next((exchange for exchange in self.exchanges if exchange.number == number), None)


@dataclass(frozen=True)
class RuleResult:
    """What the run made of a rule, overall and era by era."""

    verdict: Verdict
    eras: dict[str, Verdict]
    scenarios: int


@dataclass(frozen=True)
class Footer:
    """The last line: how the run ended. `accepted` are the rules whose failure a baseline accepts, and why."""

    finished_at: str
    seconds: float
    exit_code: int
    complaint: str | None
    subject_output: str | None
    counts: dict[str, int]
    rules: dict[str, RuleResult]
    accepted: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Run:
    """A whole record. Without a footer it is incomplete: the run was cut off."""

    header: Header
    scenarios: tuple[Scenario, ...]
    footer: Footer | None

    @property
    def incomplete(self) -> bool:
        """True when the run was cut off and the whole cannot be judged."""
        return self.footer is None


def read(path: Path) -> Run:
    """The run recorded in the NDJSON file at `path`.

    A record that was cut off (no footer, a last line without its end) is readable and `incomplete`. Anything else
    that is not as docs/run-record.md says raises ValueError with one sentence that names the line. Raises OSError
    when the file cannot be read.
    """
    header: Header | None = None
    footer: Footer | None = None
    scenarios: list[Scenario] = []
    for fields in _lines(path):
        if footer is not None:
            raise ValueError(f"{fields.where}: the record goes on after its footer")
        kind = fields.text("type")
        if (kind == "header") != (header is None):
            expected = "the header" if header is None else "a scenario or the footer"
            raise ValueError(f"{fields.where}: expected {expected}, came {named(kind)!r}")
        if kind == "header":
            header = _header(fields)
        elif kind == "scenario":
            scenarios.append(_scenario(fields))
        elif kind == "footer":
            footer = _footer(fields)
        else:
            raise ValueError(f"{fields.where}: expected a scenario or the footer, came {named(kind)!r}")
    if header is None:
        raise ValueError(
            f"{path.name}, line 1: expected the header of a run record, came nothing that can be read"
        )
    return Run(header, tuple(scenarios), footer)


def _lines(path: Path) -> Iterator[Fields]:
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            where = f"{path.name}, line {number}"
            try:
                value = json.loads(line.decode("utf-8"), parse_constant=_refuse)
            except (ValueError, RecursionError) as error:
                # Only the last line can lack its end: the process that wrote it was stopped.
                if not line.endswith(b"\n"):
                    return
                raise ValueError(
                    f"{where}: expected a JSON object, came what is not JSON ({error})"
                ) from None
            if not isinstance(value, dict):
                raise ValueError(f"{where}: expected a JSON object, came other JSON")
            yield Fields(where, value)


def _refuse(constant: str) -> Any:
    raise ValueError(f"{constant} is no JSON number")


def _verdict(fields: Fields, key: str) -> Verdict:
    text = fields.text(key)
    try:
        return Verdict(text)
    except ValueError:
        raise ValueError(f"{fields.where}: {named(text)!r} is no verdict") from None


def _header(fields: Fields) -> Header:
    if fields.integer("format") != FORMAT:
        raise ValueError(
            f"{fields.where}: the record has format {fields.integer('format')}, this version reads format {FORMAT}"
        )
    tool, product, subject = fields.object("tool"), fields.object("product"), fields.object("subject")
    return Header(
        tool=tool.text("name"),
        tool_version=tool.text("version"),
        product=product.text("id"),
        title=product.text("title"),
        started_at=fields.text("started_at"),
        subject=Subject(subject.texts("urls"), _command(subject), subject.flag("reference")),
        eras=fields.texts("eras"),
        seed=fields.integer("seed"),
        workers=fields.integer("workers"),
        controls=fields.mapping("controls"),
        rules=tuple(_rule(rule) for rule in fields.objects("rules")),
        asked=fields.texts("asked"),
        shard=_shard(fields.text("shard")) if "shard" in fields.data else None,
        order=fields.text("order") if "order" in fields.data else WRITTEN,
        merged=tuple(_part(part) for part in fields.objects("merged")) if "merged" in fields.data else (),
    )


def _shard(text: str) -> str:
    if re.fullmatch(r"[1-9][0-9]{0,3}/[1-9][0-9]{0,3}", text) is None:
        raise ValueError(f"{named(text)!r} is no shard; 2/3 is the second of three")
    return text


def _part(fields: Fields) -> Part:
    return Part(
        fields.text("record"), fields.text("server"), fields.integer("scenarios"), fields.flag("complete")
    )


def _command(subject: Fields) -> str | None:
    """The command as one line of text; a list of arguments is quoted as a shell would want it."""
    if isinstance(subject.data.get("command"), list):
        import shlex

        return shlex.join(subject.texts("command"))
    return subject.text_or_none("command")


def _rule(fields: Fields) -> Rule:
    return Rule(
        id=fields.text("id"),
        group=fields.text("group"),
        level=fields.text("level"),
        eras=fields.texts("eras"),
        seat=fields.text("seat"),
        statement=fields.text("statement"),
        document=fields.text_or_none("document") or "",
        section=fields.text_or_none("section") or "",
    )


def _scenario(fields: Fields) -> Scenario:
    return Scenario(
        id=fields.text("id"),
        feature=fields.text("feature"),
        feature_title=fields.text("feature_title"),
        rule=fields.text("rule"),
        rule_title=fields.text("rule_title"),
        name=fields.text("name"),
        example=fields.mapping("example") if fields.data.get("example") is not None else {},
        line=fields.integer("line"),
        tags=fields.texts("tags"),
        era=fields.text("era"),
        advisory=fields.flag("advisory"),
        verdict=_verdict(fields, "verdict"),
        reason=fields.text_or_none("reason"),
        seconds=fields.seconds("seconds"),
        steps=tuple(_step(step) for step in fields.objects("steps")),
        findings=tuple(_finding(finding) for finding in fields.objects("findings")),
        exchanges=tuple(_exchange(exchange) for exchange in fields.objects("exchanges")),
        error=fields.text_or_none("error"),
        tenant=fields.text_or_none("tenant"),
        server=fields.text_or_none("server"),
    )


def _step(fields: Fields) -> Step:
    return Step(
        keyword=fields.text("keyword"),
        text=fields.text("text"),
        line=fields.integer("line"),
        status=fields.text("status"),
        seconds=fields.seconds("seconds"),
    )


def _finding(fields: Fields) -> Finding:
    return Finding(
        rule=fields.text("rule"),
        advisory=fields.flag("advisory"),
        message=fields.text("message"),
        expected=fields.text_or_none("expected") or "",
        actual=fields.text_or_none("actual") or "",
        exchange=fields.integer_or_none("exchange"),
    )


def _exchange(fields: Fields) -> Exchange:
    request, answer = fields.object("request"), fields.object_or_none("answer")
    return Exchange(
        number=fields.integer("number"),
        actor=fields.text("actor"),
        label=fields.text("label"),
        seconds=fields.seconds("seconds"),
        request=Request(
            method=request.text("method"),
            url=request.text("url"),
            headers=request.pairs("headers"),
            body=request.text_or_none("body") or "",
            cut=request.flag("cut"),
        ),
        answer=None if answer is None else _answer(answer),
        problem=fields.text_or_none("problem"),
    )


def _answer(fields: Fields) -> Answer:
    return Answer(
        status=fields.integer("status"),
        headers=fields.pairs("headers"),
        body=fields.text_or_none("body") or "",
        cut=fields.flag("cut"),
    )


def _footer(fields: Fields) -> Footer:
    results = fields.object("rules")
    return Footer(
        finished_at=fields.text("finished_at"),
        seconds=fields.seconds("seconds"),
        exit_code=fields.integer("exit_code"),
        complaint=fields.text_or_none("complaint"),
        subject_output=fields.text_or_none("subject_output"),
        counts=fields.counts("counts"),
        rules={rule: _result(results.object(rule)) for rule in results.data},
        accepted=fields.mapping("accepted") if fields.data.get("accepted") is not None else {},
    )


def _result(fields: Fields) -> RuleResult:
    eras = fields.object("eras")
    return RuleResult(
        verdict=_verdict(fields, "verdict"),
        eras={era: _verdict(eras, era) for era in eras.data},
        scenarios=fields.integer("scenarios"),
    )
