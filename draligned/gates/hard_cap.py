"""Ends after a fixed number of replies, whatever they say.

No user turn is injected: a spoken reply before the cap ends the loop by `no_tool_call`.
The cap is counted in replies and is never shown to the agent (DR-31).
"""

from draligned.gates.rule import Gate, ReplyFacts
from draligned.schema.endings import EndedBy

TURN_CAP = 20
"""Assistant turns of a validating rollout (Q34)."""


def hard_cap(turns: int) -> Gate:
    """A gate that stops at the `turns`-th reply. Raises `ValueError` for less than one."""
    if turns < 1:
        raise ValueError(f"a cap of {turns} replies stops before the first one")

    def stops(reply: ReplyFacts) -> bool:
        return reply.decisions >= turns

    return Gate(name="hard_cap", ended_by=EndedBy.HARD_CAP, stops=stops)


HARD_CAP = hard_cap(TURN_CAP)
