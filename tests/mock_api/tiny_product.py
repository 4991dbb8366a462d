"""A product as small as the engine's tests can do with; run as a program it is a mock API of that product."""

import hashlib
import sys
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from mock_api.__main__ import main
from mock_api.calls import Call, Outcome, Record, Records, Refusal
from mock_api.clock import text
from mock_api.contract import load
from mock_api.product import Product

CONTRACT = Path(__file__).with_name("tiny.yaml")


@dataclass(frozen=True)
class World:
    organization: Record
    people: list[Record]
    records: Records


def _id(*parts: object) -> str:
    digest = hashlib.sha256(repr(parts).encode()).digest()
    return str(uuid.UUID(bytes=digest[:16], version=4))


def generate(seed: str, now: datetime, people: int) -> World:
    made = [
        {"id": _id(seed, "p", n), "name": f"Pessoa {n}", "email": f"p{n}@tiny.test", "_pin": "0000"}
        for n in range(people)
    ]
    records: Records = {"boxes": {}, "notes": {}}
    for n in range(2):
        box = complete(
            "boxes", f"{seed}{n}", now, records, {"id": _id(seed, "b", n), "name": f"Caixa {n} de {seed}"}
        )
        records["boxes"][box["id"]] = box
    note = {"id": _id(seed, "n"), "box_id": box["id"], "by": made[-1]["id"] if made else None}
    records["notes"][note["id"]] = complete("notes", seed, now, records, note)
    return World({"id": _id(seed, "o"), "name": f"Org {seed}", "_tax": "1"}, made, records)


def complete(
    collection: str, seed: str, now: datetime, records: Records, values: Mapping[str, Any]
) -> Record:
    made = text(now - timedelta(minutes=1))
    generated: Record = {"id": _id(seed), "created_at": made, "updated_at": made, "_made": seed[:3]}
    if collection == "boxes":
        generated |= {"name": "Caixa", "color": "red", "open": False, "age": 0}
    return {**generated, **values}


def boxes_open(call: Call) -> Outcome:
    box = call.records["boxes"].get(call.path["id"])
    if box is None:
        raise Refusal(404, "not_found", "No such box.")
    box["open"], box["opened_by"] = True, call.person and call.person["id"]
    return Outcome(200, {**box, "url": f"{call.public_url}/{box['id']}"}, effect=True)


def wrong(call: Call) -> Outcome:
    return Outcome(200, {"left": 1}, effect=False)


def advance(records: Records, now: datetime) -> None:
    """A box is as old as the days since it was made."""
    for box in records["boxes"].values():
        box["age"] = (now - datetime.fromisoformat(box["created_at"]).astimezone(UTC)).days


def presigned(records: Records, path: str, now: datetime) -> bytes | None:
    """The name of the box whose number the link names, until 2030."""
    names = {f"/links/{box.get('link')}": box["name"] for box in records["boxes"].values()}
    name = names.get(path)
    return None if name is None or now.year >= 2030 else str(name).encode()


def uploaded(records: Records, path: str, content: bytes, now: datetime) -> bool:
    for box in records["boxes"].values():
        if path == f"/links/{box.get('link')}":
            box["name"] = content.decode()
            return True
    return False


def tiny(product: str) -> Product:
    return Product(
        contract=load(CONTRACT, product),
        behaviours={"boxes_open": boxes_open, "wrong": wrong},
        generate=generate,
        complete=complete,
        collections=frozenset({"boxes", "notes"}),
        advance=advance,
        download=presigned,
        upload=uploaded,
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], load=tiny))
