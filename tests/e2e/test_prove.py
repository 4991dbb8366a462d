"""`prove`: everything kept, and the same world and verdicts for the same seed, whoever runs what."""

import json
import re
from collections.abc import Mapping
from typing import Any

from .conftest import Run, Told

APPROVAL = re.compile(r"operation_approvals/[0-9a-f-]{36}")


def asked_of_the_server(told: Told) -> Mapping[str, list[str]]:
    """What each scenario sent, in order: ids, names and arguments come from the tenant's world."""
    return {
        name: sorted(_body(exchange) for exchange in line["exchanges"] if _is_of_the_world(exchange))
        for name, line in told.scenarios.items()
    }


def _is_of_the_world(exchange: Mapping[str, Any]) -> bool:
    # What a server offers is listed once for a process: which scenario lists it, and shakes hands for it, is chance.
    by_chance = ("tools/list", "initialize", "notifications/initialized")
    return exchange["actor"] == "client" and not exchange["label"].startswith(by_chance)


def _body(exchange: Mapping[str, Any]) -> str:
    try:
        message = json.loads(exchange["request"]["body"])
    except ValueError:
        return str(exchange["request"]["body"])
    if isinstance(message, dict):
        message.pop("id", None)
        # What a server sealed is new each time, and so is what a scenario makes of it.
        message.get("params", {}).pop("requestState", None)
    # Nor do the ids of approvals depend on the seed: they are secrets.
    if "operation_approvals" in json.dumps(message):
        for part in ("arguments", "argument"):
            message["params"].pop(part, None)
    return APPROVAL.sub("operation_approvals/…", json.dumps(message, sort_keys=True))


def test_every_asked_rule_is_tested_and_kept(kadu: Run) -> None:
    told = kadu("prove")
    assert told.code == 0, told.out
    assert set(told.rules.values()) == {"passed"}
    assert told.lines[-1]["counts"]["passed"] == len(told.scenarios)
    assert "114 catalogued rules" in told.out
    assert " s · seed 1" in told.out


def test_workers_give_the_same_worlds_and_verdicts(kadu: Run) -> None:
    one = kadu("prove", "--seed", "7")
    four = kadu("prove", "--seed", "7", "--workers", "4")
    assert {name: line["verdict"] for name, line in one.scenarios.items()} == {
        name: line["verdict"] for name, line in four.scenarios.items()
    }
    assert asked_of_the_server(one) == asked_of_the_server(four)


def test_another_seed_makes_other_worlds(kadu: Run) -> None:
    arguments = ("prove", "--rule", "KADU-CNF-03")
    one, two = kadu(*arguments, "--seed", "1"), kadu(*arguments, "--seed", "2")
    assert one.scenarios.keys() == two.scenarios.keys() != set()
    assert asked_of_the_server(one) != asked_of_the_server(two)
