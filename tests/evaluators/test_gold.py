"""Gold packets are built, blinded and read as a study's."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from draligned.bench_data.gold import GoldDocument
from draligned.evaluators.cells import validate_cells
from draligned.evaluators.gold import GOLD_SEED, GoldUnit, gold_units, paragraph_of
from draligned.evaluators.items import VOCABULARIES, validate_items
from draligned.evaluators.judged import judged
from draligned.evaluators.orientation import ReadPlan, alpha_of, planned_reads
from draligned.evaluators.protocol import load_protocol
from draligned.evaluators.render import render
from draligned.evaluators.said import said
from draligned.schema.design import Lang
from draligned.schema.labels import Presence, ReadRole, Side, SlotLabel, VoidReason
from draligned.schema.packets import ReadRecord

LANGS: tuple[Lang, ...] = ("zh", "en")
PLAN = ReadPlan(seed=GOLD_SEED, mirrored=True, retest_share=0.0)


def record(unit: GoldUnit, role: ReadRole, **filled: Any) -> ReadRecord:
    """A read of a gold packet in the planned orientation."""
    return ReadRecord(
        packet_id=unit.unit.packet_id,
        kind=unit.unit.kind,
        factor_id=unit.unit.factor_id,
        evaluator_id="e" * 16,
        protocol_sha256="p" * 64,
        role=role,
        alpha=alpha_of(unit.unit.packet_id, GOLD_SEED, role),
        packet_sha256="s" * 64,
        reply_sha256="r" * 64,
        void=None,
        **filled,
    )


@pytest.mark.parametrize("lang", LANGS)
def test_a_mirrored_packet_swaps_the_ends_and_nothing_else(lang: Lang) -> None:
    for unit in gold_units(lang):
        one, other = unit.packet(Side.P), unit.packet(Side.Q)
        assert (one.alpha, one.beta) == (other.beta, other.alpha)
        swapped = other.model_copy(update={"alpha": one.alpha, "beta": one.beta})
        assert swapped == one


@pytest.mark.parametrize("lang", LANGS)
def test_a_packet_tells_nothing_of_its_answer(lang: Lang) -> None:
    for unit in gold_units(lang):
        body = (render(unit.packet(Side.P), load_protocol(lang))[1].text or "").partition("\n")[2]
        shown = json.loads(body)
        content = "requests" if unit.unit.kind == "requests" else "paragraphs"
        extra = {"factor"} if content == "paragraphs" else set()
        assert set(shown) == {"kind", "question", "guidance", "alpha", "beta", content} | extra
        fields = {key for entry in shown[content] for key in entry}
        assert not fields & {"label", "trap", "sense", "marks", "order", "sentinel"}


def test_first_reads_begin_with_either_end() -> None:
    sides = [alpha_of(u.unit.packet_id, GOLD_SEED, ReadRole.FIRST) for u in gold_units("zh")]
    assert {sides.count(Side.P) > 10, sides.count(Side.Q) > 10} == {True}


def test_a_mark_is_found_in_its_paragraph() -> None:
    for unit in gold_units("en"):
        if isinstance(unit.gold, GoldDocument):
            packet = unit.packet(Side.P)
            assert packet.kind == "document"
            for mark in unit.gold.marks:
                number = paragraph_of(unit.gold, mark.says)
                assert mark.says in packet.paragraphs[number - 1].text


REPLIES = st.fixed_dictionaries(
    {
        "cells": st.lists(st.sampled_from([*(s.value for s in SlotLabel), "MAYBE"]), min_size=12,
                          max_size=12),
        "items": st.lists(
            st.fixed_dictionaries(
                {name: st.sampled_from([v.value for v in values])
                 for name, values in VOCABULARIES.items()}
            ),
            max_size=4,
        ),
        "void": st.booleans(),
    }
)  # fmt: skip


def read_of(unit: GoldUnit, role: ReadRole, reply: dict[str, Any]) -> ReadRecord:
    """A validated read with arbitrary content."""
    packet = unit.packet(Side.P)
    if reply["void"] and packet.kind == "document":
        return record(unit, role).model_copy(update={"void": VoidReason.UNDECODABLE})
    if packet.kind == "document":
        items = [{**i, "factor": "F", "entity_key": "x", "paragraph_ids": [1]}
                 for i in reply["items"]]  # fmt: skip
        return record(unit, role, **validate_items({"items": items}, packet)._asdict())
    cells = [
        {"no": r.no, "label": label, "quote": r.request}
        for r, label in zip(packet.requests, reply["cells"], strict=False)
    ]
    found = validate_cells({"cells": cells}, packet, unit.unit.request_nos)
    return record(unit, role, **found._asdict())


@settings(max_examples=15, deadline=None)
@given(st.lists(REPLIES, min_size=8, max_size=8))
def test_one_read_says_by_itself_what_measure_reads_in_it(replies: list[dict[str, Any]]) -> None:
    units = [u for u in gold_units("zh") if u.gold.sentinel]
    pairs = [(u, read.role) for u in units for read in planned_reads(u.unit.packet_id, PLAN)]
    reads = [read_of(u, role, reply) for (u, role), reply in zip(pairs, replies, strict=True)]
    table = judged(units, reads, evaluator_id="e" * 16, plan=PLAN)
    by_role = {(r.packet_id, r.role.value): said(r) for r in reads}
    for row in table.to_dict("records"):
        for role in ("first", "mirror"):
            own = by_role[row["gold_id"], role][row["no"]]
            assert row[role] == (None if own is None else own.value)


def test_what_is_not_read_is_missing_and_no_label() -> None:
    units = gold_units("zh")[:1]
    table = judged(units, [], evaluator_id="e" * 16, plan=PLAN)
    assert set(table["reason"]) == {"read_missing"}
    assert set(table["label"]) == {Presence.UNKNOWN.value}
    assert table["first"].isna().all()
