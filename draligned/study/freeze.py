"""The design: a draft until it is frozen, then a chain of locks (DR-9, DESIGN §4)."""

from collections.abc import Sequence
from datetime import UTC, datetime

from draligned import __version__
from draligned.schema.base import Record
from draligned.schema.design import Decision, Design, LockEntry, SetAside
from draligned.schema.errors import DamageError, DesignError
from draligned.store.protocol import Store
from draligned.study.claims import alone
from draligned.study.lines import iter_lines, mend_lines
from draligned.study.stored import stored

DESIGN = "design/design.json"
LOCK = "design/design.lock"
DECISIONS = "design/decisions.jsonl"
SET_ASIDE = "design/set_aside.jsonl"


def locks(store: Store) -> list[LockEntry]:
    """The chain of locks, oldest first; empty while the design is a draft.

    An amendment's line that a kill cut short locks nothing; the first line is written whole
    or not at all. Raises `DamageError` for any other damage.
    """
    chain = list(iter_lines(store, LOCK, LockEntry))
    if not chain and store.get(LOCK):
        raise DamageError(f"{LOCK} is cut short")
    parents = [None, *(entry.sha256() for entry in chain)]
    if [entry.parent for entry in chain] != parents[: len(chain)]:
        raise DamageError(f"{LOCK}: the chain is broken; an entry was changed after the next one")
    return chain


def write_draft(
    store: Store,
    design: Design,
    decisions: Sequence[Decision],
    set_aside: Sequence[SetAside] = (),
) -> None:
    """Write or replace the draft. Raises `DesignError` once it is frozen."""
    with alone(store, "design"):
        if locks(store):
            raise DesignError(
                "the design is frozen; `draligned design amend` adds to it, "
                "a new folder starts over"
            )
        store.replace(DECISIONS, _lines(decisions))
        store.replace(SET_ASIDE, _lines(set_aside))
        store.replace(DESIGN, _line(design))


def load_design(store: Store) -> Design:
    """The design, checked against its lock if there is one."""
    data = store.get(DESIGN)
    if data is None:
        raise DesignError("there is no design here yet; run `draligned construct` first")
    design = stored(Design, data, DESIGN)
    chain = locks(store)
    if not chain or chain[-1].design_sha256 == design.sha256():
        return design
    amended = store.get(_amended_key(chain[-1].design_sha256))
    if amended is None or len(chain) < 2 or chain[-2].design_sha256 != design.sha256():
        raise DamageError("design/design.json was changed after it was frozen")
    store.replace(DESIGN, amended)
    return load_design(store)


def freeze(store: Store) -> LockEntry:
    """Lock the draft; a frozen design stays as it is. Raises `DesignError` if it is empty."""
    with alone(store, "design"):
        design = load_design(store)
        chain = locks(store)
        if chain:
            return chain[-1]
        if not design.conditions:
            raise DesignError("the design has no conditions; nothing can be frozen")
        entry = _entry(design, "freeze", None)
        store.put_if_absent(LOCK, _line(entry))
    return entry


def amend(store: Store, design: Design, decisions: Sequence[Decision]) -> LockEntry:
    """Add tasks or factors as a new lock. What was frozen must stand unchanged at the front.

    The lock decides: killed before it is written, nothing was amended; killed after it, the
    next reader finishes. Of two at once, the later one finds the design changed under it.
    """
    with alone(store, "design"):
        old = load_design(store)
        chain = locks(store)
        if not chain:
            raise DesignError("the design is still a draft; construct again instead of amending")
        _check_prefix(old, design)
        _add_decisions(store, _lines(decisions))
        entry = _entry(design, "amend", chain[-1].sha256())
        store.put_if_absent(_amended_key(entry.design_sha256), _line(design))
        mend_lines(store, LOCK)
        store.append(LOCK, _line(entry))
        store.replace(DESIGN, _line(design))
    return entry


def _add_decisions(store: Store, added: bytes) -> None:
    """Unless an amendment that a kill cut off has added them already."""
    mend_lines(store, DECISIONS)
    if not (store.get(DECISIONS) or b"").endswith(added):
        store.append(DECISIONS, added)


def _amended_key(design_sha256: str) -> str:
    return f"design/amended-{design_sha256[:16]}.json"


def _check_prefix(old: Design, new: Design) -> None:
    if fault := new.repeated():
        raise DesignError(f"{fault}; leave one out of the amendment")
    for what in ("tasks", "cards", "conditions", "neutral", "subproblems"):
        before, after = getattr(old, what), getattr(new, what)
        if after[: len(before)] != before:
            raise DesignError(
                f"an amendment must not change the frozen {what}; if they were added to meanwhile, "
                "amend again"
            )
    if old.estimands != new.estimands or old.lang != new.lang:
        raise DesignError("an amendment must not change the language or the primary estimands")


def _entry(design: Design, kind: str, parent: str | None) -> LockEntry:
    return LockEntry.model_validate(
        {
            "kind": kind,
            "design_sha256": design.sha256(),
            "n_tasks": len(design.tasks),
            "n_cards": len(design.cards),
            "parent": parent,
            "locked_utc": datetime.now(UTC).isoformat(timespec="seconds"),
            "version": __version__,
        }
    )


def _line(record: Record) -> bytes:
    return record.to_json().encode() + b"\n"


def _lines(records: Sequence[Record]) -> bytes:
    return b"".join(_line(record) for record in records)


def read_decisions(store: Store) -> list[Decision]:
    """The construction record, in the order of construction."""
    return list(iter_lines(store, DECISIONS, Decision))


def read_set_aside(store: Store) -> list[SetAside]:
    """Cards drawn up and not in the draft, as the last draft was written."""
    return list(iter_lines(store, SET_ASIDE, SetAside))


def keep_set_aside(store: Store, set_aside: Sequence[SetAside]) -> None:
    """Write the cards set aside anew, beside a frozen design: they take no part in it."""
    store.replace(SET_ASIDE, _lines(set_aside))
