"""Ends once a terminal call was accepted: a submission needs no closing words after it.

No user turn is injected: a spoken reply that this gate lets pass ends the loop by
`no_tool_call`, since nobody answers it (DR-43). So the gate may be used in analysed runs.
"""

from draligned.gates.rule import Gate, ReplyFacts
from draligned.schema.endings import EndedBy


def _stops(reply: ReplyFacts) -> bool:
    return reply.submitted


TERMINAL_TOOL = Gate(name="terminal_tool", ended_by=EndedBy.TERMINAL_TOOL, stops=_stops)
