"""What comes later for a sibling product stands on the same engine: nothing general names this product."""

import pytest

from .conftest import ROOT

OWN_NAME = "kadu-conformance"
GENERAL = (
    "reference_server/engine",
    "harness/wire",
    "harness/actors",
    "harness/checks",
    "harness/oracle",
    "harness/record",
    "harness/collection",
    "harness/connections.py",
    "harness/transport.py",
    "harness/world.py",
    "reports",
)


@pytest.mark.parametrize("room", GENERAL)
def test_a_general_room_names_no_product(room: str) -> None:
    place = ROOT / room
    files = (
        [place]
        if place.is_file()
        else [path for path in place.rglob("*") if path.suffix in (".py", ".html", ".css", ".js", ".j2")]
    )
    assert files
    naming = [
        path.name
        for path in files
        if "kadu" in path.read_text(encoding="utf-8").lower().replace(OWN_NAME, "")
    ]
    assert naming == []
