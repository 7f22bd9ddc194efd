"""The collector's thresholds are given back as they were."""

import gc

import pytest

from draligned.study.collector import THRESHOLDS, seldom_collecting


def test_thresholds_are_given_back_whatever_happens() -> None:
    usual = gc.get_threshold()
    seen: list[tuple[int, int, int]] = []

    def work() -> None:
        with seldom_collecting():
            seen.append(gc.get_threshold())
            raise KeyError

    with pytest.raises(KeyError):
        work()
    assert seen == [THRESHOLDS]
    assert gc.get_threshold() == usual


@pytest.mark.parametrize("own", [(0, 10, 10), (50_000, 5, 5)])
def test_what_a_program_has_set_higher_stays(own: tuple[int, int, int]) -> None:
    usual = gc.get_threshold()
    try:
        gc.set_threshold(*own)
        with seldom_collecting():
            assert gc.get_threshold() == own
    finally:
        gc.set_threshold(*usual)
