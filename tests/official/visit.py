"""What every official client is sent to do, and what it must come back with."""

from dataclasses import dataclass
from typing import Any

from tests.official.conftest import Tenant

TOOL = "kadu_tasks_run"
PROMPT = "explain_execution"
ARGUMENT = "execution_id"
# What a destructive call comes to where the era knows no question in the chat (KADU-APR-01).
WITHOUT_A_QUESTION = "approval_required"


@dataclass(frozen=True)
class Visit:
    """The errand of a client to the server of one tenant."""

    tenant: Tenant

    @property
    def execution(self) -> str:
        """The execution that the prompt is about."""
        return str(self.tenant.world["records"]["executions"][0]["id"])

    def plan(self) -> dict[str, Any]:
        """The errand as data: where to, as whom, what to read, to prompt for, to complete and to call."""
        return {
            "url": self.tenant.url,
            "token": self.tenant.token,
            "uri": f"kobana://kadu/tasks/{self.tenant.run['id']}",
            "prompt": {"name": PROMPT, "arguments": {ARGUMENT: self.execution}},
            "argument": ARGUMENT,
            "call": {"name": TOOL, "arguments": self.tenant.run},
        }

    def judge(self, seen: dict[str, Any], modern: bool) -> None:
        """Compare what the client saw, and what the ledger holds, with what must come of the errand."""
        assert (seen["version"] == "2026-07-28") is modern
        assert TOOL in seen["tools"]
        assert "kobana://kadu/me" in seen["resources"]
        assert "kobana://kadu/tasks/{id}" in seen["templates"]
        assert PROMPT in seen["prompts"]
        assert seen["resource"]["id"] == self.tenant.run["id"]
        assert self.execution in seen["prompt"]
        executions = {record["id"] for record in self.tenant.world["records"]["executions"]}
        assert set(seen["completed"]) == executions
        call, asked = seen["call"], seen["asked"]
        if modern:
            (question,) = asked
            assert question["properties"] == ["confirm"]
            assert self.tenant.run["id"] in question["message"]
            assert not call["failed"], call
            assert call["body"]["task_id"] == self.tenant.run["id"]
            assert self.tenant.effects() == [(TOOL, self.tenant.run)]
        else:
            assert asked == []
            assert outcome(call) == WITHOUT_A_QUESTION
            assert self.tenant.effects() == []


def outcome(call: dict[str, Any]) -> str:
    """The code of an error result; of any other the status that its body tells."""
    return str(call["body"]["error"]["code"] if call["failed"] else call["body"].get("status", "done"))
