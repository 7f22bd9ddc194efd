"""The one answer object in a raw reply, looked for anew (DR-50, DR-67).

A reply that is one strict JSON object is the answer. Else it is walked through once: closed
thinking blocks are stepped over, a closing tag alone discards what stands before it, objects in
prose or closed fences are candidates. Nothing is repaired.
"""

import json
import re
from collections.abc import Iterator
from typing import Any

from draligned.verify.files import strict

_TAGS = "think|thinking|reasoning"
_MARKS = (
    ("open", re.compile(f"<(?:{_TAGS})>", re.I)),
    ("close", re.compile(f"</(?:{_TAGS})>", re.I)),
    ("ticks", re.compile(r"`{3,}")),
    ("waves", re.compile(r"^[ \t]*~{3,}(?=[ \t]*(?:\w+[ \t]*)?$)", re.M)),
    ("value", re.compile(r"\{(?=\s*[\"}])|\[(?=\s*[\[{])")),
)
_LETTER = re.compile("[a-z]", re.I)
_HALVES = re.compile("[\ud800-\udfff]")

Answer = dict[str, Any]


def answer_of(text: str) -> Answer | str:
    """The answer, or why there is none: a word of the reasons for VOID."""
    bare = text.strip().removeprefix("\ufeff").strip()
    if not bare:
        return "empty_reply"
    try:
        whole = strict(bare)
    except ValueError:
        return _Walk(bare).verdict()
    return whole if isinstance(whole, dict) else "undecodable"


class _Walk:
    """One pass over a reply."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.objects: list[Answer] = []
        self.spoilt = False
        self.fence = ""
        at = 0
        while (mark := self._next(at)) is not None:
            at = self._step(*mark)

    def _next(self, at: int) -> tuple[str, int, int] | None:
        """The first mark from `at` on: what it is, where it begins and ends."""
        met = [
            (m.start(), place, name, m.end())
            for place, (name, pattern) in enumerate(_MARKS)
            if (m := pattern.search(self.text, at))
        ]
        if not met:
            return None
        start, _, name, end = min(met)
        return name, start, end

    def _step(self, name: str, start: int, end: int) -> int:
        """Take a mark in; where to go on."""
        if name == "close":
            self.objects, self.spoilt, self.fence = [], False, ""
        elif name == "open":
            return self._past_thinking(end)
        elif name in ("ticks", "waves"):
            return self._at_fence(name, end)
        elif not self.spoilt:
            return self._at_value(start)
        return end

    def _past_thinking(self, end: int) -> int:
        closing = _MARKS[1][1].search(self.text, end)
        if closing is None:
            self.spoilt = True
            return len(self.text)
        return closing.end()

    def _at_fence(self, name: str, end: int) -> int:
        info = _LETTER.match(self.text, end)
        if not self.fence:
            self.fence = name
        elif self.fence == name and info is None:
            self.fence = ""
        return end + 1 if info else end

    def _at_value(self, start: int) -> int:
        try:
            _, stop = json.JSONDecoder().raw_decode(self.text, start)
            value = strict(self.text[start:stop])
        except (ValueError, RecursionError):
            self.spoilt = True
            return start + 1
        if isinstance(value, dict):
            self.objects.append(value)
        return stop

    def verdict(self) -> Answer | str:
        """The one object, or what is wrong."""
        if self.fence:
            return "fence_open"
        if self.spoilt or not self.objects:
            return "undecodable"
        if len({json.dumps(o, sort_keys=True) for o in self.objects}) > 1:
            return "ambiguous_json"
        return self.objects[0]


def cleaned(raw: str) -> str:
    """Text that can be stored: surrogate pairs joined, lone halves and NUL replaced."""
    if not raw.isascii() and _HALVES.search(raw):
        raw = raw.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return raw.replace("\0", "\ufffd")


def entries_of(answer: Answer, name: str) -> Iterator[tuple[int, Any]] | None:
    """Numbered entries of the answer's list; none if there is no list."""
    value = answer.get(name)
    return enumerate(value) if isinstance(value, list) else None
