"""Pictures of progress reports as inline SVG: stacked outcomes, lines over checkpoints, intervals.

Every picture says in words what it shows; no colour carries meaning alone. Shares run from 0 to
100 %; checkpoints are ordered, and their distance on the axis has no unit.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import ceil

from markupsafe import Markup

from draligned.report.numbers import tick

BARS, COUNT = 300, 62
ROW, BAR = 24, 16
SPOKEN = 0.075
"""A part below this share has no number inside."""
Span = tuple[float, float]


def room_for(labels: Sequence[str], least: int = 120) -> int:
    """Room that the longest label needs, in units of the picture; a wide character counts twice."""
    longest = max((sum(12 if ord(c) > 0x2E7F else 6.8 for c in text) for text in labels), default=0)
    return max(least, ceil(longest) + 10)


@dataclass(frozen=True, kw_only=True)
class Stack:
    """One bar: its parts as (css class, word, n), in their order."""

    label: str
    parts: tuple[tuple[str, str, int], ...]

    @property
    def total(self) -> int:
        """Positions in the bar."""
        return sum(n for _, _, n in self.parts)


def stacks(bars: Sequence[Stack], label: str) -> Markup:
    """Bars of equal length, one under the other, with n at the right."""
    left = room_for([bar.label for bar in bars])
    drawn = Markup("").join(_stack(bar, left, 4 + ROW * k) for k, bar in enumerate(bars))
    return _svg("stacks", left + BARS + COUNT, ROW * len(bars) + 6, label, drawn)


def _stack(bar: Stack, start: int, y: int) -> Markup:
    left, inside = float(start), BARS
    count = _text(start + BARS + COUNT, y + 12, f"n={bar.total}", "end")
    out = [_text(start - 8, y + 12, bar.label, "end"), count]
    for css, word, n in bar.parts:
        share = n / bar.total if bar.total else 0.0
        if n:
            out.append(_part(left, y, inside * share, css, f"{word}: {n} ({100 * share:.1f} %)"))
            if share >= SPOKEN:
                middle = f"{left + inside * share / 2:.1f}"
                out.append(_text(middle, y + 12, f"{100 * share:.0f}", f"inside {css}"))
        left += inside * share
    return Markup("").join(out)


def _part(x: float, y: int, width: float, css: str, title: str) -> Markup:
    return Markup(
        '<g><title>{}</title><rect class="part {}" x="{:.1f}" y="{}" width="{:.1f}" '
        'height="{}"/></g>'
    ).format(title, css, x, y, max(width, 0.8), BAR)


@dataclass(frozen=True, kw_only=True)
class Spot:
    """One checkpoint of a line. `place` orders it; `apart` stands for another quantity."""

    place: int
    label: str
    value: float
    interval: Span | None
    """None where no interval is made: no whisker is drawn."""
    apart: bool
    about: str


PLOT_W, PLOT_H, PLOT_LEFT, PLOT_TOP, PLOT_FOOT = 420, 200, 40, 12, 44


def line(spots: Sequence[Spot], label: str) -> Markup:
    """Shares at ordered checkpoints with whiskers; spots that stand apart are not joined."""
    xs = _spread([s.place for s in spots])
    joined = [f"{x:.1f} {_y(s.value)}" for x, s in zip(xs, spots, strict=True) if not s.apart]
    path = Markup('<path class="run" d="M{}"/>').format("L".join(joined)) if joined else Markup("")
    drawn = Markup("").join(_spot(x, s) for x, s in zip(xs, spots, strict=True))
    return _svg("course", PLOT_W, PLOT_H, label, _grid() + path + drawn)


def _spread(places: Sequence[int]) -> list[float]:
    """Places on the axis: by the given distances, but never closer than labels need."""
    if len(places) < 2:
        return [PLOT_LEFT + (PLOT_W - PLOT_LEFT) / 2] * len(places)
    gaps = [max(b - a, 1) for a, b in pairwise(places)]
    wide = PLOT_W - PLOT_LEFT - 90
    least = wide / (len(places) + 1)
    free = wide - least * len(gaps)
    out = [PLOT_LEFT + 40.0]
    for gap in gaps:
        out.append(out[-1] + least + free * gap / sum(gaps))
    return out


def _y(value: float) -> str:
    return f"{PLOT_TOP + (1 - value) * (PLOT_H - PLOT_TOP - PLOT_FOOT):.1f}"


def _grid() -> Markup:
    out = []
    for share in (0.0, 0.25, 0.5, 0.75, 1.0):
        y = _y(share)
        out.append(Markup('<path class="rule" d="M{} {}H{}"/>').format(PLOT_LEFT, y, PLOT_W))
        out.append(_text(PLOT_LEFT - 6, float(y) + 3.5, f"{100 * share:.0f}", "end"))
    return Markup("").join(out)


def _spot(x: float, spot: Spot) -> Markup:
    at = f"{x:.1f}"
    foot = PLOT_H - PLOT_FOOT
    shape = (
        Markup('<rect class="apart" x="{:.1f}" y="{:.1f}" width="9" height="9"/>').format(
            x - 4.5, float(_y(spot.value)) - 4.5
        )
        if spot.apart
        else Markup('<circle class="value" cx="{}" cy="{}" r="4.5"/>').format(at, _y(spot.value))
    )
    words = spot.label.split("\n")
    names = [_text(at, foot + 16 + 13 * k, word, "") for k, word in enumerate(words)]
    return (
        Markup("<g><title>{}</title>{}{}</g>").format(spot.about, _whisker(x, spot.interval), shape)
        + Markup('<path class="tick" d="M{} {}v4"/>').format(at, foot)
        + Markup("").join(names)
    )


def _whisker(x: float, interval: Span | None) -> Markup:
    if interval is None:
        return Markup("")
    low, high = _y(interval[0]), _y(interval[1])
    mark = f"M{x:.1f} {low}V{high}M{x - 5:.1f} {low}h10M{x - 5:.1f} {high}h10"
    return Markup('<path class="interval" d="{}"/>').format(mark)


@dataclass(frozen=True, kw_only=True)
class Reach:
    """One row of intervals; `strong` where the interval excludes zero."""

    label: str
    value: float
    interval: Span
    said: str
    """The numbers, at the right."""
    strong: bool = True
    cross: float | None = None
    """Another value on the same axis, to hold this one against."""


AXIS, SAID = 210, 150
"""Widths of the axis and of the numbers at its right."""


@dataclass(frozen=True, kw_only=True)
class _Ruler:
    low: float
    high: float
    left: int
    foot: int

    def x(self, value: float) -> float:
        inside = min(max(value, self.low), self.high)
        return self.left + 10 + (inside - self.low) / (self.high - self.low) * AXIS

    @property
    def right(self) -> int:
        return self.left + AXIS + 20 + SAID


def reaches(found: Sequence[Reach], label: str, edge: float | None = None) -> Markup:
    """Values with intervals, one under the other: shares over 0 … 1, or differences about zero
    as far as `edge` to both sides."""
    low, high = (0.0, 1.0) if edge is None else (-edge, edge)
    left, foot = room_for([r.label for r in found]), ROW * len(found) + 8
    ruler = _Ruler(low=low, high=high, left=left, foot=foot)
    drawn = Markup("").join(_reach(r, ROW * k + 16, ruler) for k, r in enumerate(found))
    return _svg("reaches", ruler.right, foot + 26, label, _scale(ruler, edge is not None) + drawn)


def edge_of(found: Iterable[Reach]) -> float:
    """How far an axis about zero must go to hold every interval, in steps of ten points."""
    ends = ((*r.interval, r.value, *(() if r.cross is None else (r.cross,))) for r in found)
    largest = max((abs(v) for values in ends for v in values), default=0.1)
    return min(2.0, max(0.1, ceil(largest * 10 - 1e-9) / 10))


def _scale(ruler: _Ruler, differences: bool) -> Markup:
    low, high, foot = ruler.low, ruler.high, ruler.foot
    line = f"M{ruler.x(low):.1f} {foot}H{ruler.x(high):.1f}"
    out = [Markup('<path class="axis" d="{}"/>').format(line)]
    for k in range(5):
        mark = low + (high - low) * k / 4
        x = f"{ruler.x(mark):.1f}"
        css = "zero" if differences and k == 2 else "rule"
        out.append(Markup('<path class="{}" d="M{} 4V{}"/>').format(css, x, foot + 4))
        out.append(_text(x, foot + 18, tick(round(100 * mark, 6), 100 * low), ""))
    return Markup("").join(out)


def _reach(r: Reach, y: int, ruler: _Ruler) -> Markup:
    left, right = (f"{ruler.x(v):.1f}" for v in r.interval)
    mark = f"M{left} {y}H{right}M{left} {y - 5}v10M{right} {y - 5}v10"
    return (
        _text(ruler.left, y + 4, r.label, "end")
        + Markup('<path class="interval" d="{}"/>').format(mark)
        + Markup('<circle class="value{}" cx="{:.1f}" cy="{}" r="4.5"/>').format(
            "" if r.strong else " hollow", ruler.x(r.value), y
        )
        + (Markup("") if r.cross is None else _cross(ruler.x(r.cross), y))
        + _text(ruler.right, y + 4, r.said, "end")
    )


def _cross(x: float, y: int) -> Markup:
    arms = f"M{x - 4:.1f} {y - 4}l8 8M{x - 4:.1f} {y + 4}l8 -8"
    return Markup('<path class="cross" d="{}"/>').format(arms)


def _text(x: object, y: object, text: str, css: str) -> Markup:
    return Markup('<text class="{}" x="{}" y="{}">{}</text>').format(css, x, y, text)


def _svg(css: str, width: int, height: int, label: str, inside: Markup) -> Markup:
    return Markup(
        '<svg class="stage {}" viewBox="0 0 {} {}" role="img" aria-label="{}">{}</svg>'
    ).format(css, width, height, label, inside)
