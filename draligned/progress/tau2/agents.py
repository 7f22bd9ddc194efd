"""The benchmark's own agent with one block more in its instructions, and nothing else (SI-68).

In the hidden arm the customer gets each message without its tag; the agent's own history and the
results file keep it. Both arms are classes made from the installed tau2-bench.
"""

import re
from functools import cache
from importlib import import_module
from importlib.resources import files
from typing import Any

from draligned.gates.marker_strip import strip_markers
from draligned.progress.tau2.reading import HIDDEN_KEY, TAG, VALUES, WHOLE_KEY
from draligned.schema.tau2 import DutyArm

STOCK = "llm_agent"
NAMES: dict[DutyArm, str] = {"tag": "stage_duty", "hidden": "stage_duty_unseen", "none": STOCK}
"""Names under which the benchmark knows the agents."""
_TAG = re.compile(rf"<{TAG}>[^<>]*</{TAG}>")


@cache
def block() -> str:
    """The text that asks for the tag."""
    return files("draligned.progress.tau2").joinpath("block.txt").read_text(encoding="utf-8")


def register(arm: DutyArm) -> str:
    """Make an arm's agent known to the installed tau2-bench; its name there."""
    name = NAMES[arm]
    if name == STOCK:
        return name
    registry = import_module("tau2.registry").registry
    made = agent_class(import_module("tau2.agent.llm_agent").LLMAgent, hidden=arm == "hidden")
    if hasattr(registry, "register_agent_factory"):
        registry.register_agent_factory(_factory(made), name)
    else:
        registry.register_agent(made, name)
    return name


def _factory(made: Any) -> Any:
    def create(tools: Any, domain_policy: str, **settings: Any) -> Any:
        chosen = {key: settings.get(key) for key in ("llm", "llm_args")}
        return made(tools=tools, domain_policy=domain_policy, **chosen)

    return create


def agent_class(base: Any, *, hidden: bool) -> Any:
    """The benchmark's agent class `base`, extended."""

    class StageAgent(base):  # type: ignore[misc]
        """The stock agent with the block; see the module."""

        @property
        def system_prompt(self) -> str:
            return f"{super().system_prompt}\n{block()}"

        def generate_next_message(self, message: Any, state: Any) -> Any:
            reply, after = super().generate_next_message(message, state)
            return (without_tag(reply) if hidden else reply), after

    return StageAgent


def without_tag(reply: Any) -> Any:
    """A copy for the customer, as it came kept beside it; as it is where nothing else was said.

    Taken out is whatever shows a reader a tag, broken ones as well.
    """
    text = reply.content
    if not text or reply.is_tool_call():
        return reply
    shown = strip_markers(text, tuple(VALUES), TAG)
    if not shown.n_tags or not shown.text.strip():
        return reply
    kept = {**(reply.raw_data or {}), HIDDEN_KEY: _last(text), WHOLE_KEY: text}
    return reply.model_copy(update={"content": shown.text, "raw_data": kept})


def _last(text: str) -> str:
    """The last whole tag; empty where there are pieces alone."""
    return next(iter(reversed(_TAG.findall(text))), "")
