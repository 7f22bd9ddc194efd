"""Damage to what stands beside labels and estimates: edits, subproblems, sentinels, people."""

import json
import shutil
from pathlib import Path

import pytest

from tests.verify.damage import Damages, Named, must_be_named
from tests.verify.studies import Copy

DAMAGES = Damages()
damage = DAMAGES.kind


@damage
def distance(copy: Copy) -> Named:
    copy.cell("persistence_runs", "distance", lambda v: v + 1e-6)
    return "table persistence_runs", "column distance", "scope"


@damage
def verbatim(copy: Copy) -> Named:
    copy.cell("persistence_runs", "n_verbatim", lambda v: v + 1)
    return "table persistence_runs", "column n_verbatim"


@damage
def median(copy: Copy) -> Named:
    copy.cell("edit_distance", "median", lambda v: round(v + 1e-6, 12))
    return "table edit_distance", "column median", "subset"


@damage
def visit(copy: Copy) -> Named:
    copy.cell("visits", "weight", lambda v: v / 2)
    return "table visits", "column weight", "request_no"


@damage
def visit_lost(copy: Copy) -> Named:
    copy.write_table("visits", copy.table("visits").slice(1))
    return "table visits", "stored no such row"


@damage
def agenda_null(copy: Copy) -> Named:
    copy.cell("agenda", "null_hi", lambda v: round(v - 1e-6, 12))
    return "table agenda", "column null_hi", "comparison between"


@damage
def agenda_uncertain(copy: Copy) -> Named:
    copy.cell("agenda", "n_uncertain", lambda v: v + 1)
    return "table agenda", "column n_uncertain"


@damage
def allocation(copy: Copy) -> Named:
    copy.cell("allocation", "n_greater", lambda v: v + 1)
    return "table allocation |", "column n_greater"


@damage
def allocation_outcome(copy: Copy) -> Named:
    copy.cell("allocation_units", "outcome", lambda v: "less" if v != "less" else "greater")
    return "table allocation_units", "column outcome", "subproblem"


@damage
def sentinel_label(copy: Copy) -> Named:
    copy.cell("sentinels", "label", lambda v: "BOTH" if v != "BOTH" else "NEITHER")
    return "table sentinels", "column label", "sentinel_id"


@damage
def sentinel_place(copy: Copy) -> Named:
    copy.cell("sentinels", "place", lambda v: v + 1)
    return "table sentinels", "column place"


@damage
def drift(copy: Copy) -> Named:
    copy.cell("sentinel_drift", "n_correct", lambda v: v + 1)
    return "table sentinel_drift", "column n_correct"


@damage
def corrected(copy: Copy) -> Named:
    copy.cell("human_corrected", "ci_lo", lambda v: round(v + 1e-6, 12))
    return "table human_corrected", "column ci_lo", "labeller Ann"


@damage
def agreement(copy: Copy) -> Named:
    copy.cell("human_agreement", "n_same", lambda v: v + 1)
    return "table human_agreement", "column n_same"


def _labels(copy: Copy, name: str) -> str:
    found = next(iter(sorted((copy.root / "labels").rglob(name))))
    return str(found.relative_to(copy.root))


@damage
def label_by_a_person(copy: Copy) -> Named:
    """A label is changed after the tables were made: they are of other labels."""
    key = _labels(copy, "by-*.json")
    copy.change(key, lambda r: r["labels"][0].update(label="NEITHER"))
    return "stamps of tables", "tables [hash of labels by people]"


@damage
def hand_picked_sample(copy: Copy) -> Named:
    """Pairs that were not drawn stand in a sample."""
    key = _labels(copy, "sample.json")
    record = copy.json(key)
    other = [p for p in record["population"] if p not in record["drawn"]]
    copy.write(key, record | {"drawn": [*other, *record["drawn"]][: len(record["drawn"])]})
    return "labels by people", key, "drawn"


@damage
def label_sheet_lost(copy: Copy) -> Named:
    key = _labels(copy, "by-*.json")
    copy.blob(copy.json(key)["sheet_sha256"]).unlink()
    return "labels by people", key, "sheet"


@damage
def tables_lost(copy: Copy) -> Named:
    """The tables are gone, what was made from them is there."""
    shutil.rmtree(copy.root / "tables")
    return "tables |", "was made from"


@damage
def ledger_lost(copy: Copy) -> Named:
    shutil.rmtree(copy.root / "ledger")
    return "ledger |", "no file"


@damage
def tries_lost(copy: Copy) -> Named:
    """One run's calls are taken out of the ledger."""
    run = copy.run().split("/")[1]
    for path in (copy.root / "ledger").iterdir():
        lines = path.read_text("utf-8").splitlines(keepends=True)
        kept = [line for line in lines if json.loads(line)["key"]["owner"] != run]
        copy.place(path.relative_to(copy.root), "".join(kept).encode())
    return "ledger |", f"runs/{run}/a1", "an answered call"


@damage
def another_design(copy: Copy) -> Named:
    """All tables are of another design: one line, and no cell of theirs."""
    copy.change("design/design.json", lambda r: r["notes"].update(more="1"))
    return "stamps of tables", "tables [hash of design]"


@pytest.mark.parametrize("kind", sorted(DAMAGES))
def test_damage_is_named(kind: str, whole: Path, tmp_path: Path) -> None:
    must_be_named(DAMAGES[kind], whole, tmp_path / "study")


def test_there_are_many_kinds() -> None:
    assert len(DAMAGES) >= 20
