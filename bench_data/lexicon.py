"""Public words of endpoint sentences, for readers and rehearsal models."""

from functools import cache
from typing import cast

from draligned.bench_data.kinds import Kind, kinds
from draligned.schema.base import Record
from draligned.schema.design import Lang


class LexiconEntry(Record):
    """What is publicly known of one endpoint sentence."""

    kind: str
    value: str
    own: tuple[str, ...]
    """Public words of this endpoint."""
    other: tuple[str, ...]
    """Public words of its counterfactual."""


def _entry(kind: Kind, name: str) -> LexiconEntry:
    value = kind.value(name)
    return LexiconEntry(
        kind=kind.name, value=name, own=value.public, other=kind.value(value.pair).public
    )


@cache
def _sentences(lang: Lang) -> dict[str, LexiconEntry]:
    return {
        kind.endpoint(v.name).sentence: _entry(kind, v.name)
        for kind in kinds(lang)
        for v in kind.values
    }


def find_all(sentence: str, lang: str) -> tuple[LexiconEntry, ...]:
    """Entries of every known endpoint sentence inside `sentence`, in order of appearance."""
    if lang not in ("zh", "en"):
        return ()
    known = _sentences(cast(Lang, lang))
    found = [(sentence.index(s), e) for s, e in known.items() if s in sentence]
    return tuple(entry for _, entry in sorted(found, key=lambda item: item[0]))


def find(sentence: str, lang: str) -> LexiconEntry | None:
    """The entry of an endpoint sentence; in free wording, the one value whose words it holds.

    None when nothing, or more than one value, is recognised: a reader that
    does not know the words says so rather than guessing.
    """
    if exact := find_all(sentence, lang):
        return exact[0]
    if lang not in ("zh", "en"):
        return None
    hits = [e for e in _sentences(cast(Lang, lang)).values() if any(w in sentence for w in e.own)]
    return hits[0] if len(hits) == 1 else None
