"""One JSON object, strictly: found in a fence, never repaired, never "first wins"."""

import pytest

from draligned.constructors.replies import read_object
from draligned.schema.chat import StopReason

from .doubles import replied


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": 1}', {"a": 1}),
        ('<think>{"a": 2}</think>{"a": 1}', {"a": 1}),
        ('draft}</think>{"a": 1}', {"a": 1}),
        ('```json\n{"a": 1}\n```\nSee [docs].', {"a": 1}),
        ('{"reason": "score is 1,} good"}', {"reason": "score is 1,} good"}),
        ('Here it is: {"a": 1}\nSee [1].', {"a": 1}),
        ('{"a": 1}\n\nI hope this helps {you}.', {"a": 1}),
        ('~~~json\n{"a": 1}\n~~~', {"a": 1}),
        ('{"r": "all said</think>"}', {"r": "all said</think>"}),
        ('```json\n{"a": 1}', None),
        ('{"a": 1}\n{"a": 2}', None),
        ('{"r": "```\\n{}\\n```"}', {"r": "```\n{}\n```"}),
        ("", None),
        (None, None),
        ("{'a': 1}", None),
        ('{"a": 1,}', None),
        ('{"a": 1, "a": 2}', None),
        ('{"a": Infinity}', None),
        ('```\n{"a": 1}\n```\n```\n{"a": 2}\n```', None),
    ],
)
def test_known_replies(text: str | None, value: object) -> None:
    got = read_object(replied(text))
    assert got.value == value
    assert bool(got.reason) == (value is None)


def test_a_cut_reply_is_no_reply() -> None:
    got = read_object(replied('{"a": 1}', StopReason.LENGTH))
    assert (got.value, got.reason) == (None, "it was cut by its length")
