"""Against a real tau2-bench: one pass of replay, and the benchmark's own verdict."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from draligned.progress.statistics import Settings
from draligned.progress.tau2.benchmark import Benchmark, Graded, hashes
from draligned.progress.tau2.frame import score_files
from draligned.progress.tau2.replay import checkpoints, replay
from draligned.progress.tau2.results import read_results
from draligned.progress.tau2.tables import build
from draligned.schema.base import unit_draw
from draligned.schema.tau2 import TauMessage
from tests.progress.tau2.made import Message, Played, gold_results, gold_run, run, tasks_of

pytestmark = [pytest.mark.tau2, pytest.mark.filterwarnings("ignore")]
STRAY = (
    ("user", "toggle_airplane_mode"), ("user", "toggle_roaming"), ("user", "toggle_data"),
    ("user", "check_status_bar"), ("user", "run_speed_test"), ("user", "reboot_device"),
    ("assistant", "transfer_to_human_agents"), ("assistant", "not_a_tool"),
)  # fmt: skip


def parsed(messages: Sequence[Message]) -> list[TauMessage]:
    return [TauMessage.model_validate(m) for m in messages]


def from_scratch(graded: Graded, messages: Sequence[Message]) -> list[tuple[int, bool, bool, bool]]:
    """(index, changed, ever changed, done) by the benchmark's own `set_state` on every prefix."""
    from pydantic import TypeAdapter
    from tau2.data_model.message import Message as Told

    told = TypeAdapter(list[Told]).validate_python(list(messages))
    start, out, ever = graded.task.initial_state, [], False
    base = hashes(graded.fresh())
    for place in checkpoints(parsed(messages)):
        environment = graded.benchmark.environment(graded.domain)
        environment.set_state(
            initialization_data=start.initialization_data if start else None,
            initialization_actions=start.initialization_actions if start else None,
            message_history=told[:place],
        )
        calls = [c for m in told[:place] for c in getattr(m, "tool_calls", None) or ()]
        now = hashes(environment)
        ever = ever or now != base
        out.append((place, now != base, ever, graded.done(environment, calls, now)))
    return out


def one_pass(graded: Graded, messages: Sequence[Message]) -> list[tuple[int, bool, bool, bool]]:
    found = replay(graded, parsed(messages))
    return [(t.index, t.changed, t.ever_changed, t.done) for t in found]


def wandering(graded: Graded, seed: int) -> list[Message]:
    """Listed actions with stray calls between them, undone changes and early hand-offs among
    them; some actions are left out."""
    played = Played(graded)
    played.say("Hello.")
    for place, action in enumerate(graded.actions):
        for n in range(3):
            who, name = STRAY[int(unit_draw(seed, place, n) * len(STRAY))]
            given = {"summary": "s"} if name.startswith("transfer") else {}
            played.call((who, name, given))
            if unit_draw("say", seed, place, n) < 0.6:
                played.say("And now?")
        if unit_draw("do", seed, place) < 0.8:
            played.call((action.requestor, action.name, action.arguments))
            played.say("One more.")
    return played.messages


def chosen(domain: str, every: int) -> list[dict[str, Any]]:
    return tasks_of(domain)[::every]


def test_one_pass_agrees_with_fresh_environments_on_solved_telecom_tasks(tau2: Benchmark) -> None:
    checked = 0
    for task in chosen("telecom", 6):
        graded = tau2.graded("telecom", task)
        messages = gold_run(graded, looks=1)
        found = one_pass(graded, messages)
        assert found == from_scratch(graded, messages), task["id"]
        assert found[-1][-1], task["id"]
        checked += len(found)
    assert checked > 150


def test_one_pass_agrees_with_fresh_environments_on_telecom_tasks_gone_astray(
    tau2: Benchmark,
) -> None:
    undone = 0
    for seed, task in enumerate(chosen("telecom", 4)):
        graded = tau2.graded("telecom", task)
        messages = wandering(graded, seed)
        found = one_pass(graded, messages)
        assert found == from_scratch(graded, messages), task["id"]
        undone += any(ever and not changed for _, changed, ever, _ in found)
    assert undone, "no run undid its changes: the two readings were never told apart"


def test_one_pass_agrees_with_fresh_environments_in_retail(tau2: Benchmark) -> None:
    for task in chosen("retail", 29):
        graded = tau2.graded("retail", task)
        messages = gold_run(graded)
        found = one_pass(graded, messages)
        assert found == from_scratch(graded, messages), task["id"]
        assert found[-1][-1], task["id"]


def test_the_telecom_split(tau2: Benchmark) -> None:
    """SI-71, SI-72: 114 tasks, 20 of them hand-offs, none done at the start."""
    graded = {task["id"]: tau2.graded("telecom", task) for task in tasks_of("telecom")}
    assert len(graded) == 114
    handed = {name for name, g in graded.items() if g.hand_off}
    assert len(handed) == 20
    assert all("lock_sim_card_pin" in n or "contract_end_suspension" in n for n in handed)
    assert not any(g.degenerate for g in graded.values())


def test_the_last_state_is_the_verdict_of_the_benchmark(tau2: Benchmark) -> None:
    from tau2.data_model.simulation import SimulationRun
    from tau2.data_model.tasks import Task
    from tau2.evaluator.evaluator import EvaluationType, evaluate_simulation

    for seed, task in enumerate(chosen("telecom", 5)):
        graded = tau2.graded("telecom", task)
        messages = gold_run(graded, looks=0) if seed % 2 else wandering(graded, seed)
        verdict = evaluate_simulation(
            simulation=SimulationRun.model_validate(run(task["id"], messages)),
            task=Task.model_validate(task), evaluation_type=EvaluationType.ALL,
            solo_mode=False, domain="telecom",
        )  # fmt: skip
        assert replay(graded, parsed(messages))[-1].done == (verdict.reward == 1.0), task["id"]


def test_all_of_telecom_four_times(tau2: Benchmark, tmp_path: Path) -> None:
    """114 tasks × 4 trials; `tools/bench_tau2.py` says how long it takes."""
    held: Mapping[str, Any] = gold_results(tau2, "telecom", tasks_of("telecom"), trials=4)
    path = tmp_path / "results.json"
    path.write_text(json.dumps(held))
    scored = score_files([("m", read_results(path))], tau2)
    assert len(scored.runs) == 456
    assert set(scored.runs["status"]) == {"ok"}
    (lane,) = build(scored, Settings(draws=20))["lanes"].to_dict("records")
    assert (lane["tasks"], lane["runs"], lane["follow_share"]) == (114, 456, 1.0)
