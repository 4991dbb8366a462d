"""Server-sent events: the standard's grammar, whatever the chunks."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from harness.wire.sse import Event, SseParser


def events(*chunks: bytes) -> list[Event]:
    parser = SseParser()
    return [event for chunk in chunks for event in parser.feed(chunk)]


def test_an_event_ends_at_the_empty_line() -> None:
    assert events(b"data: a\n", b"\n") == [Event("a")]


def test_without_an_empty_line_there_is_no_event() -> None:
    parser = SseParser()
    assert parser.feed(b"data: a\n") == []
    assert parser.unfinished


def test_every_line_end_counts() -> None:
    stream = b"data: a\r\rdata: b\n\ndata: c\r\n\r\n"
    assert [event.data for event in events(stream)] == ["a", "b", "c"]


def test_a_line_end_split_across_chunks_is_one_line_end() -> None:
    assert events(b"data: a\r", b"\ndata: b\r", b"\n\r", b"\n") == [Event("a\nb")]
    assert events(b"data: a\r", b"", b"\ndata: b\n\n") == [Event("a\nb")]


def test_an_event_is_given_at_a_cr_without_waiting_for_more() -> None:
    assert events(b"data: a\r\r") == [Event("a")]


def test_several_data_lines_are_joined() -> None:
    assert events(b"data: a\ndata:\ndata:  b\n\n") == [Event("a\n\n b")]


def test_a_data_line_without_text_makes_an_empty_event_and_none_makes_none() -> None:
    assert events(b"id: 1\ndata:\n\nid: 2\n\n") == [Event("", id="1")]


def test_comments_and_unknown_fields_are_left_out() -> None:
    assert events(b": ping\nfoo: bar\ndata: a\n: pong\n\n: ping\n\n") == [Event("a")]


def test_type_id_and_retry() -> None:
    parser = SseParser()
    stream = b"event: note\nid: 7\nretry: 250\ndata: a\n\ndata: b\n\nretry: soon\nid: \0\ndata: c\n\n"
    assert parser.feed(stream) == [Event("a", "note", "7"), Event("b", "message", "7"), Event("c", id="7")]
    assert parser.retry == 250


def test_a_byte_order_mark_is_skipped_only_at_the_start() -> None:
    bom = "﻿".encode()
    assert events(bom[:1], bom[1:] + b"data: a\n\n", bom + b"data: b\n\n") == [Event("a")]


def test_text_split_within_a_character_is_whole() -> None:
    text = "data: ação 🦜\n\n".encode()
    assert events(*[text[at : at + 1] for at in range(len(text))]) == [Event("ação 🦜")]


def test_bytes_that_are_no_utf8_are_told() -> None:
    assert events(b"data: \xff\n\n") == [Event("�", utf8=False)]


def test_an_event_over_the_limit_is_left_out_and_the_next_one_comes() -> None:
    parser = SseParser(limit=20)
    stream = b"data: " + b"x" * 50 + b"\n\ndata: y\n\n"
    assert parser.feed(stream) == [Event("y")]
    assert parser.too_large


def test_the_limit_counts_all_lines_of_an_event() -> None:
    parser = SseParser(limit=20)
    assert parser.feed(b"data: 123456789\n" * 3 + b"\ndata: y\n\n") == [Event("y")]
    assert parser.too_large


def test_an_endless_line_takes_no_memory() -> None:
    parser = SseParser(limit=1000)
    for _ in range(1000):
        parser.feed(b"x" * 1000)
    assert parser.too_large
    assert sum(map(len, parser._pieces)) <= 1000


LINES = st.sampled_from(
    [
        b"data: a",
        b"data:b",
        b"data",
        b"data: \xc3\xa3",
        b"data: \xff",
        b"event: e",
        b"id: 1",
        b"retry: 9",
        b": c",
        b"",
        b"",
    ]
)
ENDS = st.sampled_from([b"\n", b"\r", b"\r\n"])
STREAMS = st.lists(st.tuples(LINES, ENDS), max_size=12).map(lambda parts: b"".join(a + b for a, b in parts))


@given(STREAMS | st.binary(max_size=60), st.lists(st.integers(0, 100), max_size=12))
def test_any_chunking_gives_the_same_events(stream: bytes, cuts: list[int]) -> None:
    places = sorted({min(cut, len(stream)) for cut in cuts} | {0, len(stream)})
    chunks = [stream[a:b] for a, b in pairwise(places)]
    whole, cut = SseParser(limit=30), SseParser(limit=30)
    expected = whole.feed(stream)
    assert [event for chunk in chunks for event in cut.feed(chunk)] == expected
    assert (cut.retry, cut.too_large, cut.unfinished) == (whole.retry, whole.too_large, whole.unfinished)


@given(
    st.lists(st.text(st.characters(blacklist_characters="\r\n", blacklist_categories=["Cs"])), min_size=1),
    ENDS,
)
def test_what_is_written_as_an_event_is_read_back(lines: list[str], end: bytes) -> None:
    stream = b"".join(b"data: " + line.encode() + end for line in lines) + end
    assert events(stream) == [Event("\n".join(lines))]
