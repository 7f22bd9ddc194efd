"""Undamaged studies of every kind match completely; what is not recomputed is said."""

from collections.abc import Callable
from pathlib import Path

import pytest

import draligned
from draligned.schema.design import Design
from draligned.schema.registers import Correction
from tests.verify.studies import begun, checked, made, named


def _two_evaluators(root: Path) -> None:
    study = made(root, tasks=2)
    study.evaluate(evaluators=["rehearsal-reader-b"])
    study.measure()


def _single_read(root: Path) -> None:
    study = begun(root, tasks=2)
    study.run()
    study.evaluate(mirrored=False)
    study.measure()


def _partial(root: Path) -> None:
    study = begun(root, tasks=3)
    study.run(limit=7)
    study.evaluate(limit=20)
    study.measure(partial=True)


def _unread(root: Path) -> None:
    study = begun(root, tasks=2)
    study.run()
    study.measure(partial=True)


def _corrected(root: Path) -> None:
    study = made(root, tasks=3, two_factor=1, controls=0.5)
    readings = study.readings()
    runs = [cell.run_id for cell in readings.cells]
    packets = [unit.packet_id for unit in readings.units]
    excluded = study.exclusions([runs[0], runs[-1], *packets[::9]])
    said = {"zh": "x", "en": "x"}
    entry = Correction(id="x", title=said, text=said, standing=("WITHDRAWN",), excludes=excluded)  # type: ignore[arg-type]
    study.add_to_register("corrections", entry)
    study.measure()


def _qualified(root: Path) -> None:
    """A verdict lies beside the reads that it rests on."""
    study = begun(root, tasks=1)
    study.run()
    study.evaluate()
    (one,) = study.qualify("rehearsal-reader", lang="en").verdicts
    assert one.findings.verdict == "qualified"
    study.measure()


QUICK: dict[str, Callable[[Path], object]] = {
    "one orientation": _single_read,
    "partial": _partial,
    "qualified": _qualified,
    "files and delegation": lambda root: made(root, tasks=1, harnesses=["H-W", "H-D"]),
}
STUDIES: dict[str, Callable[[Path], object]] = QUICK | {
    "english, in batches": lambda root: made(root, lang="en", mode="batch_prev3"),
    "all pairs of repeats": lambda root: made(root, tasks=2, replicates=2, pairing="all_cross"),
    "open items block": lambda root: made(root, tasks=2, policy="block_all"),
    "two evaluators": _two_evaluators,
    "two factors and controls": lambda root: made(
        root, tasks=3, two_factor=2, controls=1.0, masked=1.0
    ),
    "corrected": _corrected,
    "nothing read": _unread,
    "clarification": lambda root: made(root, tasks=2, harnesses=["initial"]),
    "eight tasks": lambda root: made(root, tasks=8),
}


@pytest.mark.parametrize(
    "kind", [k if k in QUICK else pytest.param(k, marks=pytest.mark.slow) for k in STUDIES]
)
def test_an_undamaged_study_matches_completely(kind: str, tmp_path: Path) -> None:
    STUDIES[kind](tmp_path)
    found = checked(tmp_path)
    assert named(found) == []
    assert found.ok
    assert found.matched == found.total > 500
    assert found.not_recomputed == ()
    assert not [n for part in found.parts for n in part.notes if "not recomputed" in n]
    assert found.rehearsal


@pytest.mark.parametrize("absent", ["subproblems", "neutral"])
def test_a_design_hashes_without_what_it_lacks(absent: str, tmp_path: Path) -> None:
    begun(tmp_path, tasks=1)
    path = tmp_path / "design" / "design.json"
    design = Design.from_json(path.read_bytes()).model_copy(update={absent: ()})
    path.write_text(design.to_json(), encoding="utf-8")
    draligned.open(tmp_path).freeze()
    part = next(p for p in checked(tmp_path).parts if p.name == "design and lock")
    assert part.mismatches == []
    assert part.total > 1


def test_a_study_without_tables_is_checked_as_far_as_it_goes(tmp_path: Path) -> None:
    begun(tmp_path, tasks=1).run(limit=1)
    found = checked(tmp_path)
    assert found.ok
    assert found.without_tables


def test_a_folder_without_a_study_is_named(tmp_path: Path) -> None:
    found = checked(tmp_path)
    assert not found.ok
    assert "design/design.json: stored no file" in named(found)[0]
