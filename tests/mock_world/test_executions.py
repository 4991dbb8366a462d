"""Executions: queued, moved by time, canceled, continued; what they cost and whether they can run."""

import pytest

NOWHERE = "00000000-0000-4000-8000-000000000000"


class TestExecutions:
    def run(self, kadu, **arguments):
        ids = {"id": kadu.newest("tasks")["id"], "environment_id": kadu.newest("environments")["id"]}
        return kadu.call("kadu_tasks_run", **{**ids, **arguments})

    def test_a_run_queues_an_execution_of_what_was_asked(self, kadu):
        answer = self.run(kadu, reference_date="2026-10-30", parameters={"limite_centavos": 5})
        assert (answer.status, answer.body["state"]) == (201, "queued")
        assert (answer.body["reference_date"], answer.body["parameters"]) == (
            "2026-10-30",
            {"limite_centavos": 5},
        )
        assert kadu.call("kadu_executions_list").body["data"][0] == answer.body

    def test_it_moves_by_time_alone(self, kadu):
        execution = self.run(kadu).body["id"]
        planted = {
            each["id"]: each["state"] for each in kadu.records("executions") if each["id"] != execution
        }
        seen = []
        for seconds in (4.9, 0.1, 59.9, 0.1):
            kadu.pass_time(seconds=seconds)
            seen.append(kadu.call("kadu_executions_get", id=execution).body)
        assert [each["state"] for each in seen] == ["queued", "running", "running", "succeeded"]
        assert seen[-1]["started_at"] < seen[-1]["finished_at"]
        assert seen[-1]["cost_cents"] > 0
        events = kadu.call("kadu_executions_events_list", id=execution).body["data"]
        assert [each["kind"] for each in events] == ["finished", "started"]
        assert planted == {
            each["id"]: each["state"] for each in kadu.records("executions") if each["id"] != execution
        }

    def test_one_long_step_ends_as_many_short_ones(self, kadu):
        execution = self.run(kadu).body["id"]
        kadu.pass_time(days=1)
        ended = kadu.call("kadu_executions_get", id=execution).body
        assert ended["state"] == "succeeded"
        assert ended["finished_at"] == "2026-11-30T15:01:05.000Z"

    def test_it_fails_where_a_secret_is_missing(self, kadu):
        bare = kadu.call("kadu_environments_create", name="Vazio", kind="staging").body
        execution = self.run(kadu, environment_id=bare["id"]).body["id"]
        kadu.pass_time(minutes=2)
        ended = kadu.call("kadu_executions_get", id=execution).body
        assert (ended["state"], ended["error"]["code"]) == ("failed", "missing_secret")

    @pytest.mark.parametrize(
        "parameters", [{"outro": 1}, {"limite_centavos": "muito"}, {"limite_centavos": -1}]
    )
    def test_parameters_keep_the_schema_of_the_task(self, kadu, parameters):
        before = len(kadu.records("executions"))
        answer = self.run(kadu, parameters=parameters)
        assert (answer.status, answer.code) == (422, "unprocessable_entity")
        assert len(kadu.records("executions")) == before

    def test_an_inactive_task_does_not_run(self, kadu):
        kadu.call("kadu_tasks_update", id=kadu.newest("tasks")["id"], active=False)
        assert self.run(kadu).status == 422

    @pytest.mark.parametrize(
        ("operation", "allowed", "becomes"),
        [
            ("kadu_executions_cancel", {"queued", "running", "waiting"}, "canceled"),
            ("kadu_executions_continue", {"waiting", "failed"}, "queued"),
        ],
    )
    def test_what_can_be_canceled_and_continued(self, kadu, operation, allowed, becomes):
        for execution in [dict(each) for each in kadu.records("executions")]:
            answer = kadu.call(operation, id=execution["id"])
            now = kadu.tenant.records["executions"][execution["id"]]
            if execution["state"] in allowed:
                assert (answer.status, answer.body["state"]) == (200, becomes)
            else:
                assert (answer.status, answer.code) == (422, "unprocessable_entity")
                assert now == execution

    def test_a_canceled_one_stands_still(self, kadu):
        execution = self.run(kadu).body["id"]
        kadu.call("kadu_executions_cancel", id=execution, reason="Engano")
        kadu.pass_time(hours=1)
        body = kadu.call("kadu_executions_get", id=execution).body
        assert (body["state"], body["cancel_reason"]) == ("canceled", "Engano")

    def test_a_continued_one_goes_on_as_told(self, kadu):
        failed = next(each for each in kadu.records("executions") if each["state"] == "failed")
        kadu.tenant.records["tasks"][failed["task_id"]]["required_secrets"] = []
        answer = kadu.call("kadu_executions_continue", id=failed["id"], instructions="Use o extrato de ontem")
        assert (answer.body["instructions"], answer.body["error"]) == ("Use o extrato de ontem", None)
        kadu.pass_time(seconds=65)
        assert kadu.call("kadu_executions_get", id=failed["id"]).body["state"] == "succeeded"

    def test_what_belongs_to_an_execution_is_of_no_other(self, kadu):
        for execution in kadu.records("executions"):
            for kind in ("events", "logs", "todos"):
                data = kadu.call(f"kadu_executions_{kind}_list", id=execution["id"]).body["data"]
                assert data
                assert {each["execution_id"] for each in data} == {execution["id"]}
        assert kadu.call("kadu_executions_logs_list", id=NOWHERE).status == 404

    def test_listing_by_state_and_day(self, kadu):
        failed = kadu.call("kadu_executions_list", state="failed").body["data"]
        assert [each["state"] for each in failed] == ["failed"]
        day = failed[0]["created_at"][:10]
        since = kadu.call("kadu_executions_list", since=day).body["data"]
        assert failed[0] in since
        assert {each["id"] for each in since} == {
            each["id"] for each in kadu.records("executions") if each["created_at"][:10] >= day
        }
        assert kadu.call("kadu_executions_list", since="2026-12-01").body["data"] == []


class TestUsage:
    def test_a_month_is_what_its_executions_cost(self, kadu):
        first, second = kadu.records("tasks")[:2]
        month = "2026-02"
        for day, task, state, cost in (
            (1, first, "succeeded", 100),
            (28, first, "failed", 50),
            (9, second, "failed", 900),
        ):
            created = f"2026-02-{day:02d}T10:00:00.000Z"
            kadu.plant("executions", task_id=task["id"], state=state, cost_cents=cost, created_at=created)
        kadu.plant("executions", cost_cents=7, created_at="2026-03-01T00:00:00.000Z")
        total = kadu.call("kadu_usage_get", month=month).body
        assert total == {
            "month": month,
            "currency": "BRL",
            "executions": 3,
            "succeeded": 1,
            "failed": 2,
            "cost_cents": 1050,
        }
        by_task = kadu.call("kadu_usage_tasks_get", month=month).body["tasks"]
        assert [(row["task_id"], row["name"], row["cost_cents"]) for row in by_task] == [
            (second["id"], second["name"], 900),
            (first["id"], first["name"], 150),
        ]
        by_workspace = kadu.call("kadu_usage_workspaces_get", month=month).body["workspaces"]
        assert sum(row["cost_cents"] for row in by_workspace) == 1050

    def test_a_month_without_any(self, kadu):
        assert kadu.call("kadu_usage_get", month="2020-01").body["executions"] == 0
        assert kadu.call("kadu_usage_tasks_get", month="2020-01").body["tasks"] == []

    @pytest.mark.parametrize("month", ["2026-13", "2026-1", "202610", "outubro"])
    def test_what_is_no_month(self, kadu, month):
        assert kadu.call("kadu_usage_get", month=month).status == 400

    def test_a_task_that_is_gone_keeps_its_cost(self, kadu):
        task = kadu.newest("tasks")["id"]
        kadu.plant("executions", task_id=task, cost_cents=33, created_at="2026-02-01T10:00:00.000Z")
        kadu.call("kadu_tasks_delete", id=task)
        (row,) = kadu.call("kadu_usage_tasks_get", month="2026-02").body["tasks"]
        assert (row["task_id"], row["name"], row["cost_cents"]) == (task, None, 33)


class TestReadiness:
    def read(self, kadu, environment=None):
        environment = environment or kadu.newest("environments")["id"]
        return kadu.call(
            "kadu_tasks_readiness_get", id=kadu.newest("tasks")["id"], environment_id=environment
        ).body

    def test_the_newest_environment_lacks_nothing(self, kadu):
        assert self.read(kadu)["ready"] is True

    def test_missing_secrets_are_named(self, kadu):
        bare = kadu.call("kadu_environments_create", name="Vazio", kind="staging").body["id"]
        body = self.read(kadu, bare)
        assert body["ready"] is False
        assert sorted(body["secrets"]["missing"]) == sorted(kadu.newest("tasks")["required_secrets"])

    def test_a_suspended_plan(self, kadu):
        kadu.tenant.organization["plan"] = "suspended"
        assert self.read(kadu)["plan"]["ok"] is False

    @pytest.mark.parametrize("whose", ["task", "organization"])
    def test_a_cost_ceiling_that_is_reached(self, kadu, whose):
        ceiling = {"task": kadu.newest("tasks"), "organization": kadu.tenant.organization}[whose]
        ceiling["cost_ceiling_cents"] = 500
        kadu.plant("executions", task_id=kadu.newest("tasks")["id"], cost_cents=500)
        assert self.read(kadu)["cost_ceiling"]["missing"] == [f"{whose}.cost_ceiling_cents"]

    def test_a_repository_that_was_never_synced(self, kadu):
        kadu.newest("repositories")["synced_at"] = None
        body = self.read(kadu)
        assert (body["ready"], body["repository"]["ok"]) == (False, False)

    def test_an_environment_that_is_not_there(self, kadu):
        answer = kadu.call("kadu_tasks_readiness_get", id=kadu.newest("tasks")["id"], environment_id=NOWHERE)
        assert answer.status == 404
