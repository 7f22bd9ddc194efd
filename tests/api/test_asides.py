"""Sentinels of a study: planned by share, asked among the reads, and never data."""

from pathlib import Path

import pandas as pd
import pytest

import draligned
from draligned.api import Study
from draligned.study.reads import ReadsOf, iter_reads

TEXT = """\
[construction]
tasks = 1

[run]
models = ["rehearsal-a"]

[controls]
aa_share = 0.0
neutral_share = 0.0
placebo_share = 0.0
masked_share = 0.0
sentinel_share = {share}

[measure]
draws = 100
"""
OWN = {"sentinels", "sentinel_drift"}


def made(root: Path, share: float) -> Study:
    root.mkdir()
    (root / "study.toml").write_text(TEXT.format(share=share), encoding="utf-8")
    study = draligned.open(root)
    study.construct()
    study.run()
    return study


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> tuple[Study, Study]:
    """One study without sentinels and the same one with many, both read and measured."""
    root = tmp_path_factory.mktemp("asides")
    found = made(root / "without", 0.0), made(root / "with", 0.6)
    for study in found:
        study.evaluate()
        study.measure()
    return found


def files(study: Study, folder: str) -> dict[str, bytes]:
    root = study.folder.root
    return {str(p.relative_to(root)): p.read_bytes() for p in (root / folder).rglob("*.json")}


def test_reads_and_tables_are_the_same_with_and_without(pair: tuple[Study, Study]) -> None:
    without, with_them = pair
    assert files(without, "reads") == files(with_them, "reads")
    names = {t.name for t in without.tables()}
    assert names >= OWN
    for name in names - OWN:
        pd.testing.assert_frame_equal(without.table(name), with_them.table(name))


def test_they_are_asked_by_their_share_and_stored_apart(pair: tuple[Study, Study]) -> None:
    without, study = pair
    readings = study.readings()
    evaluator = study.plan().evaluators[0]
    n_reads = len(readings.work([evaluator]))
    reads = list(iter_reads(study.folder.store, evaluator.evaluator_id, ReadsOf.SENTINELS))
    assert len(reads) == len(readings.sentinels([evaluator])) == -(-n_reads * 6 // 10)
    assert not (without.folder.root / "sentinels").exists()
    planned = {u.packet_id for u in readings.units}
    assert not planned & {r.packet_id for r in reads}


def test_every_wave_is_in_the_tables(pair: tuple[Study, Study]) -> None:
    table, drift = pair[1].table("sentinels"), pair[1].table("sentinel_drift")
    assert set(table["status"]) == {"ok"}
    assert list(drift["wave"]) == sorted(set(table["wave"]))
    assert drift["n_asked"].sum() == len(table)
    assert (table["correct"] == (table["label"] == table["expected"])).all()
    assert pair[0].table("sentinels").empty


def test_status_counts_them_apart_and_the_forecast_prices_them(pair: tuple[Study, Study]) -> None:
    study = pair[1]
    status = study.status()
    assert {r.kind for r in status.reads} == {"requests", "document"}
    (count,) = status.sentinels
    assert (count.kind, count.open, count.void) == ("sentinel", 0, 0)
    assert [row[1] for row in study.forecast_reads().rows] == [0]
    assert pair[0].status().sentinels == ()


def test_what_is_open_is_spread_among_the_reads_and_counts_with_them(tmp_path: Path) -> None:
    study = made(tmp_path / "open", 0.2)
    readings = study.readings()
    study.evaluate(limit=1)
    evaluator = study.plan().evaluators[0]
    readings = study.readings()
    order = readings.to_do([evaluator])
    places = [i for i, w in enumerate(order) if w.of is ReadsOf.SENTINELS]
    assert len(places) == len(readings.sentinels([evaluator]))
    assert min(places) < len(order) / 4
    assert max(places) < len(order) - 1
    assert [row[1] for row in study.forecast_reads().rows] == [len(order)]
    left = study.evaluate(limit=2).left_open
    assert left == len(order) - 2


def test_tables_do_not_wait_for_sentinels(tmp_path: Path) -> None:
    """A study that was read before there were sentinels can still be measured."""
    study = made(tmp_path / "before", 0.0)
    study.evaluate()
    text = TEXT.format(share=0.3)
    (study.folder.root / "study.toml").write_text(text, encoding="utf-8")
    later = draligned.open(study.folder.root)
    assert later.status().sentinels[0].open > 0
    later.measure()
    assert set(later.table("sentinels")["status"]) == {"missing"}
    assert set(later.table("sentinel_drift")["reason"]) == {"no_answer"}
    later.evaluate()
    later.measure()
    assert set(later.table("sentinels")["status"]) == {"ok"}
