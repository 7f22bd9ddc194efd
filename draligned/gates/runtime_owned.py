"""Gate A: the runtime ends the episode, by state; what the agent says of it decides nothing.

A spoken reply while the work is unfinished is answered by a re-prompt in the user's
place, up to `REPROMPT_LIMIT` in a row; the next spoken reply is a stall and ends the
episode too (SI-89 … SI-92, Q34). `work_done_by_state` of the end tells the two apart.
Analysed research runs refuse it, since it injects user turns.
"""

from draligned.gates.reprompts import stalled
from draligned.gates.rule import Gate, ReplyFacts
from draligned.schema.endings import EndedBy


def _stops(reply: ReplyFacts) -> bool:
    return reply.state_done or stalled(reply)


RUNTIME_OWNED = Gate(
    name="runtime_owned", ended_by=EndedBy.RUNTIME, stops=_stops, injects_user_turns=True
)
