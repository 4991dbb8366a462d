"""Completions: what begins with what was typed."""

from own_clock.clock import today
from own_clock.desk import Desk, Handed
from own_clock.documents import MEANINGS, ROOT, TOOLS, WORD
from own_clock.prompts import PROMPTS
from own_clock.upstream import Away, Who
from own_clock.wire import BAD_PARAMS, Asked, Refused

MOST = 100


def complete(desk: Desk, who: Who, asked: Asked) -> Handed:
    """KADU-CMP-01…05."""
    ref, argument = asked.params.get("ref"), asked.params.get("argument")
    if not isinstance(ref, dict) or not isinstance(argument, dict):
        raise Refused(BAD_PARAMS, "A completion has a ref and an argument")
    name, typed = argument.get("name"), argument.get("value")
    if not isinstance(name, str) or not isinstance(typed, str):
        raise Refused(BAD_PARAMS, "An argument has a name and a value")
    listing = _listing(ref, name)
    if listing is not None:
        values, whole = _ids(desk, who, listing, typed)
    elif (ref.get("uri"), name) == (WORD, "word"):
        values, whole = [word for word in MEANINGS if word.startswith(typed)], True
    elif ref.get("name") == "monthly_usage_report" and name == "month":
        values, whole = [month for month in _months() if month.startswith(typed)], True
    else:
        # KADU-CMP-05: whatever else was meant, nothing is known of it
        values, whole = [], True
    told = {"values": values[:MOST], "hasMore": not whole or len(values) > MOST}
    return Handed({"completion": told})


def _listing(ref: dict[str, object], argument: str) -> str | None:
    if ref.get("type") == "ref/prompt":
        prompt = PROMPTS.get(str(ref.get("name")))
        if prompt is None:
            raise Refused(BAD_PARAMS, "No prompt is called so")
        known = argument in prompt.takes and argument.endswith("_id")
        return f"kadu_{argument.removesuffix('_id')}s_list" if known else None
    if ref.get("uri") == WORD:
        return None
    path = str(ref.get("uri", "")).removeprefix(ROOT)
    if ref.get("type") != "ref/resource" or path not in TOOLS:
        raise Refused(BAD_PARAMS, "There is no such template")
    return f"kadu_{path.partition('/')[0]}_list" if "{id}" in path and argument == "id" else None


def _ids(desk: Desk, who: Who, listing: str, typed: str) -> tuple[list[str], bool]:
    """Ids that begin so, among the newest hundred; and whether those are all."""
    operation = desk.contract.operations.get(listing)
    if operation is None or not who.may(operation):
        # KADU-CMP-02
        return [], True
    try:
        said = desk.upstream.run(who, operation, {"limit": MOST})
    except Away:
        return [], True
    if not said.fine:
        return [], True
    ids = [str(record["id"]) for record in said.body["data"]]
    return [one for one in ids if one.startswith(typed)], said.body.get("next_cursor") is None


def _months() -> list[str]:
    """KADU-CMP-03: the running month and the eleven before it, newest first."""
    now = today()
    running = now.year * 12 + now.month - 1
    return [f"{number // 12:04d}-{number % 12 + 1:02d}" for number in range(running, running - 12, -1)]
