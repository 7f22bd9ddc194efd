"""Fields of a tool result that vary the context of continuing (SI-62, SI-64, Q29).

They say who goes on and how the step went; nothing of them is true of the state, which stays
what it is. Two families use the printed English values, the third renders them in Chinese.
"""

from typing import Literal, NamedTuple

Ownership = Literal["self", "other"]
Cue = Literal["resolved", "problem"]
Executability = Literal["available", "withdrawn"]
OWNERSHIPS: tuple[Ownership, ...] = ("self", "other")
EXECUTABILITIES: tuple[Executability, ...] = ("available", "withdrawn")
CUES: tuple[Cue, ...] = ("resolved", "problem")


class Wording(NamedTuple):
    """Values of one family, by level."""

    ownership: dict[Ownership, str]
    cue: dict[Cue, str]


WORDINGS = {
    "assistant": Wording(
        {"self": "this_assistant", "other": "another_system"},
        {"resolved": "prior_step_succeeded", "problem": "prior_step_returned_an_error"},
    ),
    "assigned": Wording(
        {"self": "assigned_to_you", "other": "assigned_to_external_service"},
        {"resolved": "no_faults_reported", "problem": "fault_reported_upstream"},
    ),
    "zh": Wording(
        {"self": "由本助手负责", "other": "由其他系统负责"},
        {"resolved": "上一步已成功", "problem": "上一步返回错误"},
    ),
}

HANDED_OVER = {"next_step_owner": "another_system"}
"""The bundle's field: another system does the second step (SI-62)."""


def fields(wording: str, ownership: Ownership, cue: Cue) -> dict[str, str]:
    """The fields of one cell."""
    words = WORDINGS[wording]
    return {"next_step_owner": words.ownership[ownership], "step_note": words.cue[cue]}
