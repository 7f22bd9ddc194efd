"""Runs that are too long for one page: their events and steps a stretch at a time.

A page of a log begins at the same event however long the log grows, so that an address which
names a page and an event stays right; `event=N` finds the page by itself.
"""

from bisect import bisect_left
from collections.abc import Mapping, Sequence

from starlette.requests import Request

from draligned.schema.trajectory import Step
from draligned.view.events import Line
from draligned.view.filters import Filtered, Paged, paged

LINES = 200
"""Events on one page, and steps of each run on one page of a pair."""


def of_lines(request: Request, lines: Sequence[Line], event: int | None) -> Paged[Line]:
    """The page of lines with the event asked for (else the next one that is listed), or the one
    of the number asked for."""
    place = None if event is None else bisect_left(lines, event, key=lambda line: line.seq)
    return paged(request, lines, LINES, place=place)


def places_of(steps: Sequence[Step], part: Paged[Line], lines: Sequence[Line]) -> range:
    """Places, from 1, of the steps from the first event of a page to the first of the next."""
    after = part.first - 1 + LINES
    seqs = [step.seq for step in steps]
    start = bisect_left(seqs, part.items[0].seq) if part.number > 1 else 0
    stop = bisect_left(seqs, lines[after].seq) if after < len(lines) else len(seqs)
    return range(start + 1, stop + 1)


def lines_of(lines: Sequence[Line], steps: Sequence[Step], places: range) -> Sequence[Line]:
    """The lines of these steps; of a run without steps, those at these places."""
    if not steps:
        return lines[places.start - 1 : places.stop - 1]
    shown = steps[places.start - 1 : places.stop - 1]
    if not shown:
        return ()
    first, last = shown[0].seq, shown[-1].seq
    return [line for line in lines if first <= line.seq <= last]


def under(query: Mapping[str, str], total: int) -> Filtered[Line]:
    """A list without filters of its own, for links that keep `query`."""
    return Filtered(items=(), total=total, choices=(), query=query)
