"""Recognising which value of a kind a text states."""

import re
from functools import cache

from draligned.bench_data.kinds import Kind, KindValue
from draligned.schema.base import Record

BLANK = "\u25a1"
HEDGED = re.compile(
    r"偶尔|有时|计划|考虑|打算|尝试|不太|不喜欢|并不|"
    r"(?i:\b(?:occasionally|sometimes|plans? to|considering|would like to|not|never)\b)"
)
_CLAUSE_END = re.compile(r"[，。；,;.]")


class Recognised(Record):
    """A value stated by a text, or the reason why none is."""

    value: str | None
    quote: str = ""
    """Verbatim stretch of the text that states the value."""
    reason: str = ""


def masked(kind: Kind, text: str) -> str:
    """`text` with stretches blanked that only look like a value, e.g. a university's name."""
    for pattern in compiled(kind.mask):
        text = pattern.sub(lambda m: BLANK * len(m.group()), text)
    return text


@cache
def compiled(patterns: tuple[str, ...]) -> tuple[re.Pattern[str], ...]:
    """Patterns compiled once: there are more of them than `re` keeps."""
    return tuple(re.compile(p) for p in patterns)


def first_match(patterns: tuple[str, ...], text: str) -> re.Match[str] | None:
    """The leftmost match of any pattern, or none."""
    hits = [m for p in compiled(patterns) if (m := p.search(text))]
    return min(hits, key=lambda m: (m.start(), -m.end())) if hits else None


def stated(kind: Kind, text: str) -> dict[str, re.Match[str]]:
    """Values of the kind that `text` names, with the first place of each."""
    clear = masked(kind, text)
    found = ((v.name, first_match(v.patterns, clear)) for v in kind.values)
    return {name: match for name, match in found if match is not None}


def recognise(kind: Kind, text: str) -> Recognised:
    """The one value that `text` states; two values, or none, are no value.

    A value said to hold now and then, or to be planned, is not recorded as a fact.
    """
    if refused := first_match(kind.refuse, text):
        return Recognised(value=None, reason=f"says “{refused.group()}”, which no value expresses")
    hits = stated(kind, text)
    if not hits:
        return Recognised(value=None, reason=f"states no known value of {kind.name}")
    if len(hits) > 1:
        return Recognised(value=None, reason="states several values: " + ", ".join(hits))
    ((value, match),) = hits.items()
    if hedge := HEDGED.search(_clause_before(text, match.start())):
        return Recognised(value=None, reason=f"states {value} as “{hedge.group()}” only")
    return Recognised(value=value, quote=text[match.start() : match.end()])


def _clause_before(text: str, end: int) -> str:
    return _CLAUSE_END.split(text[:end])[-1]


def tells_on(value: KindValue, text: str) -> str | None:
    """The stretch of `text` that names the value or gives it away, or none."""
    match = first_match(value.telling, text)
    return match.group() if match else None
