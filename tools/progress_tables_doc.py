"""Writes docs/progress-tables.md from the dictionary of the tables of progress reports."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from draligned.measure.dictionary import Entry
from draligned.progress.described import stage_dictionary

OUT = Path(__file__).parents[1] / "docs" / "progress-tables.md"
INTRO = """# Tables of progress reports

Written by `python tools/progress_tables_doc.py` from the dictionary, and held to it by a test.

`draligned progress measure DESIGN` writes each table to `progress/DESIGN/tables/`, as parquet and
as CSV (UTF-8, opens alike in spreadsheets, R and pandas: [tables.md](tables.md) says how texts are
guarded). `draligned.open(folder).progress.table("stage", "shares")` reads one. The parquet file
says of itself what stands here, and by which hash its design is frozen.

- Replies of lanes that do not count are in `admission` alone, with the reason.
- `over_arms`, `mixed` and `gee` are made where a design varies nothing but arms and encodings;
  `over_arms` where it has several arms.
- Which interval to read stands in `recommended`; why, in [progress.md](progress.md).
- A contrast is `registered` where it was frozen with the design before the first reply. What else
  was, `draligned progress designs DESIGN` tells, and `notes` of `design.json` holds.
- Numbers of rollouts and of tau2-bench have tables of their own ([rollout.md](rollout.md),
  [tau2.md](tau2.md)); they are in none of these.
"""


def page() -> str:
    """The page as it should be."""
    known = stage_dictionary()
    parts = [INTRO, "| table | one row is |\n| --- | --- |"]
    parts += [f"| {name} | {row} |" for name, row in known.tables.items()]
    parts += ["\n## Columns in several tables\n", *_columns(known.columns)]
    parts += ["| factor_* | word | level of one of the design's factors |"]
    for name, columns in known.columns_of.items():
        parts += [f"\n## Of {name}\n", *_columns(columns)]
    parts += ["\n`_lo` and `_hi` behind a name are the ends of that interval."]
    return "\n".join(parts) + "\n"


def _columns(columns: Mapping[str, Entry]) -> Iterator[str]:
    yield "| column | unit | meaning |\n| --- | --- | --- |"
    for name, (unit, meaning) in columns.items():
        yield f"| {name} | {unit.replace('_', ' ')} | {meaning} |"


if __name__ == "__main__":
    OUT.write_text(page(), encoding="utf-8")
