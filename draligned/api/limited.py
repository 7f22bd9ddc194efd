"""The part of the open work that one command does, counted against all that was asked for."""

from collections.abc import Sequence
from typing import Generic, TypeVar

from draligned.study.work import Progress, WorkSummary

T = TypeVar("T")


class Limited(Generic[T]):
    """At most `limit` of the open items; `planned` counts those done before, too."""

    def __init__(
        self, todo: Sequence[T], limit: int | None, planned: int, progress: Progress
    ) -> None:
        self.items = todo[:limit]
        self._limit = limit
        self._beyond = len(todo) - len(self.items)
        self._before = planned - len(todo)
        self._planned = planned
        self._progress = progress

    def progress(self, label: str, done: int, _total: int) -> None:
        """Progress over everything asked for: what a stopped command did is not forgotten."""
        self._progress(label, self._before + done, self._planned)

    def summary(self, made: WorkSummary) -> WorkSummary:
        """The summary with what lay beyond the limit among what is left open."""
        if not self._beyond:
            return made
        stopped = made.stopped or f"the limit of {self._limit} is reached"
        return made.model_copy(
            update={"left_open": made.left_open + self._beyond, "stopped": stopped}
        )
