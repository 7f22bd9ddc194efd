"""Gate A: the runtime ends the episode, by state; what the agent says of it decides nothing.

A spoken reply while the work is unfinished is answered by a re-prompt in the user's
place. How often is the loop's affair (`gates.reprompts`): an episode that stalls is not
one that this gate stopped (SI-89 … SI-92, Q34). Analysed research runs refuse the gate,
since it injects user turns.
"""

from draligned.gates.rule import Gate, ReplyFacts
from draligned.schema.endings import EndedBy


def _stops(reply: ReplyFacts) -> bool:
    return reply.state_done


RUNTIME_OWNED = Gate(
    name="runtime_owned", ended_by=EndedBy.RUNTIME, stops=_stops, injects_user_turns=True
)
