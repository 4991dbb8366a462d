"""A run as a record again, as docs/run-record.md has it: the inverse of `reports.record.read`."""

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from reports.json_text import compact
from reports.record import FORMAT, Footer, Header, Run, Scenario


def lines(run: Run) -> Iterator[str]:
    """The lines of the record, each with its end; the last one is the footer where the run has one."""
    yield compact(_header(run.header)) + "\n"
    for scenario in run.scenarios:
        yield compact(_scenario(scenario)) + "\n"
    if run.footer is not None:
        yield compact(_footer(run.footer)) + "\n"


def _header(header: Header) -> dict[str, Any]:
    fields = asdict(header)
    tool = {"name": fields.pop("tool"), "version": fields.pop("tool_version")}
    product = {"id": fields.pop("product"), "title": fields.pop("title")}
    if not header.merged:
        del fields["merged"]
    if header.shard is None:
        del fields["shard"]
    return {"type": "header", "format": FORMAT, "tool": tool, "product": product, **fields}


def _scenario(scenario: Scenario) -> dict[str, Any]:
    fields = asdict(scenario)
    if scenario.server is None:
        del fields["server"]
    return {"type": "scenario", **fields}


def _footer(footer: Footer) -> dict[str, Any]:
    fields = asdict(footer)
    if not footer.accepted:
        del fields["accepted"]
    return {"type": "footer", **fields}
