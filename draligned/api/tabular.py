"""tables: what each one is, whether it is of today's study, and the way out to CSV."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

from draligned import __version__
from draligned.api.inventory import INVENTORY
from draligned.api.labelled import samples
from draligned.api.reporting import rehearsal
from draligned.measure.dictionary import describe
from draligned.measure.layout import Table
from draligned.measure.tables import TABLES
from draligned.progress import duty_tables
from draligned.schema.base import sha256_of, sha256_text
from draligned.schema.errors import InputError
from draligned.schema.tabular import TableMeta
from draligned.store.protocol import Store
from draligned.study.freeze import load_design
from draligned.study.reads import locked_protocol
from draligned.study.registers import key
from draligned.study.spreadsheet import read_csv, to_csv
from draligned.study.tables import read_meta, read_table, table_names

if TYPE_CHECKING:
    import pandas as pd

    from draligned.api.evaluating import Readings

EXCEL_ROWS = 1_048_575
"""Rows below a header that common spreadsheets hold; they cut off the rest without a word."""


@dataclass(frozen=True, kw_only=True)
class TableInfo:
    """One table of a study."""

    name: str
    rows: int
    meta: TableMeta | None
    stale: tuple[str, ...]
    """Parts of the study that have changed since the table was made."""


@cache
def layouts() -> Mapping[str, Table]:
    """Every table's layout by name; those of stage tags are made only where tags are asked for."""
    return {table.name: table for table in (*TABLES, INVENTORY, *duty_tables.TABLES)}


def described(readings: "Readings") -> dict[str, TableMeta]:
    """Descriptions of all tables that `measure` makes of `readings`."""
    same = {
        "versions": {"draligned": __version__, **{n: version(n) for n in _MAKERS}},
        "hashes": hashes(readings),
        "rehearsal": rehearsal(readings),
    }
    return {n: describe(table).model_copy(update=same) for n, table in layouts().items()}


_MAKERS = ("numpy", "pandas", "pyarrow")


def hashes(readings: "Readings") -> dict[str, str]:
    """SHA-256 of what stands behind the tables, apart from the runs and reads themselves."""
    store = readings.context.folder.store
    found = {
        "design": load_design(store).sha256(),
        "measure": sha256_of(readings.context.config.measure.model_dump(mode="json")),
    }
    for evaluator in readings.plan.ordered_evaluators:
        locked = locked_protocol(store, evaluator.evaluator_id)
        if locked is not None:
            found[f"protocol of {evaluator.name}"] = sha256_text(locked)
    if corrections := store.get(key("corrections")):
        found["corrections"] = sha256_text(corrections.decode("utf-8"))
    if people := [one.sha256() for _, by in samples(store) for one in by]:
        found["labels by people"] = sha256_of(sorted(people))
    return found


def infos(store: Store, readings: Callable[[], "Readings"]) -> tuple[TableInfo, ...]:
    """All tables that were made, sorted by name; `readings` is asked where there are any."""
    names = table_names(store)
    now = hashes(readings()) if names else {}
    return tuple(_info(store, name, now) for name in names)


def _info(store: Store, name: str, now: Mapping[str, str]) -> TableInfo:
    meta, rows = read_meta(store, name)
    then = meta.hashes if meta else {}
    changed = sorted(part for part in {*then, *now} if then.get(part) != now.get(part))
    return TableInfo(name=name, rows=rows, meta=meta, stale=tuple(changed) if meta else ())


def write_csv(store: Store, name: str, path: Path) -> int:
    """Write a table as CSV (see `study.spreadsheet`); its rows. Raises `InputError`."""
    table = read_table(store, name)
    if path.is_dir():
        raise InputError(f"{path} is a folder; name a file for the table {name}")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(to_csv(table))
    return len(table)


def load_csv(path: str | Path, name: str) -> "pd.DataFrame":
    """The table `name` as it was when `write_csv` wrote it to `path`. Raises `InputError`."""
    if name not in layouts():
        raise InputError(f"there is no table {name!r}; tables: {', '.join(sorted(layouts()))}")
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}") from error
    return read_csv(data, describe(layouts()[name]).columns)
