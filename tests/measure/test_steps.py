"""Kinds of steps by hand."""

import pytest

from draligned.measure.steps import KINDS, Kind, steps

from .paths import sequences


@pytest.mark.parametrize(
    ("path", "kinds"),
    [
        ("OB", ["broadening"]),
        ("BO", ["narrowing"]),
        ("ON", ["dropout"]),
        ("BN", ["dropout"]),
        ("OX", ["reversal"]),
        ("NO", ["adoption"]),
        ("NB", ["adoption"]),
        ("XB", ["counter_broadening"]),
        ("BX", ["counter_narrowing"]),
        ("XN", ["counter_dropout"]),
        ("XO", ["counter_reversal"]),
        ("NX", ["counter_adoption"]),
        ("NNOOBN", ["stay", "adoption", "stay", "broadening", "dropout"]),
        ("O?N", ["uncertain"]),
        ("O??O", ["uncertain"]),
        ("?O", []),
        ("O?", []),
        ("O?N?NO", ["uncertain", "uncertain", "adoption"]),
        ("", []),
        ("???", []),
    ],
)
def test_kinds(path: str, kinds: list[str]) -> None:
    assert steps(sequences(path)).kind.tolist() == kinds


def test_unknown_units_are_counted_and_never_filled() -> None:
    found = steps(sequences("O??N"))
    assert found.n_unknown.tolist() == [2]
    assert found.certain.tolist() == [False]


def test_steps_stay_within_a_run() -> None:
    found = steps(sequences("NO", "O", "BN"))
    assert found.of.tolist() == [0, 2]


def test_every_change_has_one_kind_and_exchanging_endpoints_mirrors_it() -> None:
    assert set(KINDS) == {(a, b) for a in range(4) for b in range(4)}
    swapped = {0: 0, 1: 2, 2: 1, 3: 3}
    for (a, b), kind in KINDS.items():
        mirrored = KINDS[swapped[a], swapped[b]]
        own_image = a == b or (a, b) in {(3, 0), (0, 3)}
        expected = kind if own_image else _mirror(kind)
        assert mirrored is expected, (a, b)


def _mirror(kind: Kind) -> Kind:
    word = kind.value
    return Kind(word.removeprefix("counter_") if word.startswith("counter_") else f"counter_{word}")


def test_in_a_run_seen_in_part_even_neighbours_may_have_something_between_them() -> None:
    assert steps(sequences("OO", "ON", in_full=False)).kind.tolist() == ["uncertain"] * 2
