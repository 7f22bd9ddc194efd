"""status and report: what a study looks like."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from draligned.api.evaluating import Readings
from draligned.api.leftout import taken_in
from draligned.api.trajectories import all_trajectories
from draligned.evaluators.orientation import Work
from draligned.models.factory import is_rehearsal
from draligned.report.data import EvaluatorFacts, ModelFacts, ReadCount, ReportData, Wire
from draligned.report.page import render_report
from draligned.schema.base import sha256_text
from draligned.schema.design import Design, Lang
from draligned.schema.errors import ConfigError
from draligned.schema.events import RunHeader
from draligned.schema.labels import ReadRole
from draligned.study.attempts import events_key, read_header
from draligned.study.launches import pilot_of
from draligned.study.log import read_events
from draligned.study.plan import Plan, PlanEvaluator
from draligned.study.reads import locked_protocol
from draligned.study.registers import read_lines
from draligned.study.status import BlockStatus, block_status

if TYPE_CHECKING:
    from draligned.api.study import Study

REPORT = "report/index.html"


@dataclass(frozen=True, kw_only=True)
class StudyStatus:
    """Counts of runs and reads. `left_out` blocks are of development-only harnesses: run, but
    not analysed; `note` says so in a line."""

    blocks: tuple[BlockStatus, ...]
    reads: tuple[ReadCount, ...]
    rehearsal: bool
    left_out: tuple[BlockStatus, ...] = ()
    note: str | None = None
    sentinels: tuple[ReadCount, ...] = ()
    """Packets with known answers, asked among the reads; no data, so none of the counts."""


def status(study: "Study") -> StudyStatus:
    """Count everything that was planned."""
    readings = study.readings()
    found = status_of(readings)
    return replace(found, rehearsal=found.rehearsal or _played(readings, readings.left_out.plan))


def status_of(readings: Readings) -> StudyStatus:
    """The counts behind `readings`."""
    blocks = block_status(readings.context.folder.store, readings.every_cell, dict(readings.states))
    counts = [c for e in readings.plan.ordered_evaluators for c in _read_counts(readings, e)]
    return StudyStatus(
        blocks=blocks,
        reads=tuple(counts),
        rehearsal=rehearsal(readings),
        left_out=readings.left_out.blocks,
        note=readings.left_out.note() or taken_in(readings.plan),
        sentinels=tuple(_sentinel_counts(readings)),
    )


def rehearsal(readings: Readings) -> bool:
    """Whether any model that is analysed, or that read, is a rehearsal model."""
    return _played(readings, readings.plan)


def _played(readings: Readings, plan: Plan) -> bool:
    models = [b.model for b in plan.blocks] + [e.model for e in plan.evaluators]
    return any(is_rehearsal(readings.context.config, model) for model in models)


def _read_counts(readings: Readings, evaluator: PlanEvaluator) -> list[ReadCount]:
    work = readings.work([evaluator])
    records = {(r.packet_id, r.role): r for r in readings.reads(evaluator)}
    out = []
    for kind in ("requests", "document"):
        mine = [w for w in work if w.unit.kind == kind]
        made = [r for w in mine if (r := records.get(_key(w))) is not None]
        void = sum(r.void is not None for r in made)
        out.append(
            ReadCount(
                evaluator=evaluator.name,
                kind=kind,
                planned=len(mine),
                read=len(made),
                void=void,
                open=len(mine) - len(made),
            )
        )
    return out


def _sentinel_counts(readings: Readings) -> Iterator[ReadCount]:
    for evaluator in readings.plan.ordered_evaluators:
        work = readings.sentinels([evaluator])
        left = len(readings.not_made(work))
        if work:
            yield ReadCount(
                evaluator=evaluator.name,
                kind="sentinel",
                planned=len(work),
                read=len(work) - left,
                void=readings.void_sentinels(evaluator),
                open=left,
            )


def _key(work: Work) -> tuple[str, ReadRole]:
    return work.unit.packet_id, work.read.role


def page_language(lang: str | None, design: Design) -> Lang:
    """The page's language, the design's own by default. Raises `ConfigError`."""
    if lang is None:
        return design.lang
    if lang not in ("zh", "en"):
        raise ConfigError(f"lang is {lang!r}; a report is written in zh or en")
    return "zh" if lang == "zh" else "en"


def write_report(
    study: "Study", readings: Readings, *, partial: bool, lang: Lang | None = None
) -> Path:
    """Write the page from the tables on disk."""
    page = render_report(report_data(study, readings, partial=partial, lang=lang))
    study.folder.store.replace(REPORT, page.encode("utf-8"))
    return study.folder.root / REPORT


def report_data(
    study: "Study", readings: Readings, *, partial: bool, lang: Lang | None = None
) -> ReportData:
    """Everything the page shows; `partial` marks it as such where cells are open."""
    found = status_of(readings)
    store, design = study.folder.store, study.design()
    headers = _headers(study, readings)
    started = [h.started_utc for h in headers]
    return ReportData(
        name=readings.context.config.name,
        lang=lang or design.lang,
        design=design,
        locks=tuple(study.locks()),
        blocks=found.blocks,
        left_out=found.left_out,
        wires=wires_of(headers),
        reads=found.reads,
        evaluators=tuple(_evaluator(readings, e) for e in readings.plan.ordered_evaluators),
        primary_evaluator=readings.plan.primary_evaluator,
        models=_models(study, readings),
        tables={name: study.table(name) for name in _table_names(study)},
        observed=tuple(readings.observed.values()),
        events_of=lambda run: read_events(store, events_key(run.run_id, run.attempt)),
        text_of=study.folder.blobs.get,
        tagged=frozenset(b.harness.key for b in readings.plan.blocks if b.harness.progress_duty),
        spend=study.spend(),
        corrections=tuple(read_lines(store, "corrections")),
        trajectories=all_trajectories(readings),
        rehearsal=found.rehearsal,
        partial=partial and _is_partial(found),
        pilot=pilot_of(store) if any(b.open for b in found.blocks) else None,
        versions=headers[0].versions if headers else {},
        first_utc=min(started, default=None),
        last_utc=max(started, default=None),
    )


def wires_of(headers: Sequence[RunHeader]) -> tuple[Wire, ...]:
    """How the providers of each harness's analysed runs were spoken to, each way once."""
    found = {(h.harness_name, h.api, h.streamed) for h in headers}
    return tuple(Wire(harness=h, api=api, streamed=s) for h, api, s in sorted(found))


def _is_partial(found: StudyStatus) -> bool:
    return any(b.open for b in found.blocks) or any(r.open for r in found.reads)


def _table_names(study: "Study") -> list[str]:
    keys = study.folder.store.list("tables")
    return [k.rsplit("/", 1)[1].removesuffix(".parquet") for k in keys if k.endswith(".parquet")]


def _evaluator(readings: Readings, evaluator: PlanEvaluator) -> EvaluatorFacts:
    locked = locked_protocol(readings.context.folder.store, evaluator.evaluator_id)
    return EvaluatorFacts(
        key=evaluator.name,
        name=evaluator.name,
        requested_model=evaluator.model.model,
        protocol_sha256=None if locked is None else sha256_text(locked),
        mirrored=evaluator.mirrored,
    )


def _models(study: "Study", readings: Readings) -> tuple[ModelFacts, ...]:
    echoed = {(r.model, r.purpose): r.echoed for r in study.spend()}
    agents = {b.model_name: b.model.model for b in readings.plan.blocks}
    readers = {e.name: e.model.model for e in readings.plan.evaluators}
    return tuple(
        ModelFacts(name=name, role=role, requested=asked, echoed=echoed.get((asked, role), ()))
        for role, models in (("agent", agents), ("evaluate", readers))
        for name, asked in sorted(models.items())
    )


def _headers(study: "Study", readings: Readings) -> list[RunHeader]:
    store = study.folder.store
    found = (read_header(store, r.run_id, r.attempt) for r in readings.observed.values())
    return [header for header in found if header is not None]
