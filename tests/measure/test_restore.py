import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from draligned.measure import restore as rs
from draligned.schema.errors import InventoryError
from draligned.schema.labels import Presence, SlotLabel


@pytest.mark.parametrize(
    ("label", "alpha", "presence"),
    [
        ("ALPHA_ONLY", "P", "P_ONLY"),
        ("ALPHA_ONLY", "Q", "Q_ONLY"),
        ("BETA_ONLY", "P", "Q_ONLY"),
        ("BETA_ONLY", "Q", "P_ONLY"),
        ("BOTH", "P", "BOTH"),
        ("BOTH", "Q", "BOTH"),
        ("NEITHER", "P", "NEITHER"),
        ("NEITHER", "Q", "NEITHER"),
        ("UNKNOWN", "P", "UNKNOWN"),
        ("UNKNOWN", "Q", "UNKNOWN"),
    ],
)
def test_slots_are_restored(label: str, alpha: str, presence: str) -> None:
    slots = rs.encode(pd.Series([label]), rs.SLOT_BITS, "label")
    bits = rs.restore(slots, pd.Series([alpha]))
    assert rs.presence_words(bits).tolist() == [presence]


def test_two_bits_and_readout() -> None:
    words = [Presence.P_ONLY, Presence.Q_ONLY, Presence.BOTH, Presence.NEITHER]
    bits = np.array([0b10, 0b01, 0b11, 0b00], dtype=np.int8)
    assert rs.presence_words(bits).tolist() == [word.value for word in words]
    assert rs.readout(bits).tolist() == [1, -1, 0, 0]


@given(st.lists(st.sampled_from([label.value for label in SlotLabel]), min_size=1))
def test_swapping_slots_and_sides_restores_the_same(labels: list[str]) -> None:
    slots = rs.encode(pd.Series(labels), rs.SLOT_BITS, "label")
    p_first = pd.Series(["P"] * len(labels))
    q_first = pd.Series(["Q"] * len(labels))
    assert (rs.restore(slots, p_first) == rs.restore(rs.swap(slots), q_first)).all()


def test_reason_of_the_worst_read_comes_first() -> None:
    states = np.array([rs.ABSENT, rs.MISSING, rs.VOID, rs.OVERSIZE, rs.OK])
    first, mirror = (grid.ravel() for grid in np.meshgrid(states, states, indexing="ij"))
    table = rs.unread_reason(first, mirror).reshape(5, 5)
    gone, over = "read_missing", "oversize"
    assert table.tolist() == [
        [gone, gone, gone, over, gone],
        [gone, gone, gone, over, gone],
        ["single_read", gone, "void_read", over, "void_read"],
        [over, over, over, over, over],
        ["single_read", gone, "void_read", over, ""],
    ]


def test_a_word_outside_the_set_is_refused() -> None:
    with pytest.raises(InventoryError, match=r"label: 'P_ONLY' is not one of NEITHER"):
        rs.encode(pd.Series(["BOTH", "P_ONLY"]), rs.SLOT_BITS, "label")
