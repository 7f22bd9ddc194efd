"""Two people's answers, final labels and the evaluator's readings, by hand."""

from typing import Any

import pytest

from draligned.measure.proportions import wilson
from draligned.measure.reviews import (
    Directions,
    agreed,
    final_labels,
    gated,
    items_agreed,
    open_items,
)
from draligned.schema.errors import InventoryError
from draligned.schema.labels import Presence
from draligned.schema.review import DirectionItem

P, Q, BOTH, NEITHER, UNKNOWN = (
    Presence.P_ONLY, Presence.Q_ONLY, Presence.BOTH, Presence.NEITHER, Presence.UNKNOWN,
)  # fmt: skip


def said(*labels: Presence) -> Directions:
    return {f"{n}": label for n, label in enumerate(labels)}


ONE = said(P, P, Q, NEITHER, UNKNOWN, BOTH)
OTHER = said(P, Q, Q, P, UNKNOWN, BOTH)


def test_answers_are_counted_over_what_both_answered() -> None:
    found = agreed("q", ("a", {"1": "no", "2": "yes", "3": "no"}), ("b", {"2": "yes", "3": "yes"}))
    assert (found.n_both, found.n_same) == (2, 1)
    # One of two alike; by chance (1·2 + 1·0)/4 = 1/2.
    assert found.kappa == pytest.approx(0.0)


def test_directions_match_are_opposite_or_differ_otherwise() -> None:
    found = items_agreed(("a", ONE), ("b", OTHER))
    assert (found.n_both, found.n_matched, found.n_opposite) == (6, 3, 1)
    assert (found.n_other, found.n_undecided) == (1, 1)
    same = items_agreed(("a", ONE), ("b", ONE))
    assert (same.n_matched, same.n_undecided, same.kappa, same.alpha) == (5, 1, 1.0, 1.0)


def test_people_who_share_no_item_have_no_agreement() -> None:
    found = items_agreed(("a", {"1": P}), ("b", {"2": P}))
    assert (found.n_both, found.n_matched, found.kappa, found.alpha) == (0, 0, None, None)


def test_final_labels_are_common_ones_or_decided_later() -> None:
    assert open_items([ONE, OTHER]) == {"1", "3", "4"}
    assert final_labels([ONE, OTHER], []) == {"0": P, "2": Q, "5": BOTH}
    later = {"0": Q, "1": Q, "3": UNKNOWN}
    assert final_labels([ONE, OTHER], [later]) == {"0": P, "1": Q, "2": Q, "5": BOTH}
    assert final_labels([ONE, OTHER], [later, {"1": P}]) == {"0": P, "2": Q, "5": BOTH}


def test_one_person_alone_makes_no_final_label() -> None:
    assert final_labels([ONE], [ONE]) == {}
    assert open_items([ONE]) == set()


def item(item_id: str, pre_check: Presence, accepted: bool = True) -> DirectionItem:
    return DirectionItem(
        item_id=item_id,
        factor_id="f",
        text_sha256="0" * 64,
        entity_key="x",
        paragraph_ids=(1,),
        pre_check=pre_check,
        accepted=accepted,
    )


def test_gated_items_have_a_final_label_and_stood_the_check() -> None:
    items = [item("0", P), item("1", P, accepted=False), item("2", P), item("5", NEITHER),
             item("7", P)]  # fmt: skip
    found = gated("e", items, final_labels([ONE, OTHER], [{"1": Q}]))
    assert (found.n_items, found.n_final, found.n_gated) == (5, 4, 3)
    assert (found.n_same, found.n_opposite, found.n_other) == (1, 1, 1)


def test_scaled_counts_enter_no_computation() -> None:
    """DR-103: 8 of 13 as 384 of 624 carry their basis and are refused by every routine."""
    eight = items_agreed(("a", said(*[P] * 13)), ("b", said(*[P] * 8, *[BOTH] * 5)))
    scaled: Any = eight.scaled(624)
    assert str(scaled) == "384 of 624 (scaled; basis_n = 13)"
    with pytest.raises(InventoryError, match="no count of labels"):
        wilson(scaled, 624)
    with pytest.raises(InventoryError):
        eight.scaled(100)
