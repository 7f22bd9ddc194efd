"""A study's own registers: entries are added, never changed or taken away (DR-106 … DR-109)."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Literal, get_args

from draligned.bench_data.registers import load_register
from draligned.schema.base import sha256_text
from draligned.schema.errors import ConfigError, DamageError
from draligned.schema.registers import Correction, Entry, Exclusion, Limit, Line, Method
from draligned.store.protocol import Store
from draligned.study.claims import alone
from draligned.study.lines import mend_lines, whole_lines
from draligned.study.stored import stored

Name = Literal["corrections", "methods", "limits"]
NAMES: tuple[Name, ...] = get_args(Name)
_OF = {"corrections": Correction, "methods": Method, "limits": Limit}


def key(name: Name) -> str:
    """Where a register stands in the study's folder."""
    return f"{name}.jsonl"


def read_lines(store: Store, name: Name) -> tuple[Line, ...]:
    """A study's own lines, oldest first; one that a kill cut short was never added.

    Raises `DamageError` where a line was changed, dropped or moved.
    """
    lines = whole_lines(store, key(name))
    found = tuple(stored(Line, line, key(name)) for line in lines)
    parents = [None, *(sha256_text(line.decode("utf-8")) for line in lines)]
    for number, line in enumerate(found, start=1):
        if line.seq != number or line.parent != parents[number - 1]:
            raise DamageError(f"{key(name)}: line {number} does not follow the one before")
        if not isinstance(line.entry, _OF[name]):
            raise DamageError(f"{key(name)}: line {number} belongs to another register")
    return found


def entries(store: Store, name: Name) -> tuple[Entry, ...]:
    """The entries that came with the project, then the study's own."""
    return (*load_register().by_kind()[name], *(line.entry for line in read_lines(store, name)))


def add(store: Store, name: Name, entry: Correction | Method | Limit) -> Line:
    """Add an entry at the end. Raises `ConfigError` where its id is taken."""
    with alone(store, "registers"):
        if entry.id in {e.id for e in entries(store, name)}:
            raise ConfigError(
                f"{name}: there is an entry {entry.id!r} already, and it stays as it is; "
                "give the new one another --id"
            )
        mend_lines(store, key(name))
        before = whole_lines(store, key(name))
        line = Line(
            seq=len(before) + 1,
            added_utc=datetime.now(UTC).isoformat(timespec="seconds"),
            parent=sha256_text(before[-1].decode("utf-8")) if before else None,
            entry=entry,
        )
        store.append(key(name), line.to_json().encode() + b"\n")
    return line


def exclusions(store: Store) -> Iterator[tuple[str, Exclusion]]:
    """What the study's corrections leave out, with the id of the correction."""
    for line in read_lines(store, "corrections"):
        if isinstance(line.entry, Correction):
            for excluded in line.entry.excludes:
                yield line.entry.id, excluded
