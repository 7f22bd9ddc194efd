"""show: a factor, a condition, a run, a pair or a packet as lines of text."""

from typing import TYPE_CHECKING

from draligned.api.designs import design_lines
from draligned.api.evaluating import Readings
from draligned.progress.duty import duty_turns
from draligned.report.terminal import packet_lines, pair_lines, run_lines
from draligned.schema.errors import InputError
from draligned.schema.packets import EvalUnit
from draligned.study.attempts import attempts_of, events_key, read_header
from draligned.study.log import read_events

if TYPE_CHECKING:
    from draligned.api.study import Study


APART = "of a development-only harness: left out of reads, tables and report"


def show(study: "Study", what: str) -> list[str]:
    """Lines for an id: of a factor or condition, of a run, of a pair (after `measure`), or of
    a packet.

    Raises `InputError` for an id that names none of them.
    """
    if (lines := design_lines(study, what)) is not None:
        return lines
    readings = study.readings()
    if what in readings.states or what in readings.left_out.states:
        return _run(study, readings, what)
    unit = next((u for u in readings.units if u.packet_id == what), None)
    if unit is not None:
        return _packet(study, readings, unit)
    if study.folder.store.exists("tables/pairs.parquet"):
        pairs = study.table("pairs")
        if (pairs["pair_id"] == what).any():
            return pair_lines(what, pairs, study.table("matrix"))
    raise InputError(
        f"{what!r} is no factor, condition, run, packet or measured pair of this study; "
        "ids stand in the tables and in the report"
    )


def _run(study: "Study", readings: Readings, run_id: str) -> list[str]:
    store = study.folder.store
    state = {**readings.left_out.states, **readings.states}[run_id]
    attempts = attempts_of(store, run_id)
    attempt = state.attempt or (attempts[-1] if attempts else None)
    header = None if attempt is None else read_header(store, run_id, attempt)
    if header is None or attempt is None:
        return [f"run {run_id}: planned, not started"]
    events = read_events(store, events_key(run_id, attempt))
    claims = {t.sequence: t for t in duty_turns(events)} if header.progress_duty else {}
    packets = [u.packet_id for u in readings.units if u.run_id == run_id]
    apart = run_id in readings.left_out.states
    return [
        *([APART] if apart else []),
        *run_lines(header, events, study.folder.blobs.get, claims=claims),
        f"state {state.state}; request packets: {', '.join(packets) or 'none'}",
    ]


def _packet(study: "Study", readings: Readings, unit: EvalUnit) -> list[str]:
    reads = [
        read
        for evaluator in readings.plan.evaluators
        for read in readings.records(evaluator, [unit.packet_id])
    ]
    return packet_lines(unit, reads, study.folder.blobs.get)
