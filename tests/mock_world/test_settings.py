"""Endpoints, secrets, schedules, the repository: what is set, and what never comes back."""

import pytest


class TestEndpoint:
    def test_changing_it_keeps_its_url(self, kadu):
        task = kadu.newest("tasks")
        url = task["endpoint"]["url"]
        answer = kadu.call(
            "kadu_tasks_endpoint_update", id=task["id"], authentication="hmac", allowed_ips=["203.0.113.9"]
        )
        assert answer.body["endpoint"] == {
            "url": url,
            "authentication": "hmac",
            "allowed_ips": ["203.0.113.9"],
        }

    def test_disabling_it_twice_finds_nothing(self, kadu):
        task = kadu.newest("tasks")["id"]
        assert kadu.call("kadu_tasks_endpoint_delete", id=task).body == {"id": task, "deleted": True}
        assert kadu.call("kadu_tasks_get", id=task).body["endpoint"] is None
        again = kadu.call("kadu_tasks_endpoint_delete", id=task)
        assert (again.status, again.code) == (404, "not_found")
        assert kadu.call("kadu_tasks_endpoint_update", id=task, authentication="token").body["endpoint"][
            "url"
        ]


class TestSecrets:
    def test_a_value_never_comes_back(self, kadu):
        home = kadu.newest("environments")["id"]
        made = kadu.call("kadu_secrets_create", environment_id=home, name="NOVO", value="sem-eco-1")
        changed = kadu.call("kadu_secrets_update", id=made.body["id"], value="sem-eco-2")
        read = kadu.call("kadu_secrets_get", id=made.body["id"])
        listed = kadu.call("kadu_secrets_list", environment_id=home)
        for answer in (made, changed, read, listed):
            assert "sem-eco" not in str(answer.body)
            assert "value" not in str(answer.body)
        assert (made.body["version"], changed.body["version"]) == (1, 2)
        assert kadu.tenant.records["secrets"][made.body["id"]]["_value"] == "sem-eco-2"

    def test_a_description_makes_no_new_version(self, kadu):
        secret = kadu.newest("secrets")
        assert (
            kadu.call("kadu_secrets_update", id=secret["id"], description="Outro dono").body["version"] == 1
        )

    def test_a_name_is_there_once_in_an_environment(self, kadu):
        secret = kadu.newest("secrets")
        answer = kadu.call(
            "kadu_secrets_create", environment_id=secret["environment_id"], name=secret["name"], value="x"
        )
        assert answer.status == 422


class TestSchedules:
    @pytest.mark.parametrize("cron", ["* * * * *", "*/5 0-23/2 1,15 1-12 0,7", "59 23 31 12 7"])
    def test_a_cron_that_can_be(self, kadu, cron):
        schedule = kadu.newest("schedules")["id"]
        assert kadu.call("kadu_schedules_update", id=schedule, cron=cron).body["cron"] == cron

    @pytest.mark.parametrize(
        "cron",
        [
            "60 * * * *",
            "* 24 * * *",
            "* * 0 * *",
            "* * * 13 *",
            "* * * * 8",
            "*/0 * * * *",
            "5-1 * * * *",
            "1- * * * *",
            "* * * *",
            "amanhã",
            ", * * * *",
        ],
    )
    def test_a_cron_that_cannot(self, kadu, cron):
        schedule = dict(kadu.newest("schedules"))
        assert kadu.call("kadu_schedules_update", id=schedule["id"], cron=cron).status == 422
        ids = {name: schedule[name] for name in ("task_id", "environment_id")}
        assert kadu.call("kadu_schedules_create", **ids, cron=cron).status == 422
        assert kadu.newest("schedules") == schedule


class TestRepository:
    def test_a_sync_reads_another_commit(self, kadu):
        before = kadu.call("kadu_repository_get").body
        kadu.pass_time(minutes=1)
        after = kadu.call("kadu_repository_sync", branch="rotina-nova").body
        assert (after["branch"], after["synced_at"]) == ("rotina-nova", "2026-11-30T15:01:00.000Z")
        assert after["commit"] != before["commit"]
        assert kadu.call("kadu_repository_get").body == after
        assert (after["playbook"], after["skills"]) == (before["playbook"], before["skills"])

    def test_an_organization_without_one(self, kadu):
        kadu.tenant.records["repositories"].clear()
        assert kadu.call("kadu_repository_get").status == 404
        assert kadu.call("kadu_repository_sync").status == 404
