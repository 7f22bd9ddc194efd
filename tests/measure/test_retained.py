"""Draft-to-final tables in the shape of the paper's figures, counted by hand (DR-96 … DR-99)."""

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from draligned.measure.distances import median_interval
from draligned.measure.proportions import wilson
from draligned.measure.tables import build_tables
from draligned.schema.config import MeasureConfig
from draligned.schema.frames import EDITS, MeasureInputs

NAMES = ("persistence_runs", "persistence", "persistence_shares", "edit_distance")


def tables(inputs: MeasureInputs) -> dict[str, pd.DataFrame]:
    return build_tables(inputs, MeasureConfig(draws=100), (), only=NAMES)


def one(frame: pd.DataFrame, **where: str) -> pd.Series:
    named = {"model": "all", "scope": "within_run", "start": "last_draft"} | where
    chosen = frame.query(" and ".join(f"{k} == {v!r}" for k, v in named.items()))
    assert len(chosen) == 1
    return chosen.iloc[0]


def measured(inputs: MeasureInputs, distances: dict[str, float]) -> MeasureInputs:
    """Inputs with a distance of every draft, by the task that its text is named after."""
    texts = inputs.documents.pivot_table("text_sha256", "factor_id", "role", aggfunc="first")
    rows = [
        {
            "from_sha256": texts.loc[f"f{task}", "draft"],
            "to_sha256": texts.loc[f"f{task}", "final"],
            "status": "ok", "reason": None, "n_tokens_from": 100, "n_tokens_to": 100,
            "distance": distance, "n_sentences": 98, "n_verbatim": 1,
        }
        for task, distance in distances.items()
    ]  # fmt: skip
    return replace(inputs, edits=pd.DataFrame(rows, columns=list(EDITS), dtype=object))


def risk_set_of_80(study: Any) -> dict[str, float]:
    """49 OWN starts (41 readable and of another text) and 31 NONE; 0.41 and 0.84 as medians."""
    distances: dict[str, float] = {}

    def run(start: str, final: str, distance: float) -> None:
        task = str(len(distances) + 1)
        study.run(task, "P", final=final, drafts=[start])
        distances[task] = distance

    own = [0.20] * 15 + [0.40] * 5 + [0.5] * 8 + [0.7] * 10
    for distance in own:
        run("P", "PN", distance)
    run("P", "B", 0.84)
    run("P", "N", 0.8)
    run("P", "N", 0.9)
    for _ in range(4):
        run("P", "P", 0.0)
    for _ in range(4):
        run("P", "U", 0.6)
    for _ in range(31):
        run("N", ".", 0.9)
    return distances


@pytest.fixture
def paper(study: Any) -> dict[str, pd.DataFrame]:
    distances = risk_set_of_80(study)
    return tables(measured(study.inputs(), distances))


def test_own_starts_39_keep_the_side_38_stay_own(paper: dict[str, pd.DataFrame]) -> None:
    row = one(paper["persistence_shares"], start_state="OWN_ONLY")
    names = ["n_start", "n_same_text", "n_final_unreadable", "n_compared", "n_kept_side"]
    assert row[[*names, "n_kept_state"]].tolist() == [49, 4, 4, 41, 39, 38]
    assert row["side_share"] == pytest.approx(39 / 41)
    assert (row["state_lo"], row["state_hi"]) == pytest.approx(wilson(38, 41))


def test_the_risk_set_is_80(paper: dict[str, pd.DataFrame]) -> None:
    cells = paper["persistence"].query("model == 'all' and start == 'last_draft'")
    assert cells.groupby("start_state")["n"].sum().to_dict() == {"NONE": 31, "OWN_ONLY": 49}
    names = ["start_state", "final_state", "text", "n"]
    assert cells[names].values.tolist() == [
        ["NONE", "UNKNOWN", "different", 31],
        ["OWN_ONLY", "BOTH", "different", 1],
        ["OWN_ONLY", "NONE", "different", 2],
        ["OWN_ONLY", "OWN_ONLY", "different", 38],
        ["OWN_ONLY", "OWN_ONLY", "same", 4],
        ["OWN_ONLY", "UNKNOWN", "different", 4],
    ]


def test_distances_by_what_became_of_the_state(paper: dict[str, pd.DataFrame]) -> None:
    """38 OWN to OWN: 15 at 0.2, 5 at 0.4, 8 at 0.5, 10 at 0.7: median (0.40 + 0.40) / 2, and 18
    of 0.5 or more. Changed: 0.8, 0.84, 0.9."""
    own = one(paper["edit_distance"], subset="own_to_own")
    assert own[["n", "n_half"]].tolist() == [38, 18]
    assert own["half_share"] == pytest.approx(18 / 38)
    assert (own["median"], own["q1"], own["q3"]) == pytest.approx((0.4, 0.2, 0.65))
    assert own[["n_sentences", "n_verbatim"]].tolist() == [38 * 98, 38]
    changed = one(paper["edit_distance"], subset="changed")
    assert (changed["n"], changed["median"]) == (3, 0.84)
    assert changed[["median_lo", "median_hi"]].isna().all()
    assert one(paper["edit_distance"], subset="compared")["n"] == 41
    assert one(paper["edit_distance"], subset="text_different")["n"] == 76


def test_equal_texts_have_no_distance(paper: dict[str, pd.DataFrame]) -> None:
    same = paper["persistence_runs"].query("status == 'same_text'")
    assert len(same) == 8
    assert set(same["edit_status"]) == {"same_text"}
    assert same[["distance", "n_verbatim"]].isna().all(axis=None)


def test_none_expresses_no_side_to_keep(study: Any) -> None:
    study.run("1", "P", final="N", drafts=["NN"])
    row = one(tables(study.inputs())["persistence_shares"], start_state="NONE")
    assert row[["n_compared", "n_kept_state"]].tolist() == [1, 1]
    assert row[["n_kept_side", "side_share"]].isna().all()


@pytest.mark.parametrize(("final", "side"), [("B", 1), ("P", 0), ("BN", 1)])
def test_both_is_kept_only_as_both(study: Any, final: str, side: int) -> None:
    study.run("1", "P", final=final, drafts=["PQ"])
    row = one(tables(study.inputs())["persistence_shares"], start_state="BOTH")
    assert row["n_kept_side"] == side


def test_sides_are_relative_to_the_runs_own_endpoint(study: Any) -> None:
    study.run("1", "Q", final="QN", drafts=["Q"])
    row = one(tables(study.inputs())["persistence_shares"], start_state="OWN_ONLY")
    assert row["n_kept_state"] == 1


def test_persistence_is_refused_where_the_saved_file_is_submitted(study: Any) -> None:
    study.run("1", "P", final="P", drafts=["N"], harness="H-W", submits_saved=True)
    found = tables(study.inputs())
    assert found["persistence_runs"].empty
    for name in NAMES[1:]:
        said = found[name][["harness", "model", "status", "reason"]].values.tolist()
        assert said == [["H-W", m, "refused", "saved_file_submitted"] for m in ("all", "m")]
        numbers = found[name].select_dtypes(["Int64", "Float64"])
        assert numbers.isna().all(axis=None)


def test_no_comparison_is_unknown_with_a_reason(study: Any) -> None:
    study.run("1", "P", final="P")
    found = tables(study.inputs())
    within = one(found["persistence_shares"], start_state="OWN_ONLY")
    assert (within["status"], within["reason"]) == ("unknown", "no_run_compared")
    across = one(found["edit_distance"], scope="across_runs", subset="compared")
    assert (across["status"], across["reason"]) == ("unknown", "no_repeat_compared")


def test_a_distance_nobody_measured_is_not_zero(study: Any) -> None:
    study.run("1", "P", final="P", drafts=["N"])
    found = tables(study.inputs())
    row = found["persistence_runs"].iloc[0]
    assert (row["edit_status"], row["edit_reason"]) == ("unknown", "not_measured")
    summary = one(found["edit_distance"], subset="compared")
    assert (summary["status"], summary["reason"]) == ("unknown", "no_distance")
    assert summary[["n", "n_unknown"]].tolist() == [0, 1]


def test_unreadable_states_are_told_apart(study: Any) -> None:
    study.run("1", "P", final="P", drafts=["U"])
    study.run("2", "P", final="U", drafts=["P"])
    study.run("3", "P", final="V", drafts=["U"])
    found = tables(study.inputs())["persistence_runs"].query("start == 'last_draft'")
    assert found["status"].tolist() == ["start_unreadable", "final_unreadable", "both_unreadable"]
    assert found["kind"].isna().all()
    assert found["start_reason"].tolist()[0] == "no_basis"
    assert found["final_reason"].tolist()[1:] == ["no_basis", "void_read"]
    assert found["final_reason"].isna().tolist() == [True, False, False]


def test_repeats_stand_beside_without_intervals(study: Any) -> None:
    """Two runs: each draft OWN; the other run's final OWN once, NONE once."""
    study.run("1", "P", final="PN", drafts=["P"])
    study.run("1", "P", final="N", drafts=["PP"], replicate=1)
    found = tables(study.inputs())["persistence_shares"]
    row = one(found, scope="across_runs", start="first_draft", start_state="OWN_ONLY")
    assert row[["n_compared", "n_kept_state"]].tolist() == [2, 1]
    assert row["state_share"] == 0.5
    assert row[["state_lo", "state_hi"]].isna().all()
    finals = one(found, scope="across_runs", start="final", start_state="OWN_ONLY")
    assert finals[["n_compared", "n_kept_state"]].tolist() == [1, 0]


def test_one_label_policy_rules_drafts_and_finals(study: Any) -> None:
    """A main item of unknown direction blocks NONE by default, and nothing when ignored."""
    study.run("1", "P", final="NU", drafts=["P"])
    lax = MeasureConfig(draws=100, unresolved_items="ignore")
    built = build_tables(study.inputs(), lax, (), only=NAMES)["persistence_runs"]
    assert tables(study.inputs())["persistence_runs"]["status"].iloc[0] == "final_unreadable"
    assert built[["status", "kind"]].iloc[0].tolist() == ["compared", "dropout"]


@pytest.mark.parametrize(
    ("n", "ends"),
    [(5, None), (6, (1, 6)), (8, (1, 8)), (9, (2, 8)), (20, (6, 15)), (41, (14, 28))],
)
def test_interval_of_a_median(n: int, ends: tuple[int, int] | None) -> None:
    """Ranks as printed for the sign test's interval at 95 % (e.g. Conover, table A.3)."""
    assert median_interval(np.arange(n, 0, -1, dtype=float)) == ends
