"""The answer in a raw reply, found anew, is the one that the first path finds."""

import json

from hypothesis import given
from hypothesis import strategies as st

from draligned.models.answers import answer_in
from draligned.schema.labels import VoidReason
from draligned.verify.answers import answer_of

PIECES = (
    '{"cells": []}', '{"cells": [1]}', '{"a": NaN}', '{"a": 1, "a": 2}', "[[1]]",
    '{"cells": [',
    "```", "```json", "~~~", "~~~ x\\n", "<think>", "</think>", "<Reasoning>", "</reasoning>",
    "\\n",
    " ", "text", "{", "}", "[{", "\\ufeff", '{"a": "```"}', '{"a": "</think>"}', "`",
)  # fmt: skip


@given(st.lists(st.sampled_from(PIECES), max_size=8).map("".join))
def test_both_paths_find_the_same(text: str) -> None:
    first, second = answer_in(text), answer_of(text)
    expected = first.value if isinstance(first, VoidReason) else first
    assert json.dumps(second) == json.dumps(expected)
