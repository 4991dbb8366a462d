"""Kadu: webhooks, whose signing secret is shown once, and their deliveries. The mock sends nothing out."""

from collections.abc import Mapping

from mock_api.behaviours.found import changed, refused, stored, subject
from mock_api.calls import Behaviour, Call, Outcome, Record
from mock_api.clock import text

SECRET = "signing_secret"


def webhooks_create(call: Call) -> Outcome:
    """A webhook and its signing secret, shown this once."""
    values = {
        "description": "",
        "active": True,
        "secret_rotated_at": None,
        **call.body,
        "_signing_secret": f"whsec_{call.new_secret()}",
    }
    return _shown_once(201, stored(call, "webhooks", values))


def webhooks_rotate_secret(call: Call) -> Outcome:
    """The webhook and its new signing secret, shown this once."""
    webhook = subject(call)
    changed(call, webhook, secret_rotated_at=text(call.now), _signing_secret=f"whsec_{call.new_secret()}")
    return _shown_once(200, webhook)


def _shown_once(status: int, webhook: Record) -> Outcome:
    body = {name: value for name, value in webhook.items() if not name.startswith("_")}
    return Outcome(status, {**body, SECRET: webhook["_signing_secret"]}, effect=True, secrets=(SECRET,))


def webhook_deliveries_replay(call: Call) -> Outcome:
    """A new delivery to the present URL of the webhook. Raises Refusal 422 where the webhook is gone or inactive."""
    delivery = subject(call)
    webhook = call.records.get("webhooks", {}).get(delivery["webhook_id"])
    if webhook is None or not webhook["active"]:
        raise refused("The webhook of this delivery is gone or inactive.")
    replayed = {
        **delivery,
        "id": call.new_id(),
        "url": webhook["url"],
        "state": "delivered",
        "response_status": 200,
        "replay_of": delivery["id"],
        "created_at": text(call.now),
    }
    call.records["webhook_deliveries"][replayed["id"]] = replayed
    return Outcome(201, replayed, effect=True)


BEHAVIOURS: Mapping[str, Behaviour] = {
    "webhooks_create": webhooks_create,
    "webhooks_rotate_secret": webhooks_rotate_secret,
    "webhook_deliveries_replay": webhook_deliveries_replay,
}
