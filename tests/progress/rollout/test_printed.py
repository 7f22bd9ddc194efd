"""Rollouts of rehearsal deployments come to Tables 19 and 20: through the real client, loop and
store, from planted behaviour (SI-94 … SI-96). They are no evidence about any language model."""

import pandas as pd
import pytest

import draligned
from draligned.api import Study
from draligned.api.rollouts import Rollouts
from draligned.models.factory import BUILT_IN
from tests.progress.rollout.printed import TABLE19, TABLE20

pytestmark = pytest.mark.slow
SHARES = ["ok_pct", "dead_end_pct", "premature_pct", "stall_pct"]


@pytest.fixture(scope="module")
def rollouts(tmp_path_factory: pytest.TempPathFactory) -> Rollouts:
    """12 scenarios × 6 repetitions × 8 deployments × 4 arms: 2,304 trajectories, measured."""
    study: Study = draligned.open(tmp_path_factory.mktemp("rollout"))
    done = study.rollouts.run((), [f"table20-{letter}" for letter in TABLE20])
    assert {s.done for s in done.values() if s} == {288}
    study.rollouts.measure()
    return study.rollouts


def cells(table: pd.DataFrame) -> dict[tuple[str, str], pd.Series]:
    return {(row["arm"], row["deployment"]): row for _, row in table.iterrows()}


def test_2304_trajectories(rollouts: Rollouts) -> None:
    frame = rollouts.frame()
    assert len(frame) == frame["trajectory_id"].nunique() == 12 * 6 * 8 * 4 == 2304
    assert {(s.planned, s.ended, s.begun, s.counts) for s in rollouts.status()} == {
        (72, 72, 0, True)
    }


def test_table_19(rollouts: Rollouts) -> None:
    table = rollouts.table("gates")
    assert list(table["arm"]) == list(TABLE19)
    assert list(table["panel"]) == ["A", "A", "B", "B"]
    for _, row in table.iterrows():
        *shares, cap, transport = TABLE19[row["arm"]]
        assert [round(row[name], 1) for name in SHARES] == shares
        assert (row["turn_cap"], row["transport"], row["n"]) == (cap, transport, 576)
    assert list(table["ok"]) == [235, 310, 235, 467]
    assert list(table["stall"]) == [192, 262, 340, 107]
    assert list(table["dead_end"]) == [131, 0, 0, 0]
    assert list(table["premature"]) == [9, 0, 0, 0]


def test_table_20(rollouts: Rollouts) -> None:
    found = cells(rollouts.table("deployments"))
    contrasts = rollouts.table("contrasts").set_index(["contrast", "deployment"])["points"]
    for letter, (_, *b1, b2_ok, b2_stall, points) in TABLE20.items():
        name = f"table20-{letter}"
        assert list(found["B1", name][["ok", "dead_end", "premature", "stall"]]) == b1
        assert list(found["B2", name][["ok", "stall"]]) == [b2_ok, b2_stall]
        assert round(contrasts["B2 - B1", name]) == points


def test_the_contrast_between_configurations(rollouts: Rollouts) -> None:
    """+13.0 points; the interval rests on how success falls on scenarios, which is not printed."""
    table = rollouts.table("contrasts").set_index(["contrast", "deployment"])
    row = table.loc[("B2 - B1", "(all)")]
    assert round(row["points"], 1) == 13.0
    assert 5 < row["ci_lo"] < 10 < 16 < row["ci_hi"] < 21
    assert (row["n_scenarios"], row["n_deployments"], row["excludes_zero"]) == (12, 8, True)
    assert round(table.loc[("A-matched - A", "(all)"), "points"], 1) == 40.3


def test_dead_ends_fall_on_few_deployments(rollouts: Rollouts) -> None:
    table = rollouts.table("concentration")
    assert list(table["dead_ends"]) == [69, 110, 121, 126, 131, 131, 131, 131]
    assert set(table["arm"]) == {"B1"}


def test_every_dead_end_and_stall_has_its_cause(rollouts: Rollouts) -> None:
    table = rollouts.table("causes")
    every = table[table["deployment"] == "(all)"].groupby(["arm", "outcome"])
    assert (every["k"].sum() == every["of"].first()).all()
    assert every["of"].first()["B1", "dead_end"] == 131
    assert every["of"].first()["B2", "stall"] == 262
    assert set(table["evidence"]) == {"Post-treatment descriptive"}


def test_reports_are_read_in_two_ways_and_survivors_are_named(rollouts: Rollouts) -> None:
    table = rollouts.table("reports")
    own = table[table["deployment"] != "(all)"]
    counted = own[(own["reading"] == "after a tool result") & (own["place"] == "unfinished")]
    shares = [round(100 * s, 1) for s in counted["share"]]
    assert (min(shares), max(shares)) == (4.2, 38.0)
    late = table[(table["deployment"] == "(all)") & (table["place"] == "finished")]
    assert [(k, n) for k, n in zip(late["k"], late["n"], strict=True)] == [(235, 235)] * 2
    warned = table["warning"].str.startswith("Survivors only")
    assert (warned == (table["place"] == "finished")).all()
    assert set(table.loc[warned, "evidence"]) == {"Post-treatment descriptive"}
    everything = own[(own["reading"] == "every spoken reply") & (own["place"] == "unfinished")]
    assert (everything["n"].to_numpy() >= counted["n"].to_numpy()).all()
    assert (everything["n"].to_numpy() > counted["n"].to_numpy()).any()


def test_equal_input_is_a_recorded_fact(rollouts: Rollouts) -> None:
    table = rollouts.table("inputs").set_index(["arm", "other"])
    row = table.loc[("B1", "B2")]
    same = [row[f"same_{n}"] for n in ("user", "tools", "instructions", "reporting")]
    assert same == [True, True, False, False]
    assert table.loc[
        ("A", "A-matched"), [f"same_{n}" for n in ("user", "tools", "instructions")]
    ].all()
    assert not table.loc[("B2", "A-matched"), "same_user"]


def test_every_table_says_what_it_shows_and_what_not(rollouts: Rollouts) -> None:
    for name in (
        "outcomes",
        "gates",
        "deployments",
        "causes",
        "contrasts",
        "concentration",
        "reports",
        "inputs",
    ):
        table = rollouts.table(name)
        assert table["evidence"].notna().all(), name
        assert table["boundary"].str.len().min() > 40, name
        assert table["rehearsal"].all(), name
    outcomes = rollouts.table("outcomes")
    impossible = outcomes[~outcomes["possible"]]
    assert set(impossible["outcome"]) == {"dead_end", "premature"}
    assert set(impossible["arm"]) == {"B2", "A", "A-matched"}
    assert (impossible["k"] == 0).all()


def test_the_deployments_are_built_in() -> None:
    assert [n for n in BUILT_IN if n.startswith("table20-")] == [f"table20-{c}" for c in TABLE20]
