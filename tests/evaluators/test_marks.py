"""Items of gold documents against their marks."""

from typing import Any

from draligned.bench_data.gold import GoldDocument, Trap
from draligned.evaluators.gold import GoldUnit, gold_units, paragraph_of
from draligned.evaluators.marks import ABSENT, mark_reads, separations
from draligned.schema.labels import ReadRole, VoidReason
from draligned.schema.packets import ItemRead, ReadRecord
from tests.evaluators.test_gold import record


def unit_of(trap: Trap, label: str) -> GoldUnit:
    return next(
        u
        for u in gold_units("en")
        if isinstance(u.gold, GoldDocument) and (u.gold.trap, u.gold.label.value) == (trap, label)
    )


def item(unit: GoldUnit, says: str, read: ReadRecord, **changes: Any) -> ItemRead:
    """A firm main recommendation toward Q that rests on the paragraph with `says`."""
    assert isinstance(unit.gold, GoldDocument)
    slot = "SLOT1" if read.alpha.value == "Q" else "SLOT2"
    fields = {"entity_key": "x", "actor": "AGENT", "role": "MAIN", "action": "RECOMMEND",
              "strength": "FIRM", "direction": slot,
              "paragraph_ids": (paragraph_of(unit.gold, says),)}  # fmt: skip
    return ItemRead.model_validate(fields | changes)


def with_items(read: ReadRecord, *items: ItemRead) -> ReadRecord:
    return read.model_copy(update={"items": items})


def test_right_items_are_right_in_both_orientations() -> None:
    unit = unit_of(Trap.THIRD_PARTY, "Q_ONLY")
    for role in (ReadRole.FIRST, ReadRole.MIRROR):
        read = record(unit, role)
        own = item(unit, "close to the station", read)
        theirs = item(unit, "one blog", read, actor="THIRD_PARTY", role="BACKGROUND")
        found = list(mark_reads([unit], [with_items(read, own, theirs)]))
        assert all(m.right for m in found)
        assert {m.field for m in found} == {"actor", "role", "action", "direction"}
        apart = list(separations([unit], [with_items(read, own, theirs)]))
        assert [s.own_advice for s in apart] == [False]


def test_advice_that_was_left_out_is_wrong_and_a_blog_left_out_is_not_judged() -> None:
    unit = unit_of(Trap.THIRD_PARTY, "Q_ONLY")
    found = list(mark_reads([unit], [record(unit, ReadRole.FIRST)]))
    assert found
    assert {m.found for m in found} == {(ABSENT,)}
    assert not any(m.right for m in found)
    assert len(found) == 4


def test_a_blog_read_as_own_advice_is_counted() -> None:
    unit = unit_of(Trap.THIRD_PARTY, "Q_ONLY")
    read = record(unit, ReadRole.FIRST)
    wrong = with_items(read, item(unit, "one blog", read))
    assert [s.own_advice for s in separations([unit], [wrong])] == [True]
    aside = with_items(read, item(unit, "one blog", read, action="MENTION"))
    assert [s.own_advice for s in separations([unit], [aside])] == [False]


def test_one_wrong_item_on_the_paragraph_is_enough() -> None:
    unit = unit_of(Trap.THIRD_PARTY, "Q_ONLY")
    read = record(unit, ReadRole.FIRST)
    right = item(unit, "close to the station", read)
    both = with_items(read, right, item(unit, "close to the station", read, actor="THIRD_PARTY"))
    actor = next(m for m in mark_reads([unit], [both]) if m.field == "actor")
    assert (actor.found, actor.right) == (("AGENT", "THIRD_PARTY"), False)


def test_a_void_read_is_not_judged() -> None:
    unit = unit_of(Trap.THIRD_PARTY, "Q_ONLY")
    void = record(unit, ReadRole.FIRST).model_copy(update={"void": VoidReason.FENCE_OPEN})
    assert list(mark_reads([unit], [void])) == []
    assert list(separations([unit], [void])) == []
