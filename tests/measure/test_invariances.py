"""What must not matter does not: for every table of inference, on simulated studies."""

from collections.abc import Callable
from dataclasses import replace

import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from draligned.measure.tables import build_tables
from draligned.schema.config import MeasureConfig
from draligned.schema.frames import MeasureInputs
from draligned.simulate.labels import simulate
from draligned.simulate.plan import PAPER

SMALL = replace(PAPER, name="invariances", tasks=7, models=2)
CONFIG = MeasureConfig(draws=100)
NAMES = (
    "estimates", "simultaneous", "leave_one_out", "contrast_classes", "recurrence",
    "variance_components",
)  # fmt: skip
INTERVALS = (
    "ci", "ci_expanded", "ci_bca", "ci_t", "ci_score", "ci_union", "loo_task", "loo_user",
    "loo_factor", "loo_model", "twoway", "coarse", "sharp", "open", "im_coarse", "im", "im_open",
)  # fmt: skip

studies = st.integers(0, 10_000).map(lambda seed: simulate(SMALL, seed))
some = settings(max_examples=3, deadline=None, suppress_health_check=[HealthCheck.too_slow])

Exchange = Callable[..., MeasureInputs]


def made(inputs: MeasureInputs) -> dict[str, pd.DataFrame]:
    return build_tables(inputs, CONFIG, ("D_A", "D_F"), only=NAMES)


def differences(rows: pd.DataFrame) -> pd.DataFrame:
    """D_A, D_F of every group, by name."""
    own = rows[rows["estimand"].isin(["D_A", "D_F"])]
    keys = [name for name in own if name in ("model", "estimand", "population", "left_out", "name")]
    return own.set_index(keys).sort_index()


def same(a: pd.Series, b: pd.Series) -> None:
    assert a.index.equals(b.index)
    assert a.isna().equals(b.isna())
    known = a.notna()
    assert b[known].astype(float).tolist() == pytest.approx(a[known].astype(float).tolist())


def negated(old: pd.DataFrame, new: pd.DataFrame, *intervals: str) -> None:
    same(-old["value"], new["value"])
    for name in intervals:
        same(-old[f"{name}_lo"], new[f"{name}_hi"])
        same(-old[f"{name}_hi"], new[f"{name}_lo"])


@some
@given(studies, st.booleans())
def test_exchanging_p_and_q_negates_everything(
    exchange: Exchange, inputs: MeasureInputs, arms: bool
) -> None:
    before, after = made(inputs), made(exchange(inputs, arms=arms, sides=not arms))
    negated(*(differences(t["estimates"]) for t in (before, after)), *INTERVALS)
    negated(*(differences(t["simultaneous"]) for t in (before, after)), "ci")
    old, new = (differences(t["leave_one_out"]) for t in (before, after))
    same(-old["without"], new["without"])
    old, new = before["contrast_classes"], after["contrast_classes"]
    same(old["n_toward"], new["n_against"])
    same(old["n_sure_against"], new["n_sure_toward"])
    same(old["n_small"], new["n_small"])
    old, new = before["recurrence"], after["recurrence"]
    same(old["n_positive"], new["n_negative"])
    same(old["n_tasks_negative"], new["n_tasks_positive"])
    for name in ("raw", "n_pairs", "n_couples"):
        same(before["variance_components"][name], after["variance_components"][name])


@some
@given(studies)
def test_relabelling_the_two_orders_changes_nothing(inputs: MeasureInputs) -> None:
    """The mirrored read called the first and the first the mirrored one."""
    other = {"first": "mirror", "mirror": "first"}

    def turned(frame: pd.DataFrame) -> pd.DataFrame:
        return frame.assign(read=frame["read"].map(other))

    kept = {
        name: frame[frame["read"] != "retest"]
        for name, frame in inputs.frames().items()
        if name in ("request_reads", "document_reads", "items")
    }
    before = made(replace(inputs, **kept))
    after = made(replace(inputs, **{name: turned(frame) for name, frame in kept.items()}))
    for name in NAMES:
        pd.testing.assert_frame_equal(before[name], after[name])


@some
@given(studies, st.sampled_from(["open", "done"]))
def test_an_added_unreadable_pair_moves_only_counts_and_bounds(
    inputs: MeasureInputs, state: str
) -> None:
    """A pair of a model of its own: planned and never run, or run without a request or final."""
    first = inputs.runs.iloc[0].to_dict() | {"model": "new", "state": state, "requests": 0}
    pair = [first | {"run_id": f"new {arm}", "arm": arm} for arm in "PQ"]
    runs = pd.concat([inputs.runs, pd.DataFrame(pair)], ignore_index=True)
    before, after = made(inputs), made(replace(inputs, runs=runs))
    moved = {
        "n_pairs", "n_planned", "coarse_lo", "coarse_hi", "sharp_lo", "sharp_hi", "open_lo",
        "open_hi", "im_lo", "im_hi", "im_coarse_lo", "im_coarse_hi", "im_open_lo", "im_open_hi",
        "tipping", "tipping_reachable", "readable_share", "readable_lo", "readable_hi",
        "n_sure_toward", "n_sure_against", "n_sure_small",
    }  # fmt: skip
    for name in NAMES:
        old, new = before[name], after[name]
        if "model" in new:
            new = new[new["model"] != "new"].reset_index(drop=True)
        if "estimand" in new:
            shares = ~new["estimand"].str.startswith("readability")
            old, new = old[shares.to_numpy()], new[shares.to_numpy()]
        columns = [column for column in old if column not in moved]
        planned = (old["population"] == "planned") if "population" in old else False
        if name == "estimates":  # a mean over planned pairs is a value only where all are readable
            old, new = old[~planned], new[~planned]
        pd.testing.assert_frame_equal(old[columns], new[columns])
    own = after["estimates"].query("model == 'all' and population == 'readable'")
    was = before["estimates"].query("model == 'all' and population == 'readable'")
    assert (own["n_planned"] - was["n_planned"]).eq(1).all()


@some
@given(studies)
def test_intervals_hold_the_value_and_one_another(inputs: MeasureInputs) -> None:
    whole = differences(made(inputs)["estimates"])
    rows = whole[whole["value"].notna() & whole["ci_union_lo"].notna()]
    for name in ("ci", "ci_t", "ci_score"):
        low, high = rows[f"{name}_lo"].fillna(9), rows[f"{name}_hi"].fillna(-9)
        assert (rows["ci_union_lo"] <= low + 1e-12).all()
        assert (rows["ci_union_hi"] >= high - 1e-12).all()
    assert (rows["ci_expanded_lo"].fillna(-9) <= rows["ci_lo"] + 1e-12).all()
    assert (rows["ci_union_lo"] <= rows["value"] + 1e-12).all()
    assert (rows["range_lo"] <= rows["ci_union_lo"]).all()
    bounded = whole[whole["im_lo"].notna()]
    assert (bounded["im_coarse_lo"] <= bounded["im_lo"] + 1e-9).all()
    assert (bounded["im_lo"] <= bounded["sharp_lo"] + 1e-9).all()
    assert (bounded["im_hi"] >= bounded["sharp_hi"] - 1e-9).all()
