"""The rules of a harness, ready for use: gate, and the tools of every stage."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from draligned.gates.registry import get_gate
from draligned.gates.rule import Gate
from draligned.harnesses.stages import Stage, delegation, stages
from draligned.harnesses.toolbox import tools_of
from draligned.harnesses.tools import Tool
from draligned.schema.chat import ToolSpec
from draligned.schema.design import Lang
from draligned.schema.harness import Capability, HarnessSpec


@dataclass(frozen=True)
class CompiledStage:
    """A stage with its tools, by the names the model is told, in the order declared."""

    name: str
    reads: frozenset[Capability]
    tools: Mapping[str, Tool]

    def declared(self, lang: Lang) -> tuple[ToolSpec, ...]:
        """The declarations, made once."""
        return self._declared[lang]

    @cached_property
    def _declared(self) -> dict[Lang, tuple[ToolSpec, ...]]:
        langs: tuple[Lang, ...] = ("zh", "en")
        return {lang: tuple(t.spec(lang) for t in self.tools.values()) for lang in langs}


@dataclass(frozen=True, kw_only=True)
class Rules:
    """What an episode goes by."""

    spec: HarnessSpec
    gate: Gate
    stages: tuple[CompiledStage, ...]
    delegation: CompiledStage

    @cached_property
    def names(self) -> frozenset[str]:
        """Every tool that the model may know of, in whatever context."""
        return frozenset(name for stage in self.stages for name in stage.tools)


def rules_of(spec: HarnessSpec) -> Rules:
    """The rules of a spec. Raises `ConfigError` for tools or gates that do not exist."""
    tools_of(spec.tool_order, spec.name)
    return Rules(
        spec=spec,
        gate=get_gate(spec.gate),
        stages=tuple(_compiled(stage, spec) for stage in stages(spec)),
        delegation=_compiled(delegation(spec), spec),
    )


def _compiled(stage: Stage, spec: HarnessSpec) -> CompiledStage:
    return CompiledStage(stage.name, stage.reads, tools_of(stage.tools, spec.name))
