"""Planted parameters of a study made straight at the label tables.

No model and no text stands behind such a study: it shows how the measures behave when the
truth is known, and is no evidence about any language model (DESIGN §9).
"""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Mix:
    """Probabilities of a final's state relative to the run's endpoint; they sum to 1."""

    own: float
    other: float = 0.0
    both: float = 0.0

    @property
    def none(self) -> float:
        """The rest: main advice toward neither."""
        return 1.0 - self.own - self.other - self.both


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What is planted. Rates are probabilities per request, read or run."""

    name: str
    tasks: int = 24
    models: int = 2
    min_requests: int = 4
    max_requests: int = 12
    """Requests of a run: uniform between the two, both included."""
    own: float = 0.10
    other: float = 0.025
    both: float = 0.02
    """A request leans to the run's own endpoint, to the other, to both; else to neither."""
    task_spread: float = 0.0
    """A task's own and other rates are scaled by 1 + spread or 1 − spread, a fair coin each."""
    request_abstain: float = 0.15
    """One of a request's two reads says UNKNOWN."""
    request_void: float = 0.03
    """One of a request's two reads is void."""
    silent: float = 0.11
    """No request of the run can be identified: the arm is unreadable."""
    final_p: Mix = Mix(own=0.588)
    final_q: Mix = Mix(own=0.588)
    final_unread: float = 0.208
    """The final of a run is not readable, for one of several causes."""
    read_error: float = 0.0
    """A read takes P for Q and Q for P in a request, or in all items of a document."""


PAPER = Plan(name="paper", task_spread=0.5, read_error=0.02)
"""Near D_A 0.15, D_F 0.83, readability 79 % and 63 %."""

NULL = Plan(
    name="null",
    own=0.08,
    other=0.08,
    final_p=Mix(own=0.3, other=0.3),
    final_q=Mix(own=0.3, other=0.3),
)
"""No difference between the conditions, in either channel."""

REVERSED = Plan(
    name="reversed", own=0.03, other=0.15, final_p=Mix(own=0.1, other=0.6, both=0.1),
    final_q=Mix(own=0.05, other=0.7),
)  # fmt: skip
"""Behaviour against the assigned endpoint."""

SPARSE = Plan(name="sparse", models=5, silent=0.4515, final_unread=0.4523)
"""Near 30 % of pairs readable in each channel."""

PLANS = (PAPER, NULL, REVERSED, SPARSE)
