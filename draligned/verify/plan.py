"""Planned runs and evaluators, from plan.json and the design (DESIGN §4)."""

import tomllib
from dataclasses import dataclass, field
from typing import Any

from draligned.schema.config import EvaluateConfig, MeasureConfig
from draligned.verify.design import Condition, DesignFacts
from draligned.verify.files import Files
from draligned.verify.ids import id_of

PLAN = "plan.json"
SETTINGS = "study.toml"
PART = "plan"


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Sections of study.toml that decide what is read and how numbers are made."""

    evaluate: EvaluateConfig
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
    development: bool
    submits_saved: bool
    offered: bool
    plain: bool
    """Whether an episode opens with the condition's own turns and nothing else."""


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
    cells = {c.run_id: c for b in blocks for c in _cells(b, design)}
    n_cells = sum(b.replicates for b in blocks) * len(design.conditions)
    part.same(PLAN, "runs told apart by their ids", len(cells), n_cells)
    part.same(PLAN, "evaluators told apart", len({e.evaluator_id for e in evaluators}),
              len(evaluators))  # fmt: skip
    return PlanFacts(
        cells=tuple(cells.values()),
        evaluators=evaluators,
        primary=raw.get("primary_evaluator"),
        names=tuple(sorted(e.name for e in evaluators)),
    )


def _cells(block: Block, design: DesignFacts) -> list[Cell]:
    return [
        Cell(
            run_id=id_of("run", condition.condition_id, block.model_key, block.harness_key,
                         block.environment, replicate),
            condition=condition,
            block=block,
            replicate=replicate,
        )
        for replicate in range(1, block.replicates + 1)
        for condition in design.conditions
    ]  # fmt: skip


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
        development=spec["development_only"],
        submits_saved=spec["submits_saved_file"],
        offered=bool(spec["delegated"]),
        plain=coupled and not spec["scripted_turns"],
    )


def _evaluator(raw: dict[str, Any]) -> Evaluator:
    return Evaluator(
        name=raw["name"], evaluator_id=_key_of_model(raw["model"]), mirrored=raw["mirrored"]
    )
