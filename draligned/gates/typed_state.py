"""Ends once the typed state says that the work is done, whatever the reply says (SI-88).

No user turn is injected: a spoken reply before that ends the loop by `no_tool_call`,
as with `terminal_tool`. So the gate may be used in analysed runs.
"""

from draligned.gates.rule import Gate, ReplyFacts
from draligned.schema.endings import EndedBy


def _stops(reply: ReplyFacts) -> bool:
    return reply.state_done


TYPED_STATE = Gate(name="typed_state", ended_by=EndedBy.TYPED_STATE, stops=_stops)
