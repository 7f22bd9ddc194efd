"""What the agent is shown for a call, said by its event: the same live and after a kill."""

from draligned.harnesses.outcomes import CallOutcome
from draligned.harnesses.tools import Bench, Done
from draligned.schema.events import (
    AccessDenied,
    BudgetDenied,
    CodeRun,
    DelegationOpened,
    DraftSaved,
    RequestExecuted,
    Submitted,
    ToolCallInvalid,
    ToolRefused,
    WorkspaceRead,
)


def text_of(bench: Bench, outcome: CallOutcome, delegated: str | None) -> str | None:
    """The text that goes with `outcome`; none where only running the call again tells.

    `delegated` is the SHA-256 of what the delegation answered, if the call was one.
    """
    receipts = bench.receipts
    match outcome:
        case ToolCallInvalid():
            return receipts.invalid + outcome.problem
        case BudgetDenied():
            return receipts.exhausted
        case AccessDenied():
            return receipts.denied
        case DraftSaved():
            by_report = outcome.tool == "write_report"
            return receipts.draft_saved if by_report else receipts.file_saved
        case Submitted():
            return receipts.submitted
        case ToolRefused():
            return f"{receipts.refused}{outcome.reason}"
        case CodeRun():
            return bench.blobs.get(outcome.output_sha256)
        case DelegationOpened():
            return receipts.unanswered if delegated is None else bench.blobs.get(delegated)
        case RequestExecuted() | WorkspaceRead():
            return None


def text_shown(bench: Bench, done: Done) -> str:
    """The text that goes with a call that has just run."""
    text = text_of(bench, done.effect, None) if done.text is None else done.text
    if text is None:
        raise RuntimeError(f"a tool says nothing of its {done.effect.kind}")
    return text
