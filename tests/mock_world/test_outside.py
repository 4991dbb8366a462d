"""What reaches out of the organization: files by presigned URLs, webhooks, approvals by link."""

from datetime import UTC, datetime

import pytest

from mock_api.behaviours import kadu as behaviours
from mock_api.calls import Call, Records

NOWHERE = "00000000-0000-4000-8000-000000000000"


class TestFiles:
    def path(self, url):
        assert url.startswith("http://kadu.exemplo/files/")
        return url.removeprefix("http://kadu.exemplo")

    def presigned(self, kadu, url) -> bytes | None:
        return behaviours.presigned(kadu.tenant.records, self.path(url), kadu.tenant.clock.now())

    def test_from_announcement_to_download(self, kadu):
        made = kadu.call("kadu_files_create", name="extrato.csv", content_type="text/csv", size_bytes=5)
        records: Records = kadu.tenant.records
        path, now = self.path(made.body["upload_url"]), kadu.tenant.clock.now()
        assert kadu.call("kadu_files_download", id=made.body["id"]).status == 422
        assert kadu.call("kadu_files_confirm", id=made.body["id"]).status == 422
        assert not behaviours.uploaded(records, path, b"123456", now)
        assert behaviours.uploaded(records, path, b"1234", now)
        assert kadu.call("kadu_files_confirm", id=made.body["id"]).status == 422
        assert behaviours.uploaded(records, path, b"12345", now)
        assert kadu.call("kadu_files_confirm", id=made.body["id"]).body["state"] == "available"
        assert not behaviours.uploaded(records, path, b"54321", now)
        url = kadu.call("kadu_files_download", id=made.body["id"]).body["url"]
        assert self.presigned(kadu, url) == b"12345"
        assert self.presigned(kadu, made.body["upload_url"]) is None
        assert not behaviours.uploaded(records, self.path(url), b"54321", now)

    def test_a_download_link_lives_five_minutes(self, kadu):
        file = kadu.newest("files")
        answer = kadu.call("kadu_files_download", id=file["id"]).body
        assert answer["expires_at"] == "2026-11-30T15:05:00.000Z"
        content = self.presigned(kadu, answer["url"])
        assert len(content) == file["size_bytes"]
        kadu.pass_time(seconds=299)
        assert self.presigned(kadu, answer["url"]) == content
        kadu.pass_time(seconds=1)
        assert self.presigned(kadu, answer["url"]) is None

    def test_handing_out_a_link_changes_nothing(self, kadu):
        """KADU-RES-12."""
        before = repr(kadu.tenant.records)
        kadu.call("kadu_files_download", id=kadu.newest("files")["id"])
        assert repr(kadu.tenant.records) == before

    def test_no_other_link_opens_it(self, kadu):
        file, other = kadu.records("files")
        url = kadu.call("kadu_files_download", id=file["id"]).body["url"]
        _, moment, signature = url.rpartition("/")[2].split(".")
        assert self.presigned(kadu, url) is not None
        for forged in (
            f"{other['id']}.{moment}.{signature}",
            f"{file['id']}.{int(moment) + 1}.{signature}",
            f"{file['id']}.{moment}.{'0' * 64}",
            f"{file['id']}.{moment}.é",
            f"{file['id']}.²³.{signature}",
            f"{file['id']}.{'9' * 5000}.{signature}",
            f"{file['id']}",
            "",
        ):
            assert self.presigned(kadu, f"http://kadu.exemplo/files/{forged}") is None
        made = kadu.call("kadu_files_create", name="a.csv", content_type="text/csv", size_bytes=5).body
        assert self.presigned(kadu, made["upload_url"]) is None
        assert behaviours.presigned(kadu.tenant.records, "/v1/files", kadu.tenant.clock.now()) is None

    def test_no_bytes_in_any_answer(self, kadu):
        for answer in (
            kadu.call("kadu_files_get", id=kadu.newest("files")["id"]),
            kadu.call("kadu_files_list"),
            kadu.call("kadu_files_download", id=kadu.newest("files")["id"]),
        ):
            assert kadu.newest("files")["_bytes"] not in str(answer.body)
            assert kadu.newest("files")["_key"] not in str(answer.body)


class TestWebhooks:
    def test_a_signing_secret_is_shown_once(self, kadu):
        made = kadu.call(
            "kadu_webhooks_create", url="https://a.exemplo.com.br/k", events=["execution.failed"]
        )
        first = made.body["signing_secret"]
        second = kadu.call("kadu_webhooks_rotate_secret", id=made.body["id"]).body["signing_secret"]
        assert first != second
        for answer in (kadu.call("kadu_webhooks_get", id=made.body["id"]), kadu.call("kadu_webhooks_list")):
            assert first not in str(answer.body)
            assert second not in str(answer.body)
            assert "signing_secret" not in str(answer.body)
        assert kadu.tenant.records["webhooks"][made.body["id"]]["_signing_secret"] == second

    @pytest.mark.parametrize("operation", ["webhooks_create", "webhooks_rotate_secret"])
    def test_the_field_that_is_shown_once_is_named(self, kadu, operation):
        webhook = kadu.newest("webhooks")
        call = Call(
            operation=f"kadu_{operation}",
            extension={"collection": "webhooks"},
            path={"id": webhook["id"]},
            query={},
            body={"url": webhook["url"], "events": webhook["events"]}
            if operation == "webhooks_create"
            else {},
            person=None,
            organization={},
            records=kadu.tenant.records,
            now=datetime(2026, 11, 30, 15, 0, tzinfo=UTC),
            new_id=lambda: NOWHERE,
            new_secret=lambda: "novo",
            public_url="",
        )
        outcome = behaviours.BEHAVIOURS[operation](call)
        assert outcome.secrets == ("signing_secret",)
        assert outcome.body["signing_secret"] == "whsec_novo"

    def test_a_replay_goes_to_the_present_url(self, kadu):
        delivery = kadu.newest("webhook_deliveries")
        kadu.call("kadu_webhooks_update", id=delivery["webhook_id"], url="https://novo.exemplo.com.br/k")
        answer = kadu.call("kadu_webhook_deliveries_replay", id=delivery["id"])
        assert answer.status == 201
        assert (answer.body["replay_of"], answer.body["url"]) == (
            delivery["id"],
            "https://novo.exemplo.com.br/k",
        )
        assert answer.body["payload"] == delivery["payload"]
        assert len(kadu.records("webhook_deliveries")) == 3
        only = kadu.call("kadu_webhook_deliveries_list", webhook_id=delivery["webhook_id"], state="delivered")
        assert only.body["data"] == [answer.body]

    def test_nothing_is_replayed_to_a_webhook_that_is_gone(self, kadu):
        delivery = kadu.newest("webhook_deliveries")
        kadu.call("kadu_webhooks_delete", id=delivery["webhook_id"])
        assert kadu.call("kadu_webhook_deliveries_replay", id=delivery["id"]).status == 422


class TestApprovals:
    def plant(self, kadu, person):
        record = kadu.tenant.people[person].record
        return kadu.plant(
            "operation_approvals", person={name: record[name] for name in ("id", "name", "email")}
        )

    def test_each_sees_their_own_newest_first(self, kadu):
        mine = [self.plant(kadu, kadu.people[0])["id"] for _ in range(3)]
        theirs = self.plant(kadu, kadu.people[1])["id"]
        listed = kadu.call("kadu_operation_approvals_list").body["data"]
        assert [each["id"] for each in listed] == mine[::-1]
        assert kadu.call("kadu_operation_approvals_get", id=mine[0]).body["status"] == "pending"
        unknown = kadu.call("kadu_operation_approvals_get", id=NOWHERE)
        hidden = kadu.call("kadu_operation_approvals_get", id=theirs)
        assert (hidden.status, hidden.body) == (unknown.status, unknown.body)
        kadu.by(kadu.people[1])
        assert [each["id"] for each in kadu.call("kadu_operation_approvals_list").body["data"]] == [theirs]

    def test_of_two_of_one_moment_the_later_stands_first(self, kadu):
        mine = [self.plant(kadu, kadu.people[0]) for _ in range(2)]
        mine[0]["created_at"] = mine[1]["created_at"]
        listed = kadu.call("kadu_operation_approvals_list").body["data"]
        assert [each["id"] for each in listed] == [mine[1]["id"], mine[0]["id"]]

    def test_pages(self, kadu):
        mine = [self.plant(kadu, kadu.people[0])["id"] for _ in range(5)]
        first = kadu.call("kadu_operation_approvals_list", limit=2).body
        del kadu.tenant.records["operation_approvals"][mine[3]]
        second = kadu.call("kadu_operation_approvals_list", limit=2, cursor=first["next_cursor"]).body
        third = kadu.call("kadu_operation_approvals_list", limit=2, cursor=second["next_cursor"]).body
        given = [each["id"] for page in (first, second, third) for each in page["data"]]
        assert given == mine[::-1]
        assert third["next_cursor"] is None
        assert kadu.call("kadu_operation_approvals_list", cursor="nada").status == 400

    def test_a_token_without_a_person_sees_none(self, kadu):
        approval = self.plant(kadu, kadu.people[0])["id"]
        kadu.by(None)
        assert kadu.call("kadu_operation_approvals_list").body["data"] == []
        assert kadu.call("kadu_operation_approvals_get", id=approval).status == 404
