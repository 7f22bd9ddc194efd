"""One row a task, one picture a channel: what the task-equal mean is a mean of (DR-110).

A and F have pictures of their own with the ranges of their own quantities (DR-77). A task is data
and has no interval; its bar is the span in which its value lies whatever the unreadable pairs are.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from draligned.report import numbers
from draligned.report.data import ReportData
from draligned.report.order import place, places
from draligned.report.rows import Row, number, only, pair_of, rows, whole
from draligned.report.texts import Texts

WIDTH = 360
LEFT = 104
"""Room for the names of tasks; right of the axis stand the counts."""
RIGHT = 44
ROW = 15
TOP = 8
WINDOWS = (0.25, 0.5, 1.0, 2.0)
Span = tuple[float, float]


@dataclass(frozen=True, kw_only=True)
class Bar:
    """One row: a task, or the mean of all."""

    name: str
    value: float | None
    span: Span | None
    """Of a task its sharp bounds, of the mean its interval."""
    readable: str
    mean: bool = False


@dataclass(frozen=True, kw_only=True)
class Forest:
    """A picture of one channel under one harness."""

    estimand: str
    title: str
    figure: Markup
    window: str
    """Which part of the quantity's range is drawn."""


def forests_of(data: ReportData, evaluator: str, harness: str, texts: Texts) -> dict[str, Forest]:
    """By estimand, D_A and D_F; none without tasks."""
    found = (_forest(data, evaluator, harness, name, texts) for name in ("D_A", "D_F"))
    return {one.estimand: one for one in found if one is not None}


def _forest(
    data: ReportData, evaluator: str, harness: str, estimand: str, texts: Texts
) -> Forest | None:
    where = {"evaluator": evaluator, "harness": harness, "model": "all", "estimand": estimand}
    tasks = rows(only(data.table("tasks"), **where))
    mean = rows(only(data.table("estimates"), population="readable", **where))
    if not tasks or not mean:
        return None
    order = places(data.design)
    domains = {task.task_id: task.domain for task in data.design.tasks}
    tasks.sort(key=lambda r: (place(order, str(r["task_id"])), str(r["task_id"])))
    bars = [_task(row, domains, texts) for row in tasks]
    bars.append(_mean(mean[0], texts))
    top = number(mean[0], "range_hi") or 1.0
    half = _window(bars, top)
    title = texts("forest.title")
    ends = {"low": numbers.tick(-half, -half), "high": numbers.tick(half, -half)}
    whole_range = f"{top:g}"
    window = "" if half == top else texts("forest.window", top=whole_range, **ends)
    label = texts("forest.desc", tasks=len(tasks), mean=_said(bars[-1], texts))
    return Forest(
        estimand=estimand, title=title, figure=forest(bars, half, title, label), window=window
    )


def _task(row: Row, domains: dict[str, str], texts: Texts) -> Bar:
    task_id = str(row["task_id"])
    domain = texts.word("domain", domains.get(task_id, ""))
    return Bar(
        name=f"{task_id} {domain}".strip(),
        value=number(row, "value"),
        span=pair_of(row, "sharp"),
        readable=f"{whole(row, 'n_readable')}/{whole(row, 'n_planned')}",
    )


def _mean(row: Row, texts: Texts) -> Bar:
    return Bar(
        name=texts("forest.mean"),
        value=number(row, "value"),
        span=pair_of(row, "ci_union") or pair_of(row, "ci"),
        readable=f"{whole(row, 'n_readable')}/{whole(row, 'n_pairs')}",
        mean=True,
    )


def _said(bar: Bar, texts: Texts) -> str:
    if bar.value is None:
        return numbers.absent(texts, "empty")
    ends = "" if bar.span is None else " " + numbers.span(*bar.span)
    return numbers.signed(bar.value) + ends


def _window(bars: Sequence[Bar], top: float) -> float:
    """Half the width of the axis: the least that holds every value and bar, at most the range."""
    ends = [abs(end) for bar in bars for end in (bar.value, *(bar.span or ())) if end is not None]
    widest = max(ends, default=top)
    return next((w for w in WINDOWS if widest <= w and w < top), top)


def forest(bars: Sequence[Bar], half: float, title: str, label: str) -> Markup:
    """The picture: names left, axis from −half to +half, counts right."""
    bottom = TOP + ROW * len(bars)
    parts = [_axis(half, bottom)]
    parts += [_bar(bar, TOP + ROW * k + ROW // 2, half) for k, bar in enumerate(bars)]
    return Markup(
        '<svg class="forest" viewBox="0 0 {} {}" role="img"><title>{}</title><desc>{}</desc>'
        "{}</svg>"
    ).format(WIDTH, bottom + 18, title, label, Markup("").join(parts))


def _x(value: float, half: float) -> float:
    inside = min(max(value, -half), half)
    return round(LEFT + (inside + half) / (2 * half) * (WIDTH - LEFT - RIGHT), 1)


def _axis(half: float, bottom: int) -> Markup:
    out = [Markup('<path class="axis" d="M{} {}H{}"/>').format(LEFT, bottom, WIDTH - RIGHT)]
    for mark in (-half, -half / 2, 0.0, half / 2, half):
        x = _x(mark, half)
        out.append(Markup('<path class="tick" d="M{} {}v3"/>').format(x, bottom))
        text = numbers.tick(mark, -half)
        out.append(Markup('<text x="{}" y="{}">{}</text>').format(x, bottom + 13, text))
    zero = Markup('<path class="zero" d="M{} {}V{}"/>').format(_x(0.0, half), TOP - 4, bottom)
    return Markup("").join(out) + zero


def _bar(bar: Bar, y: int, half: float) -> Markup:
    kind = "mean" if bar.mean else "task"
    out = []
    if bar.mean:
        rule = y - ROW // 2 - 1
        out.append(Markup('<path class="rule" d="M0 {}H{}"/>').format(rule, WIDTH))
    if bar.span is not None:
        line = f"M{_x(bar.span[0], half)} {y}H{_x(bar.span[1], half)}"
        out.append(Markup('<path class="span {}" d="{}"/>').format(kind, line))
    if bar.value is not None:
        x = _x(bar.value, half)
        out.append(Markup('<circle class="value" cx="{}" cy="{}" r="3.4"/>').format(x, y))
    name = '<text class="name {}" x="0" y="{}">{}</text>'
    out.append(Markup(name).format(kind, y + 3, bar.name))
    out.append(
        Markup('<text class="count" x="{}" y="{}">{}</text>').format(WIDTH, y + 3, bar.readable)
    )
    return Markup("").join(out)
