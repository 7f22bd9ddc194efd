"""The one event of a call that says what became of it; its `ToolResult` follows."""

from draligned.harnesses.tools import Effect
from draligned.schema.events import AccessDenied, BudgetDenied, RequestExecuted, ToolCallInvalid
from draligned.schema.retrieval import TRANSIENT

NotExecuted = ToolCallInvalid | BudgetDenied | AccessDenied
CallOutcome = Effect | NotExecuted


def is_executed(outcome: CallOutcome) -> bool:
    """Whether the call ran, and so spent a tool action."""
    return not isinstance(outcome, NotExecuted)


def is_broken(outcome: CallOutcome) -> bool:
    """Whether the network broke what the call asked for; the agent is not charged for it."""
    return isinstance(outcome, RequestExecuted) and outcome.return_status in TRANSIENT
