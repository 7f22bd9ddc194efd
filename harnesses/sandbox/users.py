"""An unprivileged user id for each sandbox that root starts."""

import itertools
import os
from pathlib import Path

FIRST, SLOTS, DRIVERS = 0x60000000, 1024, 1 << 18
"""Ids far above those of people: one block of slots for each driver process."""
_opened = itertools.count()


def next_user() -> int | None:
    """The id the next worker drops to; none where this process is no root or has no such ids.

    Process limits count by user, so sandboxes that are alive together should have ids of their
    own. Safety does not rest on it: each lives in namespaces of its own.
    """
    if os.geteuid() != 0:
        return None
    slot = next(_opened) % SLOTS
    wanted = FIRST + (os.getpid() % DRIVERS) * SLOTS + slot
    ranges = _mapped(Path("/proc/self/uid_map").read_text(encoding="ascii"))
    if any(start <= wanted < end for start, end in ranges):
        return wanted
    start, end = max(ranges, key=lambda one: one[1] - one[0])
    return end - 1 - slot % (end - start - 1) if end - start > 1 else None


def _mapped(uid_map: str) -> list[tuple[int, int]]:
    rows = [[int(cell) for cell in line.split()] for line in uid_map.splitlines()]
    return [(inside, inside + length) for inside, _, length in rows]
