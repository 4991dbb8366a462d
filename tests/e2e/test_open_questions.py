"""Where the documents leave something open, a conforming server passes on whichever side it stands."""

import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.strangers.plain.choices import SIDES

from .conftest import ROOT, Run, Told

PROGRAM = str(ROOT / "tests" / "strangers" / "starlette_server.py")

# The rules that a side could be held against; where two sides are about different parts of a rule, which part.
RULES: dict[str, tuple[str, ...]] = {
    "form:boolean": ("KADU-CNF-03", "KADU-CNF-05 form"),
    "form:enum_names": ("KADU-CNF-03", "KADU-CNF-05 form"),
    "form:commands": ("KADU-CNF-03", "KADU-CNF-05 form"),
    "form:no_way_back": ("KADU-CNF-03", "KADU-CNF-05 form"),
    "seal:key": tuple(f"KADU-CNF-{number:02}" for number in (1, 2, 3, 6, 7, 8, 9, 10, 11, 12, 14)),
    "form:own_language": ("KADU-CNF-03", "KADU-CNF-04", "KADU-CNF-05 form"),
    "days_asked:words": ("KADU-CNF-02",),
    "unclear_answer:declined": ("KADU-CNF-05 unclear",),
    "unclear_answer:invalid": ("KADU-CNF-05 unclear",),
    "explicit_no:question": ("KADU-CNF-05 no",),
    "explicit_no:invalid": ("KADU-CNF-05 no",),
    "malformed_answer:question": ("KADU-CNF-05 malformed",),
    "malformed_answer:declined": ("KADU-CNF-05 malformed",),
    "long_state:http": ("KADU-CNF-11",),
    "used_and_expired:replayed": ("KADU-CNF-10", "KADU-CNF-12"),
    "other_token:asked": ("KADU-CNF-08", "KADU-TLS-02"),
    "nobody_with_forms:asked": ("KADU-UNA-01", "KADU-UNA-04"),
    "register_down_at_question:unavailable": ("KADU-UNA-03",),
    "missing_record:not_found": ("KADU-CNF-06", "KADU-CNF-07", "KADU-CNF-09", "KADU-IDM-11"),
    "listing:permitted": ("KADU-TLS-01", "KADU-TLS-02", "MCP-08"),
    "not_allowed:invalid_params": ("KADU-TLS-02", "KADU-CNF-15", "KADU-IDM-14"),
    "not_allowed:http": ("KADU-TLS-02", "KADU-CNF-15", "KADU-IDM-14"),
    "rights:left_to_the_api": ("KADU-TLS-02", "KADU-CNF-15", "KADU-IDM-14"),
    "bad_arguments:invalid_params": ("KADU-IDM-03 length", "MCP-19 arguments"),
    "further_arguments:ignored": ("KADU-CNF-05 arguments",),
    "unknown_tool_2025:error_result": ("MCP-19 tool",),
    "other_tools:another_product": (
        "KADU-DST-01",
        "KADU-DST-04",
        "KADU-IDM-01",
        "KADU-IDM-03 narrow",
        "KADU-IDM-15",
        "KADU-TLS-01 others",
    ),
    "deletions:none": ("KADU-APR-01", "KADU-CNF-02", "KADU-DST-04", "KADU-UNA-01"),
    "schemas:in_parts": (
        *("KADU-APR-08", "KADU-CNF-02", "KADU-CNF-07", "KADU-DST-04", "KADU-IDM-01", "KADU-IDM-03"),
        *("KADU-IDM-15", "KADU-TLS-01", "MCP-14", "MCP-19"),
    ),
    "crowd:put_off": ("KADU-CNF-13", "KADU-IDM-04"),
    "download:words": ("KADU-RES-07",),
    "download:link": ("KADU-RES-07",),
    "download:beside_another": ("KADU-RES-07",),
    "check_with:with_advice": ("KADU-APR-02", "KADU-APR-05"),
    "odd_keys:sent": ("KADU-IDM-02", "KADU-IDM-03 odd"),
    "spellings:served": ("KADU-RES-08 spelling",),
    "long_id:http": ("KADU-RES-08 length",),
    "long_id:http_with_error": ("KADU-RES-08 length",),
    "not_found_data:with_request": ("KADU-RES-09 data",),
    "me_document:named": ("KADU-RES-03", "KADU-RES-04"),
    "since_empty:a_week": ("KADU-PRM-05", "KADU-PRM-07"),
    "months:running": ("KADU-CMP-03",),
    "unknown_argument:empty": ("KADU-CMP-05",),
    "listen:acknowledged": ("KADU-RES-10",),
    "handshake:before_headers": ("MCP-01", "MCP-06 headerless", "MCP-16 batch"),
    "missing_meta:mismatch": ("MCP-05",),
    "batch:http": ("MCP-16 batch",),
    "no_json:http": ("MCP-16 json",),
    "other_version:unknown": ("MCP-06",),
    "log_line:headers": ("KADU-IDM-09",),
    "error_status:ok": (
        "KADU-RES-06",
        "KADU-RES-09 status",
        "KADU-PRM-03",
        "KADU-PRM-06",
        "MCP-11",
        "MCP-20",
    ),
}
# Sides that no scenario asks about: tests/strangers/test_choices.py shows them, and here they do no harm.
NEVER_ASKED = {"other_token:asked", "since_empty:a_week"}
# The other side of an advisory rule: warned, and nothing worse.
ADVISORY = {"other_verbs:not_found": "MCP-09"}


@dataclass
class Group:
    """Choices that one server makes together, for no part of a rule is about two of them."""

    choices: list[str] = field(default_factory=list)
    parts: list[str] = field(default_factory=list)

    @property
    def rules(self) -> list[str]:
        """The rules that the server is judged by."""
        return sorted({part.partition(" ")[0] for part in self.parts})

    def takes(self, choice: str) -> bool:
        """Whether a choice goes with the others."""
        names = {other.partition(":")[0] for other in self.choices}
        return choice.partition(":")[0] not in names and not set(self.parts) & set(RULES[choice])


def groups() -> list[Group]:
    """As few groups as come of putting each choice into the first that takes it."""
    found: list[Group] = []
    for choice, parts in RULES.items():
        group = next((one for one in found if one.takes(choice)), None)
        if group is None:
            found.append(group := Group())
        group.choices.append(choice)
        group.parts += parts
    return found


@pytest.fixture
def log(tmp_path: Path) -> Iterator[Path]:
    """Where the server writes which choices made a difference."""
    file = tmp_path / "choices"
    file.touch()
    return file


def judge(kadu: Run, log: Path, choices: list[str], rules: list[str]) -> Told:
    command = ("env", f"CHOICES={','.join(choices)}", f"CHOICES_LOG={log}", sys.executable, PROGRAM)
    return kadu("run", *(part for rule in rules for part in ("--rule", rule)), command=command)


def test_every_side_but_the_usual_one_is_judged() -> None:
    others = {f"{name}:{side}" for name, sides in SIDES.items() for side in sides[1:]}
    assert others == RULES.keys() | ADVISORY.keys()


@pytest.mark.parametrize("group", groups(), ids=lambda group: group.choices[0])
def test_either_side_is_taken(kadu: Run, log: Path, group: Group) -> None:
    told = judge(kadu, log, group.choices, group.rules)
    assert [finding for line in told.scenarios.values() for finding in line["findings"]] == []
    assert told.rules == dict.fromkeys(group.rules, "passed"), told.out
    passed = {line["rule"] for line in told.scenarios.values() if line["verdict"] == "passed"}
    assert passed >= set(group.rules)
    assert set(log.read_text().split()) == set(group.choices) - NEVER_ASKED
    assert told.code == 0


@pytest.mark.parametrize("choice", ADVISORY)
def test_the_other_side_of_an_advice_is_warned_about_and_no_more(kadu: Run, log: Path, choice: str) -> None:
    told = judge(kadu, log, [choice], [ADVISORY[choice]])
    assert told.rules == {ADVISORY[choice]: "warned"}
    assert log.read_text().split() == [choice]
    assert told.code == 0
