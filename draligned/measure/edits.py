"""Distances of texts as the table that enters measure; nothing else here sees a text."""

from collections import Counter
from collections.abc import Callable
from dataclasses import asdict, replace
from typing import Any

import pandas as pd

from draligned.measure.checks import checked
from draligned.measure.draft_pairs import text_couples
from draligned.measure.edit_distance import NO_TEXT, Edit, compare
from draligned.measure.tokens import Content, Cut, Cutter
from draligned.schema.frames import EDITS, MeasureInputs

TextOf = Callable[[str], str | None]
_READS = ("request_reads", "document_reads", "items")


def edits(inputs: MeasureInputs, text_of: TextOf, cut: Cut = "characters") -> pd.DataFrame:
    """`frames.EDITS` of every couple of unlike texts that `draft_pairs` compares, by their hashes.

    `text_of` gives the text of a hash, none where there is none: such a couple is unknown.
    """
    couples = text_couples(checked(_unread(inputs)))
    texts = _Texts(Counter(sha256 for couple in couples for sha256 in couple), text_of, cut)
    rows = [_row(a, b, texts.take(a), texts.take(b)) for a, b in couples]
    ordered = sorted(rows, key=lambda row: (row["from_sha256"], row["to_sha256"]))
    return pd.DataFrame(ordered, columns=list(EDITS), dtype=object)


def _unread(inputs: MeasureInputs) -> MeasureInputs:
    """Runs and documents without their reads, which have no part in it and take most memory."""
    none = {name: getattr(inputs, name).iloc[:0] for name in _READS}
    return replace(inputs, **none, sets={name: _unread(s) for name, s in inputs.sets.items()})


class _Texts:
    """Each text cut once, and kept only until it was used as often as it will be."""

    def __init__(self, uses: Counter[str], text_of: TextOf, cut: Cut) -> None:
        self._uses, self._text_of, self._cutter = uses, text_of, Cutter(cut)
        self._known: dict[str, Content | None] = {}

    def take(self, sha256: str) -> Content | None:
        if sha256 not in self._known:
            text = self._text_of(sha256)
            self._known[sha256] = None if text is None else self._cutter.content(text)
        self._uses[sha256] -= 1
        return self._known[sha256] if self._uses[sha256] else self._known.pop(sha256)


def _row(first: str, second: str, a: Content | None, b: Content | None) -> dict[str, Any]:
    found = Edit(reason=NO_TEXT) if a is None or b is None else compare(a, b)
    status = "ok" if found.reason is None else "unknown"
    return {"from_sha256": first, "to_sha256": second, "status": status, **asdict(found)}
