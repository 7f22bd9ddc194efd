"""What a rule found."""

from dataclasses import dataclass
from typing import Literal

Status = Literal["passed", "failed", "unknown"]
"""`unknown`: the rule cannot be checked here; that is no pass."""


@dataclass(frozen=True, kw_only=True)
class Finding:
    """One rule and what became of it; `detail` says why, in one line."""

    rule: str
    status: Status
    detail: str = ""


def found(rule: str, problem: str | None, detail: str = "") -> Finding:
    """Failed where there is a problem, else passed."""
    if problem is None:
        return Finding(rule=rule, status="passed", detail=detail)
    return Finding(rule=rule, status="failed", detail=problem)
