"""Sample run records, built line by line: small ones for tests, and a whole run to look at.

    python -m tests.reports.sample OUT_DIR [good|broken|accepted|ruin|cut]

writes a record into OUT_DIR and renders its reports beside it.
"""

import json
import random
import sys
from pathlib import Path
from typing import Any

from tests.reports.harbour import GROUPS

VERDICTS = ("failed", "errored", "not testable", "warned", "passed", "not applicable")

HOSTILE = (
    "<script>alert(1)</script><img src=x onerror=alert(2)>\" onmouseover='alert(3)' ]]> &amp; <!-- {{ 7*7 }} "
    "[red]markup[/red] [link=https://evil.example]x[/link] :smile: \x1b]0;title\x07\x1b[31mred\x1b[2J\x9b5m \x00 \x7f "
    "\u202eright to left\u202c \u2066isolate\u2069 \u200bzero \ud800 \udfff \ufffe \ufeff \U000e0041 \r\n next \x85 \u2028 end"
)
ACCEPTED = {
    "HRB-CNF-07": "the supplier mends it in March, ticket 118",
    "HRB-APR-02": "this server has no clock that can be moved; watched by hand until then",
    "HRB-IDM-06": "one connection at a time, by design",
}
STRUCTURE = frozenset(
    {"type", "verdict", "level", "seat", "era", "started_at", "finished_at", "method", "url"}
)

TOOLS = ("berths_release", "ships_depart", "ships_tow", "gates_close", "signals_create", "crews_delete")


def rule(rule_id: str, **values: Any) -> dict[str, Any]:
    """A rule of the catalogue."""
    return {
        "id": rule_id,
        "group": "confirmation in the chat",
        "level": "M",
        "eras": ["2025", "2026"],
        "seat": "server",
        "statement": "The first call runs nothing",
        "document": "Harbour tools",
        "section": "Confirmations",
    } | values


def header(rules: list[dict[str, Any]], **values: Any) -> dict[str, Any]:
    """The first line of a record."""
    return {
        "type": "header",
        "format": 1,
        "tool": {"name": "harbour-conformance", "version": "0.1.0"},
        "product": {"id": "harbour", "title": "Harbour"},
        "started_at": "2026-11-30T15:04:05.120Z",
        "subject": {"urls": ["http://127.0.0.1:8080/mcp"], "command": None, "reference": False},
        "eras": ["2025", "2026"],
        "seed": 1,
        "workers": 1,
        "controls": {"time": "upstream-date"},
        "rules": rules,
        "asked": [one["id"] for one in rules],
    } | values


def step(keyword: str, text: str, status: str = "passed", line: int = 7) -> dict[str, Any]:
    """A step of a scenario."""
    return {"keyword": keyword, "text": text, "line": line, "status": status, "seconds": 0.002}


def finding(rule_id: str, **values: Any) -> dict[str, Any]:
    """A finding on a rule."""
    return {
        "rule": rule_id,
        "advisory": False,
        "message": "the call ran before anybody was asked",
        "expected": "no business effect",
        "actual": "1 business effect: ships_depart",
        "exchange": 1,
    } | values


def exchange(number: int = 1, **values: Any) -> dict[str, Any]:
    """A request and its answer."""
    return {
        "number": number,
        "actor": "client",
        "label": "tools/call ships_depart",
        "seconds": 0.003,
        "request": {
            "method": "POST",
            "url": "http://127.0.0.1:8080/mcp",
            "headers": [
                ["content-type", "application/json"],
                ["authorization", "Bearer [token of person 1]"],
                ["mcp-protocol-version", "2026-07-28"],
            ],
            "body": '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ships_depart"}}',
        },
        "answer": {
            "status": 200,
            "headers": [["content-type", "application/json"]],
            "body": '{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","content":[]}}',
            "cut": False,
        },
        "problem": None,
    } | values


def scenario(rule_id: str, verdict: str = "passed", **values: Any) -> dict[str, Any]:
    """A scenario run with the evidence that its verdict usually comes with."""
    name, era = values.get("name", "The first call asks"), values.get("era", "2026")
    row = ",".join(values.get("example", {}).values())
    failing = verdict in ("failed", "errored")
    evidence: dict[str, Any] = {"findings": [], "exchanges": [exchange()], "reason": None, "error": None}
    if verdict == "failed":
        evidence |= {"findings": [finding(rule_id)], "reason": "the call ran before anybody was asked"}
    elif verdict == "errored":
        text = "Traceback (most recent call last):\n  File \"steps.py\", line 3, in step\nKeyError: 'ship'"
        evidence |= {"error": text, "reason": "the mock stopped answering"}
    elif verdict == "not testable":
        evidence |= {"reason": "the clock of this server cannot be moved"}
    elif verdict == "warned":
        evidence |= {"findings": [finding(rule_id, advisory=True, message="the hint is missing")]}
    return {
        "type": "scenario",
        "id": f"harbour/{rule_id}.feature::{name}[{row}]@{era}",
        "feature": "harbour/confirmation.feature",
        "feature_title": "Confirmation in the chat",
        "rule": rule_id,
        "rule_title": "The first call runs nothing",
        "name": name,
        "example": {},
        "line": 5,
        "tags": [rule_id],
        "era": era,
        "advisory": verdict == "warned",
        "verdict": verdict,
        "seconds": 0.012,
        "steps": [
            step("Given", "a harbour with a ship ready to depart"),
            step("When", "the client calls ships_depart", "failed" if verdict == "errored" else "passed"),
            step(
                "Then", "nothing has run", {"failed": "failed", "errored": "not run"}.get(verdict, "passed")
            ),
            step("And", "the client is asked", "not run" if failing else "passed"),
        ],
    } | (evidence | values)


def footer(lines: list[dict[str, Any]], exit_code: int, **values: Any) -> dict[str, Any]:
    """The last line for a header and its scenarios: verdicts by the rules of docs/run-record.md."""
    runs = lines[1:]
    rules: dict[str, Any] = {}
    for rule_id in lines[0]["asked"]:
        eras: dict[str, list[str]] = {}
        for run in runs:
            if run["rule"] == rule_id:
                eras.setdefault(run["era"], []).append(run["verdict"])
            for found in run["findings"]:
                if found["rule"] == rule_id != run["rule"]:
                    eras.setdefault(run["era"], []).append("warned" if found["advisory"] else "failed")
        by_era = {era: min(found, key=VERDICTS.index) for era, found in sorted(eras.items())}
        rules[rule_id] = {
            "verdict": min(by_era.values(), key=VERDICTS.index, default="not testable"),
            "eras": by_era,
            "scenarios": sum(run["rule"] == rule_id for run in runs),
        }
    return {
        "type": "footer",
        "finished_at": "2026-11-30T15:04:11.420Z",
        "seconds": 6.3,
        "exit_code": exit_code,
        "complaint": None,
        "subject_output": None,
        "counts": {verdict: sum(run["verdict"] == verdict for run in runs) for verdict in VERDICTS},
        "rules": rules,
    } | values


def write(path: Path, lines: list[dict[str, Any]]) -> Path:
    """The lines as a record at `path`."""
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def catalogue() -> list[dict[str, Any]]:
    """A product's rules."""
    rules = []
    for group, (prefix, statements) in GROUPS.items():
        for number, statement in enumerate(statements, 1):
            eras = ["2026"] if prefix == "CNF" else ["2025", "2026"]
            level = "D" if prefix == "MCP" or number % 5 == 0 else "A" if number % 9 == 0 else "M"
            seat = "with the mock" if prefix in ("APR", "IDM") and number % 2 else "server"
            sections = {"MCP": "Base protocol", "IDM": "Keys"}
            rules.append(
                rule(
                    f"HRB-{prefix}-{number:02}",
                    group=group,
                    level=level,
                    eras=eras,
                    seat=seat,
                    statement=statement,
                    document="MCP specification" if prefix == "MCP" else "Harbour tools and prompts",
                    section=sections.get(prefix, group.capitalize()),
                )
            )
    return rules


def _question(number: int, tool: str) -> dict[str, Any]:
    question = {
        "jsonrpc": "2.0",
        "id": number,
        "result": {
            "resultType": "input_required",
            "inputRequests": {
                "confirm": {
                    "method": "elicitation/create",
                    "params": {
                        "mode": "form",
                        "message": "Let the ship “Maré Alta” depart from berth 7?",
                        "requestedSchema": {
                            "type": "object",
                            "properties": {"confirm": {"type": "boolean", "title": "Let it depart"}},
                            "required": ["confirm"],
                        },
                    },
                }
            },
            "requestState": "v1.[state 1]",
        },
    }
    call = {
        "jsonrpc": "2.0",
        "id": number,
        "method": "tools/call",
        "params": {
            "name": tool,
            "arguments": {"id": "shp_9f2c", "berth": 7, "note": "Com o piloto João a bordo"},
            "_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28"},
        },
    }
    one = exchange(number, label=f"tools/call {tool}")
    one["request"] |= {"body": json.dumps(call, ensure_ascii=False)}
    one["answer"] |= {"body": json.dumps(question, ensure_ascii=False)}
    return one


def _proof(tool: str) -> list[dict[str, Any]]:
    ran = _question(2, tool)
    ran["answer"]["body"] = json.dumps(
        {
            "jsonrpc": "2.0",
            "id": 2,
            "result": {
                "resultType": "complete",
                "content": [{"type": "text", "text": '{"id": "shp_9f2c", "state": "departed"}'}],
                "structuredContent": {"id": "shp_9f2c", "state": "departed"},
            },
        }
    )
    ledger = exchange(3, actor="upstream", label="ledger", seconds=0.001, problem=None)
    ledger["request"] = {
        "method": "GET",
        "url": "http://127.0.0.1:4102/_control/tenants/t1/ledger?after=4",
        "headers": [],
        "body": "",
    }
    ledger["answer"]["body"] = json.dumps(
        {"entries": [{"seq": 5, "class": "business", "effect": True, "operation": tool, "status": 201}]}
    )
    return [_question(1, tool), ran, ledger]


def whole_run(kind: str = "broken", seed: int = 7) -> list[dict[str, Any]]:
    """A run of some 600 scenario runs.

    `good`, `broken` (some of everything), `accepted` (the same, partly accepted), `ruin` (all fails) or `cut`.
    """
    chance = random.Random(seed)
    rules = catalogue()
    lines: list[dict[str, Any]] = [header(rules)]
    if kind == "good":
        lines[0]["subject"] = {"urls": ["http://127.0.0.1:41873/mcp"], "command": None, "reference": True}
    if kind != "good":
        lines[0]["asked"] = [one["id"] for one in rules if one["id"] not in ("HRB-APR-04", "HRB-RES-06")]
    special = {
        "HRB-CNF-07": "failed",
        "HRB-IDM-05": "failed",
        "HRB-APR-12": "errored",
        "HRB-CNF-10": "not testable",
        "HRB-APR-02": "not testable",
        "HRB-IDM-07": "not testable",
        "HRB-TLS-05": "warned",
    }
    for one in rules:
        if one["id"] not in lines[0]["asked"] or (kind != "good" and one["id"] == "HRB-IDM-06"):
            continue
        tools = TOOLS if one["id"][4:7] in ("CNF", "IDM", "TLS") else ("",)
        for name in ("It is kept", "It is kept for another person too", "A lie about it is refused")[
            : chance.randint(1, 3)
        ]:
            for tool in tools:
                for era in one["eras"]:
                    verdict = (
                        special.get(one["id"], "passed")
                        if kind in ("broken", "cut", "accepted")
                        else "passed"
                    )
                    if verdict != "passed" and (
                        name != "It is kept" or tool not in ("", "ships_depart", "gates_close")
                    ):
                        verdict = "passed"
                    lines.append(_run(one, name, tool, era, "failed" if kind == "ruin" else verdict, chance))
    if kind in ("broken", "accepted"):
        for line in lines[5:300:9]:
            line["findings"] = [
                *line["findings"],
                finding(
                    "HRB-MCP-12",
                    message="the answer to tools/list is not valid for its revision: ttlMs is a text",
                    expected='{"ttlMs": {"type": "integer", "minimum": 0}}',
                    actual='{"tools": [], "ttlMs": "300000", "cacheScope": "private"}',
                ),
            ]
    code = {"good": 0}.get(kind, 1)
    if kind != "cut":
        output = "INFO: started\nERROR: \x1b[31mtide table missing\x1b[0m, using the last one\n" * 6
        lines.append(footer(lines, code, subject_output=None if kind == "good" else output))
    if kind == "accepted":
        lines[-1]["accepted"] = ACCEPTED
    return lines


def _run(
    one: dict[str, Any], name: str, tool: str, era: str, verdict: str, chance: random.Random
) -> dict[str, Any]:
    subject = tool or "the harbour"
    run = scenario(
        one["id"],
        verdict,
        name=name,
        era=era,
        example={"tool": tool} if tool else {},
        feature=f"harbour/{one['group'].replace(' ', '_')}.feature",
        feature_title=one["group"].capitalize(),
        rule_title=one["statement"],
        line=chance.randint(4, 160),
        seconds=chance.uniform(0.002, 0.03),
        exchanges=_proof(tool or "ships_depart"),
    )
    run["steps"][0]["text"] = f"a harbour with {chance.randint(2, 9)} berths and a pilot on duty"
    run["steps"][1]["text"] = f"the client of that person asks for {subject} with the state of another call"
    if verdict == "failed":
        run["findings"] = [
            finding(
                one["id"],
                message=f"{subject} ran although the state was made for other arguments",
                expected="no business effect, and a new question about berth 7",
                actual=json.dumps({"business effects": [{"operation": subject, "berth": 7, "status": 201}]}),
                exchange=2,
            )
        ]
    return run


def hostile(size: int = 0) -> list[dict[str, Any]]:
    """A run with one scenario of each verdict in which every text that can come from outside is an attack.

    With `size`, each of them is padded to so many characters.
    """
    text = HOSTILE + "x" * max(0, size - len(HOSTILE))
    rules = [rule("HRB-CNF-01"), rule("HRB-MCP-12")]
    lines = [header(rules, subject={"urls": ["http://h/"], "command": "x", "reference": False})]
    for verdict in VERDICTS:
        lines.append(scenario("HRB-CNF-01", verdict, name=verdict, tenant="t", error="trace"))
        lines[-1]["findings"].append(finding("HRB-MCP-12"))
        lines[-1]["example"] = {"tool": "x"}
        lines[-1]["exchanges"].append(exchange(2, answer=None, problem="refused"))
        lines[-1]["exchanges"][0]["request"]["headers"].append(["x-hostile", "x"])
    lines.append(footer(lines, 1, complaint="complaint", subject_output="output"))
    attacked = [_attacked(line, text) for line in lines]
    for line in attacked[1:-1]:
        line["rule"] = "HRB-CNF-01"
        for number, found in enumerate(line["findings"]):
            found["rule"] = "HRB-MCP-12" if number == len(line["findings"]) - 1 else "HRB-CNF-01"
    attacked[0]["eras"], attacked[0]["asked"] = ["2025", "2026"], [one["id"] for one in rules]
    for number, one in enumerate(attacked[0]["rules"]):
        one |= {"id": rules[number]["id"], "eras": ["2026"], "group": f"group {number} {text}"}
    attacked[-1]["rules"] = lines[-1]["rules"]
    return attacked


def _attacked(value: Any, text: str, key: str = "") -> Any:
    if isinstance(value, dict):
        return {name: _attacked(inner, text, name) for name, inner in value.items()}
    if isinstance(value, list):
        return [_attacked(inner, text, key) for inner in value]
    return f"{value} {text}" if isinstance(value, str) and key not in STRUCTURE else value


def main() -> None:
    """Write a record and its reports, to be looked at."""
    from reports import FORMATS, render_all

    out = Path(sys.argv[1])
    out.mkdir(parents=True, exist_ok=True)
    record = write(out / "run.ndjson", whole_run(sys.argv[2] if len(sys.argv) > 2 else "broken"))
    for path in render_all(record, out, FORMATS):
        sys.stdout.write(f"{path}\t{path.stat().st_size:,} bytes\n")


if __name__ == "__main__":
    main()
