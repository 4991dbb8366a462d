"""Kadu: files, whose bytes go by presigned URLs only, and the repository of the Playbook.

A presigned URL is signed with a key of its file, so that handing one out changes nothing (KADU-RES-12).
"""

import hmac
from base64 import b64decode, b64encode
from collections.abc import Mapping
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Literal

from mock_api.behaviours.found import changed, refused, stored, subject
from mock_api.calls import Behaviour, Call, Outcome, Record, Records, Refusal
from mock_api.clock import text

ROUTE = "/files/"
UPLOAD_FOR = timedelta(minutes=15)
DOWNLOAD_FOR = timedelta(minutes=5)

Purpose = Literal["get", "put"]


def files_create(call: Call) -> Outcome:
    """A pending file and the presigned URL its bytes are to be PUT to."""
    values = {
        **call.body,
        "checksum_sha256": None,
        "state": "pending",
        "confirmed_at": None,
        "_bytes": None,
        "_key": call.new_secret(),
    }
    record = stored(call, "files", values)
    expires = call.now + UPLOAD_FOR
    link = {"upload_url": _url(call, record, "put", expires), "upload_expires_at": text(expires)}
    return Outcome(201, {**record, **link}, effect=True)


def files_confirm(call: Call) -> Outcome:
    """The file, available. Raises Refusal 422 where its bytes were not sent or are not as many as announced."""
    file = subject(call)
    if file["_bytes"] is None:
        raise refused("The bytes of the file were not sent yet.")
    content = b64decode(file["_bytes"])
    if len(content) != file["size_bytes"]:
        raise refused(f"size_bytes: {file['size_bytes']} were announced, {len(content)} were sent")
    checksum = sha256(content).hexdigest()
    return changed(call, file, state="available", checksum_sha256=checksum, confirmed_at=text(call.now))


def files_download(call: Call) -> Outcome:
    """A presigned URL for the bytes of a file. KADU-RES-07: never the bytes themselves."""
    file = subject(call)
    if file["state"] != "available":
        raise refused("The file is not available before it is confirmed.")
    expires = call.now + DOWNLOAD_FOR
    body = {
        "id": file["id"],
        "name": file["name"],
        "url": _url(call, file, "get", expires),
        "expires_at": text(expires),
    }
    return Outcome(200, body, effect=False)


def presigned(records: Records, path: str, now: datetime) -> bytes | None:
    """The bytes that a presigned URL of that path downloads at that moment; None where there are none."""
    file = _opened(records, path, "get", now)
    return b64decode(file["_bytes"]) if file is not None and file["state"] == "available" else None


def uploaded(records: Records, path: str, content: bytes, now: datetime) -> bool:
    """Keeps the bytes that were PUT to a presigned URL of that path; False where they are not taken.

    They are taken for a file that waits for them, and only while no more than was announced.
    """
    file = _opened(records, path, "put", now)
    if file is None or file["state"] != "pending" or len(content) > file["size_bytes"]:
        return False
    file["_bytes"] = b64encode(content).decode()
    return True


def _url(call: Call, file: Record, purpose: Purpose, expires: datetime) -> str:
    moment = str(round(expires.timestamp() * 1000))
    return f"{call.public_url}{ROUTE}{file['id']}.{moment}.{_signature(file, purpose, moment)}"


def _signature(file: Record, purpose: Purpose, moment: str) -> str:
    message = f"{purpose}.{file['id']}.{moment}".encode()
    return hmac.new(file["_key"].encode(), message, sha256).hexdigest()


def _opened(records: Records, path: str, purpose: Purpose, now: datetime) -> Record | None:
    """The file that a presigned path opens for a purpose at that moment."""
    match path.removeprefix(ROUTE).split(".") if path.startswith(ROUTE) else []:
        case [file_id, moment, signature] if moment.isascii() and moment.isdigit() and len(moment) < 16:
            file = records.get("files", {}).get(file_id)
        case _:
            return None
    if file is None or now.timestamp() * 1000 >= int(moment):
        return None
    expected = _signature(file, purpose, moment)
    return file if hmac.compare_digest(expected.encode(), signature.encode()) else None


def repository_get(call: Call) -> Outcome:
    """The repository of the organization: Playbook and skills."""
    return Outcome(200, _repository(call), effect=False)


def repository_sync(call: Call) -> Outcome:
    """The repository at a new commit."""
    repository = _repository(call)
    return changed(
        call,
        repository,
        branch=call.body.get("branch", repository["branch"]),
        commit=sha256(call.new_id().encode()).hexdigest()[:40],
        synced_at=text(call.now),
    )


def _repository(call: Call) -> Record:
    repositories = list(call.records.get("repositories", {}).values())
    if not repositories:
        raise Refusal(404, "not_found", "The organization has no repository.")
    return repositories[-1]


BEHAVIOURS: Mapping[str, Behaviour] = {
    "files_create": files_create,
    "files_confirm": files_confirm,
    "files_download": files_download,
    "repository_get": repository_get,
    "repository_sync": repository_sync,
}
