"""Stage tags found and taken out anew, by a scanner of its own: no pattern is shared.

A tag is looked for in the text as it reads: width and case folded, invisible characters dropped.
"""

import unicodedata
from collections.abc import Callable
from dataclasses import replace
from functools import cache

from draligned.verify.runs import Episode, Text

TAG = "stage"
STAGES = ("nothing_acquired", "acquiring", "drafting", "submitted")
_OPENING = ("<", "〈", "⟨", "‹", "&lt;", "&#60;", "&#x3c;", "%3c", "\\u003c")
_ENDING = (">", "〉", "⟩", "›", "&gt;", "&#62;", "&#x3e;", "%3e", "\\u003e")
_SLASH = ("/", "&#47;", "&#x2f;", "%2f", "\\/")
_QUOTES, _EMPHASIS = "\"'“”‘’", "*_`~"
_WITHIN = 100
_TIMES = 20
"""How often a text is searched; deeper nests lose their brackets."""


@cache
def _as_read(character: str) -> str:
    if unicodedata.category(character) == "Cf":
        return ""
    return unicodedata.normalize("NFKC", character).casefold()


class _Scan:
    """The text as it reads. Every method takes a place in it and gives the place after what was
    looked for, or none."""

    def __init__(self, text: str) -> None:
        self.read: list[str] = []
        self.places: list[int] = []
        for place, character in enumerate(text):
            for letter in _as_read(character):
                self.read.append(letter)
                self.places.append(place)
        self.joined = "".join(self.read)

    def one_of(self, at: int, words: tuple[str, ...]) -> int | None:
        return next((at + len(w) for w in words if self.joined.startswith(w, at)), None)

    def blanks(self, at: int) -> int:
        while at < len(self.joined) and self.joined[at].isspace():
            at += 1
        return at

    def name(self, at: int) -> int | None:
        at = self.blanks(at)
        if not self.joined.startswith(TAG, at):
            return None
        at += len(TAG)
        follows = self.joined[at : at + 1]
        goes_on = follows != "" and (follows in "_-" or (follows.isascii() and follows.isalnum()))
        return None if goes_on else at

    def opening(self, at: int) -> int | None:
        after = self.one_of(at, _OPENING)
        return None if after is None else self.name(after)

    def closing(self, at: int) -> int | None:
        after = self.one_of(at, _OPENING)
        if after is None:
            return None
        after = self.one_of(self.blanks(after), _SLASH)
        return None if after is None else self.name(after)

    def up_to(self, at: int, words: tuple[str, ...]) -> int | None:
        """To the next bracket on the line, if it is one of `words` and near."""
        for place in range(at, min(at + _WITHIN, len(self.joined)) + 1):
            if self.one_of(place, words) is not None:
                return place
            bracket = self.one_of(place, (*_OPENING, *_ENDING)) is not None
            if bracket or self.joined[place : place + 1] == "\n":
                return None
        return None

    def element(self, at: int) -> int | None:
        inside = self._to_end(self.opening(at))
        second = None if inside is None else self.up_to(inside, _OPENING)
        after = None if second is None else self.closing(second)
        if after is None:
            return None
        return self.one_of(self.blanks(after), _ENDING) or after

    def single(self, at: int) -> int | None:
        after = self.closing(at)
        after = self.opening(at) if after is None else after
        ended = self._to_end(after)
        return after if ended is None else self._value(self.blanks(ended)) or ended

    def in_json(self, at: int) -> int | None:
        if not self.joined.startswith("{", at):
            return None
        after = self._quote(self.blanks(at + 1))
        after = None if after is None else self.name(after)
        after = None if after is None else self._quote(self.blanks(after))
        after = None if after is None else self.one_of(self.blanks(after), (":",))
        after = None if after is None else self._quote(self.blanks(after))
        after = None if after is None else self.one_of(self.blanks(after), STAGES)
        after = None if after is None else self._quote(self.blanks(after))
        return None if after is None else self.one_of(self.blanks(after), ("}",))

    def _to_end(self, at: int | None) -> int | None:
        found = None if at is None else self.up_to(at, _ENDING)
        return None if found is None else self.one_of(found, _ENDING)

    def _quote(self, at: int) -> int | None:
        here = self.joined[at : at + 1]
        return at + 1 if here and here in _QUOTES else None

    def _value(self, at: int) -> int | None:
        after = self.one_of(at, STAGES)
        follows = self.joined[after : after + 1] if after is not None else ""
        goes_on = follows == "_" or (follows.isascii() and follows.isalnum())
        return None if goes_on else after


def _found(text: str) -> list[tuple[int, int]]:
    """First and last character of every tag."""
    scan = _Scan(text)
    looks: tuple[Callable[[int], int | None], ...] = (scan.element, scan.single, scan.in_json)
    found, at = [], 0
    while at < len(scan.joined):
        after = next((a for look in looks if (a := look(at)) is not None), None)
        if after is None:
            at += 1
        else:
            found.append((scan.places[at], scan.places[after - 1]))
            at = after
    return found


def without_tags(text: str) -> tuple[str, int]:
    """The text without tags, and their number."""
    number = 0
    for _ in range(_TIMES):
        found = _found(text) if _names_it(text) else []
        if not found:
            return text, number
        number += len(found)
        for first, last in reversed(found):
            text = _cut(text, first, last)
    return (_flattened(text) if _names_it(text) else text), number


def _names_it(text: str) -> bool:
    return TAG in "".join(map(_as_read, text))


def _flattened(text: str) -> str:
    """The text with a space for each bracket that a tag could begin with."""
    scan, out, at, kept = _Scan(text), "", 0, 0
    while at < len(scan.joined):
        after = scan.one_of(at, (*_OPENING, "{"))
        if after is not None:
            out += text[kept : scan.places[at]] + " "
            kept = scan.places[after - 1] + 1
        at = after or at + 1
    return out + text[kept:]


def _cut(text: str, first: int, last: int) -> str:
    head, tail = text[:first], text[last + 1 :]
    while head and tail and head[-1] == tail[0] and tail[0] in _EMPHASIS:
        head, tail = head[:-1], tail[1:]
    if not tail.strip():
        return head.rstrip()
    line = head[max(head.rfind("\n"), head.rfind("\r")) + 1 :]
    end = next((n for n, c in enumerate(tail) if c in "\r\n"), len(tail))
    if line.strip() or tail[:end].strip():
        return head + tail
    return head[: len(head) - len(line)] + tail[end + (2 if tail[end : end + 2] == "\r\n" else 1) :]


def observed(
    seen: Episode, text_of: Callable[[str], str], sha256_of: Callable[[str], str]
) -> tuple[Episode, int]:
    """What evaluators may see of a run whose agent was asked for tags, and how many were taken
    out; a text that was nothing but tags is none."""
    requests = [(r, without_tags(r.text)) for r in seen.requests]
    number = sum(n for _, (_, n) in requests)
    texts = [*seen.drafts, *([seen.final] if seen.final else [])]
    plain = {t.sha256: without_tags(text_of(t.sha256)) for t in texts}
    number += sum(n for _, n in plain.values())

    def clean(text: Text) -> Text | None:
        said = plain[text.sha256][0]
        if not said and text.chars:
            return None
        return replace(text, sha256=sha256_of(said), chars=len(said))

    drafts: list[Text] = []
    for draft in map(clean, seen.drafts):
        if draft is not None and (not drafts or drafts[-1].sha256 != draft.sha256):
            drafts.append(replace(draft, version=len(drafts) + 1))
    changed = replace(
        seen,
        requests=tuple(replace(r, text=text) for r, (text, _) in requests),
        drafts=tuple(drafts),
        final=clean(seen.final) if seen.final else None,
    )
    return changed, number
