"""Hostile agents over the other wires: every episode ends as over plain chat completions."""

from pathlib import Path

import pytest

from .agents import Case
from .checks import check_all, no_strange_numbers
from .loopback import Loopback, serving
from .stage import drafted, ran, runs
from .wires import RESPONDING, STREAMED, Responding, Streamed

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    ("provider", "settings", "agents"),
    [
        (Streamed(), "stream = true", STREAMED),
        (Responding(), 'api = "responses"', RESPONDING),
        (Responding(), 'api = "responses"\nreasoning_content = "echo"\nstream = true', RESPONDING),
    ],
    ids=["streamed", "responses", "responses-echo"],
)
def test_outcomes(
    tmp_path: Path, provider: Loopback, settings: str, agents: dict[str, Case]
) -> None:
    answers = {name: case.answer for name, case in agents.items()}
    with serving(provider) as loop:
        study = ran(drafted(tmp_path / "study", loop, answers, provider=settings), list(agents))
        wrong = {}
        for run in runs(study):
            case = agents[run.model]
            executed = sum(b.kind == "request_executed" for b in run.bodies)
            if run.outcome != case.outcome or case.executed not in (None, executed):
                wrong[run.model, run.arm] = (run.outcome, executed, case.outcome, case.executed)
        assert wrong == {}
        check_all(study)
        no_strange_numbers(study)
