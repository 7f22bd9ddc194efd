"""`Retry-After` as seconds (HARD_CASES 5)."""

import math
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime


def told_wait(headers: Mapping[str, str], now: datetime) -> float | None:
    """Seconds the provider asks us to wait, from a number or an HTTP date.

    `Retry-After-Ms`, which some send beside it, is the more exact one and wins. None where
    neither says a wait: zero, a negative number, a date gone by, no number at all. The
    caller then backs off. A date is measured by the provider's own clock, where it tells the
    time; `now` is this machine's, which may be wrong.
    """
    millis = _as_seconds(headers.get("retry-after-ms", "").strip())
    raw = headers.get("retry-after", "").strip()
    there = _date(headers.get("date", "").strip()) or now
    when = _date(raw)
    found = (
        None if millis is None else millis / 1000,
        _as_seconds(raw),
        None if when is None else (when - there).total_seconds(),
    )
    return next((seconds for seconds in found if seconds is not None and seconds > 0), None)


def _as_seconds(raw: str) -> float | None:
    if not raw.isascii() or "_" in raw:
        return None
    try:
        seconds = float(raw)
    except ValueError:
        return None
    return seconds if math.isfinite(seconds) else None


def _date(raw: str) -> datetime | None:
    try:
        when = parsedate_to_datetime(raw)
    except (ValueError, TypeError, OverflowError):
        return None
    return when if when.tzinfo is not None else when.replace(tzinfo=UTC)
