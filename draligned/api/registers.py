"""registers: corrections, methods and limits of a study, and what its corrections leave out."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from draligned.bench_data.registers import load_register
from draligned.measure.exclusions import Excluded
from draligned.schema.errors import ConfigError
from draligned.schema.packets import EvalUnit
from draligned.schema.registers import (
    Correction,
    Count,
    Entry,
    Exclusion,
    Limit,
    Method,
    MethodState,
)
from draligned.store.protocol import Store
from draligned.study.registers import NAMES, Name, entries, exclusions, read_lines
from draligned.study.tables import read_table, table_names

_NOTHING = ("unknown", "refused")
"""Status of a row that says why there is no result."""

if TYPE_CHECKING:
    from draligned.api.evaluating import Readings


@dataclass(frozen=True, kw_only=True)
class Shown:
    """One entry as it is printed."""

    id: str
    standing: str
    title: str
    text: str
    counts: tuple[str, ...]
    source: str
    own: bool
    """Whether the study added it."""


def register_name(word: str) -> Name:
    """The register of that name. Raises `ConfigError`."""
    for name in NAMES:
        if word == name:
            return name
    raise ConfigError(f"there is no register {word!r}; registers: {', '.join(NAMES)}")


def shown(store: Store, name: Name, lang: str) -> tuple[Shown, ...]:
    """The entries of a register in `lang`, the project's first; a method of this instrument has
    run where one of its tables has a result here (DR-108)."""
    own = {line.entry.id for line in read_lines(store, name)}
    return tuple(
        Shown(
            id=entry.id,
            standing=_standing(store, entry),
            title=entry.title.of(lang),
            text=entry.text.of(lang),
            counts=tuple(_count(c, lang) for c in _counts(entry)),
            source=entry.source or "",
            own=entry.id in own,
        )
        for entry in entries(store, name)
    )


def _standing(store: Store, entry: Entry) -> str:
    if isinstance(entry, Correction):
        return "; ".join(standing.value for standing in entry.standing)
    if isinstance(entry, Method):
        return method_state(store, entry).value
    return entry.holds if isinstance(entry, Limit) else ""


def method_state(store: Store, method: Method) -> MethodState:
    """What the entry says, or `run` where the study's tables show it: rows that only say why
    there is no result do not."""
    there = set(table_names(store)) & set(method.tables)
    ran = any(_has_result(store, name) for name in sorted(there))
    return MethodState.RUN if ran else method.state


def _has_result(store: Store, name: str) -> bool:
    table = read_table(store, name)
    if "status" not in table:
        return not table.empty
    return bool((~table["status"].isin(_NOTHING)).any())


def _counts(entry: Entry) -> Sequence[Count]:
    return entry.counts if isinstance(entry, Correction | Method) else ()


def _count(count: Count, lang: str) -> str:
    of = "" if count.n is None else f"/{count.n}"
    return f"{count.what.of(lang)}: {count.k}{of}"


def limits_line(lang: str) -> str:
    """The limits that go with every result, in a line."""
    titles = [limit.title.of(lang) for limit in load_register().limits if limit.holds == "always"]
    if lang == "zh":
        return f"局限：{'；'.join(titles)}。详见 `draligned registers list limits`。"
    return f"Limits: {'; '.join(titles)}. See `draligned registers list limits`."


def resolve(readings: "Readings", ids: Sequence[str]) -> tuple[Exclusion, ...]:
    """Exclusions of the runs, factors and packets that `ids` name. Raises `ConfigError`."""
    known = {cell.run_id: "run" for cell in readings.cells}
    known |= dict.fromkeys(readings.cards, "factor")
    known |= {unit.packet_id: "packet" for unit in readings.units}
    unknown = [i for i in ids if i not in known]
    if unknown:
        raise ConfigError(f"{unknown[0]} is no run, factor or packet that is analysed here")
    return tuple(Exclusion.model_validate({"kind": known[i], "id": i}) for i in ids)


def excluded_of(readings: "Readings") -> Excluded:
    """What the study's corrections leave out, by the ids that the tables have."""
    found = {e for _, e in exclusions(readings.context.folder.store)}
    if not found:
        return Excluded()
    of = {kind: {e.id for e in found if e.kind == kind} for kind in ("run", "factor", "packet")}
    packets = [unit for unit in readings.units if unit.packet_id in of["packet"]]
    return Excluded(
        runs=frozenset(of["run"]),
        factors=frozenset(of["factor"]),
        requests=frozenset(
            (u.run_id, u.factor_id, no) for u in packets if u.run_id for no in u.request_nos
        ),
        texts=_texts(u for u in packets if u.mode != "masked"),
        masked=_texts(u for u in packets if u.mode == "masked"),
    )


def _texts(units: Iterable[EvalUnit]) -> frozenset[tuple[str, str]]:
    return frozenset((u.text_sha256, u.factor_id) for u in units if u.text_sha256)


def exclusion_note(store: Store) -> str | None:
    """What corrections leave out, in a line; none if nothing."""
    found = sorted({(e.kind, e.id, entry) for entry, e in exclusions(store)})
    if not found:
        return None
    parts = [f"{kind} {i} ({entry})" for kind, i, entry in found]
    return f"Left out of every table by corrections, and kept on disk: {', '.join(parts)}."
