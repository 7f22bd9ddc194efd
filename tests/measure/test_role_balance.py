"""Which values are recorded, which are counterfactual, and how often."""

from dataclasses import replace
from typing import Any

import pandas as pd
import pytest

from draligned.measure import tables
from draligned.schema.config import MeasureConfig
from draligned.schema.frames import FACTORS, MeasureInputs


def built(inputs: MeasureInputs, *factors: tuple[str, ...]) -> pd.DataFrame:
    named = pd.DataFrame(list(factors), columns=list(FACTORS), dtype=object)
    made = tables.build_tables(
        replace(inputs, factors=named), MeasureConfig(draws=100), (), only=["role_balance"]
    )
    return made["role_balance"]


@pytest.fixture
def four_tasks(study: Any) -> MeasureInputs:
    """Four tasks; in the last one the finals cannot be read."""
    for task, final in (("1", "PN"), ("2", "PN"), ("3", "NN"), ("4", ".")):
        study.run(task, "P", ["P"], final)
        study.run(task, "Q", ["N"], "NN")
    made: MeasureInputs = study.inputs()
    return made


def rows(table: pd.DataFrame) -> dict[tuple[str, str], dict[str, Any]]:
    return {(r["recorded"], r["counterfactual"]): r for r in table.to_dict("records")}


def test_values_in_both_roles_are_set_against_each_other(four_tasks: MeasureInputs) -> None:
    found = rows(
        built(
            four_tasks,
            ("f1", "residence", "杭州", "深圳"),
            ("f2", "residence", "杭州", "深圳"),
            ("f3", "residence", "深圳", "杭州"),
            ("f4", "pet", "猫", "狗"),
        )
    )
    one, other, alone = found["杭州", "深圳"], found["深圳", "杭州"], found["猫", "狗"]
    assert (one["n_factors"], one["n_factors_reversed"], one["roles"]) == (2, 1, "both")
    assert (other["n_pairs"], other["n_pairs_reversed"], other["roles"]) == (1, 2, "both")
    assert (alone["n_factors_reversed"], alone["roles"]) == (0, "one_way")
    assert (one["d_a"], one["d_f"], one["n_readable_f"]) == (1.0, 1.0, 2)
    assert (other["d_a"], other["d_f"]) == (1.0, 0.0)
    assert (alone["n_readable_a"], alone["n_readable_f"]) == (1, 0)
    assert pd.isna(alone["d_f"])


def test_as_many_pairs_either_way_are_balanced(four_tasks: MeasureInputs) -> None:
    found = built(
        four_tasks, ("f1", "k", "a", "b"), ("f2", "k", "b", "a"), ("f3", "l", "a", "b"),
        ("f4", "l", "c", "d"),
    )  # fmt: skip
    assert found.set_index("kind")["roles"].to_dict() | {} == {"k": "balanced", "l": "one_way"}


def test_without_values_there_is_no_table(four_tasks: MeasureInputs) -> None:
    assert built(four_tasks).empty
