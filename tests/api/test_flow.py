"""Flow and persistence of a study that was run and read: tables against what is on disk."""

import pandas as pd
import pytest

import draligned
from draligned.api import Study
from draligned.measure.edit_distance import compare_texts
from draligned.schema.errors import DamageError
from draligned.store.blobs import blob_key

TEXT = """\
[construction]
tasks = 3

[run]
harnesses = ["coupled", "H-W"]
models = ["rehearsal-a"]
replicates = 2

[controls]
aa_share = 0.01
neutral_share = 0
placebo_share = 0
masked_share = 0
sentinel_share = 0

[measure]
draws = 100
"""
LETTERS = {"OWN": "O", "OTHER": "X", "BOTH": "B", "NEITHER": "N", "UNKNOWN": "?"}


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Study:
    """Three tasks under two harnesses, each condition twice."""
    root = tmp_path_factory.mktemp("flow")
    (root / "study.toml").write_text(TEXT, encoding="utf-8")
    made = draligned.open(root)
    made.construct()
    made.run()
    made.evaluate()
    made.measure()
    return made


def letter(label: str, arm: str) -> str:
    """A request's label relative to its run's endpoint."""
    if label in ("P_ONLY", "Q_ONLY"):
        return LETTERS["OWN" if label[0] == arm else "OTHER"]
    return LETTERS[label]


def test_paths_are_the_requests_labels_in_order(study: Study) -> None:
    requests = study.table("requests").sort_values(["run_id", "request_no"])
    runs = study.table("flow_runs").query("unit == 'request'").set_index("run_id")
    told = {
        run: "".join(letter(row.label, row.arm) for row in rows.itertuples())
        for run, rows in requests[requests["arm"].notna()].groupby("run_id")
    }
    assert len(told) == 2 * 2 * 3 * 2
    assert runs["path"].to_dict() == told


def test_distances_are_of_the_texts_on_disk(study: Study) -> None:
    rows = study.table("persistence_runs").query("edit_status == 'ok'")
    assert len(rows) > 4
    for row in rows.itertuples():
        texts = (study.folder.blobs.get(sha) for sha in (row.from_sha256, row.to_sha256))
        found = compare_texts(*texts)
        assert row.distance == pytest.approx(found.distance)
        assert (row.n_sentences, row.n_verbatim) == (found.n_sentences, found.n_verbatim)


def test_drafts_stand_beside_finals_of_the_same_condition_only(study: Study) -> None:
    rows = study.table("persistence_runs")
    assert set(rows["harness"]) == {"coupled"}
    across = rows[rows["scope"] == "across_runs"]
    arms = study.table("matrix").set_index("run_id")[["task_id", "arm", "model"]]
    for row in across.itertuples():
        if row.other_run_id in arms.index and row.run_id in arms.index:
            assert arms.loc[row.run_id].tolist() == arms.loc[row.other_run_id].tolist()
    beside = {*across["run_id"], *across["other_run_id"]} - set(arms.index)
    assert len(beside) <= 1, "the one A/A run is a repeat of its condition"


@pytest.mark.parametrize("name", ["persistence", "persistence_shares", "edit_distance"])
def test_persistence_is_refused_for_a_saved_file_in_every_table(study: Study, name: str) -> None:
    rows = study.table(name)
    refused = rows[rows["status"] == "refused"]
    assert set(refused["harness"]) == {"H-W"}
    assert set(refused["reason"]) == {"saved_file_submitted"}
    assert set(rows.loc[rows["status"] != "refused", "harness"]) == {"coupled"}


def test_words_are_another_measure_and_say_so(study: Study) -> None:
    before = study.table("persistence_runs")["distance"]
    settings = study.folder.root / "study.toml"
    settings.write_text(TEXT + 'tokens = "words"\n', encoding="utf-8")
    try:
        found = draligned.open(study.folder.root).readings().tables()
    finally:
        settings.write_text(TEXT, encoding="utf-8")
    assert set(found["edit_distance"]["tokens"].dropna()) == {"words"}
    assert not before.equals(found["persistence_runs"]["distance"])


def test_a_text_that_is_lost_is_named(study: Study) -> None:
    rows: pd.DataFrame = study.table("persistence_runs").query("edit_status == 'ok'")
    sha256 = str(rows["from_sha256"].iloc[0])
    path = study.folder.root / blob_key(sha256)
    packed = path.read_bytes()
    path.unlink()
    try:
        with pytest.raises(DamageError, match=sha256):
            draligned.open(study.folder.root).measure()
    finally:
        path.write_bytes(packed)
