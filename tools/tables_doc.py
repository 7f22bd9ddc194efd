"""Writes docs/tables.md from the layouts of measure and their dictionary."""

import ast
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path

from draligned.api.tabular import layouts
from draligned.measure.dictionary import describe, dictionary
from draligned.schema.tabular import TableMeta

ROOT = Path(__file__).parents[1]
OUT = ROOT / "docs" / "tables.md"
INTRO = """# Tables

Written by `python tools/tables_doc.py` from the layouts, and held to them by a test.

`draligned measure` writes each table to `tables/<name>.parquet` in the study's folder. The file
carries this description too (schema metadata: `draligned` for the table, `unit` and `meaning`
for each column), with the versions of what made it and the hashes of the design, protocols,
settings and corrections behind it. `draligned tables` lists them, `draligned tables NAME` prints
one, `--columns` says what its columns mean, `--csv FILE` writes CSV.

Rows are sorted by the keys, which are unique. A missing value is null and stands beside a status
or reason; nothing is NaN. `long` holds every unit of every planned run and is meant for R,
statsmodels and the like.

CSV is UTF-8 with a byte order mark, comma-separated; flags are TRUE and FALSE, a missing value is
an empty cell. A text that a spreadsheet would run as a formula or change into a number, date or
flag has an apostrophe in front (in R: `sub("^'", "", x)`). In R, read with
`read.csv(file, fileEncoding = "UTF-8-BOM", na.strings = "")`; in pandas, with
`pd.read_csv(file, keep_default_na=False, na_values=[""])`, or with all types by
`draligned.api.tabular.load_csv(file, "estimates")`.
"""


def page() -> str:
    """The page as it should be."""
    metas = [describe(table) for table in layouts().values()]
    parts = [INTRO, *_overview(metas), *_units(), *(line for m in metas for line in _table(m))]
    return "\n".join(parts) + "\n"


def _overview(metas: list[TableMeta]) -> Iterator[str]:
    yield "| table | one row is | keys |\n| --- | --- | --- |"
    for meta in metas:
        yield f"| [{meta.table}](#{meta.table}) | {meta.row} | {', '.join(meta.keys)} |"


def _units() -> Iterator[str]:
    yield "\n## Units\n\n| unit | in words |\n| --- | --- |"
    for unit, words in dictionary().units.items():
        yield f"| {unit} | {words} |"


def _table(meta: TableMeta) -> Iterator[str]:
    yield f"\n## {meta.table}\n\nOne row is {meta.row}. Keys: {', '.join(meta.keys)}.\n"
    if said := _remarks().get(meta.table):
        yield f"{said}\n"
    yield "| column | type | unit | meaning |\n| --- | --- | --- | --- |"
    for column in meta.columns:
        meaning = (column.meaning or "").replace("|", "\\|")
        yield f"| {column.name} | {column.kind} | {column.unit} | {meaning} |"


@cache
def _remarks() -> dict[str, str]:
    """What stands below each layout in its module, by the table's name."""
    modules = [
        *sorted((ROOT / "draligned/measure").glob("*.py")),
        ROOT / "draligned/api/inventory.py",
    ]
    known = {table.name: table for table in layouts().values()}
    found = {}
    for module in modules:
        body = ast.parse(module.read_text(encoding="utf-8")).body
        for made, said in pairwise(body):
            if isinstance(made, ast.Assign) and isinstance(said, ast.Expr):
                name = _table_name(made)
                if name in known and isinstance(said.value, ast.Constant):
                    found[name] = str(said.value.value)
    return found


def _table_name(made: ast.Assign) -> str | None:
    if not isinstance(made.value, ast.Call) or getattr(made.value.func, "id", "") != "Table":
        return None
    (name,) = (k.value for k in made.value.keywords if k.arg == "name")
    return name.value if isinstance(name, ast.Constant) else "inventory"


if __name__ == "__main__":
    OUT.write_text(page(), encoding="utf-8")
