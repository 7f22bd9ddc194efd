"""The episode's budget: spent, and held while calls run (DR-29 … DR-32).

Nothing here reaches the agent: no text is made from these numbers (DR-31).
"""

from collections.abc import Sequence
from typing import Literal, NamedTuple

from draligned.schema.chat import StopReason, Usage
from draligned.schema.harness import EpisodeBudget

BudgetName = Literal["acquisition", "tools"]
DECLARED_BELOW = 8192
"""Tokens left below which the rest is declared to the provider as `max_output_tokens`.

Above it the limit cannot bind on an ordinary turn, and many providers refuse a
declared limit that is larger than what their model can write.
"""


class Admission(NamedTuple):
    """Which calls of a batch fit: none where a call may run, else the budget that is used up."""

    denied: tuple[BudgetName | None, ...]
    tools: int
    acquisition: int


class EpisodeLedger:
    """Counters of one episode. Calls are charged when their event is logged."""

    def __init__(self, budget: EpisodeBudget) -> None:
        self._budget = budget
        self._held_tools = 0
        self._held_acquisition = 0
        self.decisions = 0
        self.tools = 0
        self.acquisition = 0
        self.output_tokens = 0
        self.estimated = False
        """Whether any of the tokens were estimated."""

    def reserve(self, batch: Sequence[bool]) -> Admission:
        """Hold room for a batch of calls, in order and in one step; true is an acquisition call.

        There is no await inside, so parallel batches never share the last place. A call
        that does not fit doesn't keep later ones of another kind from running.
        """
        tools_before, acquisition_before = self._held_tools, self._held_acquisition
        denied = tuple(self._hold(acquires) for acquires in batch)
        return Admission(
            denied,
            self._held_tools - tools_before,
            self._held_acquisition - acquisition_before,
        )

    def _hold(self, acquires: bool) -> BudgetName | None:
        if acquires and self.acquisition + self._held_acquisition >= self._budget.acquisition:
            return "acquisition"
        if self.tools + self._held_tools >= self._budget.tools:
            return "tools"
        self._held_tools += 1
        self._held_acquisition += acquires
        return None

    def release(self, admission: Admission) -> None:
        """Give back what was held for a batch, once its events are charged."""
        self._held_tools -= admission.tools
        self._held_acquisition -= admission.acquisition

    def charge(self, *, acquires: bool) -> None:
        """Count one executed call."""
        self.tools += 1
        self.acquisition += acquires

    def refund_request(self) -> None:
        """Take back one acquisition call that the network broke."""
        self.tools -= 1
        self.acquisition -= 1

    def charge_turn(self, usage: Usage) -> None:
        """Count one answered model call."""
        self.decisions += 1
        self.output_tokens += usage.output_tokens
        self.estimated = self.estimated or usage.estimated

    @property
    def no_decision_left(self) -> bool:
        """Whether another model call would cross the budget of decisions."""
        return self.decisions >= self._budget.decisions

    @property
    def no_tool_left(self) -> bool:
        """Whether every further call would be denied."""
        return self.tools >= self._budget.tools

    @property
    def no_token_left(self) -> bool:
        """Whether another model call would cross the budget of output tokens."""
        return self.output_tokens >= self._budget.output_tokens

    def declared_cap(self) -> int | None:
        """The `max_output_tokens` of the next call; none while the limit is far."""
        return _declared(self._budget.output_tokens - self.output_tokens)

    def turn_crossed(self, usage: Usage, stop: StopReason) -> bool:
        """Whether the turn just charged was cut by, or went over, our own token cap.

        A cut short of our cap is the provider's own (`length_cut`). Where usage is an
        estimate, a cut under a declared cap is taken as ours.
        """
        left = self._budget.output_tokens - (self.output_tokens - usage.output_tokens)
        if usage.output_tokens > left:
            return True
        cap = _declared(left)
        if stop is not StopReason.LENGTH or cap is None:
            return False
        return usage.estimated or usage.output_tokens >= cap


def _declared(left: int) -> int | None:
    return left if left <= DECLARED_BELOW else None
