"""The section on tau2-bench: what tags said in natural conversations, and what was true there
(SI-68 … SI-85)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from draligned.progress.tau2.columns import LANE, shown
from draligned.report import numbers
from draligned.report import stage_rows as sr
from draligned.report.rows import Row, rows
from draligned.report.stage_data import Tau2Part
from draligned.report.stage_figures import Spot, line
from draligned.report.stage_grid import Grid
from draligned.report.stage_views import Figure
from draligned.report.texts import Texts

AXIS = ("before_acting", "mid_q1", "mid_q2", "mid_q3", "mid_q4", "mid_q5", "completed")
BINS = ("before_acting", "mid_task", *AXIS[1:6], "completed", "completed_seen", "completed_unseen")
WORDS = {
    "arm": "t2_arm", "population": "t2_population", "parser": "t2_parser", "state": "t2_bin",
    "cache": "t2_cache", "status": "t2_status",
    "kind": "t2_kind", "group": "t2_group", "subgroup": "t2_subgroup", "requested": "t2_requested",
}  # fmt: skip
"""Columns whose values are of a closed set, and the group of their words."""
SHARES = ("share", "follow_share")
LONG = "long"


@dataclass(frozen=True, kw_only=True)
class Tau2View:
    """One score's part of the section."""

    name: str
    size: str
    lines: tuple[Figure, ...]
    tenths: tuple[Figure, ...]
    """Correct tags by position alone (Figure 11)."""
    stages: Grid
    grids: tuple[tuple[str, Grid], ...]
    """Key of its sentences, and the table; those with rows."""


def tau2_view(part: Tau2Part, texts: Texts) -> Tau2View:
    """The part of one score."""
    known = part.tables["lanes"]
    lanes, stages = rows(known), shown(part.tables["stages"], known)
    made = {
        name: _grid(shown(part.tables[name], known), columns, texts)
        for name, columns in TABLES.items()
        if name in part.tables  # a score that was kept before there was the table
    }
    return Tau2View(
        name=part.name,
        size=texts(
            "tau2.size", files=part.files, runs=numbers.count(sum(r["runs"] for r in lanes)),
            scored=numbers.count(sum(r["scored"] for r in lanes)),
            messages=numbers.count(sum(r["checkpoints"] or 0 for r in lanes)),
            version=part.version,
        ),
        lines=tuple(_lines(stages, texts)),
        tenths=tuple(_tenths(shown(part.tables["positions"], known), texts)),
        stages=_stages(stages, texts),
        grids=tuple((name, grid) for name, grid in made.items() if grid.rows),
    )  # fmt: skip


TABLES: Mapping[str, tuple[str, ...]] = {
    "lanes": (*LANE, "tasks", "runs", "scored", "checkpoints", "tagged", "follow_share",
              "enveloped"),
    "left_out": ("deployment", "arm", "domain", "status", "runs", "of"),
    "wrong": (*LANE, "usual", "parser", "state", "kind", "checkpoints", "share"),
    "trajectories": (*LANE, "parser", "group", "runs", "all_wrong", "all_correct"),
    "completion": (*LANE, "parser", "subgroup", "checkpoints", "completed_reported",
                   "done_or_post_obs"),
    "base_rates": (*LANE, "state", "checkpoints", "of", "share"),
    "latching": (*LANE, "parser", "checkpoints", "differ", "correct_latched", "correct_unlatched"),
    "simulators": (*LANE, "simulator", "cache", "parser", "state", "runs", "correct", "total"),
    "reasoning": ("deployment", "requested", "calls", "known", "nonzero", "median",
                  "median_present"),
    "no_user": ("deployment", "domain", "runs", "ended_by_agent", "of_these_unrewarded"),
}  # fmt: skip
"""Tables of the section, and their columns."""


def _grid(table: pd.DataFrame, columns: Sequence[str], t: Texts) -> Grid:
    there = [c for c in columns if c in table]
    body = tuple(tuple(_cell(c, row[c], t) for c in there) for row in rows(table))
    return Grid(deployment="", head=_heads(there, t), rows=body)


def _heads(columns: Iterable[str], t: Texts) -> tuple[str, ...]:
    return tuple(t.word("t2_head", name) for name in columns)


def _cell(column: str, value: Any, t: Texts) -> str:
    if value is None:
        return "–"
    if isinstance(value, bool):
        return t("stage.yes") if value else t("stage.no")
    if column in SHARES:
        return f"{sr.percent(value)} %"
    if column in WORDS:
        word = str(value).split(" ")[0] if str(value).startswith(LONG) else str(value)
        return t.word(WORDS[column], word)
    return numbers.count(value) if isinstance(value, int) else str(value)


def _stages(table: pd.DataFrame, t: Texts) -> Grid:
    """`correct/total` by state and fifth, a row a lane and parser.

    What is the same in all rows stands above the figures and not here: the table is wide.
    """
    names = [c for c in (*LANE, "parser") if c == "deployment" or table[c].nunique() > 1]
    found: dict[tuple[str, ...], dict[str, str]] = {}
    for row in rows(table):
        key = tuple(_cell(c, row[c], t) for c in names)
        found.setdefault(key, {})[row["bin"]] = f"{row['correct']}/{row['total']}"
    there = [b for b in BINS if any(b in cells for cells in found.values())]
    head = (*_heads(names, t), *(_short(b, t) for b in there))
    body = tuple((*key, *(cells.get(b, "–") for b in there)) for key, cells in found.items())
    return Grid(deployment="", head=head, rows=body)


def _short(name: str, t: Texts) -> str:
    """A fifth as the axis has it, on one line: the table is wide."""
    fifth = name in AXIS[1:6]
    return t.word("t2_axis", name).replace("\n", " ") if fifth else t.word("t2_bin", name)


def _lines(table: pd.DataFrame, t: Texts) -> Iterable[Figure]:
    """Correct tags along the way of a task, a figure a lane and parser (Figure 2)."""
    for key, cells in _by_lane(table).items():
        spots = [_spot(n, b, cells[b], t) for n, b in enumerate(AXIS) if b in cells]
        yield _figure(key, spots, "line_label", t)


def _tenths(table: pd.DataFrame, t: Texts) -> Iterable[Figure]:
    """Correct tags in ten bins of a run's messages, whatever the state (SI-77)."""
    for key, cells in _by_lane(table).items():
        spots = [_tenth(int(b), cells[b], t) for b in sorted(cells, key=int)]
        yield _figure(key, spots, "tenth_label", t)


def _by_lane(table: pd.DataFrame) -> dict[tuple[str, ...], dict[str, Row]]:
    """Rows by bin, of each lane and parser."""
    found: dict[tuple[str, ...], dict[str, Row]] = {}
    for row in rows(table):
        key = tuple(str(row[c]) for c in (*LANE, "parser"))
        found.setdefault(key, {})[str(row["bin"])] = row
    return found


def _figure(key: Sequence[str], spots: Sequence[Spot], label: str, t: Texts) -> Figure:
    title = " · ".join(
        t.word(WORDS.get(c, ""), v) for c, v in zip((*LANE[1:], "parser"), key[1:], strict=True)
    )
    said = t(f"tau2.{label}", deployment=key[0], what=title)
    return Figure(deployment=key[0], title=title, drawn=line(spots, said))


def _tenth(number: int, row: Row, t: Texts) -> Spot:
    return Spot(
        place=number, label=str(number), value=row["share"], interval=None, apart=False,
        about=t("tau2.tenth", number=number, k=row["correct"], n=row["total"]),
    )  # fmt: skip


def _spot(place: int, name: str, row: Row, t: Texts) -> Spot:
    said = sr.share_said({**row, "k": row["correct"], "n": row["total"]}, t)
    return Spot(
        place=place, label=t.word("t2_axis", name), value=row["share"], interval=sr.interval(row),
        apart=False, about=f"{t.word('t2_bin', name)}: {said}",
    )  # fmt: skip
