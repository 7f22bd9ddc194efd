"""The planned reads are made once each, under the evaluator's own id, and can be resumed."""

from pathlib import Path

from draligned.evaluators.campaign import Campaign
from draligned.evaluators.orientation import ReadPlan, Work, work_list
from draligned.evaluators.packets import plan_units, request_packet
from draligned.evaluators.protocol import load_protocol
from draligned.evaluators.render import archived_messages
from draligned.schema.errors import RequestRefused
from draligned.schema.packets import RequestPacket
from draligned.study.claims import Claims
from draligned.study.folder import StudyFolder
from draligned.study.reads import iter_reads

from .scripted import Scripted, card, run

EVALUATOR = "1" * 16
RUNS = {r.run_id: r for r in (run(("西湖",), run_id=f"{i:016d}") for i in range(6))}
WORK = work_list(
    plan_units(RUNS.values(), "whole_run"), [EVALUATOR], ReadPlan(seed=1, mirrored=True)
)


def packet_of(work: Work) -> RequestPacket:
    return request_packet(work.unit, card(), work.read.alpha, RUNS[work.unit.run_id or ""])


def campaign(root: Path, model: Scripted) -> Campaign:
    folder = StudyFolder.at(root)
    return Campaign(
        folder=folder,
        claims=Claims(folder.store),
        models={EVALUATOR: model},
        protocols={EVALUATOR: load_protocol("zh")},
        packet_of=packet_of,
    )


def silent(label: str, done: int, total: int) -> None:
    """Progress that nobody watches."""


async def test_reads_are_made_once_and_stored_with_their_texts(tmp_path: Path) -> None:
    model = Scripted()
    made = campaign(tmp_path, model)
    summary = await made.make(WORK, concurrency=3, progress=silent)
    assert (summary.done, summary.left_open, len(model.asked)) == (len(WORK), 0, len(WORK))
    assert made.open_work(WORK) == []
    await made.make(WORK, concurrency=3, progress=silent)
    assert len(model.asked) == len(WORK)
    records = list(iter_reads(made.folder.store, EVALUATOR))
    assert len(records) == len(WORK)
    sent = {request.messages for request in model.asked}
    for record in records:
        assert archived_messages(made.folder.blobs.get(record.packet_sha256)) in sent
        assert record.reply_sha256 is not None
        assert "cells" in made.folder.blobs.get(record.reply_sha256)


async def test_results_do_not_depend_on_interruption_or_order(tmp_path: Path) -> None:
    whole = campaign(tmp_path / "whole", Scripted())
    await whole.make(WORK, concurrency=1, progress=silent)
    parts = campaign(tmp_path / "parts", Scripted())
    await parts.make(WORK[5:], concurrency=4, progress=silent)
    await parts.make(parts.open_work(WORK), concurrency=2, progress=silent)
    one, other = (list(iter_reads(c.folder.store, EVALUATOR)) for c in (whole, parts))
    assert one == other


async def test_what_was_not_answered_stays_open(tmp_path: Path) -> None:
    down = campaign(tmp_path, Scripted(RequestRefused("no such key", status=401)))
    summary = await down.make(WORK, concurrency=2, progress=silent)
    assert summary.done == 0
    assert len(down.open_work(WORK)) == len(WORK)


async def test_a_bad_request_uses_up_nothing_before_the_model_has_answered(tmp_path: Path) -> None:
    refusing = campaign(tmp_path, Scripted(RequestRefused("unsupported parameter", status=400)))
    summary = await refusing.make(WORK, concurrency=2, progress=silent)
    assert summary.done == 0
    assert len(refusing.open_work(WORK)) == len(WORK)
    answering = campaign(tmp_path, Scripted())
    await answering.make(WORK[:1], concurrency=1, progress=silent)
    later = campaign(tmp_path, Scripted(RequestRefused("too long", status=400)))
    await later.make(WORK[1:3], concurrency=1, progress=silent)
    voids = [r.void for r in iter_reads(later.folder.store, EVALUATOR)]
    assert sorted(v.value for v in voids if v) == ["request_refused"] * 2
