"""Bodies as they arrive: JSON or events, cut at any byte (HARD_CASES 6, 9)."""

import json
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from draligned.models.chunks import ChatChunks
from draligned.models.incoming import MAX_BODY_BYTES, Incoming
from draligned.models.payload import Payload
from draligned.models.sse import SseDecoder
from draligned.schema.errors import BadResponse

STREAM = "text/event-stream; charset=utf-8"


def chunk(delta: Any = None, finish: Any = None, **extra: Any) -> dict[str, Any]:
    """One chunk of a completion."""
    choice = {"index": 0, "delta": {} if delta is None else delta, "finish_reason": finish}
    return {"model": "echoed", "choices": [choice], **extra}


def sse(*payloads: Any, end: str = "\n", done: bool = True) -> bytes:
    """Events as a server writes them."""
    lines = [p if isinstance(p, str) else json.dumps(p, ensure_ascii=False) for p in payloads]
    text = "".join(f"data: {line}{end}{end}" for line in [*lines, *(["[DONE]"] if done else [])])
    return text.encode("utf-8", "surrogatepass")


def read(raw: bytes, *cuts: int, content_type: str = STREAM) -> Payload | None:
    """The payload of a body that arrives in pieces."""
    incoming = Incoming(ChatChunks(), content_type)
    places = sorted({0, len(raw), *(c for c in cuts if c < len(raw))})
    for start, stop in pairwise(places):
        incoming.feed(raw[start:stop])
    return incoming.end()


def text_of(payload: Payload | None) -> Any:
    assert payload is not None
    return payload["choices"][0]["message"]["content"]


HELLO = (
    chunk({"role": "assistant", "content": ""}),
    chunk({"content": "你好 🍸"}),
    chunk({}, "stop"),
)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_lines_may_end_in_three_ways(end: str) -> None:
    assert text_of(read(sse(*HELLO, end=end))) == "你好 🍸"


@pytest.mark.parametrize(
    "raw",
    [
        sse(*HELLO).replace(b"data: ", b"data:"),
        b": keep-alive\n\n: OPENROUTER PROCESSING\n\n" + sse(*HELLO),
        b"\n\n\n" + sse(*HELLO),
        b"\xef\xbb\xbf" + sse(*HELLO),
        b"retry: 100\nid: 1\nevent: message\n" + sse(*HELLO),
        sse(*HELLO).replace(b"\n\n", b"\n"),
        sse(*HELLO)[:-1],
        sse(*HELLO).removesuffix(b"\n\n"),
        sse(*HELLO, done=False),
        sse(*HELLO, done=False).removesuffix(b"\n\n"),
        sse(*HELLO, "[DONE]", chunk({"content": "not read"})),
        sse({"choices": [], "prompt_filter_results": []}, *HELLO),
        sse(*HELLO, {"choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": 1}}),
        sse(*HELLO, {"choices": None}, ""),
        b"event: ping\ndata: {}\n\n" + sse(*HELLO),
    ],
)
@pytest.mark.parametrize("content_type", [STREAM, "application/json", ""])
def test_all_these_say_hello(raw: bytes, content_type: str) -> None:
    assert text_of(read(raw, content_type=content_type)) == "你好 🍸"


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_json_over_many_data_lines(end: str) -> None:
    pretty = json.dumps(HELLO[1], indent=1, ensure_ascii=False).replace("\n", f"{end}data: ")
    raw = f"data: {pretty}{end}{end}".encode() + sse(HELLO[2])
    assert text_of(read(raw)) == text_of(read(raw, *range(len(raw)))) == "你好 🍸"


@pytest.mark.parametrize("content_type", [STREAM, "application/json", "text/html", ""])
def test_json_is_accepted_although_events_were_asked_for(content_type: str) -> None:
    whole = {"choices": [{"message": {"content": "a"}}]}
    for raw in (json.dumps(whole).encode(), b"\n \n\xef\xbb\xbf"[:3] + json.dumps(whole).encode()):
        assert read(raw, 1, 2, content_type=content_type) == whole


def test_separators_inside_json_end_no_line() -> None:
    raw = sse(chunk({"content": "a\u2028b\u2029c\x85d"}, "stop"))
    assert text_of(read(raw)) == "a\u2028b\u2029c\x85d"


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b": keep-alive\n\n",
        sse(*HELLO[:2], done=False),
        sse(*HELLO[:2], done=False) + b'data: {"choices": [{"delta": {"con',
        sse(*HELLO[:2], done=False) + b"data: [DON",
        sse(chunk({"content": "a"}), {"choices": [], "usage": {}}, done=False),
    ],
)
def test_a_stream_that_was_cut_is_nothing(raw: bytes) -> None:
    assert read(raw) is None


def test_no_cut_gives_a_shorter_reply() -> None:
    whole = sse(*HELLO)
    full = read(whole)
    for length in range(len(whole)):
        try:
            assert read(whole[:length]) in (None, full)
        except BadResponse:
            pytest.fail(f"cut at {length}")


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        (b"data: {broken\n\n", "not JSON"),
        (b"data: [1]\n\n", "not a JSON object"),
        (b'data: {"choices": {"a": 1}}\n\n', "choices of an unknown shape"),
        (b'data: {"choices": ["x"]}\n\n', "choices of an unknown shape"),
        (b'data: {"a": ' + b"[" * 100_000 + b"\n\n", "not JSON"),
        (b"<html>busy</html>", "not JSON"),
        (b"data", "not JSON"),
    ],
)
def test_events_that_are_none(raw: bytes, said: str) -> None:
    with pytest.raises(BadResponse, match=said):
        read(raw, content_type=STREAM if raw.startswith(b"data:") else "")


@pytest.mark.parametrize("start", [b'{"a": "', b"data: ", b": "])
def test_there_is_a_cap_on_bytes(start: bytes) -> None:
    incoming = Incoming(ChatChunks(), "")
    incoming.feed(start)
    megabyte = b"x" * (1 << 20)
    for _ in range(MAX_BODY_BYTES // len(megabyte) - 1):
        incoming.feed(megabyte)
    with pytest.raises(BadResponse, match=f"longer than {MAX_BODY_BYTES} bytes"):
        incoming.feed(megabyte)


TEXTS = st.lists(st.text(min_size=1, max_size=6), max_size=5)
CUTS = st.lists(st.integers(0, 3000), max_size=12)
NOISE = st.sampled_from(["", ": alive\n\n", ": x\r\n\r\n", "event: ping\ndata: {}\n\n"])


@given(TEXTS, TEXTS, CUTS, st.sampled_from(["\n", "\r\n", "\r"]), NOISE, st.booleans())
def test_where_chunks_end_changes_nothing(
    texts: list[str], thoughts: list[str], cuts: list[int], end: str, noise: str, done: bool
) -> None:
    deltas = [chunk({"content": t}) for t in texts]
    deltas += [chunk({"reasoning_content": t}) for t in thoughts]
    deltas += [
        chunk({"tool_calls": [{"index": 0, "id": "c", "function": {"arguments": t}}]})
        for t in texts
    ]
    raw = noise.encode() + sse(*deltas, chunk({}, "stop"), end=end, done=done)
    whole = read(raw)
    assert read(raw, *cuts) == whole == read(raw, *range(len(raw)))
    assert text_of(whole) == ("".join(texts) or None)


PIECES = st.lists(
    st.sampled_from([b"data: a", b"data:", b"\r", b"\n", b"\r\n", b":", b"event: e", b"\xff", b"x"])
)


@given(PIECES.map(b"".join), CUTS)
def test_any_bytes_give_the_same_events_however_they_are_cut(raw: bytes, cuts: list[int]) -> None:
    def events(*at: int) -> list[Any]:
        decoder, out = SseDecoder(), []
        places = sorted({0, len(raw), *(c % (len(raw) + 1) for c in at)})
        for start, stop in pairwise(places):
            out += decoder.feed(raw[start:stop])
        return [*out, decoder.end()]

    assert events(*cuts) == events() == events(*range(len(raw)))
