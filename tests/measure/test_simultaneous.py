from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest

from draligned.measure.simultaneous import simultaneous
from draligned.measure.tables import build_tables
from draligned.schema.config import MeasureConfig
from draligned.schema.frames import MeasureInputs
from draligned.simulate.labels import simulate
from draligned.simulate.plan import PAPER

CONFIG = MeasureConfig(draws=400)
PLAN = replace(PAPER, name="simultaneous", tasks=12, models=2)


def rows(inputs: MeasureInputs, primary: tuple[str, ...], **more: Any) -> pd.DataFrame:
    built = build_tables(inputs, CONFIG, primary, only=["simultaneous"], **more)
    return built["simultaneous"].set_index(["harness", "estimand"])


def test_redone_from_the_row_with_numpy_alone() -> None:
    inputs = simulate(PLAN, 3)
    found = rows(inputs, ("D_A", "D_F"))
    tasks = build_tables(inputs, CONFIG, (), only=["tasks"])["tasks"].query("model == 'all'")
    wide = tasks.pivot(index="task_id", columns="estimand", values="value")
    means = wide.sort_index().to_numpy(dtype=float, na_value=np.nan)
    row = found.iloc[0]
    rng = np.random.Generator(np.random.PCG64(row["boot_seed"]))
    index = rng.integers(0, row["boot_tasks"], size=(row["boot_draws"], row["boot_tasks"]))

    def mean_and_error(sample: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        n = (~np.isnan(sample)).sum(axis=0)
        return np.nanmean(sample, axis=0), np.nanstd(sample, axis=0, ddof=1) / np.sqrt(n)

    value, error = mean_and_error(means)
    largest = []
    for line in index:
        m, e = mean_and_error(means[line])
        if (e > 1e-9).all():
            largest.append(np.abs((m - value) / e).max())
    critical = np.quantile(largest, 0.95)
    assert row["n_draws_used"] == len(largest)
    assert found["critical"].tolist() == pytest.approx([critical] * 2)
    assert found["value"].tolist() == pytest.approx(value.tolist())
    assert found["error"].tolist() == pytest.approx(error.tolist())
    low = np.maximum(value - critical * error, [-2, -1])
    high = np.minimum(value + critical * error, [2, 1])
    assert found["ci_lo"].tolist() == pytest.approx(low.tolist())
    assert found["ci_hi"].tolist() == pytest.approx(high.tolist())
    hits = [(np.array(largest) >= abs(v) / e).sum() for v, e in zip(value, error, strict=True)]
    p = [(1 + h) / (1 + len(largest)) for h in hits]
    assert found["p_adjusted"].tolist() == pytest.approx(p)


@pytest.mark.parametrize("part", [5, 17, 23, 29])
def test_draws_that_equal_the_estimate_count_in_spite_of_rounding(study: Any, part: int) -> None:
    shares = [Fraction(1, part)] * 3 + [Fraction(5, part)]
    for task, share in enumerate(shares):
        leaning = ["P"] * share.numerator + ["N"] * (share.denominator - share.numerator)
        study.run(str(task), "P", leaning, "P")
        study.run(str(task), "Q", ["N"], "N")
    row = rows(study.inputs(), ("D_A",)).iloc[0]
    rng = np.random.Generator(np.random.PCG64(row["boot_seed"]))
    index = rng.integers(0, 4, size=(row["boot_draws"], 4)).tolist()
    value = sum(shares) / 4

    def squared(drawn: list[Fraction], centre: Fraction) -> Fraction | None:
        """The square of (mean - centre) / error, exactly."""
        mean = sum(drawn) / 4
        spread = sum((x - mean) ** 2 for x in drawn) / 3 / 4
        return (mean - centre) ** 2 / spread if spread else None

    own = squared(shares, Fraction(0))
    drawn = [squared([shares[i] for i in line], value) for line in index]
    used = [t for t in drawn if t is not None]
    assert own is not None
    assert own in used
    hits = sum(t >= own for t in used)
    assert row["p_adjusted"] == pytest.approx((1 + hits) / (1 + len(used)))


def test_a_larger_family_has_wider_intervals() -> None:
    inputs = simulate(PLAN, 4)
    alone, both = rows(inputs, ("D_A",)), rows(inputs, ("D_A", "D_F"))
    assert alone["n_family"].tolist() == [1]
    assert both["n_family"].tolist() == [2, 2]
    assert both["critical"].iloc[0] > alone["critical"].iloc[0]


def test_harnesses_are_of_one_family_and_evaluators_are_not() -> None:
    inputs = simulate(PLAN, 5)
    other = simulate(replace(PLAN, name="other", tasks=9), 5)
    runs = pd.concat([inputs.runs, other.runs.assign(harness="H-W")], ignore_index=True)
    parts = {
        name: pd.concat([getattr(inputs, name), getattr(other, name)], ignore_index=True)
        for name in ("request_reads", "documents", "document_reads", "items")
    }
    found = rows(replace(inputs, runs=runs, **parts), ("D_A",))
    assert found["n_family"].tolist() == [2, 2]
    assert found["boot_tasks"].tolist() == [12, 12]
    assert found["n_tasks"].tolist()[0] <= 9


def test_what_cannot_vary_is_left_out_with_a_reason(study: Any) -> None:
    for task in range(8):
        study.run(str(task), "P", ["P"] * (task % 3 + 1) + ["N"], "P")
        study.run(str(task), "Q", ["N"], "N")
    found = rows(study.inputs(), ("D_A", "D_F", "D_F/planned"))
    assert found["n_family"].tolist() == [1, 1, 1]
    assert found["status"].tolist() == ["ok", "unknown", "unknown"]
    assert found["reason"].tolist()[1:] == ["degenerate", "degenerate"]
    assert found["ci_lo"].isna().tolist() == [False, True, True]


def test_planned_estimates_without_a_value_are_no_members(study: Any) -> None:
    for task in range(6):
        study.run(str(task), "P", ["P"] * (task % 3) + ["N"], None if task == 2 else "P")
        study.run(str(task), "Q", ["N"], "N")
    found = rows(study.inputs(), ("D_A", "D_F/planned")).reset_index().set_index("population")
    assert found.loc["planned", "reason"] == "no_value"
    assert found.loc["readable", "status"] == "ok"


def test_nothing_primary_no_rows() -> None:
    assert rows(simulate(PLAN, 6), ()).empty
    assert simultaneous.__doc__
