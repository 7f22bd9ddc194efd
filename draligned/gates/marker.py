"""Gate B1: a spoken reply ends the episode where its marker says that the work is done.

The gate believes the marker; whether the work is done stands in the state and in
`work_done_by_state`. A reply without calls that carries no marker, a broken one or one
of an earlier stage is let pass, and somebody has to speak next: in a harness the runtime
does, as the user, so that analysed research runs refuse this gate. A validating rollout
takes such a reply for a dead end or for its scripted user's turn (SI-91), reading the
marker itself with `read_marker`.
"""

from collections.abc import Collection

from draligned.gates.marker_text import Encoding, read_marker
from draligned.gates.rule import Gate, ReplyFacts
from draligned.schema.endings import EndedBy

STAGES = ("needs_information", "ready_for_action", "post_observation_continue", "completed")
"""Wire values of the lifecycle (SI-2, Q19)."""
DONE = "completed"


def marker_gate(
    values: Collection[str] = STAGES, terminal: str = DONE, encoding: Encoding = "xml"
) -> Gate:
    """A gate that stops at a spoken reply whose marker reads `terminal`, one of `values`."""
    if terminal not in values:
        raise ValueError(f"the terminal value {terminal!r} is none of {sorted(values)}")

    def stops(reply: ReplyFacts) -> bool:
        if reply.n_calls or reply.text is None:
            return False
        return read_marker(reply.text, values, encoding).value == terminal

    return Gate(name="marker", ended_by=EndedBy.MARKER, stops=stops, injects_user_turns=True)


MARKER = marker_gate()
