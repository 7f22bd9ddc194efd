"""Which details of a profile leave both arms, and why (DR-7, DR-8)."""

import re
from collections.abc import Sequence

from draligned.bench_data.kinds import Kind, KindValue
from draligned.constructors.values import first_match, masked, stated, tells_on
from draligned.schema.base import Record
from draligned.schema.design import Detail, Persona, Removed

NAME_PATHS = re.compile(r"(?:^|/)(?:姓名|(?i:name))$")
ELSEWHERE = re.compile(
    r"老家|家乡|父母|姐|哥|弟|妹|女儿|儿子|小时候|童年|曾|"
    r"(?i:hometown|parents|brother|sister|childhood|used to)"
)
SHORT = 5
"""Letters from which a Latin word names whatever begins with it."""
CLAUSES = re.compile(r"[，。；,.;]")


class Background(Record):
    """What both arms are told, and what was taken out of both."""

    kept: tuple[Detail, ...]
    removed: tuple[Removed, ...]


def split_background(
    persona: Persona, field_path: str, kind: Kind | None, words: Sequence[str]
) -> Background:
    """The shared background of a factor: the rest of the profile less what tells on an endpoint.

    `words` are the words of both endpoints. The factor's own field and the
    user's name are in neither arm.
    """
    kept: list[Detail] = []
    removed: list[Removed] = []
    values = tuple(v for v in kind.values if _meant(v, words)) if kind else ()
    for detail in anonymous(persona):
        if detail.path == field_path:
            continue
        reason = reason_to_remove(detail, kind, values, words)
        if reason is None:
            kept.append(detail)
        else:
            removed.append(Removed(path=detail.path, text=detail.text, reason=reason))
    return Background(kept=tuple(kept), removed=tuple(removed))


def anonymous(persona: Persona) -> tuple[Detail, ...]:
    """The profile without the user's name, which is replaced where other details use it."""
    names = [d.text for d in persona.details if NAME_PATHS.search(d.path) and len(d.text) > 1]
    standin = "用户" if persona.lang == "zh" else "the user"
    out = []
    for detail in persona.details:
        if NAME_PATHS.search(detail.path):
            continue
        text = detail.text
        for name in names:
            text = text.replace(name, standin)
        out.append(Detail(path=detail.path, text=text))
    return tuple(out)


def reason_to_remove(
    detail: Detail, kind: Kind | None, values: Sequence[KindValue], words: Sequence[str]
) -> str | None:
    """Why a detail cannot stay beside both endpoints, or none."""
    text = read_for(kind, detail.text)
    for value in values:
        if hit := tells_on(value, text):
            return f"names an endpoint: “{hit}”"
    if kind is None:
        word = named_in(text, words)
        return f"names an endpoint: “{word}”" if word else None
    if word := next((w for w in words if w and w in text), None):
        return f"names an endpoint: “{word}”"
    if kind.holds_path(detail.path) or first_match(kind.related, detail.path):
        return f"speaks of the same fact ({kind.title})"
    if match := first_match(kind.shared_terms, text):
        return f"fits one endpoint only: “{match.group()}”"
    if match := first_match(kind.hints, text):
        return f"may tell on an endpoint: “{match.group()}”"
    if clause := states_fact(kind, detail):
        return f"states the same fact with another value: “{clause}”"
    return None


def named_in(text: str, words: Sequence[str]) -> str | None:
    """The first of `words` that `text` names, in capitals or not, or none.

    For kinds without rules, whose words are all that is known of them. A Latin word must begin
    one of the text; a short one may only have a plural's ending (“tea” names “Teas”, not “team”),
    a longer one any (“vegetarian” names “vegetarianism”).
    """
    lower = text.casefold()
    return next((w for w in words if w.strip() and re.search(_naming(w), lower)), None)


def _naming(word: str) -> str:
    begin, end = (c.isascii() and c.isalnum() for c in (word[0], word[-1]))
    before = r"(?<![a-z0-9])" if begin else ""
    after = r"(?:e?s)?(?![a-z0-9])" if end and len(word) < SHORT else ""
    return before + re.escape(word.casefold()) + after


def read_for(kind: Kind | None, text: str) -> str:
    """`text` with look-alikes blanked, unless it speaks of the fact itself.

    A degree from Peking University says nothing about where one lives; a flat
    near Peking University does.
    """
    if kind is None or any(word in text for word in kind.about):
        return text
    return masked(kind, text)


def states_fact(kind: Kind, detail: Detail) -> str | None:
    """The clause that states this kind of fact about the user, with any of its values."""
    if ELSEWHERE.search(detail.path):
        return None
    for clause in CLAUSES.split(detail.text):
        if not any(word in clause for word in kind.about) or ELSEWHERE.search(clause):
            continue
        clear = masked(kind, clause)
        if stated(kind, clause) or any(name in clear for name in kind.also):
            return clause.strip()
    return None


def _meant(value: KindValue, words: Sequence[str]) -> bool:
    return any(w == value.name or w in value.public for w in words)
