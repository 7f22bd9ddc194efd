"""Strict gaps by hand; their expectation against every order of the labels."""

from itertools import permutations, product

import numpy as np
import pytest

from draligned.measure.gaps import expected, gaps, run_counts

from .paths import sequences


@pytest.mark.parametrize(
    ("path", "strict", "uncertain"),
    [
        ("ONO", 1, 0),
        ("OXO", 1, 0),
        ("BNNXB", 1, 0),
        ("ONOXO", 2, 0),
        ("OO", 0, 0),
        ("OBO", 0, 0),
        ("O?O", 0, 1),
        ("ON?O", 0, 1),
        ("O?NO?O", 0, 2),
        ("ONO?O", 1, 1),
        ("NON", 0, 0),
        ("O?", 0, 0),
        ("?NO", 0, 0),
        ("XNX", 0, 0),
        ("", 0, 0),
    ],
)
def test_gaps_by_hand(path: str, strict: int, uncertain: int) -> None:
    found = gaps(sequences(path))
    assert (int(found.strict.sum()), int((~found.strict).sum())) == (strict, uncertain)


def test_the_looser_rule_is_not_used() -> None:
    """It said re-entry wherever the own side came back; an unknown request may have been it."""
    found = gaps(sequences("ON?NO"))
    assert found.strict.tolist() == [False]
    assert (found.n_absent.tolist(), found.n_unknown.tolist()) == ([2], [1])


def test_runs_are_not_joined() -> None:
    assert gaps(sequences("ON", "NO")).of.size == 0
    assert gaps(sequences("ONO", "ONO", "N")).of.tolist() == [0, 1]


def test_nothing_is_strict_in_a_run_seen_in_part() -> None:
    found = gaps(sequences("ONO", in_full=False))
    assert found.strict.tolist() == [False]


@pytest.mark.parametrize("counts", list(product(range(5), range(4), range(3))))
def test_expectation_is_the_mean_over_all_orders(counts: tuple[int, int, int]) -> None:
    shown, absent, unknown = counts
    orders = sorted(set(permutations("O" * shown + "N" * absent + "?" * unknown)))
    told = [gaps(sequences("".join(order))).strict for order in orders]
    strict = [int(s.sum()) for s in told]
    found = expected(shown, absent, unknown)
    assert found.strict == pytest.approx(np.mean(strict))
    assert found.uncertain == pytest.approx(np.mean([int((~s).sum()) for s in told]))
    assert found.any_strict == pytest.approx(np.mean([s > 0 for s in strict]))


def test_one_of_three_orders_by_hand() -> None:
    """Two expressed and one other: only the order expressed, other, expressed has a gap."""
    assert expected(2, 1, 0).strict == pytest.approx(1 / 3)
    assert expected(2, 1, 0).any_strict == pytest.approx(1 / 3)


def test_long_runs_lose_no_digit() -> None:
    """Without unknown labels only the 301 contiguous orders have no gap; log factorials would do
    for the size, not for the digits."""
    found = expected(60, 300, 0)
    assert found.any_strict == 1.0
    assert expected(2, 400, 0).any_strict == pytest.approx(1 - 2 / 402, rel=1e-15)


def test_numbers_of_hits_among_independent_runs() -> None:
    """0.5 and 0.2: none 0.4, one 0.5, both 0.1."""
    assert run_counts(np.array([0.5, 0.2, 0.0])) == pytest.approx([0.4, 0.5, 0.1])
    assert run_counts(np.array([])).tolist() == [1.0]
