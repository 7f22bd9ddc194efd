"""Which pairs of a pilot are taken."""

from types import SimpleNamespace
from typing import Any

import pandas as pd
import pytest

from draligned.api.sizing import pilot_components
from draligned.schema.errors import ConfigError


def rows(evaluator: str, harness: str, step: float) -> pd.DataFrame:
    tasks = ["1", "1", "2", "2"]
    return pd.DataFrame(
        {
            "evaluator": evaluator, "harness": harness, "task_id": tasks, "user_id": tasks,
            "model": ["a", "b", "a", "b"], "a_status": "readable", "f_status": "readable",
            "d_a": [0.0, 0.0, step, step], "d_f": [0, 0, 1, 1],
        }
    )  # fmt: skip


def study(*parts: pd.DataFrame, first: str = "one") -> Any:
    config = SimpleNamespace(evaluate=SimpleNamespace(evaluators=(first, "two")))
    return SimpleNamespace(config=config, table=lambda name: pd.concat(parts, ignore_index=True))


def test_the_primary_evaluators_pairs_are_taken_alone() -> None:
    pilot = study(rows("one", "coupled", 1.0), rows("two", "coupled", 2.0))
    assert pilot_components(pilot)["A"].task == pytest.approx(0.5)
    assert pilot_components(pilot)["F"].n_pairs == 4


def test_one_harness_is_taken_and_must_be_named_where_there_are_several() -> None:
    pilot = study(rows("one", "H-W", 1.0), rows("one", "coupled", 2.0))
    assert pilot_components(pilot, "coupled")["A"].task == pytest.approx(2.0)
    with pytest.raises(ConfigError, match="--harness H-W or coupled"):
        pilot_components(pilot)
    with pytest.raises(ConfigError, match="it has H-W, coupled"):
        pilot_components(pilot, "H-D")


def test_an_evaluator_that_did_not_read_yet_is_passed_over() -> None:
    pilot = study(rows("two", "coupled", 2.0), first="not yet")
    assert pilot_components(pilot)["A"].task == pytest.approx(2.0)
