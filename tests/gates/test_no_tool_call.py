"""The coupled loop's gate."""

import pytest

from draligned.gates.no_tool_call import NO_TOOL_CALL
from draligned.gates.rule import ReplyFacts


@pytest.mark.parametrize("text", [None, "", "完成"])
@pytest.mark.parametrize("submitted", [True, False])
def test_only_a_reply_without_calls_stops(text: str | None, submitted: bool) -> None:
    assert NO_TOOL_CALL.stops(ReplyFacts(text=text, n_calls=0, submitted=submitted))
    assert not NO_TOOL_CALL.stops(ReplyFacts(text=text, n_calls=1, submitted=submitted))
