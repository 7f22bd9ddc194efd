"""Expectations against what is drawn, and by hand."""

from dataclasses import replace

import numpy as np
import pytest

from draligned.simulate.drawn import draw, generator, read_finals, read_requests
from draligned.simulate.expected import expected_d
from draligned.simulate.panels import final_values, request_values
from draligned.simulate.parameters import Leaning, Reader, Scenario
from draligned.simulate.scenarios import AA, NULL, PAPER, USERS, shaped

MIXED = replace(
    USERS,
    name="mixed",
    requests=Leaning(rate=0.4, own=0.7, both=0.2, user=5, task=4, cell=3, run=6, own_task=5,
                     own_model=0.1),
    finals=Leaning(rate=0.5, own=0.8, both=0.3, user=5, task=4, cell=3, run=2, own_task=9),
)  # fmt: skip


@pytest.mark.parametrize("scenario", [PAPER, NULL, AA, USERS, MIXED], ids=lambda s: s.name)
def test_the_mean_of_what_is_drawn_is_expected(scenario: Scenario) -> None:
    drawn = draw(shaped(scenario, 24), 400, generator("expected", scenario.name))
    rng = generator("reads")
    requests = request_values(drawn, read_requests(drawn, Reader(), rng))
    finals = final_values(drawn, read_finals(drawn, Reader(), rng))
    for channel, values in (("A", requests), ("F", finals)):
        means = values.actual.mean(axis=1)
        error = means.std() / np.sqrt(len(means))
        assert abs(means.mean() - expected_d(scenario, channel)) < 4 * error


def test_by_hand() -> None:
    plain = Scenario(
        name="plain",
        requests=Leaning(rate=0.25, own=0.8),
        finals=Leaning(rate=0.5, own=1.0),
    )
    assert expected_d(plain, "A") == pytest.approx(2 * (0.2 - 0.05))
    assert expected_d(plain, "F") == pytest.approx(1 - 0.5**2)
    certain = replace(plain, finals=Leaning(rate=0.5, own=1.0, task=1e-9))
    assert expected_d(certain, "F") == pytest.approx(0.5)


def test_scenarios_are_near_what_the_paper_prints() -> None:
    assert expected_d(PAPER, "A") == pytest.approx(0.15)
    assert expected_d(PAPER, "F") == pytest.approx(0.83, abs=0.005)
    assert expected_d(NULL, "A") == expected_d(NULL, "F") == expected_d(AA, "A") == 0
