"""Known answers, and independent libraries, for shares and differences over scenarios."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from draligned.progress.statistics import (
    Counts,
    Settings,
    combination,
    difference,
    effective_n,
    shares,
    tabulate,
    undercovered,
)

SETTINGS = Settings(draws=2_000)
NAMES = tuple(f"sched-{n:02}" for n in range(1, 13))


def counts(hits: np.ndarray, rows: np.ndarray) -> Counts:
    cells = tuple((str(j),) for j in range(hits.shape[1]))
    return Counts(scenarios=NAMES[: len(hits)], cells=cells, hits=hits, rows=rows)


def drawn(seed: int) -> Counts:
    rng = np.random.default_rng(seed)
    rows = np.full((12, 2), 40.0)
    return counts(rng.binomial(40, rng.uniform(0.2, 0.7, (12, 2))).astype(float), rows)


def test_counts_stand_in_their_places_whatever_the_order() -> None:
    frame = pd.DataFrame(
        {
            "point": ["wait", "done", "wait"], "metric": ["theta"] * 3,
            "scenario_id": ["b", "a", "a"], "k": [1, 2, 3], "n": [4, 5, 6],
        }
    )  # fmt: skip
    made = tabulate(frame, ["point", "metric"])
    assert (made.scenarios, made.cells) == (("a", "b"), (("done", "theta"), ("wait", "theta")))
    assert made.hits.tolist() == [[2, 3], [0, 1]]
    assert made.rows.tolist() == [[5, 6], [0, 4]]


def test_a_share_is_pooled_and_its_bootstrap_is_scipys() -> None:
    """The same resampling of scenarios by an independent library, on the same numbers."""
    made = drawn(1)
    row = shares(made, ["cell"], SETTINGS).iloc[0]
    k, n = made.hits[:, 0], made.rows[:, 0]
    assert row["share"] == pytest.approx(k.sum() / n.sum())
    other = stats.bootstrap(
        (k, n), lambda a, b, axis: a.sum(axis) / b.sum(axis), paired=True, vectorized=True,
        n_resamples=20_000, method="percentile", rng=np.random.default_rng(5),
    )  # fmt: skip
    found = (row["ci_lo"], row["ci_hi"])
    assert found == pytest.approx(tuple(other.confidence_interval), abs=0.01)


def test_wilson_is_scipys() -> None:
    row = shares(drawn(2), ["cell"], SETTINGS).iloc[1]
    known = stats.binomtest(int(row["k"]), int(row["n"])).proportion_ci(method="wilson")
    assert (row["wilson_lo"], row["wilson_hi"]) == pytest.approx((known.low, known.high))


def test_printed_proportions() -> None:
    """SI-42: 263/440 and 417/440."""
    rows = np.full((11, 2), 40.0)
    hits = np.vstack([np.full((10, 2), [24.0, 38.0]), [[23.0, 37.0]]])
    found = shares(counts(hits, rows), ["cell"], SETTINGS)
    assert found["share"].round(3).tolist() == [0.598, 0.948]
    assert found["wilson_lo"].round(3).tolist() == [0.551, 0.923]


def test_rows_that_agree_inside_scenarios_are_worth_the_scenarios() -> None:
    rows = np.full(12, 40.0)
    all_or_nothing = np.repeat([40.0, 0.0], 6)
    worth, flat = effective_n(all_or_nothing, rows)
    assert not flat
    assert worth == pytest.approx(11.0)
    independent = np.tile([19.0, 21.0, 20.0], 4)
    assert effective_n(independent, rows) == (480.0, False)
    assert effective_n(rows, rows) == (12.0, True)


def test_a_cell_at_its_limit_keeps_an_interval() -> None:
    rows = np.full((12, 1), 40.0)
    row = shares(counts(rows.copy(), rows), ["cell"], SETTINGS).iloc[0]
    assert row["degenerate"]
    assert (row["ci_lo"], row["ci_hi"]) == (1.0, 1.0)
    assert row["effective_lo"] < 0.8


def test_a_difference_uses_the_same_draws_and_every_sign() -> None:
    made = drawn(3)
    found = difference(made, ("0",), ("1",), SETTINGS)
    assert found is not None
    pooled = made.hits.sum(axis=0) / made.rows.sum(axis=0)
    assert found.value == pytest.approx(pooled[0] - pooled[1])
    own = (made.hits / made.rows) @ [1, -1]
    flips = np.array(np.meshgrid(*[[1, -1]] * 12)).reshape(12, -1).T
    exact = np.mean(np.abs(flips @ own) >= abs(own.sum()) - 1e-9)
    assert found.p == pytest.approx(exact)
    assert found.ci[0] < found.value < found.ci[1]


def test_a_clear_difference_reaches_the_floor() -> None:
    """SI-39: 2 / 4096."""
    rows = np.full((12, 2), 20.0)
    hits = np.stack([np.full(12, 18.0), np.arange(12.0) / 2], axis=1)
    found = difference(counts(hits, rows), ("0",), ("1",), SETTINGS)
    assert found is not None
    assert found.p == pytest.approx(2 / 4096)
    assert found.excludes_zero


def test_a_bound_at_zero_does_not_exclude_it() -> None:
    rows = np.full((12, 2), 20.0)
    hits = np.zeros((12, 2))
    hits[0, 0] = 1
    found = difference(counts(hits, rows), ("0",), ("1",), SETTINGS)
    assert found is not None
    assert found.ci[0] == 0.0
    assert not found.excludes_zero


def test_an_interaction_is_a_difference_of_differences() -> None:
    """SI-65: unhalved."""
    rows = np.full((12, 4), 10.0)
    hits = np.tile([9.0, 4.0, 7.0, 5.0], (12, 1))
    weights = {("0",): 1.0, ("1",): -1.0, ("2",): -1.0, ("3",): 1.0}
    found = combination(counts(hits, rows), weights, SETTINGS)
    assert found is not None
    assert found.value == pytest.approx(0.3)


def test_cells_without_a_common_scenario_are_not_compared() -> None:
    rows = np.array([[10.0, 0.0], [0.0, 10.0]])
    assert difference(counts(rows / 2, rows), ("0",), ("1",), SETTINGS) is None


def test_shares_of_few_scenarios_are_marked() -> None:
    """The paper's 12 are always too few for a percentile bootstrap."""
    table = shares(drawn(2), ["cell"], SETTINGS)
    assert table["marked"].all()
    assert set(table["recommended"]) == {"effective"}
    wide = (table["effective_lo"] < table["ci_lo"]) & (table["effective_hi"] > table["ci_hi"])
    assert wide.all()


@pytest.mark.parametrize(
    ("share", "scenarios", "marked"),
    [(0.5, 12, True), (0.5, 23, True), (0.5, 24, False), (0.95, 48, True), (0.1, 48, False)],
)
def test_where_the_bootstrap_is_known_to_cover_too_little(
    share: float, scenarios: int, marked: bool
) -> None:
    assert undercovered(share, scenarios) is marked


def test_cells_with_the_same_counts_have_the_interval_that_each_has_alone() -> None:
    made = drawn(3)
    order = [1, 0, 1, 0, 0]
    again = counts(made.hits[:, order], made.rows[:, order])
    alone = shares(made, ["cell"], SETTINGS)[["ci_lo", "ci_hi"]].to_numpy()
    both = shares(again, ["cell"], SETTINGS)[["ci_lo", "ci_hi"]].to_numpy()
    assert np.array_equal(both, alone[order])
