"""How an episode ended: a closed set, listed once (DESIGN §6, DR-33)."""

from enum import StrEnum

from draligned.schema.base import Record


class EndedBy(StrEnum):
    """What stopped the loop."""

    NO_TOOL_CALL = "no_tool_call"
    MARKER = "marker"
    TERMINAL_TOOL = "terminal_tool"
    TYPED_STATE = "typed_state"
    HARD_CAP = "hard_cap"
    RUNTIME = "runtime_owned"
    BUDGET = "budget"
    PROVIDER = "provider"
    HARNESS = "harness"
    USER = "user"


class Outcome(StrEnum):
    """What the episode came to. None of these is a default."""

    SUBMITTED = "submitted"
    TEXT_REPLY = "text_reply"
    EMPTY_REPLY = "empty_reply"
    BUDGET_DECISIONS = "budget_decisions"
    BUDGET_TOOLS = "budget_tools"
    BUDGET_ACQUISITION = "budget_acquisition"
    BUDGET_TOKENS = "budget_tokens"
    LENGTH_CUT = "length_cut"
    LOOP_GUARD = "loop_guard"
    PROVIDER_ERROR = "provider_error"
    BAD_RESPONSE = "bad_response"
    RATE_LIMITED = "rate_limited"
    HARNESS_ERROR = "harness_error"
    CENSORED = "censored"
    CANCELLED = "cancelled"


class EpisodeEnd(Record):
    """The end of an episode."""

    ended_by: EndedBy
    """The gate or event that stopped the loop."""
    outcome: Outcome
    """What the episode came to."""
    final_sha256: str | None
    """Hash of the final's text; none when there is no final (DR-32)."""
    work_done_by_state: bool
    """Whether a submission had been accepted when the loop stopped."""
    detail: str = ""
    """Reason in words, for failures."""
