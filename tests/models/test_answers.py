"""The answer object is found as it stands or not at all."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from draligned.models.answers import answer_in, find_answer
from draligned.schema.chat import ChatReply, Message, StopReason, Usage
from draligned.schema.labels import VoidReason

A, B = '{"cells": [{"no": 1}]}', '{"cells": [{"no": 2}]}'
WANTED = {"cells": [{"no": 1}]}

FOUND = [
    A,
    f"  \n\ufeff{A}\n",
    f"```json\n{A}\n```",
    f" ```json\n{A}\n```\nSee [docs].",
    f"```\n{A}\n```\nSee [1] and {{braces}}.",
    f"Here it is: ```{A}``` and no more",
    f"~~~json\n{A}\n~~~",
    f"<think>{B}</think>{A}",
    f"<think>{B} {{ not closed</think>\n```json\n{A}\n```",
    f"draft}}</think>{A}",
    f'I would say {{"no": 1</think>{A}',
    f"{B}</THINK> {A}",
    f"```json\n{B}\n</think>{A}",
    f"{A}\n<think>{B}</think>",
    f"{A}\n\n{A}",
    f"好的～～～ 好的~~~ {A} {{如上}}",
    f"[1] {A} [2, 3]",
]

NOT_FOUND = [
    ("", VoidReason.EMPTY_REPLY),
    (" \n\ufeff \u3000", VoidReason.EMPTY_REPLY),
    ("no object here", VoidReason.UNDECODABLE),
    ("[1, 2]", VoidReason.UNDECODABLE),
    ('"text"', VoidReason.UNDECODABLE),
    ("3", VoidReason.UNDECODABLE),
    ('[{"no": 1, "label": "BOTH"}]', VoidReason.UNDECODABLE),
    ('see: [{"no": 1, "label": "BOTH"}]', VoidReason.UNDECODABLE),
    (A[:-1], VoidReason.UNDECODABLE),
    (f'{{"answer": {A}', VoidReason.UNDECODABLE),
    ("{'cells': []}", VoidReason.UNDECODABLE),
    ("{“cells”: []}", VoidReason.UNDECODABLE),
    ('{"cells": [],}', VoidReason.UNDECODABLE),
    (f'{{"confidence": NaN, "inner": {A}}}', VoidReason.UNDECODABLE),
    (f'{{"confidence": -Infinity, "inner": {A}}}', VoidReason.UNDECODABLE),
    ('{"cells": [], "cells": []}', VoidReason.UNDECODABLE),
    (f'prose {{"a": NaN}} prose {A}', VoidReason.UNDECODABLE),
    (f"```json\n{A}", VoidReason.FENCE_OPEN),
    (f"~~~\n{A}", VoidReason.FENCE_OPEN),
    (f"text\n```json\n{A}\n```json", VoidReason.FENCE_OPEN),
    (f"```json\n{A[:-1]}", VoidReason.FENCE_OPEN),
    (f"{A}\n{B}", VoidReason.AMBIGUOUS),
    (f"```json\n{A}\n```\nor\n```json\n{B}\n```", VoidReason.AMBIGUOUS),
    (f"{A} {{}}", VoidReason.AMBIGUOUS),
    ('{"a": 1} {"a": true}', VoidReason.AMBIGUOUS),
    (f"<think>never closed {A}", VoidReason.UNDECODABLE),
    ("</think>", VoidReason.UNDECODABLE),
]


@pytest.mark.parametrize("text", FOUND)
def test_the_answer_is_found(text: str) -> None:
    assert answer_in(text) == WANTED


@pytest.mark.parametrize(("text", "reason"), NOT_FOUND)
def test_there_is_no_answer_and_it_is_said_why(text: str, reason: VoidReason) -> None:
    assert answer_in(text) is reason


@pytest.mark.parametrize(
    "value", ["score is 1,} good", "a, ] b", "```", "\n```json\n", "</think>", "<think>", "{", '"}']
)
@pytest.mark.parametrize(
    "wrap", ["{}", "```json\n{}\n```", "{}\nSee [docs].", "<think>x</think>{}"]
)
def test_strings_inside_the_answer_are_left_alone(value: str, wrap: str) -> None:
    answer = {"cells": [{"quote": value}]}
    assert answer_in(wrap.replace("{}", json.dumps(answer))) == answer


HOSTILE = {
    "objects": '{"a":' * 5_000,
    "lists": "[[" * 5_000,
    "braces": "{" * 50_000,
    "number": '{"a":' + "9" * 9_000 + "}",
    "blank tail of a tilde line": "~~~" + " " * 200_000 + "x y",
    "blank lines": "x\n" + " \n" * 100_000,
    "blanks after brackets": ("[" + " " * 1_000) * 200,
    "tags": "<think></think>" * 20_000 + "<think>",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_replies_are_undecodable(name: str) -> None:
    """A pattern that went over its text again and again would never come back from some."""
    assert answer_in(HOSTILE[name]) is VoidReason.UNDECODABLE


def test_any_depth_is_read_or_refused() -> None:
    """Depth by depth, since reading and comparing reach the interpreter's limit apart."""
    for depth in (*range(100, 1200, 50), *range(850, 1000)):
        deep = '{"a":' * depth + "1" + "}" * depth
        for text in (deep, f"{deep} {deep}", f"{deep} {A}"):
            assert isinstance(answer_in(text), dict | VoidReason)


@given(st.text(alphabet=st.sampled_from('{}[]"`~<>/:,1a \n') | st.characters()))
def test_any_text_is_read_or_refused(text: str) -> None:
    assert isinstance(answer_in(text), dict | VoidReason)


@given(st.lists(st.sampled_from([A, B, "```", "```json\n", "\n", "<think>", "</think>", "{", "x"])))
def test_an_answer_is_never_picked_from_two(parts: list[str]) -> None:
    found = answer_in("".join(parts))
    if isinstance(found, dict):
        tail = parts[len(parts) - parts[::-1].index("</think>") :] if "</think>" in parts else parts
        shown = parts if "<think>" in parts else tail
        assert found == WANTED or found == json.loads(B)
        assert (A if found == WANTED else B) in shown


def _reply(text: str | None, stop: StopReason) -> ChatReply:
    return ChatReply(
        message=Message(role="assistant", text=text, reasoning=B),
        stop=stop,
        usage=Usage(input_tokens=1, output_tokens=1),
        requested_model="m",
        echoed_model="m",
        request_sha256="0" * 64,
    )


def test_a_length_cut_is_void_even_if_it_decodes() -> None:
    assert find_answer(_reply(A, StopReason.LENGTH)) is VoidReason.LENGTH_CUT


def test_reasoning_is_no_answer() -> None:
    assert find_answer(_reply(None, StopReason.STOP)) is VoidReason.EMPTY_REPLY
    assert find_answer(_reply(A, StopReason.STOP)) == WANTED
