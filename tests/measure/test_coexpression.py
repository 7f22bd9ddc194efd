"""Co-expression of two facts (DR-94): a unit counts only where both are identified."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pandas as pd
import pytest

from draligned.measure import tables
from draligned.schema.config import MeasureConfig
from draligned.schema.frames import SECOND, InputSet, MeasureInputs

COUNTS = [
    "n_units", "n_both_identified", "n_own_both", "n_own_first", "n_own_second", "n_own_neither",
    "n_any_both", "n_first_only", "n_second_only", "n_unidentified",
]  # fmt: skip


class Two:
    """Runs told two facts: factor f1 of task 1, and g1 on one side for all of them."""

    def __init__(self, study: Any, side: str) -> None:
        self.study, self.side = study, side
        self.second: list[tuple[str, str, str]] = []

    def run(self, arm: str, requests: list[tuple[str, str]], final: tuple[str, str] | None) -> None:
        """A run; letters of the first and of the second factor."""
        first = [a for a, _ in requests]
        run_id = self.study.run("1", arm, first, final and final[0])
        for no, (_, b) in enumerate(requests, start=1):
            self.study.request(run_id, "g1", no, b)
        if final is not None:
            self.study.document(run_id, "g1", "final", 1, final[1])
        self.second.append((run_id, "g1", self.side))

    def inputs(self) -> MeasureInputs:
        second = pd.DataFrame(self.second, columns=list(SECOND), dtype=object)
        return replace(self.study.inputs(), second=second)


def built(panel: MeasureInputs, **sets: MeasureInputs) -> pd.DataFrame:
    named = {InputSet(f"two_factor_{name}"): inputs for name, inputs in sets.items()}
    inputs = replace(panel, sets=named)
    made = tables.build_tables(inputs, MeasureConfig(draws=100), (), only=["coexpression"])
    return made["coexpression"]


def counts(table: pd.DataFrame, **where: str) -> dict[str, int]:
    for name, word in {"model": "all", **where}.items():
        table = table[table[name] == word]
    (row,) = table[COUNTS].to_dict("records")
    return {k: int(v) for k, v in row.items()}


def test_own_sides_are_those_that_the_run_was_told(
    study: Any, new_study: Callable[..., Any]
) -> None:
    two = Two(new_study(), "P")
    two.run("P", [("P", "P"), ("B", "P"), ("Q", "P"), ("P", "N"), ("N", "N")], ("PN", "PN"))
    two.run("Q", [("P", "P"), ("Q", "P"), ("Q", "B"), ("N", "P")], ("QN", "NN"))
    found = built(study.inputs(), primary=two.inputs())
    requests = counts(found, unit="request")
    assert requests["n_units"] == requests["n_both_identified"] == 9
    assert requests["n_own_both"] == 4
    assert (requests["n_own_first"], requests["n_own_second"]) == (1, 3)
    assert requests["n_own_neither"] == 1
    assert requests["n_any_both"] == 6
    finals = counts(found, unit="final")
    assert (finals["n_both_identified"], finals["n_own_both"], finals["n_own_first"]) == (2, 1, 1)


def test_a_unit_counts_only_if_both_factors_are_identified(
    study: Any, new_study: Callable[..., Any]
) -> None:
    two = Two(new_study(), "Q")
    two.run("P", [("P", "U"), ("V", "Q"), ("U", "U"), ("P", "Q"), ("PN"[0], "N")], ("PN", "."))
    two.run("Q", [], None)
    found = built(study.inputs(), complementary=two.inputs())
    requests = counts(found, unit="request")
    assert (requests["n_first_only"], requests["n_second_only"]) == (1, 1)
    assert (requests["n_unidentified"], requests["n_both_identified"]) == (1, 2)
    assert requests["n_own_both"] == 1
    finals = counts(found, unit="final")
    assert (finals["n_units"], finals["n_both_identified"], finals["n_own_both"]) == (1, 0, 0)
    (row,) = found[(found["unit"] == "final") & (found["model"] == "all")].to_dict("records")
    assert (row["status"], row["reason"]) == ("unknown", "empty")
    assert pd.isna(row["own_both_share"])


def test_the_two_comparisons_stand_apart(study: Any, new_study: Callable[..., Any]) -> None:
    made = {}
    for name, side in (("primary", "P"), ("complementary", "Q")):
        made[name] = Two(new_study(), side)
        made[name].run("P", [("P", "P")], ("PN", "PN"))
    found = built(study.inputs(), **{name: two.inputs() for name, two in made.items()})
    primary = counts(found, comparison="primary", unit="request")
    complementary = counts(found, comparison="complementary", unit="request")
    assert (primary["n_units"], complementary["n_units"]) == (1, 1)
    assert (primary["n_own_both"], complementary["n_own_both"]) == (1, 0)


def test_printed_counts_have_their_wilson_intervals(
    study: Any, new_study: Callable[..., Any]
) -> None:
    """25 of 29 readable finals, 0 of 266 requests (DR-94): shares of printed counts."""
    two = Two(new_study(), "P")
    made = two.study
    for number in range(29):
        run_id = made.run(
            str(number), "P", ["N"] * (10 if number < 24 else 5), "PN" if number < 25 else "NN"
        )
        two.second.append((run_id, "g", "P"))
        for no in range(1, 11 if number < 24 else 6):
            made.request(run_id, "g", no, "N")
        made.document(run_id, "g", "final", 1, "PN")
    found = built(study.inputs(), primary=two.inputs())
    (final,) = found[(found["unit"] == "final") & (found["model"] == "all")].to_dict("records")
    assert (final["n_own_both"], final["n_both_identified"]) == (25, 29)
    assert final["own_both_share"] == pytest.approx(25 / 29)
    assert (final["own_both_lo"], final["own_both_hi"]) == pytest.approx((0.6944, 0.9450), abs=5e-5)


def test_no_two_factor_task_gives_an_empty_table(worked_pair: Any) -> None:
    assert built(worked_pair.inputs()).empty
