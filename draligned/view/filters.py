"""Filters of a list as the query string of its page, so that every choice is a permalink."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar
from urllib.parse import urlencode

from starlette.requests import Request

T = TypeVar("T")
MAX_CHARS = 200
"""Of one value in a query; what is longer matches nothing and is cut where it is shown."""


@dataclass(frozen=True, kw_only=True)
class Field(Generic[T]):
    """One thing to filter by: its name in the query, and its value of an item."""

    name: str
    of: Callable[[T], str]
    label: Callable[[str], str] = str
    """What a value is called."""


@dataclass(frozen=True, kw_only=True)
class Choice:
    """A field as it is offered: values with their names; `chosen` is blank for all."""

    name: str
    chosen: str
    options: tuple[tuple[str, str], ...]


@dataclass(frozen=True, kw_only=True)
class Filtered(Generic[T]):
    """A list under its filters."""

    items: tuple[T, ...]
    total: int
    choices: tuple[Choice, ...]
    query: Mapping[str, str]
    """The filters in force."""

    def link(self, path: str, **changed: str) -> str:
        """The address of `path` under these filters, some of them changed; a blank one is
        left out."""
        kept = {k: v for k, v in {**self.query, **changed}.items() if v}
        return f"{path}?{urlencode(kept)}" if kept else path


def asked(request: Request, name: str) -> str:
    """The first value of a name in the query, cut; blank if it is not there."""
    return str(request.query_params.get(name, ""))[:MAX_CHARS]


def apply(request: Request, items: Sequence[T], fields: Iterable[Field[T]]) -> Filtered[T]:
    """The items whose fields are as the query says; a value that none has matches none."""
    chosen = {f.name: (f, asked(request, f.name)) for f in fields}
    query = {name: value for name, (_, value) in chosen.items() if value}
    kept = [i for i in items if all(not v or f.of(i) == v for f, v in chosen.values())]
    choices = tuple(_choice(field, value, items) for field, value in chosen.values())
    return Filtered(
        items=tuple(kept),
        total=len(items),
        choices=tuple(c for c in choices if len(c.options) > 1 or c.chosen),
        query=query,
    )


def _choice(field: Field[T], chosen: str, items: Sequence[T]) -> Choice:
    """Values in the order in which they first occur; one that is asked for stays on offer."""
    values = dict.fromkeys(v for i in items if (v := field.of(i)))
    if chosen:
        values.setdefault(chosen)
    return Choice(
        name=field.name, chosen=chosen, options=tuple((v, field.label(v)) for v in values)
    )


@dataclass(frozen=True, kw_only=True)
class Paged(Generic[T]):
    """One page of a list; pages are numbered from 1."""

    items: Sequence[T]
    number: int
    pages: int
    first: int
    """Place of the first item in the whole list, from 1."""


def number_asked(request: Request, name: str) -> int | None:
    """The whole number that the query gives a name; none where it gives no such number."""
    text = asked(request, name)
    return int(text) if text.isascii() and text.isdigit() and len(text) < 9 else None


def paged(request: Request, items: Sequence[T], size: int, *, place: int | None = None) -> Paged[T]:
    """The page that the query asks for (`page=2`), or the one with the item at `place` (from 0);
    the nearest one where there is no such page."""
    pages = max(-(-len(items) // size), 1)
    asked_for = number_asked(request, "page") if place is None else place // size + 1
    number = min(max(1 if asked_for is None else asked_for, 1), pages)
    start = (number - 1) * size
    return Paged(items=items[start : start + size], number=number, pages=pages, first=start + 1)
