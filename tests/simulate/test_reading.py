"""Planted faults of evaluators do what their names say."""

import numpy as np
import pytest

from draligned.simulate.behaviour import NEITHER, OTHER, OWN
from draligned.simulate.drawn import generator
from draligned.simulate.parameters import ByState, Reader, alike
from draligned.simulate.reading import UNKNOWN, VOID, Reads, read_units

N = 20_000
CODES = np.tile(np.array([NEITHER, OTHER, OWN, 3], dtype=np.int8), N // 4)
OWN_FIRST = np.arange(N) % 3 == 0
NOBODY = np.zeros(N, dtype=bool)


def reads(silent: np.ndarray = NOBODY, **faults: object) -> Reads:
    return read_units(
        Reader(**faults),
        CODES,
        OWN_FIRST,
        silent,
        generator("reading"),  # type: ignore[arg-type]
    )


def differ(a: np.ndarray, b: np.ndarray) -> float:
    return float((a != b).mean())


def test_a_perfect_reader_says_what_is_there() -> None:
    made = reads()
    for said in (made.first, made.mirror, made.retest, made.identified):
        assert (said == CODES).all()


def test_a_slot_bias_flips_with_the_order_and_repeats_itself() -> None:
    made = reads(slot_bias=0.2)
    assert differ(made.first, made.mirror) == pytest.approx(0.2, abs=0.02)
    assert (made.first == made.retest).all()
    wrong = made.first != CODES
    assert (made.first[wrong] == np.where(OWN_FIRST, OWN, OTHER)[wrong]).all()


def test_noise_differs_between_any_two_reads() -> None:
    made = reads(noise=0.1)
    expected = 1 - 0.9**2 - 0.1**2 / 3
    assert differ(made.first, made.mirror) == pytest.approx(expected, abs=0.02)
    assert differ(made.first, made.retest) == pytest.approx(expected, abs=0.02)


def test_an_error_is_agreed_on() -> None:
    made = reads(error=0.1)
    assert (made.first == made.mirror).all()
    directional = (CODES == OWN) | (CODES == OTHER)
    turned = made.identified != CODES
    assert turned[directional].mean() == pytest.approx(0.1, abs=0.02)
    assert not turned[~directional].any()


def test_abstention_by_state_leaves_units_unidentified() -> None:
    made = reads(abstain=ByState(none=0.5, own=0.1))
    gone = made.identified == UNKNOWN
    assert gone[CODES == NEITHER].mean() == pytest.approx(0.5, abs=0.03)
    assert gone[CODES == OWN].mean() == pytest.approx(0.1, abs=0.03)
    assert not gone[CODES == OTHER].any()
    assert (made.first == made.retest).all()


def test_void_reads_and_silent_runs() -> None:
    made = reads(void=0.1)
    assert (made.first == VOID).mean() == pytest.approx(0.1, abs=0.01)
    assert (made.identified == UNKNOWN).mean() == pytest.approx(0.19, abs=0.02)
    assert (reads(silent=~NOBODY).identified == UNKNOWN).all()
    assert (reads(abstain=alike(1.0)).identified == UNKNOWN).all()
