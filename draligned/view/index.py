"""Which runs there are and how far each has come: looked up again at every page, cheaply.

A run that has ended never changes, so its state is read once; of the others only those whose
folder is there are looked at. Nothing is locked: who is at work is seen from the leases.
"""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Literal

from draligned.schema.base import short_id
from draligned.schema.design import Design, FactorCard
from draligned.schema.errors import DamageError
from draligned.schema.labels import RunSet
from draligned.study.claims import Claims
from draligned.study.folder import StudyFolder
from draligned.study.freeze import DESIGN, LOCK, load_design, locks
from draligned.study.inventory import CellState, RunCell, cell_state, cells
from draligned.study.plan import KEY, Plan, load_plan

Progress = Literal["done", "failed", "censored", "damaged", "running", "begun", "waiting"]
PROGRESS: tuple[Progress, ...] = (
    "done", "failed", "censored", "damaged", "running", "begun", "waiting",
)  # fmt: skip
"""`damaged`: what it came to cannot be read; `running`: open, and a process holds it; `begun`:
open with a log, and nobody at work on it."""


@dataclass(frozen=True, kw_only=True)
class RunRow:
    """One planned run, as it is now."""

    cell: RunCell
    state: Progress
    outcome: str | None
    attempt: int | None
    """The attempt that is or would be analysed; none before a run begins."""
    endpoint: str
    """What the run was told, in short; blank where it was told nothing."""
    pair_id: str | None
    """Of a run of the panel: its pair, as the tables name it."""
    problem: str = ""
    """Of a damaged run: what cannot be read."""


@dataclass(frozen=True, kw_only=True)
class Snapshot:
    """A study at one moment."""

    design: Design
    plan: Plan
    frozen: bool
    rows: tuple[RunRow, ...]

    def row(self, run_id: str) -> RunRow | None:
        """The row of a run, if it is planned."""
        return next((r for r in self.rows if r.cell.run_id == run_id), None)


class StudyIndex:
    """The runs of one study. Pages come from several threads."""

    def __init__(self, folder: StudyFolder) -> None:
        self._folder = folder
        self._claims = Claims(folder.store)
        self._lock = Lock()
        self._stamp: tuple[object, ...] = ()
        self._base: tuple[Design, Plan, bool, tuple[RunCell, ...]] | None = None
        self._ended: dict[str, tuple[int, CellState]] = {}

    def now(self) -> Snapshot:
        """The study as it is. Raises `DesignError` without a design, `DamageError` for damage."""
        with self._lock:
            design, plan, frozen, planned = self._planned()
            cards = {c.factor_id: c for c in design.cards}
            folders = _folders(self._folder.root / "runs")
            rows = tuple(self._row(cell, cards, folders) for cell in planned)
        return Snapshot(design=design, plan=plan, frozen=frozen, rows=rows)

    def _planned(self) -> tuple[Design, Plan, bool, tuple[RunCell, ...]]:
        """Design, plan and cells, read again when one of their files has changed."""
        stamp = tuple(stamp_of(self._folder.root / key) for key in (DESIGN, LOCK, KEY))
        if self._base is None or stamp != self._stamp:
            store = self._folder.store
            design, plan = load_design(store), load_plan(store)
            self._base = (design, plan, bool(locks(store)), cells(design, plan))
            self._stamp = stamp
        return self._base

    def _row(
        self, cell: RunCell, cards: Mapping[str, FactorCard], folders: Mapping[str, int]
    ) -> RunRow:
        state, problem = CellState("open", None, None), ""
        try:
            state = self._state(cell.run_id, folders)
        except DamageError as error:
            problem = str(error)
        there = cell.run_id in folders
        return RunRow(
            cell=cell,
            state="damaged" if problem else self._progress(cell, state, there),
            problem=problem,
            outcome=state.end.outcome.value if state.end else None,
            attempt=state.attempt,
            endpoint=_told(cell, cards),
            pair_id=pair_id(cell),
        )

    def _state(self, run_id: str, folders: Mapping[str, int]) -> CellState:
        changed = folders.get(run_id)
        if changed is None:
            return CellState("open", None, None)
        known = self._ended.get(run_id)
        if known is not None and known[0] == changed:
            return known[1]
        state = cell_state(self._folder.store, run_id)
        if state.state != "open":
            self._ended[run_id] = (changed, state)
        return state

    def _progress(self, cell: RunCell, state: CellState, there: bool) -> Progress:
        if state.state != "open":
            return state.state
        if self._claims.is_held(f"run-{cell.run_id}"):
            return "running"
        return "begun" if there else "waiting"


def _told(cell: RunCell, cards: Mapping[str, FactorCard]) -> str:
    """The short values that a run was told, of a two-factor run both."""
    if cell.run_set is RunSet.NEUTRAL:
        return ""
    told = [(cell.factor_id, cell.arm)]
    if cell.second is not None:
        told.append((cell.second.factor_id, cell.second.side))
    return " + ".join(cards[f].endpoint(side).value for f, side in told if f in cards)


def pair_id(cell: RunCell) -> str | None:
    """Identity of the pair of a run of the panel, as in the table `pairs`; none beside it."""
    if cell.run_set is not RunSet.PANEL:
        return None
    names = (cell.task_id, cell.user_id, cell.factor_id, cell.model_name, cell.harness_name)
    return short_id("pair", *names, cell.environment)


def of_pair(rows: Sequence[RunRow], wanted: str) -> tuple[RunRow, ...]:
    """The runs of a pair, all its replicates, in the order of the plan."""
    return tuple(r for r in rows if r.pair_id == wanted)


def _folders(root: Path) -> dict[str, int]:
    """Folders under `root` and when each was last changed (ns)."""
    try:
        with os.scandir(root) as entries:
            return {e.name: e.stat().st_mtime_ns for e in entries if e.is_dir()}
    except FileNotFoundError:
        return {}


def stamp_of(path: Path) -> tuple[int, int] | None:
    """When a file was last changed (ns), and its size; none if it is not there."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    return found.st_mtime_ns, found.st_size
