"""A tenant's world: whole, valid, and the same for the same seed."""

import json
import subprocess
import sys
import time
import uuid
from collections import Counter
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from mock_api.world import collections, complete, generate

NOW = datetime(2026, 11, 30, 15, 0, tzinfo=UTC)
MOMENTS = st.integers(0, 200_000_000).map(
    lambda seconds: datetime(2024, 1, 1, tzinfo=UTC) + timedelta(seconds=seconds)
)
REFERENCES = {
    "workspace_id": "workspaces",
    "activity_id": "activities",
    "task_id": "tasks",
    "environment_id": "environments",
    "execution_id": "executions",
    "webhook_id": "webhooks",
    "role_id": "roles",
}
FEW = settings(max_examples=15, deadline=None)


@pytest.fixture(scope="session")
def schemas(operations) -> dict[str, dict[str, Any]]:
    """The schema of a record, by collection."""
    found = {}
    for each in operations.values():
        collection = each.kadu.get("collection")
        if collection is None or each.kadu["access"] != "read" or each.kadu["does"] == "files_download":
            continue
        items = each.answer.get("properties", {}).get("data", {}).get("items")
        found.setdefault(collection, items or each.answer)
    found["repositories"] = operations["kadu_repository_get"].answer
    return found


@pytest.fixture(scope="session")
def check(schemas):
    validators = {
        name: Draft202012Validator(schema, format_checker=Draft202012Validator.FORMAT_CHECKER)
        for name, schema in schemas.items()
    }

    def checked(collection: str, record: dict[str, Any]) -> None:
        errors = [
            f"{collection}: {error.json_path} {error.message}"
            for error in validators[collection].iter_errors(record)
        ]
        assert errors == []
        assert {name for name in record if not name.startswith("_")} == set(schemas[collection]["properties"])

    return checked


@FEW
@given(seed=st.text(max_size=40), now=MOMENTS, people=st.integers(1, 6))
def test_every_record_keeps_the_contract(check, operations, seed, now, people):
    world = generate("kadu", seed, now, people)
    for collection, records in world.records.items():
        for key, record in records.items():
            assert key == record["id"]
            check(collection, record)
    organization = Draft202012Validator(
        operations["kadu_organizations_get"].answer, format_checker=Draft202012Validator.FORMAT_CHECKER
    )
    assert organization.is_valid(world.organization)


@FEW
@given(seed=st.text(max_size=40), now=MOMENTS)
def test_records_hang_on_records(seed, now):
    records = generate("kadu", seed, now, 2).records
    for kept in records.values():
        for record in kept.values():
            for field, collection in REFERENCES.items():
                assert field not in record or record[field] in records[collection]
    for task in records["tasks"].values():
        assert task["workspace_id"] == records["activities"][task["activity_id"]]["workspace_id"]
    for execution in records["executions"].values():
        assert execution["workspace_id"] == records["tasks"][execution["task_id"]]["workspace_id"]


@FEW
@given(seed=st.text(max_size=40), now=MOMENTS)
def test_each_collection_has_one_order(seed, now):
    for collection, kept in generate("kadu", seed, now, 4).records.items():
        created = [record["created_at"] for record in kept.values()]
        assert created == sorted(set(created)), collection
        assert all(datetime.fromisoformat(moment) < now for moment in created)


@FEW
@given(seed=st.text(max_size=40))
def test_a_tenant_has_what_scenarios_need(seed):
    records = generate("kadu", seed, NOW, 2).records
    counts = {collection: len(kept) for collection, kept in records.items()}
    assert (counts["workspaces"], counts["activities"], counts["tasks"], counts["environments"]) == (
        2,
        2,
        3,
        2,
    )
    assert counts["webhooks"] == 2
    states = Counter(execution["state"] for execution in records["executions"].values())
    assert states == dict.fromkeys(("queued", "running", "waiting", "succeeded", "failed", "canceled"), 1)
    assert counts["operation_approvals"] == 0
    assert all(
        count >= 2 for name, count in counts.items() if name not in ("operation_approvals", "repositories")
    )
    assert counts["repositories"] == 1
    for execution in records["executions"]:
        of = {
            name: sum(each["execution_id"] == execution for each in records[name].values())
            for name in ("events", "logs", "todos")
        }
        assert (of["events"], of["logs"], of["todos"]) >= (3, 3, 1)
        assert of["logs"] >= 3
        assert of["todos"] >= 1


def test_the_newest_execution_can_be_canceled_and_continued():
    newest = list(generate("kadu", "uma", NOW, 2).records["executions"].values())[-1]
    assert newest["state"] == "waiting"


def test_nothing_planted_moves_by_time():
    records = generate("kadu", "uma", NOW, 2).records
    assert not any(execution.get("_moves") for execution in records["executions"].values())


def test_people_differ_and_are_members():
    world = generate("kadu", "muitas", NOW, 400)
    assert len({person["id"] for person in world.people}) == 400
    assert len({person["name"] for person in world.people}) == 400
    assert len({person["email"] for person in world.people}) == 400
    assert set(world.records["members"]) == {person["id"] for person in world.people}


def test_equal_seeds_give_equal_worlds_in_any_process():
    program = (
        "import json;from datetime import datetime;from mock_api.world import generate;"
        f"world = generate('kadu', 'semente', datetime.fromisoformat({NOW.isoformat()!r}), 3);"
        "print(json.dumps([world.organization, world.people, world.records]))"
    )
    run = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONHASHSEED": "7"},
    )
    generate("kadu", "outra", NOW, 2)
    world = generate("kadu", "semente", NOW, 3)
    assert json.loads(run.stdout) == json.loads(json.dumps([world.organization, world.people, world.records]))


@FEW
@given(seed=st.text(max_size=40))
def test_ids_have_the_shape_of_a_random_uuid(seed):
    world = generate("kadu", seed, NOW, 2)
    for key in (key for kept in world.records.values() for key in kept):
        parsed = uuid.UUID(key)
        assert (str(parsed), parsed.version, parsed.variant) == (key, 4, uuid.RFC_4122)


def test_other_seeds_share_no_id():
    worlds = [generate("kadu", seed, NOW, 2) for seed in ("a", "b", "c")]
    every = [key for world in worlds for kept in world.records.values() for key in kept]
    every += [world.organization["id"] for world in worlds]
    assert len(every) == len(set(every))


def test_a_world_takes_less_than_three_milliseconds():
    generate("kadu", "primeira", NOW, 2)
    times = []
    for number in range(30):
        start = time.perf_counter()
        generate("kadu", str(number), NOW, 2)
        times.append(time.perf_counter() - start)
    assert min(times) < 0.003


@pytest.mark.parametrize("collection", collections("kadu"))
@FEW
@given(seed=st.text(max_size=20))
def test_a_planted_record_is_whole_and_the_newest(check, collection, seed):
    records = generate("kadu", "plantio", NOW, 2).records
    values = {"person": {"id": "x", "name": "y", "email": "z@exemplo.com.br"}}
    values = values if collection == "operation_approvals" else {}
    if values:
        values["person"]["id"] = next(iter(records["members"]))
    for number in range(3):
        record = complete("kadu", collection, f"{seed}{number}", NOW, records, values)
        check(collection, record)
        assert record["id"] not in records[collection]
        assert all(record["created_at"] > other["created_at"] for other in records[collection].values())
        assert datetime.fromisoformat(record["created_at"]) <= NOW
        records[collection][record["id"]] = record


@pytest.mark.parametrize("collection", collections("kadu"))
def test_a_planted_record_depends_on_its_seed_alone(collection):
    records = generate("kadu", "plantio", NOW, 2).records
    made = [complete("kadu", collection, seed, NOW, records, {}) for seed in ("um", "um", "dois")]
    assert made[0] == made[1]
    assert made[0]["id"] != made[2]["id"]


def test_a_planted_record_keeps_the_values_given():
    records = generate("kadu", "plantio", NOW, 2).records
    task = list(records["tasks"].values())[1]
    given_values = {
        "task_id": task["id"],
        "state": "failed",
        "created_at": "2026-10-02T12:00:00.000Z",
        "summary": "canário",
    }
    execution = complete("kadu", "executions", "s", NOW, records, given_values)
    assert execution.items() >= given_values.items()
    assert execution["workspace_id"] == task["workspace_id"]
    assert execution["error"] is not None
    assert execution["finished_at"] is not None


@pytest.mark.parametrize("state", ["queued", "running", "waiting", "succeeded", "failed", "canceled"])
def test_an_execution_fits_its_state(check, state):
    records = generate("kadu", "plantio", NOW, 2).records
    execution = complete("kadu", "executions", "s", NOW, records, {"state": state})
    check("executions", execution)
    assert (execution["started_at"] is None) == (state == "queued")
    assert (execution["finished_at"] is None) == (state in ("queued", "running", "waiting"))
    assert (execution["error"] is not None) == (state == "failed")


def test_many_planted_records_keep_one_order():
    records = generate("kadu", "plantio", NOW, 2).records
    for number in range(150):
        record = complete("kadu", "executions", str(number), NOW, records, {})
        records["executions"][record["id"]] = record
    created = [record["created_at"] for record in records["executions"].values()]
    assert created == sorted(set(created))
    assert datetime.fromisoformat(created[-1]) < NOW + timedelta(milliseconds=1)


def test_no_such_collection():
    with pytest.raises(KeyError):
        complete("kadu", "boletos", "s", NOW, {}, {})


def test_no_such_product():
    with pytest.raises(ModuleNotFoundError):
        generate("nenhum", "s", NOW, 2)
