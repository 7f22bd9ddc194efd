"""Hostile answers of a provider, end to end: HARD_CASES 1 to 6, 9, 10, 16 and 23."""

from collections import Counter

import pytest

from draligned.api import Study

from .agents import AGENTS
from .checks import attempts, check_all, check_attempt, no_strange_numbers
from .stage import Run, runs


@pytest.fixture(scope="module")
def by_model(hostile: Study) -> dict[str, list[Run]]:
    """Runs of every agent."""
    found: dict[str, list[Run]] = {}
    for run in runs(hostile):
        found.setdefault(run.model, []).append(run)
    return found


@pytest.mark.parametrize("name", AGENTS)
def test_outcomes(by_model: dict[str, list[Run]], name: str) -> None:
    case = AGENTS[name]
    assert [r.arm for r in by_model[name]] == ["P", "Q"]
    for run in by_model[name]:
        assert run.outcome == case.outcome, [b for b in run.bodies if b.kind == "model_failed"]
        if case.executed is not None:
            assert sum(b.kind == "request_executed" for b in run.bodies) == case.executed
        if name.startswith(("broken_", "beside_")):
            (invalid,) = (b for b in run.bodies if b.kind == "tool_call_invalid")
            assert invalid.problem


def test_every_log_adds_up(hostile: Study) -> None:
    counts = check_all(hostile)
    assert sum(counts.values()) == len(attempts(hostile))
    expected: Counter[str] = Counter()
    for case in AGENTS.values():
        expected[case.outcome] += 2
    first = Counter(check_attempt(hostile, c.run_id, 1) for c in hostile.cells())
    assert first == expected
    no_strange_numbers(hostile)
