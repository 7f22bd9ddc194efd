"""Which broad subproblems a request is about, by public words alone (DR-92, DR-93, Q13).

No model is asked: the same request always goes to the same subproblems of its task's frozen list,
in equal parts. A request without any of the words belongs to none; it stays unknown.
"""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from urllib.parse import unquote

import pandas as pd

from draligned.schema.design import Design, TaskMap
from draligned.schema.frames import VISITS
from draligned.schema.observed import ObservedRequest, ObservedRun


def visits(runs: Iterable[ObservedRun], design: Design) -> pd.DataFrame:
    """`frames.VISITS` of `runs`, sorted; tasks without a list give no rows."""
    maps = {m.task_id: m for m in design.subproblems}
    silent = {task_id: endpoint_words(design, task_id) for task_id in maps}
    rows = [
        row
        for run in runs
        if run.task_id in maps
        for request in run.requests
        for row in _rows(run.run_id, request, maps[run.task_id], silent[run.task_id])
    ]
    ordered = sorted(rows, key=lambda r: (r[0], r[1], r[2] or ""))
    return pd.DataFrame(ordered, columns=list(VISITS), dtype=object)


def _rows(
    run_id: str, request: ObservedRequest, task: TaskMap, silent: frozenset[str]
) -> Iterator[tuple[str, int, str | None, float | None]]:
    found = subproblems_of(request.request, task, silent)
    for key in found:
        yield run_id, request.request_no, key, 1.0 / len(found)
    if not found:
        yield run_id, request.request_no, None, None


def endpoint_words(design: Design, task_id: str) -> frozenset[str]:
    """Public words of both endpoints of the task's factors. They count for no subproblem: else a
    visit could come from the arm's own words."""
    cards = [c for c in design.cards if c.task_id == task_id]
    ends = [e for c in cards for e in (c.p, c.q)]
    return frozenset(w.casefold() for e in ends for w in (*e.words, e.value) if w.strip())


def subproblems_of(
    request: str, task: TaskMap, silent: frozenset[str] = frozenset()
) -> tuple[str, ...]:
    """Keys of the subproblems whose words stand in `request`, `silent` words left out, in the
    order of the list.

    Case does not matter; a Latin word counts whole or in its plural. Escapes of an address are
    resolved; the parts that say where it stands, not what it is about, are left out.
    """
    text = _content(request).casefold()
    for word in sorted(silent, key=lambda w: (-len(w), w)):
        text = text.replace(word, " ")
    return tuple(s.key for s in task.subproblems if any(_stands(w, text) for w in s.words))


_ADDRESS = re.compile(r"^[a-z][a-z0-9+.-]*://[^/?#]*", re.IGNORECASE)


def _content(request: str) -> str:
    bare = request.strip()
    without_host = _ADDRESS.sub("", bare)
    if without_host == bare:
        return bare
    return re.sub(r"[-_/+.?=&#]+", " ", unquote(without_host, errors="replace"))


def _stands(word: str, text: str) -> bool:
    return _pattern(word.casefold()).search(text) is not None


@lru_cache(maxsize=4096)
def _pattern(word: str) -> re.Pattern[str]:
    """Latin ends of a word are word ends; Chinese text has none."""
    before = r"(?<![a-z0-9])" if _latin(word[0]) else ""
    after = r"(?:s|es)?(?![a-z0-9])" if _latin(word[-1]) else ""
    return re.compile(before + re.escape(word) + after)


def _latin(character: str) -> bool:
    return character.isascii() and character.isalnum()
