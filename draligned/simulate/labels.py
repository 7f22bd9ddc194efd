"""Studies with planted behaviour, made straight at the label tables that measure reads."""

from collections.abc import Sequence
from typing import Literal

import numpy as np
import pandas as pd

from draligned.schema.base import short_id
from draligned.schema.frames import RUNS, MeasureInputs
from draligned.simulate.documents import document_reads, documents, first_alpha, plant_texts
from draligned.simulate.plan import Plan
from draligned.simulate.requests import request_reads

Orientation = Literal["hash", "always_p"]

EVALUATOR = "simulated"
HARNESS = "coupled"


def simulate(plan: Plan, seed: int, orientation: Orientation = "hash") -> MeasureInputs:
    """A study of `plan.tasks` × `plan.models` pairs, the same for the same plan and seed.

    Labels are in slot terms, mirrored reads included; which endpoint stands first is drawn by
    hash, or is always P. It is no evidence about any language model.
    """
    rng = np.random.Generator(np.random.PCG64(int(short_id("simulate", plan.name, seed), 16)))
    runs = _runs(plan, seed, rng)
    alphas = [first_alpha(orientation, seed, run) for run in runs["run_id"]]
    planted = runs.assign(alpha=alphas, is_p=runs["arm"] == "P")
    texts = plant_texts(plan, runs, rng)
    reads, items = document_reads(texts, seed, EVALUATOR, orientation)
    asked = request_reads(plan, planted, rng, EVALUATOR)
    made = asked[asked["read"] == "first"].groupby("run_id").size()
    return MeasureInputs(
        runs=runs.assign(requests=runs["run_id"].map(made).fillna(0).astype(int))[list(RUNS)],
        request_reads=asked,
        documents=documents(texts),
        document_reads=reads,
        items=items,
    )


def simulate_many(
    plan: Plan, seeds: Sequence[int], orientation: Orientation = "hash"
) -> MeasureInputs:
    """The studies of many seeds in one input, each under a harness of its own, `study_name(seed)`,
    so that no estimate pools them and one call of measure serves all."""
    studies = [simulate(plan, seed, orientation) for seed in seeds]
    runs = [s.runs.assign(harness=study_name(k)) for s, k in zip(studies, seeds, strict=True)]
    return MeasureInputs(
        runs=pd.concat(runs, ignore_index=True),
        request_reads=pd.concat([s.request_reads for s in studies], ignore_index=True),
        documents=pd.concat([s.documents for s in studies], ignore_index=True),
        document_reads=pd.concat([s.document_reads for s in studies], ignore_index=True),
        items=pd.concat([s.items for s in studies], ignore_index=True),
    )


def study_name(seed: int) -> str:
    """The harness under which a seed's study stands in `simulate_many`."""
    return f"seed {seed:03d}"


def _runs(plan: Plan, seed: int, rng: np.random.Generator) -> pd.DataFrame:
    """One P and one Q run per task × model; two tasks share a user."""
    signs = np.where(rng.random(plan.tasks) < 0.5, 1.0, -1.0)
    rows = [
        {
            "run_id": short_id(plan.name, seed, task, model, arm),
            "task_id": str(task + 1),
            "user_id": f"user {task // 2 + 1}",
            "factor_id": short_id(plan.name, seed, task),
            "arm": arm,
            "model": f"model {model + 1}",
            "scale": 1.0 + plan.task_spread * signs[task],
        }
        for task in range(plan.tasks)
        for model in range(plan.models)
        for arm in ("P", "Q")
    ]
    return pd.DataFrame(rows).assign(
        harness=HARNESS,
        environment="simulated",
        replicate=0,
        state="done",
        outcome="submitted",
        observes_a="full",
        observes_w="full",
        observes_f="full",
        development=False,
        submits_saved=False,
        delegation_offered=False,
        delegations=0,
        requests_delegated=0,
        last_request_seq=None,
    )
