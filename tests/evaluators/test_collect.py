"""Reads become the long tables of schema/frames.py; nothing planned goes missing silently."""

import random
from collections.abc import Iterable

import pandas as pd
import pytest

from draligned.evaluators.collect import collect
from draligned.evaluators.orientation import ReadPlan, Work, work_list
from draligned.evaluators.packets import document_packet, plan_units, request_packet
from draligned.evaluators.protocol import load_protocol
from draligned.evaluators.read import read_packet
from draligned.evaluators.read_columns import as_columns
from draligned.schema import frames
from draligned.schema.base import sha256_text
from draligned.schema.errors import InventoryError
from draligned.schema.frames import MeasureInputs
from draligned.schema.labels import ReadRole, Side, VoidReason
from draligned.schema.observed import ObservedRun
from draligned.schema.packets import EvalUnit, ReadRecord
from draligned.study.inventory import CellState, RunCell
from draligned.study.reading import runs_table

from .scripted import Scripted, card, draft, final, run

TEXTS = {sha256_text(t): t for t in ("推荐西湖。", "推荐南山。\n\n推荐西湖。", "多练习。")}
A, B, C = TEXTS.values()
RUNS = [
    run(("西湖 演讲", "http://a"), run_id="a" * 16, drafts=(draft(A), draft(B, 2)), final=final(B)),
    run(("南山 演讲",), run_id="b" * 16, side=Side.Q, final=final(C)),
    run((), run_id="c" * 16, side=Side.Q, replicate=2),
]
UNITS = plan_units(RUNS, "whole_run")
PLAN = ReadPlan(seed=3, mirrored=True, retest_share=0.0)
NAMES = {"1" * 16: "reader-one", "2" * 16: "reader-two"}


async def read(work: Work) -> ReadRecord:
    by_id = {r.run_id: r for r in RUNS}
    unit, evaluator, planned, _ = work
    packet = (
        request_packet(unit, card(), planned.alpha, by_id[unit.run_id])
        if unit.run_id
        else document_packet(unit, card(), planned.alpha, TEXTS[unit.text_sha256 or ""])
    )
    protocol = load_protocol("zh")
    result = await read_packet(Scripted(), unit, packet, planned, protocol, evaluator_id=evaluator)
    return result.record


async def all_reads(plan: ReadPlan = PLAN) -> list[ReadRecord]:
    return [await read(w) for w in work_list(UNITS, NAMES, plan)]


def rows_of(runs: Iterable[ObservedRun]) -> pd.DataFrame:
    """The runs table of runs that are done, as the study makes it."""
    observed = {r.run_id: r for r in runs}
    cells = tuple(
        RunCell.model_validate(
            {k: v for k, v in r.model_dump().items() if k in RunCell.model_fields}
            | {"factor_id": r.assigned[0].factor_id, "arm": r.assigned[0].side}
        )
        for r in observed.values()
        if r.assigned
    )
    return runs_table(
        cells, {k: CellState("done", 1, r.end) for k, r in observed.items()}, observed
    )


def tables(
    reads: Iterable[ReadRecord], plan: ReadPlan = PLAN, units: Iterable[EvalUnit] = UNITS
) -> MeasureInputs:
    return collect(
        runs_table=rows_of(RUNS),
        runs=RUNS,
        units=units,
        reads=map(as_columns, reads),
        evaluators=NAMES,
        plan=plan,
    )


def same(one: MeasureInputs, other: MeasureInputs) -> None:
    for name in ("runs", "request_reads", "documents", "document_reads", "items"):
        pd.testing.assert_frame_equal(getattr(one, name), getattr(other, name))


async def test_columns_are_the_contracts() -> None:
    found = tables(await all_reads())
    assert tuple(found.runs.columns) == frames.RUNS
    assert tuple(found.request_reads.columns) == frames.REQUEST_READS
    assert tuple(found.documents.columns) == frames.DOCUMENTS
    assert tuple(found.document_reads.columns) == frames.DOCUMENT_READS
    assert tuple(found.items.columns) == frames.ITEMS


async def test_a_request_says_in_which_delegation_it_was_made() -> None:
    inside = RUNS[0].requests[0].model_copy(update={"parent": 2})
    asked = RUNS[0].model_copy(update={"requests": (inside, *RUNS[0].requests[1:])})
    rows = collect(
        runs_table=rows_of(RUNS),
        runs=[asked, *RUNS[1:]],
        units=UNITS,
        reads=map(as_columns, await all_reads()),
        evaluators=NAMES,
        plan=PLAN,
    ).request_reads
    columns = rows[["run_id", "request_no", "delegation"]]
    found = set(columns.itertuples(index=False, name=None))
    assert {x for x in found if x[2] is not None} == {(asked.run_id, inside.request_no, 2)}


async def test_every_request_has_a_row_for_every_read() -> None:
    rows = tables(await all_reads()).request_reads
    assert len(rows) == 3 * 2 * 2
    mine = rows[(rows["run_id"] == "a" * 16) & (rows["evaluator"] == "reader-one")]
    assert list(mine["request_no"]) == [1, 1, 2, 2]
    assert list(mine["read"]) == ["first", "mirror"] * 2
    assert list(mine["tool"]) == ["search", "search", "read", "read"]
    assert set(mine["alpha"].iloc[:2]) == {"P", "Q"}
    expected = {"P": "ALPHA_ONLY", "Q": "BETA_ONLY"}
    assert [expected[a] for a in mine["alpha"].iloc[:2]] == list(mine["label"].iloc[:2])
    assert list(mine["label"].iloc[2:]) == ["UNKNOWN"] * 2
    assert set(rows["status"]) == {"valid"}
    assert all(reason is None for reason in rows["reason"])


async def test_documents_point_to_reads_by_text() -> None:
    found = tables(await all_reads())
    shown = found.documents[["run_id", "role", "version_no", "text_sha256"]].values.tolist()
    assert shown == [
        ["a" * 16, "draft", 1, sha256_text(A)],
        ["a" * 16, "draft", 2, sha256_text(B)],
        ["a" * 16, "final", None, sha256_text(B)],
        ["b" * 16, "final", None, sha256_text(C)],
    ]
    assert len(found.document_reads) == 3 * 2 * 2
    assert set(found.document_reads["status"]) == {"ok"}
    texts = found.document_reads.set_index("text_sha256")["n_items"]
    assert set(texts[sha256_text(B)]) == {2}
    assert len(found.items) == (1 + 2 + 1) * 2 * 2


async def test_what_was_not_read_is_a_missing_row() -> None:
    reads = await all_reads()
    kept = [r for r in reads if r.evaluator_id == "1" * 16 and r.role is ReadRole.FIRST]
    found = tables(kept)
    full = tables(reads)
    assert len(found.request_reads) == len(full.request_reads)
    assert len(found.document_reads) == len(full.document_reads)
    missing = found.request_reads[found.request_reads["read"] == "mirror"]
    assert set(missing["status"]) == {"missing"}
    assert all(label is None for label in missing["label"])
    lost = found.document_reads[found.document_reads["evaluator"] == "reader-two"]
    assert set(lost["status"]) == {"missing"}
    assert all(n is None for n in lost["n_items"])


async def test_void_and_oversize_reads_say_so_and_have_no_numbers() -> None:
    reasons = {ReadRole.FIRST: VoidReason.OVERSIZE, ReadRole.MIRROR: VoidReason.FENCE_OPEN}
    reads = [
        r.model_copy(update={"void": reasons[r.role], "items": ()})
        for r in await all_reads()
        if r.kind == "document"
    ]
    rows = tables(reads).document_reads
    assert set(zip(rows["read"], rows["status"], rows["reason"], strict=True)) == {
        ("first", "oversize", "oversize"),
        ("mirror", "void", "fence_open"),
    }
    assert all(n is None for n in rows["n_items"])


async def test_tables_do_not_depend_on_any_order() -> None:
    reads = await all_reads()
    shuffled = random.Random(1).sample(reads, len(reads))
    same(tables(reads), tables(shuffled, units=reversed(UNITS)))


async def test_reads_that_are_no_longer_asked_for_are_kept() -> None:
    reads = await all_reads(ReadPlan(seed=3, mirrored=True, retest_share=1.0))
    rows = tables(reads, ReadPlan(seed=3, mirrored=False, retest_share=0.0)).request_reads
    assert set(rows["read"]) == {"first", "mirror", "retest"}
    assert set(rows["status"]) == {"valid"}


async def test_a_wrong_inventory_is_refused() -> None:
    reads = await all_reads()
    with pytest.raises(InventoryError, match="twice"):
        tables([*reads, reads[0]])
    with pytest.raises(InventoryError, match="different protocols"):
        tables([reads[0].model_copy(update={"protocol_sha256": "0" * 64}), *reads[1:]])
    with pytest.raises(InventoryError, match="orientation"):
        tables([reads[0].model_copy(update={"alpha": reads[0].alpha.other}), *reads[1:]])
    with pytest.raises(InventoryError, match="no planned packet"):
        tables(reads, units=[u for u in UNITS if u.packet_id != reads[0].packet_id])
    requests = next(r for r in reads if r.kind == "requests")
    others = [r for r in reads if r is not requests]
    with pytest.raises(InventoryError, match="has changed since"):
        tables([*others, requests.model_copy(update={"cells": ()})])


async def test_reads_by_others_are_left_out() -> None:
    reads = await all_reads()
    stranger = reads[0].model_copy(update={"evaluator_id": "9" * 16, "protocol_sha256": "0" * 64})
    same(tables(reads), tables([*reads, stranger]))


def test_an_empty_study_has_empty_tables() -> None:
    found = collect(
        runs_table=frames.empty(frames.RUNS), runs=[], units=[], reads=[], evaluators={}, plan=PLAN
    )
    assert [len(t) for t in (found.request_reads, found.documents, found.items)] == [0, 0, 0]
    assert tuple(found.items.columns) == frames.ITEMS


def test_run_rows_name_the_primary_factor_and_its_arm() -> None:
    rows = rows_of([*reversed(RUNS), run(run_id="d" * 16, assigned=())])
    assert list(rows["run_id"]) == ["a" * 16, "b" * 16, "c" * 16]
    assert list(rows["arm"]) == ["P", "Q", "Q"]
    assert set(rows["factor_id"]) == {card().factor_id}
    assert set(rows["observes_a"]) == {"full"}
    assert set(rows["outcome"]) == {"text_reply"}
    assert set(rows["state"]) == {"done"}
