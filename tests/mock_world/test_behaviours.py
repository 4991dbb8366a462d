"""What the operations of Kadu do, through the whole engine: every answer is judged by the contract as well."""

import pytest

FAMILIES = (
    "activities",
    "environments",
    "executions",
    "files",
    "memories",
    "roles",
    "schedules",
    "secrets",
    "tasks",
    "todos",
    "webhook_deliveries",
    "webhooks",
    "workspaces",
)
NOWHERE = "00000000-0000-4000-8000-000000000000"


def example(schema):
    """A value that keeps a schema of a body."""
    if schema.get("examples"):
        return schema["examples"][0]
    if "enum" in schema:
        return schema["enum"][0]
    if schema["type"] == "object":
        return {}
    if schema["type"] == "array":
        return [example(schema["items"])]
    if schema["type"] == "boolean":
        return True
    return schema["default"]


def arguments_of(kadu, operation):
    """Arguments by which a tool does something, built from its contract as a stranger would."""
    family = operation.kadu.get("collection", "")
    made = {}
    schemas = dict((operation.body or {}).get("properties", {}))
    schemas |= {
        name: each["schema"] for name, each in operation.parameters("query").items() if each.get("required")
    }
    for name, schema in schemas.items():
        made[name] = example(schema)
        owner = {"activity_id": "activities"}.get(name, name.removesuffix("_id") + "s")
        if name.endswith("_id"):
            made[name] = kadu.newest(owner)["id"]
    if operation.parameters("path"):
        made["id"] = kadu.newest(operation.kadu.get("parent", {}).get("collection", family))["id"]
    return made


def test_every_operation_works_with_arguments_built_from_its_schema(product, operations, kadu):
    """Each on a tenant of its own: nothing depends on what another left behind."""
    for name, operation in operations.items():
        if not operation.is_tool:
            continue
        fresh = type(kadu)(product, operations)
        person = fresh.tenant.people[fresh.people[0]].record
        fresh.plant("operation_approvals", person=dict(person))
        before = repr(fresh.tenant.records)
        answer = fresh.call(name, **arguments_of(fresh, operation))
        assert answer.status in (200, 201), (name, answer.body)
        is_read = operation.kadu["access"] == "read"
        assert (repr(fresh.tenant.records) == before) is is_read, name
        assert fresh.effects() == [not is_read], name


@pytest.mark.parametrize("family", FAMILIES)
def test_a_record_that_is_not_there(kadu, family):
    answer = kadu.call(f"kadu_{family}_get", id=NOWHERE)
    assert (answer.status, answer.code) == (404, "not_found")


@pytest.mark.parametrize("family", FAMILIES)
def test_a_listing_gives_what_there_is_newest_first(kadu, family):
    data = kadu.call(f"kadu_{family}_list").body["data"]
    assert [each["id"] for each in data] == [each["id"] for each in reversed(kadu.records(family))]


def test_creating_needs_what_it_refers_to(kadu):
    refused = [
        kadu.call("kadu_activities_create", workspace_id=NOWHERE, name="x"),
        kadu.call("kadu_tasks_create", activity_id=NOWHERE, name="x", instructions="y"),
        kadu.call("kadu_memories_create", workspace_id=NOWHERE, title="x", content="y"),
        kadu.call("kadu_secrets_create", environment_id=NOWHERE, name="X", value="y"),
        kadu.call(
            "kadu_schedules_create",
            task_id=NOWHERE,
            environment_id=kadu.newest("environments")["id"],
            cron="0 8 * * *",
        ),
        kadu.call("kadu_tasks_run", id=kadu.newest("tasks")["id"], environment_id=NOWHERE),
        kadu.call("kadu_tasks_run", id=NOWHERE, environment_id=kadu.newest("environments")["id"]),
    ]
    assert [each.status for each in refused] == [404] * len(refused)


def test_what_is_left_out_is_not_made_up(kadu):
    assert kadu.call("kadu_workspaces_create", name="Fiscal").body["description"] == ""
    environment = kadu.call("kadu_environments_create", name="Ensaio", kind="staging").body
    assert (environment["description"], environment["systems"]) == ("", [])
    task = kadu.call(
        "kadu_tasks_create", activity_id=kadu.newest("activities")["id"], name="Nova", instructions="Faça"
    ).body
    assert (task["endpoint"], task["required_secrets"], task["active"]) == (None, [], True)


def test_the_organization_changes(kadu):
    changed = kadu.call("kadu_organizations_update", name="Padaria Aurora Ltda", cost_ceiling_cents=1).body
    assert (changed["name"], changed["cost_ceiling_cents"]) == ("Padaria Aurora Ltda", 1)
    assert kadu.call("kadu_organizations_get").body == changed
    assert kadu.call("kadu_me_get").body["organization"]["name"] == "Padaria Aurora Ltda"


def test_the_people_of_the_organization_are_listed(kadu):
    listed = kadu.call("kadu_members_list").body["data"]
    assert {each["id"] for each in listed} == set(kadu.people)
