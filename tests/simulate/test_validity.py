"""What the page of validity promises: a few studies here, 4,000 of each where marked slow."""

from functools import cache

import pandas as pd
import pytest

from draligned.measure.intervals import RECOMMENDED
from draligned.simulate import coverage as cov
from draligned.simulate.faults import order_and_noise
from draligned.simulate.parameters import Scenario
from draligned.simulate.scenarios import AA, BY_REQUEST, BY_STATE, NULL, PAPER, SPARSE, shaped
from draligned.simulate.trials import Trials, run_trials
from draligned.simulate.validity import cases

FEW, ALL = 200, 4_000
PANELS = {"120 - 10": {"tasks": 24, "excluded": 10}, "22 x 5": {"tasks": 22}}
COUNTS = [FEW, pytest.param(ALL, marks=pytest.mark.slow)]


@cache
def trials(scenario: Scenario, studies: int) -> pd.DataFrame:
    return run_trials(scenario, Trials(studies=studies, draws=500 if studies == FEW else 2_000))


def panel(scenario: Scenario, name: str, studies: int) -> pd.DataFrame:
    return trials(shaped(scenario, **PANELS[name]), studies)


def shares(made: pd.DataFrame, method: str, population: str = "readable") -> dict[str, float]:
    """Coverage by estimand."""
    rows = cov.coverage(made[made["population"] == population])
    own = rows[rows["method"] == method]
    return dict(zip(own["estimand"], own["share"], strict=True))


@pytest.mark.parametrize("name", PANELS)
@pytest.mark.parametrize("studies", COUNTS)
def test_missing_at_random_leaves_no_bias(name: str, studies: int) -> None:
    made = panel(PAPER, name, studies)
    assert made["readable"].groupby(made["estimand"]).mean().to_dict() == pytest.approx(
        {"D_A": 0.79, "D_F": 0.63}, abs=0.02
    )
    bias = cov.bias(made).set_index("estimand")["bias"]
    assert bias.abs().max() < 0.01


@pytest.mark.parametrize("name", PANELS)
@pytest.mark.parametrize("studies", COUNTS)
def test_missing_by_state_biases_and_the_planned_interval_holds_the_truth(
    name: str, studies: int
) -> None:
    made = panel(BY_STATE, name, studies)
    bias = cov.bias(made).set_index("estimand")["bias"]
    assert bias["D_A"] > 0.005
    assert bias["D_F"] > 0.03
    assert min(shares(made, "im", "planned").values()) >= 0.95
    assert shares(made, RECOMMENDED)["D_F"] < 0.93
    bounds = cov.bounded(made)
    assert (bounds.loc[bounds["bounds"] == "sharp", "share"] == 1).all()


def test_requests_missing_by_state_are_answered_for_by_the_open_bounds_alone() -> None:
    made = trials(shaped(BY_REQUEST, 24), FEW)
    bias = cov.bias(made).set_index("estimand")["bias"]
    assert bias["D_A"] > 0.03
    assert shares(made, "im", "planned")["D_A"] < 0.95
    assert shares(made, "im_open", "planned")["D_A"] >= 0.95
    bounds = cov.bounded(made).set_index(["estimand", "bounds"])["share"]
    assert bounds["D_A", "sharp"] < 0.1
    assert bounds["D_A", "open"] == 1


@pytest.mark.parametrize("scenario", [PAPER, NULL], ids=lambda s: s.name)
def test_the_recommended_interval_covers_more_than_the_papers(scenario: Scenario) -> None:
    made = trials(shaped(scenario, 24), FEW)
    own, paper = shares(made, RECOMMENDED), shares(made, "ci")
    for estimand in ("D_A", "D_F"):
        assert own[estimand] >= 0.92
        assert own[estimand] >= paper[estimand]


@pytest.mark.slow
@pytest.mark.parametrize("tasks", [12, 24, 50])
@pytest.mark.parametrize("scenario", [PAPER, NULL, SPARSE], ids=lambda s: s.name)
def test_the_recommended_interval_covers_what_it_says(scenario: Scenario, tasks: int) -> None:
    own = shares(trials(shaped(scenario, tasks), ALL), RECOMMENDED)
    assert min(own.values()) >= cov.LEAST
    assert tasks == 12 or max(own.values()) <= cov.MOST


@pytest.mark.parametrize("studies", COUNTS)
def test_two_runs_of_one_condition_differ_at_the_nominal_rate(studies: int) -> None:
    made = trials(shaped(AA, 24), studies)
    bias = cov.bias(made)
    assert (bias["bias"].abs() < 4 * bias["error"]).all()
    found = cov.excluded_zero(made[made["population"] == "readable"], RECOMMENDED)
    error = (0.05 * 0.95 / studies) ** 0.5
    for name in ("interval", "test"):
        assert found[name].between(0.05 - 3 * error - 0.01, 0.05 + 3 * error + 0.01).all()


def test_order_shows_in_flips_and_noise_in_retests() -> None:
    found = order_and_noise().set_index(["evaluator", "kind"])
    for kind in ("request", "document"):
        biased, noisy = found.loc[("slot bias 10 %", kind)], found.loc[("noise 10 %", kind)]
        assert biased["retests"] == 0
        assert biased["flips"] > 0.07
        assert biased["low"] > 0.05
        assert biased["slot_lean"] > 0.07
        assert noisy["retests"] > 0.12
        assert noisy["low"] < 0 < noisy["high"]
        assert abs(noisy["slot_lean"]) < 0.02
        assert found.loc[("none", kind), ["flips", "retests"]].tolist() == [0, 0]


def test_the_page_tries_what_was_asked_for() -> None:
    tried = [(c.table, c.scenario.name, c.design) for c in cases()]
    assert len(set(tried)) == len(tried)
    for design in ("120 − 10", "22 × 5"):
        assert ("panel", "paper", design) in tried
        assert ("panel", "by state", design) in tried
    for tasks in (12, 24, 50):
        assert ("clusters", "paper", f"{tasks} × 5") in tried
