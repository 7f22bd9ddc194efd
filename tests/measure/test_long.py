"""The long table: nothing planned is missing, and the pair values can be made from it."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from draligned.measure.tables import build_tables
from draligned.schema.config import MeasureConfig
from draligned.schema.frames import MeasureInputs
from draligned.simulate.labels import simulate
from draligned.simulate.plan import PAPER

CONFIG = MeasureConfig(draws=100)


def tables(inputs: MeasureInputs, config: MeasureConfig = CONFIG) -> dict[str, pd.DataFrame]:
    return build_tables(inputs, config, ("D_A",), only=("long", "pairs", "matrix"))


def made(long: pd.DataFrame, channel: str) -> pd.DataFrame:
    """Mean readout of each arm of each pair, null where nothing is identified."""
    rows = long[(long["channel"] == channel) & long["pair_id"].notna()]
    product = (rows["x"] * rows["weight"]).astype("Float64")
    sums = product.groupby([rows["evaluator"], rows["pair_id"], rows["arm"]]).sum(min_count=1)
    return sums.unstack("arm")


def test_pair_values_are_sums_over_the_long_table() -> None:
    found = tables(simulate(PAPER, 3))
    pairs = found["pairs"].set_index(["evaluator", "pair_id"])
    for channel, column in (("A", "d_a"), ("F", "d_f")):
        arms = made(found["long"], channel).reindex(pairs.index)
        difference = arms["P"] - arms["Q"]
        wanted = np.sign(difference) if channel == "F" else difference
        assert 10 < wanted.notna().sum() < len(pairs)
        got: Any = pairs[column].astype("Float64")
        pd.testing.assert_series_equal(got, wanted.round(12), check_names=False, atol=1e-11)


def test_every_planned_run_stands_in_every_channel(study: Any) -> None:
    study.run("1", "P", ["P", "N"], "PN", drafts=["N"])
    study.run("1", "Q", [], None)
    study.run("1", "Q", ["Q"], "QN", replicate=1)
    study.run("2", "P", state="failed", outcome="provider_error")
    long = tables(study.inputs())["long"]
    assert long.groupby(["run_id", "channel"]).size().unstack().notna().all(axis=None)
    none = long[long["unit"] == "none"]
    assert set(zip(none["run_id"], none["channel"], none["reason"], strict=True)) == {
        ("1-Q-m-0", "A", "no_requests"), ("1-Q-m-0", "F", "no_document"),
        ("1-Q-m-0", "W", "no_draft"), ("1-Q-m-1", "W", "no_draft"),
        ("2-P-m-0", "A", "run_failed"), ("2-P-m-0", "F", "run_failed"),
        ("2-P-m-0", "W", "run_failed"),
    }  # fmt: skip
    assert none["x"].isna().all()
    assert (none["presence"] == "UNKNOWN").all()


def test_weights_contrasts_and_pairs_by_hand(study: Any) -> None:
    study.run("1", "P", ["P", "N", "U"], "PN", drafts=["N", "P"])
    study.run("1", "Q", ["Q"], "QN")
    study.run("1", "Q", ["Q"], "QN", replicate=1)
    long = tables(study.inputs())["long"].set_index(["run_id", "channel", "unit_no"]).sort_index()
    asked = long.loc["1-P-m-0", "A"]
    assert asked["x"].tolist() == [1, 0, pd.NA]
    assert asked["weight"].tolist() == [0.5, 0.5, pd.NA]
    assert long.loc["1-P-m-0", "W"]["weight"].isna().all()
    assert long.loc[("1-P-m-0", "F", 1), "weight"] == 1
    assert long.groupby("arm")["contrast"].unique().map(list).to_dict() == {"P": [0.5], "Q": [-0.5]}
    assert long["pair_id"].isna().groupby("run_id").all().to_dict() == {
        "1-P-m-0": False, "1-Q-m-0": False, "1-Q-m-1": True,
    }  # fmt: skip


@pytest.mark.parametrize("seen", ["none", "partial"])
def test_what_a_source_does_not_observe_is_of_no_unit(study: Any, seen: str) -> None:
    study.run("1", "P", [], "PN", observes_a=seen)
    study.run("1", "Q", ["N"], "NN", observes_f="none")
    long = tables(study.inputs())["long"].set_index(["run_id", "channel"])
    assert long.loc[("1-P-m-0", "A"), "reason"] == "not_observed"
    hidden = long.loc[("1-Q-m-0", "F")]
    assert hidden["reason"] == "not_observed"
    assert pd.isna(hidden["x"])


def test_crossed_runs_have_no_one_pair() -> None:
    inputs = simulate(PAPER, 3)
    long = tables(inputs, MeasureConfig(draws=100, pairing="all_cross"))["long"]
    assert long["pair_id"].isna().all()
