"""What the protocol wants of an answer: versions, codes, hints, capabilities, schemas, order."""

import json

from harness.checks.protocol import (
    expect_cache_hints,
    expect_complete,
    expect_declared,
    expect_discovery,
    expect_header_refusal,
    expect_http,
    expect_invalid,
    expect_no_announcement,
    expect_no_changes_offered,
    expect_no_message,
    expect_nothing_heard,
    expect_private,
    expect_released,
    expect_result,
    expect_schemas,
    expect_unauthorized,
    expect_unsupported_version,
)
from harness.checks.results import broken, describe, is_success
from harness.expressions import step, then
from harness.steps.protocol import some
from harness.steps.resources import parse_params
from harness.verdicts import NotTestable
from harness.wire.eras import (
    ERA_TABLES,
    FIRST_WITH_HEADER,
    INVALID_REQUEST,
    LAST_WITHOUT_HEADER,
    META_VERSION,
    METHOD_NOT_FOUND,
    PARSE_ERROR,
    era_of,
)
from harness.world import CODE_RULE, SCHEMA_RULE, World


@then("the listening is refused or brings nothing")
def listening_brings_nothing(world: World) -> None:
    expect_nothing_heard(world.answer)


@then("no answer so far announces a change")
def no_change_announced(world: World) -> None:
    for exchange in world.exchanges:
        expect_no_announcement(exchange)


@step("the request is answered")
def is_answered(world: World) -> None:
    expect_result(world.answer)


@then("the request is answered, as it is with its name as it stands")
def is_answered_as_in_the_open(world: World) -> None:
    if world.answer.result is None:
        params = {
            name: value for name, value in (parse_params(world.answer) or {}).items() if name != "_meta"
        }
        if world.client().request(str(world.answer.method), params).result is None:
            raise NotTestable("with its name as it stands the same request is not answered either")
    expect_result(world.answer)


@step("the request is rejected")
@then("the request is answered by an error")
def is_rejected(world: World) -> None:
    if world.answer.error is None and (world.answer.status or 0) < 400:
        raise broken(
            "the request is not refused", world.answer, expected="an error", actual=describe(world.answer)
        )


@then("an assistant of the other era is served too")
def other_era_served(world: World) -> None:
    exchange = world.in_other_era().initialize()
    if world.other_era not in world.settings.eras and exchange.result is None:
        raise NotTestable("the other era was not asked for and is not offered")
    expect_result(exchange)


@then("the handshake is answered with a released revision of its era")
def released_revision(world: World) -> None:
    expect_released(world.answer, world.era)


@then("the handshake is refused, or answered with a released revision of its era")
def refused_or_released(world: World) -> None:
    if world.answer.error is None and (world.answer.status or 0) < 400:
        expect_released(world.answer, world.era)


@then("the tools are listed in that revision")
def tools_listed(world: World) -> None:
    world.client().agree(world.answer)
    expect_result(world.client().request("tools/list"))


@then("the discovery names the revision and the capabilities")
def discovery(world: World) -> None:
    expect_discovery(world.answer, ERA_TABLES[world.era].version)


@then("the refusal names the supported versions and {word}")
def names_versions(world: World, asked: str) -> None:
    expect_unsupported_version(world.answer, asked, ERA_TABLES[world.era].version)


@then("the request is refused as invalid with HTTP 400")
def refused_as_invalid_400(world: World) -> None:
    expect_invalid(world.answer, mismatch_allowed=True)
    expect_http(world.answer, 400)


@then("the request is refused as invalid")
def refused_as_invalid(world: World) -> None:
    expect_invalid(world.answer, mismatch_allowed=False)


@then("the request is refused for its headers with HTTP 400")
def refused_for_headers(world: World) -> None:
    sent = json.loads(world.answer.request.body)["params"]["_meta"].get(META_VERSION)
    # A body of a version that nobody released may be refused for that first.
    expect_header_refusal(world.answer, unknown_version=sent is not None and era_of(sent) is None)


@then("the request is refused, or the server serves versions that have no such header")
def refused_or_serves_older(world: World) -> None:
    refused = world.answer.error is not None or (world.answer.status or 0) >= 400
    if not refused and not _serves_headerless(world):
        raise broken(
            "a request without a required header is served",
            world.answer,
            expected=f"a refusal: no version before {FIRST_WITH_HEADER} is served here",
            actual=describe(world.answer),
        )


def _serves_headerless(world: World) -> bool:
    """Whether this server speaks a revision that had no MCP-Protocol-Version, as it says itself."""
    answers = [
        world.in_other_era().initialize(LAST_WITHOUT_HEADER),
        world.client().request(ERA_TABLES[world.era].opening),
    ]
    results = [exchange.result or {} for exchange in answers]
    said = [result.get("protocolVersion") for result in results]
    for result in results:
        supported = result.get("supportedVersions")
        said += supported if isinstance(supported, list) else []
    return any(
        isinstance(version, str) and era_of(version) is not None and version < FIRST_WITH_HEADER
        for version in said
    )


@then("the result is of the type complete")
def is_complete(world: World) -> None:
    expect_complete(world.answer)


@then("the result says for how long and for whom it may be cached")
def says_how_to_cache(world: World) -> None:
    expect_cache_hints(world.answer)


@then("what differs between them is private")
def differs_is_private(world: World) -> None:
    mine, theirs = world.story.exchanges[-2:]
    expect_private(mine, theirs)


@then("the answer is HTTP {int}")
def is_http(world: World, status: int) -> None:
    expect_http(world.answer, status)


@then("the answer is HTTP 401 and says how to authenticate")
def is_unauthorized(world: World) -> None:
    expect_unauthorized(world.answer)


@then("each answer is HTTP 401 and says how to authenticate")
def each_is_unauthorized(world: World) -> None:
    for exchange in world.story.exchanges:
        expect_unauthorized(exchange)


@then("no message answers it")
def no_message(world: World) -> None:
    expect_no_message(world.answer)


@then("what the server offers is declared as")
def is_declared(world: World, datatable: list[list[str]]) -> None:
    expect_declared(world.answer, [row[0] for row in datatable])


@then("neither subscriptions nor changed lists are offered")
def no_changes_offered(world: World) -> None:
    expect_no_changes_offered(world.answer)


@then("the method is refused as not found")
def method_not_found(world: World) -> None:
    error = world.answer.error
    status = ERA_TABLES[world.era].statuses.get(METHOD_NOT_FOUND)
    if error is None or error.get("code") != METHOD_NOT_FOUND:
        raise broken(
            "an unknown method is not refused as one",
            world.answer,
            expected=f"{METHOD_NOT_FOUND}",
            actual=describe(world.answer),
        )
    if status is not None:
        expect_http(world.answer, status)


@then("the error has a code of this revision")
def code_of_revision(world: World) -> None:
    if world.answer.error is None:
        raise broken(
            "the request is not refused", world.answer, expected="an error", actual=describe(world.answer)
        )
    _as_recorded(world, CODE_RULE)


@then("every error so far has a code of this revision")
def every_error_has_a_code(world: World) -> None:
    if all(exchange.error is None for exchange in world.exchanges):
        raise NotTestable("nothing was refused by an error, so there is no code to look at")
    _as_recorded(world, CODE_RULE)


@then("every inputSchema is valid and of the type object")
def schemas_are_valid(world: World) -> None:
    expect_schemas(some(list(world.client().items("tools/list", "tools")), "tools/list"))


@then("both listings have the same order")
def same_order(world: World) -> None:
    first, second = world.story.notes["orders"]
    some(first, "tools/list")
    if first != second:
        raise broken(
            "the tools change their order",
            world.story.exchange,
            expected=str(first)[:500],
            actual=str(second)[:500],
        )


@then("the request is refused as unreadable")
def refused_as_unreadable(world: World) -> None:
    error = world.answer.error
    # What is no JSON is no JSON-RPC yet: HTTP may refuse it before anybody looks for a message.
    if world.answer.message is None and 400 <= (world.answer.status or 0) < 500:
        return
    if error is None or error.get("code") != PARSE_ERROR:
        raise broken(
            "what is not JSON is not called so",
            world.answer,
            expected=f"an error {PARSE_ERROR}, or a refusal by HTTP",
            actual=describe(world.answer),
        )


@then("the batch is refused")
def batch_refused(world: World) -> None:
    answer = world.answer.answer
    body = b"" if answer is None else answer.body
    served = answer is not None and answer.status < 400 and (b'"result"' in body or b'"error"' not in body)
    if answer is None or served:
        raise broken(
            "a batch is served",
            world.answer,
            expected=f"an error such as {INVALID_REQUEST}",
            actual=describe(world.answer),
        )


@then("the answer carries that very id")
def carries_that_id(world: World) -> None:
    sent = json.loads(world.answer.request.body)["id"]
    message = world.answer.message
    if message is None or type(message.get("id")) is not type(sent) or message.get("id") != sent:
        raise broken(
            "the answer carries another id",
            world.answer,
            expected=f"the id {sent!r}",
            actual=describe(world.answer),
        )


@then("every message so far is valid for its revision")
def every_message_valid(world: World) -> None:
    _as_recorded(world, SCHEMA_RULE)


def _as_recorded(world: World, rule: str) -> None:
    """Every message was judged when it was recorded: the first that broke this rule."""
    wrong = next((finding for finding in world.findings if finding.rule == rule), None)
    if wrong is not None:
        exchange = world.exchanges[(wrong.exchange or 1) - 1]
        raise broken(wrong.message, exchange, expected=wrong.expected, actual=wrong.actual)


@then("the unknown tool is refused")
def unknown_tool_refused(world: World) -> None:
    allowed = ERA_TABLES[world.era].unknown_tool_codes
    if allowed and (world.answer.error or {}).get("code") not in allowed:
        raise broken(
            "an unknown tool is not refused as one",
            world.answer,
            expected=f"an error {allowed[0]}",
            actual=describe(world.answer),
        )
    if is_success(world.answer) or world.answer.answer is None:
        raise broken(
            "an unknown tool succeeds", world.answer, expected="an error", actual=describe(world.answer)
        )


@then("no item came twice")
def no_item_twice(world: World) -> None:
    items = world.story.notes["items"]
    twice = sorted({str(item) for item in items if items.count(item) > 1})
    if twice:
        raise broken(
            "an item comes twice", world.story.exchange, expected="every item once", actual=f"twice: {twice}"
        )
