"""The report's input for a made-up study: tables as measure makes them, and the facts around."""

from collections.abc import Sequence

import pandas as pd

from draligned.measure.tables import build_tables
from draligned.measure.trajectories import trajectories
from draligned.report.data import EvaluatorFacts, ModelFacts, ReadCount, ReportData
from draligned.schema import frames
from draligned.schema.config import MeasureConfig
from draligned.schema.design import LockEntry
from draligned.study.spend import SpendRow
from draligned.study.status import BlockStatus

from .world import READER, Built, World, build


def inputs_of(built: Built) -> frames.MeasureInputs:
    """The tables of reads."""

    def table(name: str, columns: Sequence[str]) -> pd.DataFrame:
        return pd.DataFrame(built.rows.get(name, []), columns=list(columns), dtype=object)

    return frames.MeasureInputs(
        runs=table("runs", frames.RUNS),
        request_reads=table("request_reads", frames.REQUEST_READS),
        documents=table("documents", frames.DOCUMENTS),
        document_reads=table("document_reads", frames.DOCUMENT_READS),
        items=table("items", frames.ITEMS),
    )


def blocks_of(world: World, built: Built) -> tuple[BlockStatus, ...]:
    """Counts per model and harness."""
    out = []
    for model in sorted(world.models):
        for harness in sorted(world.harnesses):
            own = [r for r in built.rows["runs"] if (r["model"], r["harness"]) == (model, harness)]
            done = sum(r["state"] == "done" for r in own)
            outcomes = {"submitted": done, "provider_error": len(own) - done}
            out.append(
                BlockStatus(
                    model=model, harness=harness, environment="embedded", planned=len(own),
                    started=len(own), done=done, failed=len(own) - done, censored=0, open=0,
                    outcomes={k: n for k, n in outcomes.items() if n},
                )
            )  # fmt: skip
    return tuple(out)


def data_of(world: World) -> ReportData:
    """The report's input for a world."""
    built = build(world)
    inputs = inputs_of(built)
    tables = build_tables(inputs, MeasureConfig(draws=100, seed=5), ("D_A", "D_F"))
    asked = [(run, run.assigned[0].factor_id) for run in built.observed]
    lock = LockEntry(
        kind="freeze", design_sha256=built.design.sha256(), n_tasks=world.tasks,
        n_cards=world.tasks, parent=None, locked_utc="2026-01-01T00:00:00+00:00", version="0.1.0",
    )  # fmt: skip
    return ReportData(
        name=world.name,
        lang=world.lang,
        design=built.design,
        locks=(lock,),
        blocks=blocks_of(world, built),
        reads=(
            ReadCount(
                evaluator=READER, kind="requests", planned=24, read=24, void=0, open=0
            ),
        ),
        evaluators=tuple(
            EvaluatorFacts(key=k, name=f"{k} by name", requested_model=k, protocol_sha256="ab" * 32)
            for k in world.evaluators
        ),
        primary_evaluator=READER,
        models=tuple(
            ModelFacts(name=m, role="agent", requested=m, echoed=(f"{m}-2026",))
            for m in world.models
        ),
        tables=tables,
        observed=tuple(built.observed),
        events_of=lambda run: built.events[run.run_id],
        text_of=lambda sha: built.texts[sha],
        spend=(
            SpendRow(
                model="model-a", purpose="agent", tries=9, failed=1, input_tokens=1000,
                output_tokens=200, estimated=0, unaccounted=0, cost=None, working_seconds=1.0,
                waited_seconds=0.0, echoed=("model-a",),
            ),
        ),
        trajectories={
            (one.run_id, one.factor_id): one for one in trajectories(asked, inputs, READER)
        },
        rehearsal=world.rehearsal,
        partial=world.partial,
        versions={"draligned": "0.1.0"},
        first_utc="2026-01-01T00:00:00+00:00",
        last_utc="2026-01-01T01:00:00+00:00",
    )  # fmt: skip
