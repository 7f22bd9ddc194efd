"""Reviews by scripted people, who say what DR-101 and DR-102 print; none is evidence."""

from pathlib import Path

from draligned import api
from draligned.schema.design import SetAside
from draligned.schema.labels import ItemDirection, Presence, Problem, Side
from draligned.schema.review import Found, ReviewKind
from draligned.study.freeze import keep_set_aside
from draligned.study.reviews import item_sample
from draligned.view.desk import Desk, Unit, desk_of

CARDS, PASSED = 94, {"CR1": 39, "CR2": 92}
ITEMS, MATCHED, GATED, SAME = 13, 8, 9, 7
FIRST, SECOND, THIRD = "CR1", "CR2", "CR1 and CR2"


def with_cards(root: Path, count: int = CARDS) -> Path:
    """Set cards aside, so that the study at `root` has `count` to review."""
    study = api.open(root)
    design = study.design()
    card, task = design.cards[0], design.tasks[0]
    keep_set_aside(
        study.folder.store,
        [
            SetAside(
                source=design.source,
                task=task,
                card=card.model_copy(
                    update={"user_id": f"user {n}", "decision": f"{card.decision} ({n})"}
                ),
            )
            for n in range(len(design.cards), count)
        ],
    )
    return root


def desk(root: Path, kind: ReviewKind, reviewer: str) -> Desk:
    """What the reviewer's pages are made from."""
    return desk_of(root, kind, reviewer)


def place_of(unit: Unit, found: Desk) -> int:
    """A number of the unit that is the same for every reviewer."""
    return sorted(u.unit_id for u in found.units).index(unit.unit_id)


def on_card(found: Desk, unit: Unit) -> dict[Problem, Found]:
    """CR1 passes the first 39 cards, CR2 the first 92."""
    place = place_of(unit, found)
    said = dict.fromkeys(Problem, Found.NO)
    if place >= PASSED[found.key.reviewer]:
        said[tuple(Problem)[place % 5]] = Found.YES if place % 7 else Found.CANNOT_TELL
    return said


def on_item(root: Path, found: Desk, unit: Unit) -> ItemDirection:
    """8 of 13 are answered alike by both, 6 of these as the evaluator reads them.

    On the other five CR2 says BOTH, which is opposite to nothing. Later one of them is decided
    as the evaluator reads it; the others stay open.
    """
    sample = item_sample(found.folder.store)
    assert sample is not None
    assert unit.item is not None
    ids = [i.item_id for i in sample.items]
    place, read = ids.index(unit.unit_id), unit.item.pre_check
    if found.kind is ReviewKind.DECISIONS:
        return slot(read, unit.first) if place == MATCHED else ItemDirection.UNKNOWN
    if place >= MATCHED and found.key.reviewer == SECOND:
        return ItemDirection.BOTH
    return slot(_otherwise(read) if place < GATED - SAME else read, unit.first)


def _otherwise(read: Presence) -> Presence:
    return Presence.NEITHER if read is Presence.P_ONLY else Presence.P_ONLY


def slot(said: Presence, first: Side) -> ItemDirection:
    """What a person picks who means P alone, Q alone, and so on."""
    if said in (Presence.P_ONLY, Presence.Q_ONLY):
        return ItemDirection.SLOT1 if said.value[0] == first.value else ItemDirection.SLOT2
    return ItemDirection(said.value)
