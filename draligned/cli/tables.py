"""tables: what measure made, printed or written as CSV."""

import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from draligned.cli import common
from draligned.cli.common import HERE, note, open_study, say

if TYPE_CHECKING:
    import pandas as pd

SHOWN = 40
"""Rows that a terminal is shown."""
_REHEARSAL = "Rehearsal models took part: no table here is evidence about any language model."
_MANY = "more rows than common spreadsheets hold; they would cut off the rest"


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(epilog="Example: draligned tables estimates my-study --csv estimates.csv")(tables)


def tables(
    name: Annotated[str | None, typer.Argument(help="A table; all are listed if absent.")] = None,
    study: Annotated[
        Path,
        typer.Argument(metavar="STUDY", help="Folder of the study; the current one if absent."),
    ] = HERE,
    csv: Annotated[
        Path | None,
        typer.Option("--csv", help="Write it as CSV; without a table, all of them in a folder."),
    ] = None,
    columns: Annotated[
        bool, typer.Option("--columns", help="Say what its columns mean, instead of its rows.")
    ] = False,
    everything: Annotated[bool, typer.Option("--all", help="Print every row and column.")] = False,
) -> None:
    """List the tables that measure made, print one, or write CSV.

    The CSV is UTF-8 and opens alike in spreadsheets, R and pandas. A text that one of them would
    run or change, a long id of digits, say, has an apostrophe in front.
    """
    table, folder = _words(name, study)
    opened = open_study(folder)
    if columns and table is None:
        raise typer.BadParameter("--columns needs a table")
    if csv is not None:
        _write(opened, table, csv)
    elif table is None:
        _list(opened)
    elif columns:
        _columns(opened, table)
    else:
        _print(opened, table, everything=everything)


def _words(name: str | None, study: Path) -> tuple[str | None, Path]:
    """A single word that is the path of a folder, and no table's name, is the study."""
    from draligned.api.tabular import layouts

    alone = name is not None and study == HERE and name not in layouts()
    if name is not None and alone and Path(name).is_dir():
        return None, Path(name)
    if name is not None and str(study) in layouts() and Path(name).is_dir():
        raise typer.BadParameter(f"the table comes first: draligned tables {study} {name}")
    return name, study


def _list(opened: Any) -> None:
    found = opened.tables()
    if not found:
        say("no tables yet; `draligned measure` makes them")
        return
    rows = [(i.name, i.rows, i.meta and i.meta.row, "" if not i.stale else "yes") for i in found]
    common.table(rows, ("table", "rows", "one row is", "stale"), common.WHOLE)
    _remarks(found)


def _remarks(found: Sequence[Any]) -> None:
    stale = sorted({part for info in found for part in info.stale})
    if stale:
        note(f"changed since the tables were made: {', '.join(stale)}; `draligned measure` again")
    if any(i.meta and i.meta.rehearsal for i in found):
        note(_REHEARSAL)


def _info(opened: Any, name: str) -> list[Any]:
    """The table's description, if it is there; its absence is said by whoever reads it."""
    return [info for info in opened.tables() if info.name == name]


def _columns(opened: Any, name: str) -> None:
    opened.table(name)
    for info in _info(opened, name):
        if info.meta is None:
            say("this table carries no description; `draligned measure` makes it again")
            continue
        say(f"{name}: {info.meta.row}", f"keys: {', '.join(info.meta.keys)}")
        rows = [(c.name, c.kind, c.unit, c.meaning) for c in info.meta.columns]
        common.table(rows, ("column", "type", "unit", "meaning"), common.WHOLE)


def _write(opened: Any, name: str | None, path: Path) -> None:
    from draligned.api.tabular import EXCEL_ROWS

    found = _info(opened, name) if name else opened.tables()
    for each in [name] if name else [info.name for info in found]:
        target = path if name else path / f"{each}.csv"
        rows = opened.write_csv(each, target)
        say(f"{target}: {rows} rows")
        if rows > EXCEL_ROWS:
            note(f"{target}: {_MANY}")
    _remarks(found)


def _print(opened: Any, name: str, *, everything: bool) -> None:
    """Rows in blocks of columns that fit; what is the same in all rows is said once."""
    frame = opened.table(name)
    shown = frame if everything or not _terminal() else frame.head(SHOWN)
    if len(frame) > 1 and not everything:
        shown = _varying(frame, shown)
    info = _info(opened, name)
    keys = [k for i in info if i.meta for k in i.meta.keys if k in shown.columns]
    for block in _blocks(shown, keys):
        rows = [[_cell(v) for v in row] for row in shown[block].itertuples(index=False, name=None)]
        common.table(rows, block, common.cell_limit())
    if len(shown) < len(frame):
        say(f"{len(shown)} of {len(frame)} rows; --all prints every one")
    elif frame.empty:
        say("no rows")
    _remarks(info)


def _terminal() -> bool:
    return sys.stdout is not None and sys.stdout.isatty()


def _varying(frame: "pd.DataFrame", shown: "pd.DataFrame") -> "pd.DataFrame":
    """Without the columns that hold one value throughout, which are printed first."""
    same = [c for c in frame.columns if frame[c].nunique(dropna=False) == 1]
    known = {c: _cell(frame[c].iloc[0]) for c in same}
    said = [f"{c} {common.visible(str(v), common.CELL)}" for c, v in known.items() if v is not None]
    if said:
        say(f"in all rows: {', '.join(said)}")
    if blank := [c for c, v in known.items() if v is None]:
        say(f"nothing in: {', '.join(blank)}")
    return shown.drop(columns=same)


def _blocks(frame: "pd.DataFrame", keys: list[str]) -> list[list[str]]:
    """Columns in groups that fit the terminal, each behind the keys; one group elsewhere."""
    names = [str(c) for c in frame.columns]
    if not _terminal():
        return [names]
    room = shutil.get_terminal_size().columns
    wide = {c: 2 + max([len(c), *(min(len(str(v)), common.CELL) for v in frame[c])]) for c in names}
    lead = sum(wide[k] for k in keys)
    blocks: list[list[str]] = [list(keys)]
    for name in (n for n in names if n not in keys):
        used = sum(wide[c] for c in blocks[-1])
        if used + wide[name] > room and len(blocks[-1]) > len(keys) and lead < room:
            blocks.append(list(keys))
        blocks[-1].append(name)
    return blocks


def _cell(value: Any) -> Any:
    """A cell without pandas' missing value."""
    import pandas as pd

    if pd.isna(value):
        return None
    return float(value) if isinstance(value, float) else value
