"""Sides of a factor."""

from draligned.schema.labels import Side


def test_the_other_side_of_the_other_side_is_this_one() -> None:
    assert (Side.P.other, Side.Q.other) == (Side.Q, Side.P)
