from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from draligned.measure.made import matrix_of, read
from draligned.measure.pairs import build_pairs
from draligned.measure.tables import build_tables
from draligned.schema.config import MeasureConfig
from draligned.simulate.drawn import draw, generator, read_finals, read_requests
from draligned.simulate.label_tables import Evaluator, Making, label_tables
from draligned.simulate.panels import final_values, panel_of, request_values
from draligned.simulate.parameters import Reader, Scenario, Shape, alike
from draligned.simulate.scenarios import AA, PAPER, shaped
from draligned.simulate.trials import Trials, measure_trials, run_trials

SMALL = replace(
    PAPER, name="small", shape=Shape(tasks=12, models=3, replicates=2), final_reader=Reader()
)
NOISY = replace(
    SMALL, request_reader=Reader(abstain=alike(0.3), void=0.1, error=0.1, noise=0.1, slot_bias=0.1)
)


def by_measure(scenario: Scenario, seed: int, pairing: str) -> pd.DataFrame:
    """Pairs of measure's own, from label tables."""
    drawn = draw(scenario, 1, generator("t", seed))
    evaluator = Evaluator(name="e", requests=scenario.request_reader, finals=scenario.final_reader)
    made = label_tables(drawn, Making(seed=seed, evaluators=[evaluator], harnesses=["coupled"]))
    pairs = build_pairs(matrix_of(read(made), "block_none")[0], pairing)  # type: ignore[arg-type]
    order = ["task", "model", "replicate_p", "replicate_q"]
    return pairs.assign(task=pairs["task_id"].astype(int)).sort_values(order)


@pytest.mark.parametrize("pairing", ["first", "all_cross"])
@pytest.mark.parametrize("scenario", [SMALL, NOISY, replace(SMALL, condition="aa")])
def test_arrays_and_label_tables_give_the_same_pairs(scenario: Scenario, pairing: str) -> None:
    drawn = draw(scenario, 1, generator("t", 3))
    requests = read_requests(drawn, scenario.request_reader, generator("requests of e", 3))
    a = request_values(drawn, requests, pairing)  # type: ignore[arg-type]
    finals = read_finals(drawn, Reader(), generator("f", 3))
    f = final_values(drawn, finals, pairing)  # type: ignore[arg-type]
    pairs = by_measure(scenario, 3, pairing)
    assert len(pairs) == 36 * (4 if pairing == "all_cross" else 1)
    for values, name in ((a, "a"), (f, "f")):
        known = (pairs[f"{name}_status"] == "readable").to_numpy()
        assert known.tolist() == values.readable[0].tolist()
        assert known.sum() > 0
        np.testing.assert_allclose(pairs[f"d_{name}"].to_numpy()[known], values.d[0][known])


def test_arrays_and_label_tables_give_the_same_estimates() -> None:
    drawn = draw(SMALL, 1, generator("t", 4))
    evaluator = Evaluator(name="e", requests=Reader(), finals=Reader())
    made = label_tables(drawn, Making(seed=4, evaluators=[evaluator], harnesses=["coupled"]))
    config = MeasureConfig(draws=300, seed=5)
    rows = build_tables(made, config, ("D_A", "D_F"), only=("estimates",))["estimates"]
    whole = rows[rows["model"] == "all"].set_index(["estimand", "population"])
    reads = (
        read_requests(drawn, Reader(), generator("r", 4)),
        read_finals(drawn, Reader(), generator("f", 4)),
    )
    values = request_values(drawn, reads[0]), final_values(drawn, reads[1])
    trials = Trials(studies=1, draws=300, seed=5)
    found = measure_trials(
        lambda *_: iter([(v, 0.0) for v in values]), panel_of(SMALL.shape), trials, "x"
    )
    for row in found.to_dict("records"):
        own = whole.loc[(row["estimand"], row["population"])]
        for name in own.index.intersection(list(row)):
            if isinstance(own[name], float) and not pd.isna(own[name]):
                assert row[name] == pytest.approx(own[name], abs=1e-9), name


def test_actual_values_are_those_of_perfect_reading() -> None:
    drawn = draw(replace(shaped(PAPER, 12), silent=alike(0.0)), 5, generator("t", 6))
    rng = generator("r", 6)
    whole = request_values(drawn, read_requests(drawn, Reader(), rng))
    assert whole.readable.all()
    np.testing.assert_allclose(whole.d, whole.actual)
    finals = final_values(drawn, read_finals(drawn, Reader(), rng))
    np.testing.assert_allclose(finals.d, finals.actual)


def test_bounds_contain_what_was_not_read() -> None:
    drawn = draw(shaped(PAPER, 24), 20, generator("t", 7))
    rng = generator("r", 7)
    abstaining = Reader(abstain=alike(0.5))
    for values in (
        request_values(drawn, read_requests(drawn, abstaining, rng)),
        final_values(drawn, read_finals(drawn, abstaining, rng)),
    ):
        limits = values.opened or values.sharp
        unread = ~values.readable
        assert 0 < unread.sum() < unread.size
        assert (limits.low[unread] <= values.actual[unread]).all()
        assert (values.actual[unread] <= limits.high[unread]).all()


def test_trials_are_the_same_again_and_of_every_kind() -> None:
    trials = Trials(studies=3, draws=200, seed=1)
    first, again = run_trials(AA, trials), run_trials(AA, trials)
    pd.testing.assert_frame_equal(first, again)
    assert len(first) == 3 * 2 * 2
    assert set(first["estimand"]) == {"D_A", "D_F"}
    assert not first.equals(run_trials(AA, replace(trials, seed=2)))


def test_progress_is_told() -> None:
    said: list[tuple[str, int, int]] = []
    run_trials(
        shaped(PAPER, 3, 1), Trials(studies=101, draws=100, channels=("F",)),
        lambda *told: said.append(told),
    )  # fmt: skip
    assert said == [("paper", 100, 101), ("paper", 101, 101)]
