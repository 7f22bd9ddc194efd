"""`Retry-After` as seconds (HARD_CASES 5)."""

import math
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime


def told_wait(headers: Mapping[str, str], now: datetime) -> float | None:
    """Seconds the provider asks us to wait, from a number or an HTTP date.

    `Retry-After-Ms`, which some send beside it, is the more exact one and wins. None where
    neither says a wait: zero, a negative number, a date gone by, no number at all. The
    caller then backs off.
    """
    millis = _as_seconds(headers.get("retry-after-ms", "").strip())
    raw = headers.get("retry-after", "").strip()
    found = (None if millis is None else millis / 1000, _as_seconds(raw), _as_date(raw, now))
    return next((seconds for seconds in found if seconds is not None and seconds > 0), None)


def _as_seconds(raw: str) -> float | None:
    if not raw.isascii() or "_" in raw:
        return None
    try:
        seconds = float(raw)
    except ValueError:
        return None
    return seconds if math.isfinite(seconds) else None


def _as_date(raw: str, now: datetime) -> float | None:
    try:
        when = parsedate_to_datetime(raw)
    except (ValueError, TypeError, OverflowError):
        return None
    if when.tzinfo is None:
        when = when.replace(tzinfo=UTC)
    return (when - now).total_seconds()
