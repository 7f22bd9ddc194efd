"""Retry-After: numbers, dates and nonsense (HARD_CASES 5)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from draligned.models.waits import told_wait

from .doubles import NOON


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("75", 75.0),
        (" 75 ", 75.0),
        ("1.5", 1.5),
        ("99999", 99999.0),
        ("Wed, 07 Jan 2026 12:01:15 GMT", 75.0),
        ("Wed, 07 Jan 2026 11:00:00 GMT", None),
        ("0", None),
        ("-5", None),
        ("abc", None),
        ("", None),
        ("nan", None),
        ("inf", None),
        ("1e999", None),
        ("٧٥", None),
        ("Wed, 99 Xyz", None),
    ],
)
def test_what_counts_as_a_wait(header: str, seconds: float | None) -> None:
    assert told_wait({"retry-after": header}, NOON) == seconds


@pytest.mark.parametrize(
    ("date", "seconds"),
    [
        ("Wed, 07 Jan 2026 11:00:00 GMT", 75.0),
        ("Wed, 07 Jan 2026 13:00:00 GMT", None),
        ("yesterday", None),
        ("", None),
    ],
    ids=["slow here", "fast here", "no date", "none"],
)
def test_a_date_is_measured_by_the_providers_clock(date: str, seconds: float | None) -> None:
    headers = {"retry-after": "Wed, 07 Jan 2026 11:01:15 GMT", "date": date}
    assert told_wait(headers, NOON) == seconds
    assert told_wait({"retry-after": "9", "date": date}, NOON) == 9.0


def test_without_the_header_nothing_is_told() -> None:
    assert told_wait({}, NOON) is None


@given(st.text(max_size=40))
def test_any_text_is_a_positive_wait_or_none(header: str) -> None:
    wait = told_wait({"retry-after": header}, NOON)
    assert wait is None or wait > 0
