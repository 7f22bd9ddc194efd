"""Kinds of user facts: recognition words, paired values, sentences and public words."""

import re
import tomllib
from functools import cache, cached_property
from importlib.resources import files

from draligned.schema.base import Record
from draligned.schema.design import Endpoint, Lang
from draligned.schema.errors import DesignError


class Impossible(Record):
    """A value that a background detail rules out."""

    value: str
    path: str
    text: str


class KindValue(Record):
    """One value of a kind."""

    name: str
    """The short value, as it stands in the sentence."""
    pair: str
    """Its counterfactual: a value of the same kind whose pair is this one."""
    recognise: tuple[str, ...] = ()
    """Patterns by which a persona's text states this value; empty: the name itself."""
    words: tuple[str, ...] = ()
    """Public words of the endpoint for readers; empty: the name itself."""
    terms: tuple[str, ...] = ()
    """Further patterns that give the value away in a background."""

    @cached_property
    def patterns(self) -> tuple[str, ...]:
        """Patterns that state the value."""
        return self.recognise or (re.escape(self.name),)

    @cached_property
    def telling(self) -> tuple[str, ...]:
        """Patterns that state the value, give it away, or are its public words."""
        return (*self.patterns, *self.terms, *(re.escape(w) for w in self.public))

    @property
    def public(self) -> tuple[str, ...]:
        """Words shown to evaluators."""
        return self.words or (self.name,)


class Kind(Record):
    """A kind of field: where it stands in a persona and what it can say (DESIGN §5)."""

    name: str
    title: str
    paths: tuple[str, ...]
    sentence: str
    values: tuple[KindValue, ...]
    refuse: tuple[str, ...] = ()
    """Texts that match say something the values cannot hold."""
    mask: tuple[str, ...] = ()
    """Stretches that only look like a value, e.g. a university's name."""
    forced: tuple[str, ...] = ()
    """Task texts that match have already fixed the fact."""
    about: tuple[str, ...] = ()
    """Words by which a sentence is about this kind."""
    related: tuple[str, ...] = ()
    """Paths whose details would tell on a changed endpoint: removed from both arms."""
    shared_terms: tuple[str, ...] = ()
    """Patterns of background details that fit one endpoint only."""
    hints: tuple[str, ...] = ()
    """Patterns that may speak of the fact in other words: such details leave both arms, and a
    task that matches is left to people."""
    open_set: bool = False
    """Whether values outside the list may be sound (a city not listed)."""
    also: tuple[str, ...] = ()
    """Further values of an open set, known to be of this kind but paired with nothing."""
    outside: tuple[str, ...] = ()
    """Patterns of values that are none of this kind."""
    impossible: tuple[Impossible, ...] = ()

    def value(self, name: str) -> KindValue:
        """The value called `name`. Raises `KeyError`."""
        return {v.name: v for v in self.values}[name]

    def counterfactual(self, name: str) -> str:
        """The paired value; applying it twice gives the value back."""
        return self.value(name).pair

    def endpoint(self, name: str) -> Endpoint:
        """The endpoint that states `name`."""
        value = self.value(name)
        sentence = self.sentence.replace("{value}", name)
        return Endpoint(value=name, sentence=sentence, words=value.public)

    def holds_path(self, path: str) -> bool:
        """Whether a persona states this kind of fact at `path`."""
        return any(re.search(p, path) for p in self.paths)


@cache
def kinds(lang: Lang) -> tuple[Kind, ...]:
    """All kinds of a language, in file order. Raises `DesignError` if the file is unsound."""
    raw = tomllib.loads(files(__package__).joinpath(f"kinds_{lang}.toml").read_text("utf-8"))
    out = tuple(Kind.model_validate(item) for item in raw["kind"])
    for kind in out:
        _check(kind)
    return out


def kind_named(name: str, lang: Lang) -> Kind | None:
    """The kind called `name`, or none."""
    return next((k for k in kinds(lang) if k.name == name), None)


def _check(kind: Kind) -> None:
    if "{value}" not in kind.sentence:
        raise DesignError(f"kind {kind.name}: the sentence has no {{value}}")
    names = {v.name for v in kind.values}
    for value in kind.values:
        if value.pair not in names or value.pair == value.name:
            raise DesignError(f"kind {kind.name}: {value.name} is paired with {value.pair}")
        other = kind.value(value.pair)
        if other.pair != value.name:
            raise DesignError(f"kind {kind.name}: {value.name} and {other.name} are not a pair")
        if any(a in b for a in value.public for b in other.public):
            raise DesignError(f"kind {kind.name}: {value.name} shares words with {other.name}")
