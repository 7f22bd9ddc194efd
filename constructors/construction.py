"""What a construction comes to: draft design, decision record, counts (DR-12)."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Literal

from draligned.schema.base import Record
from draligned.schema.design import Decision, Design, FactorCard, SetAside, TaskRecord
from draligned.schema.labels import CardOutcome


class CountRow(Record):
    """How often an outcome occurred."""

    unit: Literal["task", "field"]
    kind: str | None
    """Kind of factor; none for fields that no kind covers."""
    outcome: CardOutcome
    n: int


class Construction(Record):
    """A draft, not yet frozen."""

    design: Design
    decisions: tuple[Decision, ...]
    """Every task, user and field considered, with a reason for each passed over."""
    counts: tuple[CountRow, ...]
    set_aside: tuple[FactorCard, ...]
    """Cards drawn up and not accepted, with their findings."""
    set_aside_tasks: tuple[TaskRecord, ...] = ()
    """The tasks of those cards."""
    wanted: int
    """Tasks asked for."""
    wanted_two_factor: int = 0
    """Two-factor tasks asked for."""

    @property
    def kept_aside(self) -> tuple[SetAside, ...]:
        """The cards set aside, each with its task, as they are kept beside the draft."""
        tasks = {t.task_id: t for t in self.set_aside_tasks}
        return tuple(
            SetAside(source=self.design.source, task=tasks[c.task_id], card=c)
            for c in self.set_aside
        )

    @property
    def refused_by_hand(self) -> tuple[FactorCard, ...]:
        """Hand-written cards that did not get in."""
        return tuple(c for c in self.set_aside if c.source == "hand")

    @property
    def tried(self) -> int:
        """Tasks tried."""
        return sum(r.n for r in self.counts if r.unit == "task")


def count(decisions: Iterable[Decision]) -> tuple[CountRow, ...]:
    """Tasks tried by outcome, and fields by kind and outcome, sorted."""
    seen = tuple(decisions)
    fields = Counter((d.kind, d.outcome) for d in seen if d.field_path)
    rows = [
        CountRow(unit="task", kind=kind, outcome=outcome, n=n)
        for (kind, outcome), n in _by_task(seen).items()
    ]
    rows += [CountRow(unit="field", kind=k, outcome=o, n=n) for (k, o), n in fields.items()]
    return tuple(sorted(rows, key=lambda r: (r.unit != "task", r.outcome, r.kind or "")))


def _by_task(decisions: Sequence[Decision]) -> Counter[tuple[str | None, CardOutcome]]:
    """The outcome of each task that was tried: accepted, or the last task-level reason."""
    ends: dict[str, tuple[str | None, CardOutcome]] = {}
    for d in decisions:
        if d.outcome is CardOutcome.ACCEPTED:
            ends.setdefault(d.task_id, (d.kind, d.outcome))
        elif not d.user_id and d.outcome is not CardOutcome.NOT_NEEDED:
            ends.setdefault(d.task_id, (None, d.outcome))
    return Counter(ends.values())
