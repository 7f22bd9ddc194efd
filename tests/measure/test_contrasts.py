from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from draligned.measure import made as making
from draligned.measure import tables
from draligned.measure.contrasts import Primary, estimates, groups, main_targets
from draligned.measure.estimate import Settings
from draligned.measure.pairs import build_pairs
from draligned.schema.config import MeasureConfig
from draligned.schema.frames import MeasureInputs
from draligned.simulate.labels import simulate
from draligned.simulate.plan import PAPER

KEY = ["estimand", "population"]
SMALL = replace(PAPER, name="small", tasks=6, models=2)


def table(inputs: MeasureInputs, primary: tuple[str, ...] = ()) -> pd.DataFrame:
    """Estimates over all models, by estimand and population."""
    matrix, _ = making.matrix_of(making.read(inputs), "block_none")
    pairs = build_pairs(matrix, "first")
    named = Primary(names=primary)
    panels = groups(pairs, by_model=False)
    rows = estimates(panels, main_targets, Settings(seed=3, draws=100), named)
    return rows.set_index(KEY)


def test_counts_of_the_papers_panel(panel_of_110: MeasureInputs) -> None:
    """DR-85, DR-89, DR-90: 87 and 69 of 110, 55 common, 27 of 28."""
    rows = table(panel_of_110)
    readability = rows.loc[[("readability_A", "planned"), ("readability_F", "planned")]]
    assert readability["n_readable"].tolist() == [87, 69]
    assert readability["value"].tolist() == pytest.approx([0.791, 0.627], abs=5e-4)
    for channel in "AF":  # D's own row counts the arms that the shares of readable arms are of
        arms = [rows.loc[(f"readability_{channel}_{s}", "planned"), "n_readable"] for s in "PQ"]
        own = rows.loc[(f"D_{channel}", "readable")]
        assert [own["n_readable_p"], own["n_readable_q"]] == arms
        assert own["n_readable"] <= min(arms) < own["n_pairs"]
    common = rows.loc[[("D_A", "common_readable"), ("D_F", "common_readable")]]
    assert common["n_readable"].tolist() == [55, 55]
    zero, other = rows.loc[("D_F", "dA_zero")], rows.loc[("D_F", "dA_nonzero")]
    assert (zero["n_pairs"], zero["n_readable"]) == (47, 28)
    assert 28 <= min(zero["n_readable_p"], zero["n_readable_q"]) <= 47
    assert (other["n_pairs"], other["n_readable"]) == (40, 27)
    share = rows.loc[("share_dF_positive", "dA_zero")]
    assert share["value"] == pytest.approx(27 / 28)
    # Wilson for 27 of 28, by the formula with z = 1.959964
    assert (share["ci_lo"], share["ci_hi"]) == pytest.approx((0.8229, 0.9937), abs=5e-5)
    assert share["ci_method"] == "wilson"


def test_arm_levels_add_up_to_the_difference(panel_of_110: MeasureInputs) -> None:
    value = table(panel_of_110)["value"].astype(float)
    arms = value["m_P", "readable"] - value["m_Q", "readable"]
    assert arms == pytest.approx(value["D_A", "readable"])


def test_primary_is_what_the_lock_names(panel_of_110: MeasureInputs) -> None:
    rows = table(panel_of_110, ("D_A", "D_F/planned"))
    assert rows.index[rows["primary"]].tolist() == [("D_A", "readable"), ("D_F", "planned")]


def test_rows_of_one_model_are_never_primary(worked_pair: Any) -> None:
    built = tables.build_tables(
        worked_pair.inputs(), MeasureConfig(draws=100), ("D_A",), only=["estimates"]
    )
    rows = built["estimates"]
    assert rows.loc[rows["primary"], "model"].tolist() == ["all"]


def test_only_the_first_evaluator_is_primary(new_study: Callable[..., Any]) -> None:
    made = new_study(evaluators=("a", "b"))
    made.run("1", "P", ["P"], "P")
    config = MeasureConfig(draws=100)
    named, both = (
        tables.build_tables(
            made.inputs(), config, ("D_A",), evaluators=order, only=["estimates"]
        )["estimates"].query("primary")["evaluator"].tolist()
        for order in (("b", "a"), ())
    )  # fmt: skip
    assert (named, both) == (["b"], ["a", "b"])


def test_evaluators_have_rows_of_their_own(new_study: Callable[..., Any]) -> None:
    made = new_study(evaluators=("a", "b"))
    made.run("1", "P", ["P"], "P")
    made.run("1", "Q", ["N"], "N")
    for row in made.request_reads:
        if row["evaluator"] == "b":
            row["label"] = "NEITHER"
    rows = tables.build_tables(made.inputs(), MeasureConfig(draws=100), (), only=["estimates"])[
        "estimates"
    ]
    chosen = rows[(rows["estimand"] == "D_A") & (rows["population"] == "readable")]
    chosen = chosen[chosen["model"] == "all"]
    assert chosen["value"].tolist() == [1.0, 0.0]


studies = st.integers(0, 10_000).map(lambda seed: simulate(SMALL, seed))
some = settings(max_examples=4, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@some
@given(studies, st.booleans())
def test_exchanging_p_and_q_negates(
    exchange: Callable[..., MeasureInputs], inputs: MeasureInputs, arms: bool
) -> None:
    before, after = table(inputs), table(exchange(inputs, arms=arms, sides=not arms))
    for name in ("D_A", "D_F"):
        old, new = before.loc[(name, "readable")], after.loc[(name, "readable")]
        assert new["value"] == pytest.approx(-old["value"])
        assert new["coarse_lo"] == pytest.approx(-old["coarse_hi"])
        assert new["sharp_hi"] == pytest.approx(-old["sharp_lo"])
        assert new["signflip_p"] == pytest.approx(old["signflip_p"])
        assert new["n_readable"] == old["n_readable"]


@some
@given(studies)
def test_naming_the_endpoints_the_other_way_round_keeps_the_difference(
    exchange: Callable[..., MeasureInputs], inputs: MeasureInputs
) -> None:
    before, after = table(inputs), table(exchange(inputs, arms=True, sides=True))
    kept = ["value", "ci_lo", "ci_hi", "coarse_lo", "sharp_hi", "n_readable", "signflip_p"]
    for name in ("D_A", "D_F"):
        old, new = before.loc[(name, "readable"), kept], after.loc[(name, "readable"), kept]
        assert new.tolist() == pytest.approx(old.tolist())
    assert after["value"]["m_P", "readable"] == pytest.approx(-before["value"]["m_Q", "readable"])


@some
@given(studies)
def test_bounds_contain_the_value_and_one_another(inputs: MeasureInputs) -> None:
    rows = table(inputs)
    for name in ("D_A", "D_F"):
        row = rows.loc[(name, "readable")]
        assert row["range_lo"] <= row["coarse_lo"] <= row["sharp_lo"] + 1e-12
        assert row["sharp_hi"] <= row["coarse_hi"] + 1e-12 <= row["range_hi"] + 2e-12
        assert row["coarse_lo"] - 1e-12 <= row["value"] <= row["coarse_hi"] + 1e-12
    opened = rows.loc[("D_A", "readable")]
    assert opened["open_lo"] <= opened["sharp_lo"] + 1e-12
    assert opened["open_hi"] >= opened["sharp_hi"] - 1e-12


@some
@given(studies)
def test_an_unreadable_pair_moves_only_counts_and_bounds(inputs: MeasureInputs) -> None:
    task = inputs.runs.iloc[0]
    added = [
        task.to_dict() | {"run_id": f"new {arm}", "arm": arm, "model": "new", "state": "open"}
        for arm in "PQ"
    ]
    runs = pd.concat([inputs.runs, pd.DataFrame(added)], ignore_index=True)
    before, after = table(inputs), table(replace(inputs, runs=runs))
    kept = ["value", "n_readable", "n_tasks", "ci_lo", "ci_hi", "ci_t_lo", "ci_union_hi",
            "signflip_p", "loo_user_lo", "twoway_lo"]  # fmt: skip
    for name in ("D_A", "D_F"):
        old, new = before.loc[(name, "readable")], after.loc[(name, "readable")]
        pd.testing.assert_series_equal(old[kept], new[kept])
        assert new["n_planned"] == old["n_planned"] + 1
        assert new["coarse_lo"] <= old["coarse_lo"]
        assert new["coarse_hi"] >= old["coarse_hi"]
