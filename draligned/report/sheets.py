"""Tables of the further analyses as sheets of the page, laid out by `sheets.toml`."""

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from itertools import pairwise
from typing import Any

from markupsafe import Markup
from pydantic import TypeAdapter

from draligned.report import numbers
from draligned.report.boxes import Box, make_box
from draligned.report.data import ReportData
from draligned.report.figures import share_strip
from draligned.report.nulls import control_line
from draligned.report.rows import Row, each_group, number, only, pair_of, rows, whole
from draligned.report.texts import Texts
from draligned.schema.base import Record

Codes = dict[str, dict[str, tuple[str, str]]]
CODES = TypeAdapter[Codes](Codes)
SHOWN = 40
"""Rows of a sheet on the page; the rest is in its table."""
_PLACE = {"zh": 0, "en": 1}
_OF_VALUE = ("ci..", "ci_union..", "sharp..")
_P_VALUES = ("p_adjusted", "p_more", "p_fewer", "null_p", "drift_p")
_UNSIGNED = ("share", "_p", "median", "variance", "threshold", "p_")


class Sheet(Record):
    """One table: which rows and columns, and what is said above it."""

    table: str
    zh: str
    en: str
    told_zh: str
    told_en: str
    keep: dict[str, str | list[str]] = {}
    columns: tuple[str, ...]
    most: str | None = None
    """Column by whose size the rows are chosen."""


class Shelf(Record):
    """A section of the page."""

    id: str
    zh: str
    en: str
    sheet: tuple[Sheet, ...]


class Layout(Record):
    """All of `sheets.toml`; `words` are column heads in Chinese and English."""

    section: tuple[Shelf, ...]
    words: dict[str, tuple[str, str]]


@dataclass(frozen=True, kw_only=True)
class SheetView:
    """A sheet, ready to be laid out."""

    table: str
    title: str
    told: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    strips: tuple[Mapping[int, Markup], ...]
    """Pictures of shares beside their intervals, by column, for each row."""
    left_out: int
    """Rows that are only in the table."""


@dataclass(frozen=True, kw_only=True)
class ShelfView:
    """A section; none is made where all its tables are empty."""

    id: str
    title: str
    boxes: tuple[tuple[str, tuple[Box, ...]], ...]
    """Main estimates of a set of their own, under the words for what is compared."""
    sheets: tuple[SheetView, ...]


@cache
def layout() -> Layout:
    """The layout that comes with the package."""
    source = resources.files("draligned.report").joinpath("sheets.toml")
    return Layout.model_validate(tomllib.loads(source.read_text(encoding="utf-8")))


@cache
def codes() -> Codes:
    """Words for codes in cells, by column, from `codes.toml`."""
    source = resources.files("draligned.report").joinpath("codes.toml")
    return CODES.validate_python(tomllib.loads(source.read_text(encoding="utf-8")))


def shelves_of(data: ReportData, evaluator: str, texts: Texts) -> tuple[ShelfView, ...]:
    """Sections that have something to show, as the primary evaluator read."""
    found = []
    for shelf in layout().section:
        sheets = tuple(_sheets(shelf, data, evaluator, texts))
        if sheets:
            title = getattr(shelf, texts.lang)
            boxes = two_factor_boxes(data, evaluator, texts) if shelf.id == "two_factor" else ()
            found.append(ShelfView(id=shelf.id, title=title, boxes=boxes, sheets=sheets))
    return tuple(found)


def two_factor_boxes(
    data: ReportData, evaluator: str, texts: Texts
) -> tuple[tuple[str, tuple[Box, ...]], ...]:
    """D_A and D_F of the first factor, by harness and by what the second one was; never pooled."""
    where = {"evaluator": evaluator, "model": "all", "population": "readable"}
    found = only(data.table("two_factor_estimates"), **where)
    out = []
    for (harness, comparison), own in each_group(found, "harness", "comparison"):
        chosen = [row for row in own if row["estimand"] in ("D_A", "D_F")]
        said = codes()["comparison"].get(comparison)
        word = comparison if said is None else said[_PLACE[texts.lang]]
        out.append((f"{harness} · {word}", tuple(_boxed(data, r, texts) for r in chosen)))
    return tuple(out)


def _boxed(data: ReportData, row: Row, texts: Texts) -> Box:
    return make_box(row, texts, control_line(data, row, texts))


def _sheets(shelf: Shelf, data: ReportData, evaluator: str, texts: Texts) -> Iterator[SheetView]:
    for sheet in shelf.sheet:
        chosen = [r for r in rows(data.table(sheet.table)) if _kept(r, sheet, evaluator)]
        if sheet.most is not None:
            chosen.sort(key=lambda r: -abs(number(r, str(sheet.most)) or 0.0))
        columns = _used(sheet, chosen)
        if chosen:
            yield SheetView(
                table=sheet.table,
                title=getattr(sheet, texts.lang),
                told=getattr(sheet, f"told_{texts.lang}"),
                head=tuple(_head(name, texts) for name in columns),
                rows=tuple(tuple(_cell(r, n, texts) for n in columns) for r in chosen[:SHOWN]),
                strips=tuple(_strips(r, columns) for r in chosen[:SHOWN]),
                left_out=max(0, len(chosen) - SHOWN),
            )


def _kept(row: Row, sheet: Sheet, evaluator: str) -> bool:
    if row.get("evaluator") not in (None, evaluator) and "evaluator" not in sheet.columns:
        return False
    wanted: Mapping[str, Any] = sheet.keep
    return all(
        row.get(name) in ([value] if isinstance(value, str) else value)
        for name, value in wanted.items()
    )


def _used(sheet: Sheet, chosen: list[Row]) -> tuple[str, ...]:
    """Columns, without a reason that no row gives."""
    silent = all(row.get("reason") is None for row in chosen)
    return tuple(c for c in sheet.columns if not (c == "reason" and silent))


def _head(column: str, texts: Texts) -> str:
    names = column.removesuffix("..").split("/")
    known = layout().words
    said = [known[n][_PLACE[texts.lang]] for n in names]
    return " / ".join(said)


def _cell(row: Row, column: str, texts: Texts) -> str:
    if column.endswith(".."):
        ends = pair_of(row, column.removesuffix(".."))
        directed = ends is not None and (ends[0] < 0 or _is_difference(row, column))
        return "–" if ends is None else numbers.span(*ends, directed=directed)
    if "/" in column:
        part, whole = (row.get(name) for name in column.split("/"))
        return "–" if part is None or whole is None else numbers.share(int(part), int(whole))
    return _plain(column, row.get(column), texts)


def _is_difference(row: Row, column: str) -> bool:
    """Whether an interval is one of a difference, so that its ends have signs."""
    return column in _OF_VALUE and str(row.get("estimand")).startswith("D_")


def _strips(row: Row, columns: tuple[str, ...]) -> dict[int, Markup]:
    """An interval that follows its n/N is one of a share, and all shares have one range."""
    out = {}
    for k, (before, column) in enumerate(pairwise(columns), start=1):
        if "/" not in before or not column.endswith(".."):
            continue
        part, all_of = (whole(row, name) for name in before.split("/"))
        ends = pair_of(row, column.removesuffix(".."))
        if ends is not None and all_of:
            out[k] = share_strip(part / all_of, ends, number(row, "null_share"))
    return out


def _plain(column: str, value: Any, texts: Texts) -> str:
    if value is None:
        return "–"
    if isinstance(value, bool):
        return texts("sheet.yes" if value else "sheet.no")
    if isinstance(value, float):
        if column in _P_VALUES:
            return numbers.p_value(value)
        unsigned = any(part in column for part in _UNSIGNED)
        return numbers.plain(value) if unsigned else numbers.signed(value)
    if isinstance(value, int):
        return numbers.count(value)
    if column.endswith("_method"):
        return texts.word("method_short", str(value))
    said = codes().get(column, {}).get(str(value))
    return texts.word(column, str(value)) if said is None else said[_PLACE[texts.lang]]
