from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pandas as pd
import pytest

from draligned.measure import tables
from draligned.schema.config import MeasureConfig
from draligned.schema.frames import InputSet, MeasureInputs

NAMES = ["placebo_estimates", "axis_labels", "estimates"]


def on_axis(inputs: MeasureInputs) -> MeasureInputs:
    """The same rows on another factor."""
    return replace(
        inputs,
        **{
            name: getattr(inputs, name).assign(factor_id="other " + getattr(inputs, name).factor_id)
            for name in ("runs", "request_reads", "documents", "document_reads", "items")
        },
    )


def built(panel: MeasureInputs, placebo: MeasureInputs) -> dict[str, pd.DataFrame]:
    inputs = replace(panel, sets={InputSet.PLACEBO: on_axis(placebo)})
    return tables.build_tables(inputs, MeasureConfig(draws=100), ("D_A", "D_F"), only=NAMES)


@pytest.fixture
def both(new_study: Callable[..., Any]) -> dict[str, pd.DataFrame]:
    """Three tasks, two of them read on a placebo axis too, which one request of task 1 touches."""
    panel, placebo = new_study(), new_study()
    for task in ("1", "2", "3"):
        for arm in ("P", "Q"):
            panel.run(task, arm, [arm, "N"], arm)
    placebo.run("1", "P", ["P", "N", "U"], "N")
    placebo.run("1", "Q", ["N"], "N")
    placebo.run("2", "P", ["N"], None)
    placebo.run("2", "Q", ["N"], "B")
    return built(panel.inputs(), placebo.inputs())


def value(table: pd.DataFrame, estimand: str) -> float:
    rows = table[(table["estimand"] == estimand) & (table["population"] == "readable")]
    return float(rows.loc[rows["model"] == "all", "value"].iloc[0])


def test_placebo_pairs_have_estimates_of_their_own(both: dict[str, pd.DataFrame]) -> None:
    assert value(both["placebo_estimates"], "D_A") == pytest.approx((0.5 + 0.0) / 2)
    assert value(both["placebo_estimates"], "D_F") == 0.0
    assert value(both["estimates"], "D_A") == pytest.approx(1.0)
    assert not both["placebo_estimates"]["primary"].any()


def test_what_is_found_on_the_axis_beside_the_runs_own(both: dict[str, pd.DataFrame]) -> None:
    rows = both["axis_labels"]
    rows = rows[rows["model"] == "all"].set_index(["kind", "axis"])
    names = ["n_runs", "n_units", "n_identified", "n_directional", "n_tasks"]
    assert rows.loc[("request", "placebo"), names].tolist() == [4, 6, 5, 1, 2]
    assert rows.loc[("final", "placebo"), names].tolist() == [3, 3, 3, 1, 2]
    assert rows.loc[("request", "assigned"), names].tolist() == [4, 8, 8, 4, 2]
    assert rows.loc[("final", "assigned"), "directional_share"] == 1.0


def test_a_study_without_a_placebo_axis_has_empty_tables(worked_pair: Any) -> None:
    found = tables.build_tables(worked_pair.inputs(), MeasureConfig(draws=100), (), only=NAMES)
    assert found["placebo_estimates"].empty
    assert found["axis_labels"].empty
