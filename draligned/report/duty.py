"""Stage tags of research episodes on the page: what agents claim beside what their logs show.

It stands by itself: no evaluator has a part in it, and nothing of it is put beside StageIF.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from markupsafe import Markup

from draligned.progress.duty_tables import NO_REPLY, NO_TAG, UNREADABLE
from draligned.report import numbers
from draligned.report.data import ReportData
from draligned.report.duty_figure import Beat, legend, strip
from draligned.report.rows import Row, each_group, rows, whole
from draligned.report.texts import Texts
from draligned.schema.progress import WORK_VALUES as STAGES

STATUSES = ("same", "ahead", "behind", "never_claimed", "never_true", "neither")
LAYERS = ("n_transport", "n_omission", "n_malformed", "n_wrong_value")
LAGS = ("n_ahead", "n_ahead_by_own_calls", "n_behind")
NARROW = 15
"""Turns of a run that find room beside another run."""
STRIPS = 24
"""Runs drawn of one harness and model; the tables have all."""
_ABSENT = {"transport": NO_REPLY, "omission": NO_TAG, "malformed": UNREADABLE}


@dataclass(frozen=True, kw_only=True)
class DutyLine:
    """A row of words and numbers of one harness and model."""

    harness: str
    model: str
    head: tuple[str, ...]
    cells: tuple[str, ...]
    strong: bool = False
    """Whether it sums up the rows that follow."""


@dataclass(frozen=True, kw_only=True)
class RunStrip:
    """One run."""

    title: str
    figure: Markup
    wide: bool
    """Whether it takes a row of its own."""


@dataclass(frozen=True, kw_only=True)
class Strips:
    """Runs of one harness and model, each as two lanes."""

    title: str
    runs: tuple[RunStrip, ...]
    left_out: int


@dataclass(frozen=True, kw_only=True)
class DutyView:
    """The section."""

    layers: tuple[DutyLine, ...]
    first: tuple[DutyLine, ...]
    changes: tuple[DutyLine, ...]
    strips: tuple[Strips, ...]
    legend: Markup
    n_tags: str
    """How many tags were taken out before evaluators read."""


def duty_of(data: ReportData, texts: Texts) -> DutyView | None:
    """The section; none where no agent was asked for tags."""
    if data.table("duty_turns").empty:
        return None
    stripped = [whole(row, "n_tags_stripped") for row in rows(data.table("duty_runs"))]
    return DutyView(
        layers=_layers(data, texts),
        first=_first(data, texts),
        changes=_changes(data, texts),
        strips=_strips(data, texts),
        legend=legend(texts),
        n_tags=numbers.count(sum(stripped)),
    )


def _layers(data: ReportData, texts: Texts) -> tuple[DutyLine, ...]:
    order = ("all", *STAGES)
    found = [r for r in rows(data.table("duty_layers")) if whole(r, "n_turns")]
    found.sort(key=lambda r: (str(r["harness"]), str(r["model"]), order.index(r["true_stage"])))
    return tuple(
        DutyLine(
            harness=str(row["harness"]),
            model=str(row["model"]),
            head=(texts.word("duty_stage", str(row["true_stage"])),),
            cells=_counts(row),
            strong=row["true_stage"] == "all",
        )
        for row in found
    )


def _counts(row: Row) -> tuple[str, ...]:
    replied = whole(row, "n_turns") - whole(row, "n_transport")
    return (
        numbers.count(whole(row, "n_turns")),
        numbers.share(whole(row, "n_clean"), replied),
        *(numbers.count(whole(row, name)) for name in (*LAYERS, *LAGS)),
    )


def _first(data: ReportData, texts: Texts) -> tuple[DutyLine, ...]:
    out = []
    groups = each_group(data.table("duty_stages"), "harness", "model", "stage")
    for (harness, model, stage), found in sorted(groups, key=lambda g: _place(*g[0])):
        late = [whole(r, "turns_late") for r in found if r["turns_late"] is not None]
        counts = (sum(r["status"] == s for r in found) for s in STATUSES)
        span = f"{min(late):+d} … {max(late):+d}" if late else texts("duty.none")
        cells = (*map(numbers.count, counts), span.replace("+0", "0").replace("-", "−"))
        head = (texts.word("duty_stage", stage),)
        out.append(DutyLine(harness=harness, model=model, head=head, cells=cells))
    return tuple(out)


def _place(harness: str, model: str, stage: str) -> tuple[str, str, int]:
    return harness, model, STAGES.index(stage)


def _changes(data: ReportData, texts: Texts) -> tuple[DutyLine, ...]:
    """Where the log moves on from one turn to the next: whether the tag has moved as well."""
    moved = [r for r in rows(data.table("duty_steps")) if r["true_from"] != r["true_to"]]
    out = []
    for (harness, model, before, after), own in groupby(sorted(moved, key=_change), key=_change):
        counts = dict.fromkeys(("before", "now", "not_yet", "silent"), 0)
        for row in own:
            counts[_said(row)] += whole(row, "n")
        head = tuple(texts.word("duty_stage", STAGES[at]) for at in (before, after))
        cells = (numbers.count(sum(counts.values())), *map(numbers.count, counts.values()))
        out.append(DutyLine(harness=harness, model=model, head=head, cells=cells))
    return tuple(out)


def _change(row: Row) -> tuple[str, str, int, int]:
    ends = (STAGES.index(row["true_from"]), STAGES.index(row["true_to"]))
    return str(row["harness"]), str(row["model"]), *ends


def _said(row: Row) -> str:
    """What the tags around a change say of it."""
    there = STAGES.index(row["true_to"])
    before, after = (
        STAGES.index(row[name]) if row[name] in STAGES else None
        for name in ("claimed_from", "claimed_to")
    )
    if before is not None and before >= there:
        return "before"
    if after is None:
        return "silent"
    return "now" if after >= there else "not_yet"


def _strips(data: ReportData, texts: Texts) -> tuple[Strips, ...]:
    out = []
    turns = data.table("duty_turns")
    for (harness, model), found in each_group(turns, "harness", "model"):
        runs = [list(own) for _, own in groupby(found, key=lambda r: r["run_id"])]
        drawn = tuple(_strip(own, texts) for own in runs[:STRIPS])
        title = texts("duty.strips_of", harness=harness, model=model, n=len(drawn))
        out.append(Strips(title=title, runs=drawn, left_out=len(runs) - len(drawn)))
    return tuple(out)


def _strip(turns: Sequence[Row], texts: Texts) -> RunStrip:
    first = turns[0]
    title = texts("duty.run", task=first["task_id"], run=first["run_id"])
    beats = [
        Beat(
            truth=str(row["true_stage"]),
            claim=str(row["claimed_stage"] or _ABSENT[str(row["layer"])]),
            lag=str(row["lag"] or "unknown"),
        )
        for row in turns
    ]
    figure = strip(beats, title, texts)
    return RunStrip(title=title, figure=figure, wide=len(beats) > NARROW)
