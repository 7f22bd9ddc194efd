"""Placebo axis and masked restatements, from study.toml to sets of their own."""

import json
from pathlib import Path

import pytest

import draligned
from draligned.api import Study
from draligned.schema.base import sha256_text
from draligned.schema.errors import InventoryError
from draligned.schema.frames import InputSet
from draligned.schema.labels import ReadRole, RunSet
from draligned.study.reads import ReadsOf, read_key

SETTINGS = """\
[construction]
tasks = 4

[controls]
aa_share = 0
neutral_share = 0
placebo_share = {placebo}
masked_share = {masked}
sentinel_share = 0

[measure]
draws = 200
"""


def settled(root: Path, placebo: float, masked: float) -> Study:
    text = SETTINGS.format(placebo=placebo, masked=masked)
    (root / "study.toml").write_text(text, encoding="utf-8")
    return draligned.open(root)


@pytest.fixture(scope="module")
def read(tmp_path_factory: pytest.TempPathFactory) -> Study:
    """Four tasks of two models; half of the pairs on a placebo axis, half of the texts masked."""
    made = settled(tmp_path_factory.mktemp("controls"), 0.5, 0.5)
    made.construct()
    made.run()
    made.evaluate()
    return made


def test_placebo_pairs_are_read_on_a_factor_that_nobody_told_them(read: Study) -> None:
    readings = read.readings()
    found = readings.inputs().sets[InputSet.PLACEBO]
    assert len(found.runs) == 2 * 2 * 2
    told = {r.run_id: r.assigned[0].factor_id for r in readings.observed.values()}
    assert all(told[r] != f for r, f in zip(found.runs.run_id, found.runs.factor_id, strict=True))
    assert set(found.request_reads.status) == {"valid"}
    assert set(found.documents.role) == {"final"}
    assert set(found.runs.observes_w) == {"none"}


def test_masked_packets_hold_no_restatement_and_are_else_the_document(read: Study) -> None:
    store, blobs = read.folder.store, read.folder.blobs
    readings = read.readings()
    (evaluator,) = readings.plan.ordered_evaluators
    units = [u for u in readings.units if u.mode == "masked"]
    assert units
    for unit in units:
        key = read_key(evaluator.evaluator_id, unit.packet_id, ReadRole.FIRST, ReadsOf.STUDY)
        record = json.loads(store.get(key) or b"")
        message = json.loads(blobs.get(record["packet_sha256"]))[1]["text"]
        packet = json.loads(message.partition("\n")[2])
        shown = "".join(p["text"] for p in packet["paragraphs"])
        text = blobs.get(unit.text_sha256 or "")
        told = readings.cards[unit.factor_id]
        assert any(e.sentence.rstrip("。.") in text for e in (told.p, told.q))
        assert not any(e.sentence.rstrip("。.") in shown for e in (told.p, told.q))
        before, mask, after = shown.partition("[…]")
        assert mask
        assert text.startswith(before)
        assert text.endswith(after.rpartition("[…]")[2])


def test_packets_of_the_panel_are_what_they_are_without_controls(read: Study) -> None:
    with_controls = {u.packet_id for u in read.readings().units}
    without = settled(read.folder.root, 0, 0).readings()
    assert {u.packet_id for u in without.units} < with_controls
    assert without.inputs().sets == {}
    assert all(c.run_set is RunSet.PANEL for c in without.cells)
    settled(read.folder.root, 0.5, 0.5)


def test_reads_that_a_smaller_share_no_longer_asks_for_are_left_out(read: Study) -> None:
    fewer = settled(read.folder.root, 0.25, 0.25)
    assert len(fewer.readings().inputs().sets[InputSet.PLACEBO].runs) == 2 * 1 * 2
    settled(read.folder.root, 0.5, 0.5)


def test_a_read_of_a_packet_that_nothing_could_ask_for_is_still_refused(read: Study) -> None:
    readings = read.readings()
    (evaluator,) = readings.plan.ordered_evaluators
    read = readings.reads(evaluator)[0]._replace(packet_id=sha256_text("")[:16])
    readings.reads(evaluator).append(read)
    with pytest.raises(InventoryError, match="no planned packet"):
        readings.inputs()


def test_controls_are_priced_with_the_other_reads(tmp_path: Path) -> None:
    made = settled(tmp_path, 0, 0)
    made.construct()
    made.run()
    bare = made.forecast_reads().rows[0]
    controlled = settled(tmp_path, 1, 1).forecast_reads().rows[0]
    assert controlled[1] > bare[1]
