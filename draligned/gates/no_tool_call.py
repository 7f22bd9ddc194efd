"""The coupled loop's rule: a reply without a tool call ends the episode (DR-21)."""

from draligned.gates.rule import Gate, ReplyFacts
from draligned.schema.endings import EndedBy


def _stops(reply: ReplyFacts) -> bool:
    """A call that cannot be executed is still a call (HARD_CASES 1)."""
    return reply.n_calls == 0


NO_TOOL_CALL = Gate(name="no_tool_call", ended_by=EndedBy.NO_TOOL_CALL, stops=_stops)
