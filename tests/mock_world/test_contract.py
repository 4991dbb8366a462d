"""The contract names what the documents name, and says of each operation what a server must know."""

import re
from typing import Any

import pytest
from jsonschema import Draft202012Validator

READS = {
    "kadu_me_get",
    "kadu_repository_get",
    "kadu_operation_approvals_list",
    "kadu_operation_approvals_get",
    "kadu_workspaces_get",
    "kadu_activities_get",
    "kadu_tasks_get",
    "kadu_executions_get",
    "kadu_executions_events_list",
    "kadu_executions_logs_list",
    "kadu_executions_todos_list",
    "kadu_memories_get",
    "kadu_environments_get",
    "kadu_schedules_get",
    "kadu_files_download",
}
KEYED = {
    "kadu_organizations_update",
    "kadu_workspaces_create",
    "kadu_workspaces_update",
    "kadu_activities_create",
    "kadu_activities_update",
    "kadu_tasks_create",
    "kadu_tasks_update",
    "kadu_tasks_endpoint_update",
    "kadu_tasks_run",
    "kadu_executions_cancel",
    "kadu_executions_continue",
    "kadu_todos_update",
    "kadu_memories_create",
    "kadu_memories_update",
    "kadu_environments_create",
    "kadu_environments_update",
    "kadu_secrets_create",
    "kadu_secrets_update",
    "kadu_schedules_create",
    "kadu_schedules_update",
    "kadu_files_create",
    "kadu_files_confirm",
    "kadu_repository_sync",
    "kadu_webhooks_create",
    "kadu_webhooks_update",
    "kadu_webhooks_rotate_secret",
    "kadu_webhook_deliveries_replay",
    "kadu_roles_create",
}
DESTRUCTIVE = {
    "kadu_tasks_run",
    "kadu_executions_continue",
    "kadu_executions_cancel",
    "kadu_webhook_deliveries_replay",
    "kadu_webhooks_rotate_secret",
    "kadu_tasks_endpoint_update",
    "kadu_webhooks_create",
}
REGISTERS = {"operation_approvals_create", "confirmations_create"}
KEY_HEADER = "X-Idempotency-Key"


def test_the_documented_reads_only_read(operations):
    assert {operations[name].kadu["access"] for name in READS} == {"read"}


def test_the_writes_are_the_documented_ones_the_deletes_and_the_registers(operations):
    writes = {name for name, each in operations.items() if each.kadu["access"] == "write"}
    assert writes == KEYED | REGISTERS
    deletes = {name for name, each in operations.items() if each.kadu["access"] == "delete"}
    assert deletes == {name for name in operations if name.endswith("_delete")}
    assert {name for name, each in operations.items() if not each.is_tool} == REGISTERS


def test_what_only_reads_is_named_so(operations):
    reads = {name for name, each in operations.items() if each.kadu["access"] == "read"}
    assert {name for name in reads if not name.endswith(("_get", "_list"))} == {"kadu_files_download"}
    assert {operations[name].method for name in reads} == {"GET"}


def test_exactly_the_documented_tools_take_the_key(operations):
    """KADU-IDM-01."""
    assert {name for name, each in operations.items() if KEY_HEADER in each.parameters("header")} == KEYED
    for name in KEYED:
        header = operations[name].parameters("header")[KEY_HEADER]
        schema = {key: header["schema"][key] for key in ("type", "minLength", "maxLength")}
        assert (header["required"], schema) == (False, {"type": "string", "minLength": 1, "maxLength": 255})


def test_what_is_destructive(operations):
    """KADU-DST-01, 02, 05."""
    always = {name for name, each in operations.items() if each.kadu["destructive"] == "always"}
    assert always == DESTRUCTIVE | {name for name in operations if name.endswith("_delete")}
    changing = {name: each.kadu["destructive"] for name, each in operations.items() if name not in always}
    assert changing.pop("kadu_webhooks_update") == {"when_changes": "url"}
    assert set(changing.values()) == {"never"}


def test_every_operation_says_who_may_call_it(operations):
    for name, each in operations.items():
        if name == "kadu_me_get" or not each.is_tool:
            assert (each.kadu["scope"], each.kadu["permission"]) == (None, None)
            continue
        assert re.fullmatch(r"kadu/[a-z_]+", each.kadu["scope"])
        assert re.fullmatch(r"agent\.[a-z_]+\.[a-z_]+", each.kadu["permission"])
    for name in ("kadu_operation_approvals_get", "kadu_operation_approvals_list"):
        documented = {"scope": "kadu/system_events", "permission": "agent.operation_approvals.read"}
        assert operations[name].kadu.items() >= documented.items()


def test_no_two_ways_of_writing_share_a_permission(operations):
    """Taking one permission away takes one write away."""
    held = [
        each.kadu["permission"]
        for each in operations.values()
        if each.is_tool and each.kadu["access"] != "read"
    ]
    assert len(held) == len(set(held))


def test_what_happens_is_told_in_words(operations):
    assert operations["kadu_tasks_run"].kadu["title"] == "Executar a tarefa"
    assert operations["kadu_environments_delete"].kadu["title"] == "Excluir o ambiente"
    titles = [each.kadu["title"] for each in operations.values()]
    assert len(titles) == len(set(titles))


def test_a_read_of_one_record_names_the_listing_of_its_ids(operations):
    for name, each in operations.items():
        listing = each.kadu.get("list")
        if each.kadu["access"] == "read" and each.parameters("path"):
            assert listing in operations, name
        if listing is not None:
            assert operations[listing].answer["required"] == ["data", "next_cursor"]
            assert operations[listing].kadu["scope"] == each.kadu["scope"]


def test_a_subject_is_made_of_fields_of_the_record(operations):
    for name, each in operations.items():
        if each.kadu["destructive"] == "never":
            assert "subject" not in each.kadu
            continue
        family = each.kadu["collection"]
        fields = operations[f"kadu_{family}_get"].answer["properties"]
        assert set(each.kadu["subject"]) <= set(fields), name
        # A record whose change cannot be seen would never stop an approval.
        assert each.kadu["subject"] or not each.parameters("path"), name


def test_arguments_of_a_tool_never_collide(operations):
    for name, each in operations.items():
        names = [
            *each.parameters("path"),
            *each.parameters("query"),
            *(each.body or {}).get("properties", {}),
        ]
        assert len(names) == len(set(names)), name
        assert "idempotency_key" not in names


def test_documented_argument_names(operations):
    run = operations["kadu_tasks_run"]
    assert set(run.parameters("path")) == {"id"}
    assert {"environment_id", "reference_date"} <= set(run.body["properties"])
    assert "url" in operations["kadu_webhooks_update"].body["properties"]
    assert set(operations["kadu_operation_approvals_get"].parameters("path")) == {"id"}


def test_every_body_is_closed_and_its_required_fields_exist(operations):
    for name, each in operations.items():
        if each.body is not None:
            assert each.body["type"] == "object", name
            assert each.body["additionalProperties"] is False, name
            assert set(each.body.get("required", [])) <= set(each.body["properties"]), name


def test_a_listing_takes_limit_and_cursor(operations):
    for name, each in operations.items():
        is_listing = each.answer.get("required") == ["data", "next_cursor"]
        assert is_listing == name.endswith("_list"), name
        assert is_listing == ({"limit", "cursor"} <= set(each.parameters("query"))), name


def test_every_operation_is_described(operations):
    for name, each in operations.items():
        assert each.raw["summary"], name
        assert each.raw["description"].endswith("."), name
        assert len(each.raw["tags"]) == 1, name
        assert "default" in each.raw["responses"], name
        for parameter in each.raw.get("parameters", []):
            assert parameter["description"], name
            assert parameter.get("required", False) is (parameter["in"] == "path") or name in (
                "kadu_tasks_readiness_get",
                "kadu_usage_get",
                "kadu_usage_tasks_get",
                "kadu_usage_workspaces_get",
            )


def test_a_delete_answers_what_it_deleted(operations):
    for name, each in operations.items():
        if name.endswith("_delete"):
            assert (each.method, set(each.answer["properties"])) == ("DELETE", {"id", "deleted"})


def test_the_document_is_openapi_3_1(document):
    assert re.fullmatch(r"3\.1\.\d+", document["openapi"])
    assert {"openapi", "info", "paths", "components"} <= set(document)
    assert {"title", "version"} <= set(document["info"])
    tags = {tag["name"] for tag in document["tags"]}
    for path, item in document["paths"].items():
        assert path.startswith("/v1/")
        assert set(item) <= {"get", "post", "put", "patch", "delete"}, path
        for raw in item.values():
            known = {
                "operationId",
                "tags",
                "summary",
                "description",
                "x-kadu",
                "parameters",
                "requestBody",
                "responses",
            }
            assert set(raw) <= known
            assert set(raw["tags"]) <= tags
    names = set(document["components"]["securitySchemes"])
    assert all(set(each) <= names for each in document["security"])


def test_every_component_is_used(document):
    def used(value: Any) -> set[str]:
        if isinstance(value, list):
            return set().union(*map(used, value))
        if not isinstance(value, dict):
            return set()
        return set().union(*map(used, value.values()), {value["$ref"]} if "$ref" in value else set())

    components = document["components"]
    every = {
        f"#/components/{kind}/{name}"
        for kind in ("schemas", "parameters", "responses")
        for name in components[kind]
    }
    assert used(document) == every


def schemas_of(operations) -> list[tuple[str, dict[str, Any]]]:
    found = []
    for name, each in operations.items():
        found.append((f"{name} answer", each.answer))
        if each.body is not None:
            found.append((f"{name} body", each.body))
        found.extend((f"{name} {p['name']}", p["schema"]) for p in each.raw.get("parameters", []))
    return found


def parts(schema: Any, place: str) -> list[tuple[str, dict[str, Any]]]:
    """A schema and every schema in it, with where it stands."""
    if not isinstance(schema, dict):
        return []
    found = [(place, schema)]
    for key in ("items", "additionalProperties"):
        found += parts(schema.get(key), f"{place}.{key}")
    for key in ("allOf", "anyOf"):
        for number, each in enumerate(schema.get(key, [])):
            found += parts(each, f"{place}.{key}.{number}")
    for name, each in schema.get("properties", {}).items():
        found += parts(each, f"{place}.{name}")
    return found


def test_every_schema_is_json_schema(operations):
    for _, schema in schemas_of(operations):
        Draft202012Validator.check_schema(schema)


def test_every_property_has_a_type(operations):
    untyped = {
        place.rpartition(" ")[2]
        for where, schema in schemas_of(operations)
        for place, part in parts(schema, where)
        if not {"type", "const", "enum", "allOf", "anyOf"} & set(part)
    }
    # What an operation returned can be anything.
    assert untyped == {"answer.result", "answer.data.items.result", "answer.allOf.0.result"}


def test_examples_and_defaults_keep_their_schemas(operations):
    for where, schema in schemas_of(operations):
        for place, part in parts(schema, where):
            validator = Draft202012Validator(part, format_checker=Draft202012Validator.FORMAT_CHECKER)
            given = [*part.get("examples", []), *([part["default"]] if "default" in part else [])]
            for value in given:
                assert validator.is_valid(value), f"{place}: {value!r}"


@pytest.mark.parametrize("keyword", ["pattern", "format"])
def test_a_text_that_must_look_a_certain_way_comes_with_an_example(operations, keyword):
    for name, each in operations.items():
        for place, part in parts(each.body or {}, name):
            if keyword in part and place.count(".") <= 2:
                assert part.get("examples") or "default" in part or "enum" in part, place
