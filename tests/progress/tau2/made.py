"""Results files made from the tasks of an installed tau2-bench: an agent that knows the way.

Every listed action is really executed, with looks at the phone and small talk between, so that
the recorded answers are the environment's own.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from draligned.progress.tau2.benchmark import Benchmark, Graded
from draligned.schema.tau2 import TauCall

Message = dict[str, Any]
LOOK = "check_status_bar"


def tasks_of(domain: str, split: str = "base") -> list[dict[str, Any]]:
    """The tasks of a split as a results file embeds them."""
    from tau2.registry import registry

    loaded = registry.get_tasks_loader(domain)(split)
    return [task.model_dump(mode="json") for task in loaded]


def results(
    domain: str, tasks: Sequence[Mapping[str, Any]], runs: Sequence[Message], llm: str = "openai/m"
) -> Message:
    """A results file, with a key in it as tau2-bench leaves one there."""
    side = {"implementation": "llm_agent", "llm": llm, "llm_args": {"api_key": SECRET}}
    return {
        "timestamp": "2026-01-01", "tasks": list(tasks), "simulations": list(runs),
        "info": {
            "git_commit": "unknown", "num_trials": 1, "max_steps": 100, "max_errors": 10,
            "seed": 300, "agent_info": side,
            "user_info": {"implementation": "user_simulator", "llm": "openai/u", "llm_args": {}},
            "environment_info": {"domain_name": domain, "policy": "a policy"},
        },
    }  # fmt: skip


SECRET = "sk-do-not-repeat-0123456789"


def run(task_id: str, messages: Sequence[Message], **more: Any) -> Message:
    """One simulation."""
    numbered = [{**m, "turn_idx": i} for i, m in enumerate(messages)]
    base = {
        "id": f"run-{task_id}-{more.get('trial', 0)}", "task_id": task_id, "trial": 0, "seed": 1,
        "timestamp": "2026-01-01", "start_time": "a", "end_time": "b", "duration": 1.0,
        "termination_reason": "user_stop", "reward_info": {"reward": 1.0, "reward_basis": ["DB"]},
    }  # fmt: skip
    return {**base, **more, "messages": numbered}


def says(text: str, role: str = "assistant", **more: Any) -> Message:
    """A message of words."""
    return {"role": role, "content": text, **more}


GREETING = says("Hi! How can I help you today?")


class Played:
    """A conversation under way in a real environment."""

    def __init__(self, graded: Graded) -> None:
        self.environment = graded.fresh()
        self.benchmark: Benchmark = graded.benchmark
        self.messages: list[Message] = [GREETING, says("Something is wrong.", "user")]

    def call(self, *calls: tuple[str, str, Mapping[str, Any]]) -> None:
        """Calls (requestor, name, arguments) in one message, and their answers."""
        made = [
            TauCall(id=f"call-{len(self.messages)}-{i}", name=name, arguments=dict(arguments),
                    requestor="user" if who == "user" else "assistant")
            for i, (who, name, arguments) in enumerate(calls)
        ]  # fmt: skip
        role = made[0].requestor
        self.messages.append(
            {"role": role, "content": None, "tool_calls": [c.model_dump() for c in made]}
        )
        for call in made:
            answer = self.environment.get_response(self.benchmark.call(call)).content
            self.messages.append(
                {"role": "tool", "id": call.id, "content": answer, "requestor": role}
            )

    def say(self, text: str, answer: str = "What now?") -> None:
        """The agent speaks and the customer answers."""
        self.messages += [says(text), says(answer, "user")]


def gold_run(graded: Graded, tag: str = "\n<stage>READY</stage>", looks: int = 3) -> list[Message]:
    """The task solved by its listed actions, with `looks` at the phone after each."""
    played = Played(graded)
    phone = played.environment.user_tools is not None
    played.say(f"Let me see.{tag}")
    for action in graded.actions:
        played.call((action.requestor, action.name, action.arguments))
        for _ in range(looks if phone else 0):
            played.call(("user", LOOK, {}))
            played.say(f"Please go on.{tag}")
        played.say(f"One step is done.{tag}")
    played.say(f"That was all.{tag}", "Thank you, it works now. ###STOP###")
    return played.messages


def gold_results(
    benchmark: Benchmark, domain: str, tasks: Sequence[Mapping[str, Any]], trials: int = 1
) -> Message:
    """A results file in which every task is solved."""
    return results(domain, tasks, list(_gold_runs(benchmark, domain, tasks, trials)))


def _gold_runs(
    benchmark: Benchmark, domain: str, tasks: Sequence[Mapping[str, Any]], trials: int
) -> Iterator[Message]:
    for task in tasks:
        messages = gold_run(benchmark.graded(domain, task))
        for trial in range(trials):
            yield run(str(task["id"]), messages, trial=trial)
