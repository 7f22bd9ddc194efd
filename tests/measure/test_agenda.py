"""Agenda and allocation on cells written by hand."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from draligned.measure import tables
from draligned.measure.agenda_runs import agenda_cells
from draligned.schema.config import MeasureConfig
from draligned.schema.errors import InventoryError
from draligned.schema.frames import VISITS, InputSet, MeasureInputs

NAMES = ["visits", "agenda", "allocation", "allocation_units"]
CONFIG = MeasureConfig(draws=400)
Asked = dict[str, list[str]]
"""By run id, what each request is about: letters of subproblems, `-` for none."""


def visits(asked: Asked) -> pd.DataFrame:
    rows = [
        (run, no, None if letter == "-" else letter, None if letter == "-" else 1.0 / len(about))
        for run, requests in asked.items()
        for no, about in enumerate(requests, start=1)
        for letter in about
    ]
    return pd.DataFrame(rows, columns=list(VISITS), dtype=object)


def study(
    new_study: Callable[..., Any], asked: Asked, again: Asked | None = None, **changes: Any
) -> MeasureInputs:
    """Runs named `task-arm-model-replicate`; `again` are A/A runs of P."""

    def made(wanted: Asked) -> MeasureInputs:
        found = new_study()
        for run, requests in wanted.items():
            task, arm, model, k = run.split("-")
            found.run(task, arm, ["N"] * len(requests), model=model, replicate=int(k), **changes)
        return replace(found.inputs(), visits=visits(wanted))

    panel = made(asked)
    if again is None:
        return panel
    aside = made(again)
    aside = replace(aside, runs=aside.runs.assign(arm="Q"))
    return replace(panel, sets={InputSet.AA: aside})


def built(inputs: MeasureInputs) -> dict[str, pd.DataFrame]:
    found = tables.build_tables(inputs, CONFIG, (), only=NAMES)
    return {n: t[t["model"] == "all"] if n in ("agenda", "allocation") else t
            for n, t in found.items()}  # fmt: skip


def agenda_of(inputs: MeasureInputs) -> pd.DataFrame:
    return built(inputs)["agenda"].set_index("comparison")


COUNTS = ["n_couples", "n_comparable", "n_units", "n_both", "n_uncertain"]


def test_units_are_what_one_of_two_runs_visits(new_study: Callable[..., Any]) -> None:
    asked = {
        "1-P-m-1": ["a", "bc", "a"], "1-Q-m-1": ["b", "d"],  # a, b, c, d: b is in both
        "2-P-m-1": ["a"], "2-Q-m-1": ["a", "-"],
        "3-P-m-1": ["a"], "3-Q-m-1": ["-", "-"],  # nothing assigned: not comparable
    }  # fmt: skip
    found = agenda_of(study(new_study, asked))
    assert found.loc["pairs", COUNTS].tolist() == [3, 2, 5, 2, 0]
    assert found.loc["pairs", "both_share"] == pytest.approx(0.4)
    assert found.loc["within", COUNTS].tolist() == [0, 0, 0, 0, 0]
    assert found.loc["within", "status"] == "unknown"
    assert found.loc["between", "n_units"] == 0
    assert pd.isna(found.loc["pairs", "null_share"])
    assert found.loc["pairs", ["n_requests", "n_unassigned"]].tolist() == [11, 3]


def test_a_visit_that_unassigned_requests_may_hide_is_uncertain(
    new_study: Callable[..., Any],
) -> None:
    asked = {"1-P-m-1": ["a", "b"], "1-Q-m-1": ["a", "-"]}
    assert agenda_of(study(new_study, asked)).loc["pairs", COUNTS].tolist() == [1, 1, 2, 1, 1]


def test_pairs_are_the_first_runs_and_repeats_are_the_baseline(
    new_study: Callable[..., Any],
) -> None:
    asked = {
        "1-P-m-1": ["a"], "1-P-m-2": ["b"], "1-Q-m-1": ["a"], "1-Q-m-2": ["a"],
        "2-P-m-1": ["a"], "2-Q-m-1": ["b"],
    }  # fmt: skip
    found = agenda_of(study(new_study, asked))
    assert found.loc["pairs", COUNTS].tolist() == [2, 2, 3, 1, 0]
    assert found.loc["within", COUNTS].tolist() == [2, 2, 3, 1, 0]
    assert found.loc["between", COUNTS].tolist() == [4, 4, 6, 2, 0]


def test_the_null_is_all_labellings_inside_the_cell(new_study: Callable[..., Any]) -> None:
    """Runs a, b of P and a, a of Q. By who is called P: {a,b}: 2 of 6; {a,a'}: 2 of 6, for each of
    the six labellings two a's face an a and a b."""
    asked = {"1-P-m-1": ["a"], "1-P-m-2": ["b"], "1-Q-m-1": ["a"], "1-Q-m-2": ["a"]}
    found = agenda_of(study(new_study, asked))
    assert found.loc["between", "null_share"] == pytest.approx(1 / 3)
    assert found.loc["between", "null_p"] == pytest.approx(1.0)


def test_an_aa_run_is_one_more_run_of_p(new_study: Callable[..., Any]) -> None:
    asked = {"1-P-m-1": ["a"], "1-Q-m-1": ["b"]}
    again = {"1-P-m-0": ["a"]}
    inputs = study(new_study, asked, again)
    found = agenda_of(inputs)
    assert found.loc["pairs", COUNTS].tolist() == [1, 1, 2, 0, 0]
    assert found.loc["within", COUNTS].tolist() == [1, 1, 1, 1, 0]
    assert found.loc["between", COUNTS].tolist() == [2, 2, 4, 0, 0]
    units = built(inputs)["allocation_units"]
    assert units[["subproblem", "between", "within", "outcome"]].values.tolist() == [
        ["a", 1.0, 0.0, "greater"], ["b", 1.0, 0.0, "greater"],
    ]  # fmt: skip


def test_differences_of_shares_by_hand(new_study: Callable[..., Any]) -> None:
    """P: (1/2, 1/2, 0), (1, 0, 0); Q: (0, 1/2, 1/2). Between a: 1/2, 1; within 1/2."""
    asked = {"1-P-m-1": ["a", "b"], "1-P-m-2": ["a"], "1-Q-m-1": ["b", "c"]}
    inputs = study(new_study, asked)
    units = built(inputs)["allocation_units"].set_index("subproblem")
    assert units["between"].tolist() == pytest.approx([0.75, 0.25, 0.5])
    assert units["within"].tolist() == pytest.approx([0.5, 0.5, 0.0])
    assert units["outcome"].tolist() == ["greater", "less", "greater"]
    assert units[["n_between", "n_within"]].iloc[0].tolist() == [2, 1]
    row = built(inputs)["allocation"].iloc[0]
    assert row[["n_units", "n_greater", "n_tied", "n_less"]].tolist() == [3, 2, 0, 1]
    # Q is run 1: between a (|.5-1|+|.5-0|)/2=.5 < 1, b (.5+0)/2=.25 < .5, c (0+.5)/2=.25 < .5: 0
    # Q is run 2: between a (.5+1)/2=.75 > .5, b (.5+.5)/2=.5 > 0, c (0+.5)/2=.25 < .5: 2
    assert row["null_share"] == pytest.approx((2 / 3 + 0 + 2 / 3) / 3, abs=0.05)


def test_a_request_in_several_subproblems_is_shared_equally(
    new_study: Callable[..., Any],
) -> None:
    asked = {"1-P-m-1": ["ab", "a"], "1-Q-m-1": ["a"], "1-Q-m-2": ["a"]}
    units = built(study(new_study, asked))["allocation_units"].set_index("subproblem")
    assert units.loc["b", "between"] == pytest.approx(0.25)


def test_ties_are_no_successes(new_study: Callable[..., Any]) -> None:
    asked = {"1-P-m-1": ["a"], "1-P-m-2": ["a"], "1-Q-m-1": ["a"]}
    row = built(study(new_study, asked))["allocation"].iloc[0]
    assert row[["n_units", "n_greater", "n_tied", "n_less"]].tolist() == [1, 0, 1, 0]


def test_cells_that_cannot_be_compared_are_counted_by_cause(
    new_study: Callable[..., Any],
) -> None:
    asked = {
        "1-P-m-1": ["a"], "1-Q-m-1": ["a"],  # no repeat
        "2-P-m-1": ["a"], "2-P-m-2": ["a"], "2-Q-m-1": ["-"],  # Q without an assigned request
        "3-P-m-1": ["a"], "3-P-m-2": ["b"], "3-Q-m-1": ["a"],
    }  # fmt: skip
    inputs = study(new_study, asked | {"4-P-m-1": ["a"], "4-P-m-2": ["a"], "4-Q-m-1": ["a"]})
    known = inputs.visits[~inputs.visits["run_id"].str.startswith("4")]
    row = built(replace(inputs, visits=known))["allocation"].iloc[0]
    names = ["n_cells", "n_comparable", "n_no_map", "n_no_run", "n_no_repeat"]
    assert row[names].tolist() == [4, 1, 1, 1, 1]


def test_runs_that_were_not_observed_in_full_are_not_compared(
    new_study: Callable[..., Any],
) -> None:
    asked = {"1-P-m-1": ["a"], "1-Q-m-1": ["a"]}
    found = agenda_of(study(new_study, asked, observes_a="partial"))
    assert found.loc["pairs", COUNTS].tolist() == [1, 0, 0, 0, 0]


def test_without_lists_the_tables_are_empty(worked_pair: Any) -> None:
    found = tables.build_tables(worked_pair.inputs(), CONFIG, (), only=NAMES)
    assert all(found[name].empty for name in NAMES)


def test_a_visit_that_stands_twice_is_refused(new_study: Callable[..., Any]) -> None:
    inputs = study(new_study, {"1-P-m-1": ["a"]})
    twice = pd.concat([inputs.visits, inputs.visits])
    with pytest.raises(InventoryError, match="twice"):
        agenda_cells(inputs.runs, twice)


def test_relabelling_finds_users_that_differ_and_not_those_that_do_not(
    new_study: Callable[..., Any],
) -> None:
    """Twelve cells of two P and two Q runs: what is asked goes by user, or by turn."""
    apart = {f"{t}-{arm}-m-{k}": ["a" if arm == "P" else "b", "c"]
             for t in range(12) for arm in "PQ" for k in (1, 2)}  # fmt: skip
    alike = {f"{t}-{arm}-m-{k}": ["a" if (k + (arm == "Q")) % 2 else "b", "c"]
             for t in range(12) for arm in "PQ" for k in (1, 2)}  # fmt: skip
    one, two = (built(study(new_study, asked))["allocation"].iloc[0] for asked in (apart, alike))
    assert one["null_p"] < 0.01
    assert one["greater_share"] > one["null_hi"]
    assert two["null_p"] > 0.5


_ABOUT = st.lists(st.sampled_from(["a", "b", "ab", "c", "-"]), min_size=1, max_size=4)


@settings(
    max_examples=6, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.lists(_ABOUT, min_size=2, max_size=5), st.integers(1, 4))
def test_which_condition_is_called_p_changes_nothing(
    new_study: Callable[..., Any], asked: list[list[str]], n_p: int
) -> None:
    arms = ["P" if n < min(n_p, len(asked) - 1) else "Q" for n in range(len(asked))]
    named = {
        f"1-{arm}-m-{k}": about for k, (arm, about) in enumerate(zip(arms, asked, strict=True))
    }
    inputs = study(new_study, named)
    other = replace(
        inputs, runs=inputs.runs.assign(arm=inputs.runs["arm"].map({"P": "Q", "Q": "P"}))
    )
    first, second = built(inputs), built(other)
    for name in ("agenda", "allocation", "allocation_units"):
        drawn = [c for c in first[name] if c.startswith("null_")]
        pd.testing.assert_frame_equal(
            first[name].drop(columns=drawn), second[name].drop(columns=drawn)
        )
