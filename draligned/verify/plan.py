"""Planned runs and evaluators, from plan.json and the design (DESIGN §4)."""

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from draligned.schema.config import ControlsConfig, EvaluateConfig, MeasureConfig
from draligned.verify.design import Condition, DesignFacts
from draligned.verify.files import Files
from draligned.verify.ids import id_of

PLAN = "plan.json"
SETTINGS = "study.toml"
PART = "plan"
PANEL, AA, NEUTRAL, TWO_FACTOR = "panel", "aa", "neutral", "two_factor"


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Sections of study.toml that decide what is read and how numbers are made."""

    evaluate: EvaluateConfig
    controls: ControlsConfig
    measure: MeasureConfig


@dataclass(frozen=True, kw_only=True)
class Block:
    """One model in one harness and environment."""

    model: str
    model_key: str
    harness: str
    harness_key: str
    environment: str
    replicates: int
    aa: tuple[str, ...]
    neutral: tuple[str, ...]
    """Factors with a control run."""
    development: bool
    submits_saved: bool
    offered: bool
    plain: bool
    """Whether an episode opens with the condition's own turns and nothing else."""
    duty: bool = False
    """Whether its system message goes on, to ask for stage tags."""


@dataclass(frozen=True, kw_only=True)
class Evaluator:
    """One evaluator; its id names its folder."""

    name: str
    evaluator_id: str
    mirrored: bool


@dataclass(frozen=True, kw_only=True)
class Cell:
    """One planned run."""

    run_id: str
    condition: Condition
    block: Block
    replicate: int
    assigned: tuple[tuple[str, str], ...]
    """Factors that it is read on and the sides that it stands for, the primary first."""
    run_set: str


@dataclass(frozen=True, kw_only=True)
class PlanFacts:
    """All that was asked for."""

    cells: tuple[Cell, ...]
    evaluators: tuple[Evaluator, ...]
    primary: str | None
    names: tuple[str, ...] = field(default=())


def read_settings(files: Files) -> Settings:
    """Settings of study.toml; the defaults where there is none."""
    data = files.store.get(SETTINGS) or b""
    try:
        raw = tomllib.loads(data.decode("utf-8-sig"))
        return Settings(
            evaluate=EvaluateConfig.model_validate(raw.get("evaluate", {})),
            controls=ControlsConfig.model_validate(raw.get("controls", {})),
            measure=MeasureConfig.model_validate(raw.get("measure", {})),
        )
    except ValueError as error:
        files.refuse(PART, SETTINGS, f"cannot be read ({type(error).__name__})", "settings")


def read_plan(files: Files, design: DesignFacts) -> PlanFacts:
    """Read the plan; what stands in it twice is named."""
    part = files.found.part(PART)
    raw = files.record(PLAN, PART)
    blocks = tuple(map(_block, raw["blocks"]))
    evaluators = tuple(map(_evaluator, raw["evaluators"]))
    listed = [c for b in blocks for c in _cells(b, design)]
    cells = {c.run_id: c for c in listed}
    part.same(PLAN, "runs told apart by their ids", len(cells), len(listed))
    part.same(PLAN, "evaluators told apart", len({e.evaluator_id for e in evaluators}),
              len(evaluators))  # fmt: skip
    return PlanFacts(
        cells=tuple(cells.values()),
        evaluators=evaluators,
        primary=raw.get("primary_evaluator"),
        names=tuple(sorted(e.name for e in evaluators)),
    )


def _cells(block: Block, design: DesignFacts) -> Iterator[Cell]:
    """Runs of the panel and of two-factor conditions, then the controls of the block."""
    for replicate in range(1, block.replicates + 1):
        for condition in design.conditions:
            kind = PANEL if len(condition.assigned) == 1 else TWO_FACTOR
            yield _cell(condition, block, replicate, condition.assigned, kind)
    p_of = {c.assigned[0][0]: c for c in design.conditions if c.assigned[0][1] == "P"
            and len(c.assigned) == 1}  # fmt: skip
    for factor in block.aa:
        yield _cell(p_of[factor], block, 0, p_of[factor].assigned, AA)
    for factor in block.neutral:
        yield _cell(design.neutral[factor], block, 1, ((factor, "P"),), NEUTRAL)


def _cell(
    condition: Condition, block: Block, replicate: int, assigned: tuple[tuple[str, str], ...],
    run_set: str,
) -> Cell:  # fmt: skip
    return Cell(
        run_id=id_of("run", condition.condition_id, block.model_key, block.harness_key,
                     block.environment, replicate),
        condition=condition,
        block=block,
        replicate=replicate,
        assigned=assigned,
        run_set=run_set,
    )  # fmt: skip


def _key_of_model(model: dict[str, Any]) -> str:
    return id_of("model", model["model"], model["provider"], model["params"])


def _block(raw: dict[str, Any]) -> Block:
    spec = raw["harness"]
    coupled = spec["handoff_aw"] == spec["handoff_wf"] == "coupled"
    return Block(
        model=raw["model_name"],
        model_key=_key_of_model(raw["model"]),
        harness=spec["name"],
        harness_key=id_of(spec),
        environment=raw["environment"],
        replicates=raw["replicates"],
        aa=tuple(raw.get("aa", ())),
        neutral=tuple(raw.get("neutral", ())),
        development=spec["development_only"],
        submits_saved=spec["submits_saved_file"],
        offered=bool(spec["delegated"]),
        plain=coupled and not spec["scripted_turns"],
        duty=spec.get("instrumentation") == "events-1+duty",
    )


def _evaluator(raw: dict[str, Any]) -> Evaluator:
    return Evaluator(
        name=raw["name"], evaluator_id=_key_of_model(raw["model"]), mirrored=raw["mirrored"]
    )
