"""The customer's cue, and where in its run a message stands."""

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from draligned.progress.tau2.bins import binned
from draligned.progress.tau2.cues import first_cue, has_cue
from tests.progress.tau2.planted import checkpoint, frame


@pytest.mark.parametrize(
    "said",
    ["It works now!", "Great, that is FIXED.", "thanks", "It’s working", "No. Thank you!"],
)
def test_a_cue(said: str) -> None:
    assert has_cue(said)


@pytest.mark.parametrize(
    "said",
    [
        "", "It is still not fixed.", "It isn't working now", "Once it's fixed, tell me",
        "I will wait until it is resolved", "prefixed and unresolvedly", "It does.",
    ],
)  # fmt: skip
def test_no_cue(said: str) -> None:
    assert not has_cue(said)


def test_a_long_text_is_read_in_bounded_time() -> None:
    assert not has_cue("not thanks " * 50_000)
    assert has_cue("not thanks " * 50_000 + "but now really: it works")


def test_the_first_cue() -> None:
    assert first_cue([(1, "Help"), (5, "not fixed"), (9, "works now"), (11, "thanks")]) == 9
    assert first_cue([(1, "Help")]) is None


@settings(deadline=None)
@given(st.lists(st.integers(1, 300), min_size=1, max_size=12, unique=True), st.integers(2, 10))
def test_bins_run_from_the_first_to_the_last_message(places: list[int], bins: int) -> None:
    rows = frame([checkpoint("r", i, "mid_task", "x") for i in sorted(places)])
    found = binned(rows, bins)
    if len(places) == 1:
        assert found.isna().all()
        return
    assert found.iloc[0] == 1
    assert found.iloc[-1] == bins
    assert list(found) == sorted(found)
    shifted = binned(rows.assign(index=3 * rows["index"] + 7), bins)
    pd.testing.assert_series_equal(found, shifted)


def test_edges_of_bins_belong_to_the_bin_above() -> None:
    rows = frame([checkpoint("r", i, "mid_task", "x") for i in (10, 19, 20, 30, 50, 59, 60)])
    assert list(binned(rows, 5)) == [1, 1, 2, 3, 5, 5, 5]
