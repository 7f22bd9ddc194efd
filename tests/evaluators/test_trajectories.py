"""A run's steps, labels and words, straight from reads; known answers by hand."""

from draligned.evaluators.trajectories import read_trajectories
from draligned.measure.tables import build_tables
from draligned.schema.config import MeasureConfig
from draligned.schema.labels import Presence, ReadRole, Side, UnknownReason, VoidReason
from draligned.schema.observed import ObservedRun
from draligned.schema.packets import ReadRecord
from draligned.schema.trajectory import Trajectory

from .scripted import card
from .test_collect import NAMES, PLAN, RUNS, all_reads, tables

FACTOR = card().factor_id


def made(reads: list[ReadRecord], runs: list[ObservedRun] | None = None) -> list[Trajectory]:
    found = read_trajectories(
        [(run, FACTOR) for run in runs or RUNS],
        reads,
        evaluator_id="1" * 16,
        evaluator="reader-one",
        plan=PLAN,
    )
    return list(found)


async def test_steps_stand_in_the_order_of_the_log_with_label_and_words() -> None:
    p = made(await all_reads())[0]
    assert p.side is Side.P
    assert [(s.seq, s.unit, s.no) for s in p.steps] == [
        (10, "request", 1),
        (20, "request", 2),
        (101, "draft", 1),
        (102, "draft", 2),
        (200, "final", None),
    ]
    assert [s.presence for s in p.steps] == [
        Presence.P_ONLY,  # names the lake of P
        Presence.UNKNOWN,  # an address: the evaluator abstains
        Presence.P_ONLY,
        Presence.BOTH,
        Presence.BOTH,
    ]
    asked, address = p.of("request")
    assert asked.reason is None
    assert address.reason is UnknownReason.ABSTAINED
    assert [(e.read, e.presence, e.quote) for e in asked.evidence] == [
        (ReadRole.FIRST, Presence.P_ONLY, "西湖"),
        (ReadRole.MIRROR, Presence.P_ONLY, "西湖"),
    ]
    first = [e for e in p.of("final")[0].evidence if e.read is ReadRole.FIRST]
    assert [(e.presence, e.paragraphs, e.main) for e in first] == [
        (Presence.Q_ONLY, (1,), True),
        (Presence.P_ONLY, (2,), True),
    ]


async def test_labels_are_those_of_the_tables() -> None:
    reads = await all_reads()
    named = build_tables(
        tables(reads),
        MeasureConfig(),
        (),
        evaluators=list(NAMES.values()),
        only=("requests", "documents"),
    )
    requests, documents = (named[n].query("evaluator == 'reader-one'") for n in named)
    asked = {(r.run_id, r.request_no): r.label for r in requests.itertuples()}
    wrote = {(r.run_id, r.seq): r.presence for r in documents.itertuples()}
    told = [(t.run_id, s) for t in made(reads) for s in t.steps]
    assert {(k, s.no): s.presence for k, s in told if s.unit == "request"} == asked
    assert {(k, s.seq): s.presence for k, s in told if s.unit != "request"} == wrote


async def test_what_was_not_read_stays_unknown_with_its_reason() -> None:
    only_first = [r for r in await all_reads() if r.role is ReadRole.FIRST]
    steps = made(only_first)[0].steps
    assert {s.reason for s in steps} == {UnknownReason.READ_MISSING}
    assert {s.first.status for s in steps} == {"ok"}
    assert {s.mirror.status for s in steps} == {"missing"}
    none = made([])[0].steps
    assert {s.first.status for s in none} == {"missing"}
    assert {s.presence for s in none} == {Presence.UNKNOWN}


async def test_a_void_read_says_nothing() -> None:
    reads = await all_reads()
    void = [
        r.model_copy(update={"void": VoidReason.UNDECODABLE, "items": ()})
        if r.kind == "document" and r.role is ReadRole.MIRROR
        else r
        for r in reads
    ]
    final = made(void)[0].of("final")[0]
    assert (final.mirror.status, final.mirror.presence) == ("void", None)
    assert final.reason is UnknownReason.VOID_READ
    assert final.first.presence is Presence.BOTH


async def test_reads_of_other_runs_are_passed_over() -> None:
    reads = await all_reads()
    assert made(reads, RUNS[1:2]) == made(reads)[1:2]
    assert made(reads)[2].steps == ()
