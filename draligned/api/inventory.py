"""What stands behind the tables: planned, done and open cells, as a table beside them."""

from typing import TYPE_CHECKING

import pandas as pd

from draligned.measure.layout import Table, typed

if TYPE_CHECKING:
    from draligned.api.reporting import StudyStatus

NAME = "inventory"
_WORDS = ("kind", "name", "harness", "environment", "packets", "run_set")
_COUNTS = ("planned", "started", "done", "failed", "censored", "void", "open", "stored")
INVENTORY = Table(
    name=NAME,
    columns=(*typed("string", *_WORDS), *typed("Int64", *_COUNTS), ("development", "boolean")),
    keys=_WORDS,
)
"""Not sorted: blocks and evaluators stand in the order of the plan."""


def inventory_table(status: "StudyStatus") -> pd.DataFrame:
    """One row a block and set of runs (`kind` runs), one an evaluator and kind of packet (reads).

    `run_set` says what runs are for (`RunSet`): the panel's pairs, or a set beside it.

    `started` runs have an attempt, and stay in every denominator whatever became of it (DR-35);
    `stored` attempts are kept and not analysed (Q7). `void` is the number of done reads that
    could not be read; what does not apply is null. Any `open` above zero means that all tables
    are partial. Development-only harnesses that are left out have no row; those that are taken
    in are stamped.
    """
    runs = [
        ("runs", b.model, b.harness, b.environment, None, b.run_set.value,
         b.planned, b.started, b.done, b.failed, b.censored, None, b.open, b.stored, b.development)
        for b in status.blocks
    ]  # fmt: skip
    reads = [
        ("reads", r.evaluator, None, None, r.kind, None,
         r.planned, None, r.read, None, None, r.void, r.open, None, None)
        for r in status.reads
    ]  # fmt: skip
    names = [name for name, _ in INVENTORY.columns]
    table = pd.DataFrame([*runs, *reads], columns=names, dtype=object)
    return table.astype(dict(INVENTORY.columns))


def partial_note(inventory: pd.DataFrame) -> str | None:
    """The remark that goes with partial tables; none if nothing was open."""
    still = inventory.groupby("kind")["open"].sum()
    parts = [f"{still[k]} {k}" for k in ("runs", "reads") if k in still.index and still[k]]
    if not parts:
        return None
    return f"PARTIAL: {' and '.join(parts)} were still open; every number may change."
