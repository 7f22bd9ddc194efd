"""Python's cyclic collector while many episodes or reads are under way."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager

THRESHOLDS = (20_000, 20, 20)
"""New objects before a look at the youngest, and how many looks before one at the next older.

Hundreds of histories are alive at once, and hardly any of them is a cycle: with the usual
thresholds a tenth of a driver's time goes into looking through them again (measured).
"""


@contextmanager
def seldom_collecting() -> Iterator[None]:
    """Collect less often while the block runs; a program that has turned it off keeps it off."""
    usual = gc.get_threshold()
    if usual[0] == 0 or usual[0] >= THRESHOLDS[0]:
        yield
        return
    gc.set_threshold(*THRESHOLDS)
    try:
        yield
    finally:
        gc.set_threshold(*usual)
