"""The whole check of one study, from its files alone."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from draligned.store.protocol import Store
from draligned.verify import (
    agenda_tables,
    agreement_table,
    asides,
    case_table,
    control_tables,
    count_tables,
    distance_table,
    duty_tables,
    estimates,
    flip_tables,
    flow_tables,
    human_tables,
    inference_tables,
    label_tables,
    persistence_tables,
    sentinel_tables,
    set_tables,
    subproblems,
    unit_tables,
    variance_table,
)
from draligned.verify.assemble import Assembly
from draligned.verify.blinding import MEANING, leaks_of, record_leaks
from draligned.verify.compare import Own, Stored, compare, file_of, part_name, read_stored
from draligned.verify.design import DesignFacts, read_design
from draligned.verify.files import Files
from draligned.verify.found import Found, Part, Unreadable, going_on
from draligned.verify.inventory import (
    inventory,
    name_lost,
)
from draligned.verify.ledger import check_ledger
from draligned.verify.logs import LOGS, Run, read_run, strays
from draligned.verify.plan import Cell, read_plan, read_settings
from draligned.verify.stamps import check_stamps
from draligned.verify.study import Study

T = TypeVar("T")
Progress = Callable[[str, int, int], None]
Maker = Callable[[Study], Own]
MAKERS: dict[str, Maker] = {
    "inventory": inventory,
    "requests": label_tables.requests,
    "documents": label_tables.documents,
    "matrix": label_tables.matrix,
    "pairs": label_tables.pairs,
    "estimates": estimates.estimates,
    "operators": estimates.operators,
    "sensitivity": estimates.sensitivity,
    "tasks": estimates.tasks,
    "readability": count_tables.readability,
    "agreement": agreement_table.agreement,
    "risk_set": persistence_tables.risk_set,
    "draft_final": count_tables.draft_final,
    "delegation": count_tables.delegation,
    "leave_one_out": inference_tables.leave_one_out,
    "contrast_classes": inference_tables.contrast_classes,
    "recurrence": inference_tables.recurrence,
    "simultaneous": inference_tables.simultaneous,
    "variance_components": variance_table.variance_components,
    "role_balance": inference_tables.role_balance,
    "cases": case_table.cases,
    "long": unit_tables.long,
    "persistence": persistence_tables.persistence,
    "persistence_runs": persistence_tables.persistence_runs,
    "persistence_shares": persistence_tables.persistence_shares,
    "edit_distance": distance_table.edit_distance,
    "timing": unit_tables.timing,
    "axis_labels": control_tables.axis_labels,
    "masked_labels": control_tables.masked_labels,
    "masked_transitions": control_tables.masked_transitions,
    "coexpression": control_tables.coexpression,
    "aa_estimates": set_tables.aa_estimates,
    "neutral_estimates": set_tables.neutral_estimates,
    "placebo_estimates": set_tables.placebo_estimates,
    "two_factor_estimates": set_tables.two_factor_estimates,
    "read_flips": flip_tables.read_flips,
    "order_effects": flip_tables.order_effects,
    "read_transitions": flip_tables.read_transitions,
    "flow": flow_tables.flow,
    "transitions": flow_tables.transitions,
    "flow_steps": flow_tables.flow_steps,
    "flow_runs": flow_tables.flow_runs,
    "reentry": flow_tables.reentry,
    "reentry_cases": flow_tables.reentry_cases,
    "visits": subproblems.visits,
    "agenda": agenda_tables.agenda,
    "allocation": agenda_tables.allocation,
    "allocation_units": agenda_tables.allocation_units,
    "sentinels": sentinel_tables.sentinel_rows,
    "sentinel_drift": sentinel_tables.sentinel_drift,
    "human_corrected": human_tables.human_corrected,
    "human_agreement": human_tables.human_agreement,
}
"""All tables, and how each is made anew."""


def silent(label: str, done: int, total: int) -> None:
    """Progress that nobody asked for."""


@dataclass(frozen=True, kw_only=True)
class Verification:
    """What came of it."""

    parts: tuple[Part, ...]
    not_recomputed: tuple[str, ...]
    """Tables on disk that this path does not make."""
    on_trust: int
    """Reads whose reason for being void the reply does not show."""
    without_tables: bool
    stale: tuple[str, ...]
    """Of what else all tables are, so that none was compared, and what to do."""
    rehearsal: bool
    """Whether scripted models stood in for language models."""

    @property
    def meaning(self) -> tuple[str, ...]:
        """What the check of blinding says."""
        return MEANING

    @property
    def matched(self) -> int:
        """Items that match."""
        return sum(part.matched for part in self.parts)

    @property
    def total(self) -> int:
        """Items compared."""
        return sum(part.total for part in self.parts)

    @property
    def ok(self) -> bool:
        """Whether all match."""
        return self.matched == self.total


def verify(store: Store, progress: Progress = silent) -> Verification:
    """Check a study. Damage is named in the result, never raised."""
    found = Found()
    checker = _Checker(Files(store, found), progress)
    with going_on():
        checker.all()
    return Verification(
        parts=tuple(found),
        not_recomputed=checker.not_recomputed,
        on_trust=len(checker.on_trust),
        without_tables=checker.without_tables,
        stale=checker.stale,
        rehearsal=checker.rehearsal,
    )


class _Checker:
    """The steps of the check."""

    def __init__(self, files: Files, progress: Progress) -> None:
        self.files = files
        self.progress = progress
        self.not_recomputed: tuple[str, ...] = ()
        self.without_tables = False
        self.stale: tuple[str, ...] = ()
        self.rehearsal = False
        self.on_trust: list[str] = []

    def all(self) -> None:
        """Design and plan, logs, reads, tables, blobs."""
        design, settings = read_design(self.files), read_settings(self.files)
        plan = read_plan(self.files, design)
        runs = self._runs(plan.cells, design)
        assembly = Assembly(
            files=self.files, design=design, plan=plan, settings=settings, runs=runs,
            on_trust=self.on_trust,
        )  # fmt: skip
        study = assembly.study(self._counted)
        leaks = leaks_of(list(assembly.looks.values()), study.runs, design.seed)
        record_leaks(self.files.found.part("blinding"), leaks)
        self._tables(study)
        check_ledger(self.files, runs)
        self._blobs()

    def _runs(self, cells: tuple[Cell, ...], design: DesignFacts) -> list[Run]:
        runs = []
        for cell in self._counted("logs", cells):
            try:
                runs.append(read_run(self.files, cell, design))
            except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
                said = f"cannot be read ({type(error).__name__}: {error})"
                self.files.found.part(LOGS).wrong(f"runs/{cell.run_id}", "", said, "a run's log")
            except Unreadable:
                continue
        self.rehearsal = any(run.rehearsal for run in runs)
        strays(self.files, frozenset(c.run_id for c in cells))
        return runs

    def _tables(self, study: Study) -> None:
        stored = self._stored_tables()
        self.without_tables = not stored
        if not stored:
            self._lost_tables()
            return
        self.stale = check_stamps(self.files, study, stored)
        if self.stale:
            return
        if "inventory" in stored:
            with going_on():
                name_lost(self.files, study, _open(read_stored(self.files, "inventory")))
        makers = {**MAKERS, **(duty_tables.MAKERS if duty_tables.asks(study) else {})}
        if "sentinels" in stored:
            ids = {e.name: e.evaluator_id for e in study.plan.evaluators}
            with going_on():
                asides.name_lost(self.files, ids, read_stored(self.files, "sentinels"))
        for name in self._counted("tables", [n for n in makers if n in stored]):
            part = self.files.found.part(part_name(name))
            with going_on():
                compare(part, makers[name](study), read_stored(self.files, name))
        for name in sorted(set(makers) - set(stored)):
            self.files.found.part(part_name(name)).wrong(file_of(name), "", "no file", "a table")
        self.not_recomputed = tuple(n for n in stored if n not in makers)

    def _lost_tables(self) -> None:
        """Name tables that are not there although something was made from them."""
        for folder, made in (("report", "the report"), ("labels", "the sample for people")):
            if keys := self.files.store.list(folder):
                own = f"the tables that {made} ({keys[0]}) was made from"
                self.files.found.part("tables").wrong("tables", "", "no file", own)

    def _stored_tables(self) -> list[str]:
        keys = (k.removeprefix("tables/") for k in self.files.store.list("tables"))
        return [k.removesuffix(".parquet") for k in keys if k.endswith(".parquet")]

    def _blobs(self) -> None:
        self.files.check_blobs(self._counted("blobs", self.files.store.list("blobs")))

    def _counted(self, label: str, items: Sequence[T]) -> Iterator[T]:
        for done, item in enumerate(items):
            self.progress(label, done, len(items))
            yield item
        self.progress(label, len(items), len(items))


def _open(stored: Stored) -> dict[str, int]:
    """Open cells by kind, as the inventory table has them."""
    out: dict[str, int] = {}
    for kind, number in zip(stored.column("kind"), stored.column("open"), strict=True):
        out[kind] = out.get(kind, 0) + (number or 0)
    return out
