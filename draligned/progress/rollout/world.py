"""What the agent meets in a cell: messages, tools, the user's script, and their hash.

The hash is part of a cell's identity, so that a change of scenario, arm, text or rule opens the
cells that it touches again, and those alone (SI-98).
"""

import tomllib
from functools import cache, cached_property
from importlib.resources import files

from draligned.progress.prompts import protocol
from draligned.progress.scenarios import Scenario
from draligned.schema.base import Record, sha256_of, sha256_text
from draligned.schema.chat import Message, ToolSpec
from draligned.schema.design import Lang
from draligned.schema.progress import Arm
from draligned.schema.rollout import Inputs, RolloutArm

RULES = "1"
"""Version of what the store accepts and of how the loop goes on. Whoever changes `progress.state`
or `rollout.moves` raises it: every cell is then open again."""


class Finish(Record):
    """The tool that ends a session, and the sentence that asks for it."""

    tool: str
    description: str
    instruction: str


class RolloutTexts(Record):
    """All texts of one language."""

    closing: str
    authorisation: str
    reprompt: dict[str, str]
    finish: Finish


@cache
def texts(lang: Lang) -> RolloutTexts:
    """The texts in `lang`."""
    source = files("draligned.bench_data") / "progress" / f"rollout_{lang}.toml"
    return RolloutTexts.model_validate(tomllib.loads(source.read_text("utf-8")))


class World(Record):
    """One scenario under one arm."""

    scenario: Scenario
    arm: RolloutArm
    lang: Lang
    system: str
    reporting: str
    """The part of `system` that asks for reports; empty without one."""
    tools: tuple[ToolSpec, ...]
    turns: tuple[str, ...]
    """What the user says: the request, then the one answer."""
    reprompt: str
    """What the runtime says; empty where it says nothing."""

    @property
    def opening(self) -> tuple[Message, ...]:
        """The messages that begin every trajectory here."""
        return (
            Message(role="system", text=self.system),
            Message(role="user", text=self.turns[0]),
        )

    @cached_property
    def inputs(self) -> Inputs:
        """Hashes of what it gives the agent."""
        return Inputs(
            instructions=sha256_text(self.system),
            reporting=sha256_text(self.reporting) if self.reporting else None,
            tools=sha256_of([tool.model_dump(mode="json") for tool in self.tools]),
            user=sha256_of(list(self.turns)),
        )

    @cached_property
    def key(self) -> str:
        """Identity by content."""
        parts = [self.scenario.model_dump(mode="json"), self.arm.model_dump(mode="json"),
                 self.inputs.model_dump(mode="json"), self.reprompt, RULES]  # fmt: skip
        return sha256_of(parts)[:16]


def world(scenario: Scenario, arm: RolloutArm, lang: Lang) -> World:
    """What an agent meets in `scenario` under `arm`."""
    known = texts(lang)
    reporting = protocol(Arm.BASELINE, "xml", "machine_report", lang) if arm.reports else ""
    ending = known.finish.instruction if arm.terminal_tool else ""
    parts = (scenario.role, known.closing, ending, reporting)
    leave = f"{'' if lang == 'zh' else ' '}{known.authorisation}" if arm.authorises else ""
    return World(
        scenario=scenario,
        arm=arm,
        lang=lang,
        system="\n\n".join(part for part in parts if part),
        reporting=reporting,
        tools=(*scenario.tools, *((_finish(known.finish),) if arm.terminal_tool else ())),
        turns=(scenario.script.request, scenario.missing.answer + leave),
        reprompt=known.reprompt[arm.reprompt] if arm.reprompt else "",
    )


def _finish(finish: Finish) -> ToolSpec:
    nothing = {"type": "object", "properties": {}, "additionalProperties": False}
    return ToolSpec(name=finish.tool, description=finish.description, parameters=nothing)
