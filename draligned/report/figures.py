"""Pictures as inline SVG, written by pure functions. Every picture says in words what it shows.

A and F never share an axis (DR-77): each panel has the range of its own quantity.
"""

from dataclasses import dataclass
from math import floor, log10

from markupsafe import Markup

from draligned.report.numbers import tick

WIDTH = 360
EDGE = 18
MIDDLE = 26
HEIGHT = 64
CAP = 9
NARROW = 0.08
"""An interval narrower than this share of the range is drawn a second time, enlarged."""

Span = tuple[float, float]


@dataclass(frozen=True, kw_only=True)
class Interval:
    """What one panel draws; a missing part is not drawn."""

    low: float
    high: float
    value: float | None
    interval: Span | None
    cautious: Span | None
    coarse: Span | None
    sharp: Span | None
    label: str
    """The picture in words."""
    enlarged: str = ""
    """The word that stands beside an enlarged part."""


@dataclass(frozen=True, kw_only=True)
class Scale:
    """An axis from `low` to `high` in four steps; `top` is where its strip begins."""

    low: float
    high: float
    top: int

    @property
    def middle(self) -> int:
        """Where values stand."""
        return self.top + MIDDLE

    def x(self, value: float) -> str:
        """Place of a value; what lies outside stands at the end."""
        inside = min(max(value, self.low), self.high)
        return f"{EDGE + (inside - self.low) / (self.high - self.low) * (WIDTH - 2 * EDGE):.1f}"

    def holds(self, value: float) -> bool:
        """Whether a value lies on the axis."""
        return self.low <= value <= self.high


def interval_panel(drawn: Interval) -> Markup:
    """Value, interval and bounds on the quantity's own range; a narrow interval also enlarged."""
    whole = Scale(low=drawn.low, high=drawn.high, top=0)
    near = _window(drawn)
    parts = [_strip(drawn, whole, drawn.low)]
    if near is not None:
        parts += [_lens(whole, near, drawn.enlarged), _strip(drawn, near, drawn.low)]
    return Markup('<svg class="{}" viewBox="0 0 {} {}" role="img" aria-label="{}">{}</svg>').format(
        "panel" if near is None else "panel enlarged",
        WIDTH,
        HEIGHT if near is None else near.top + HEIGHT,
        drawn.label,
        Markup("").join(parts),
    )


def _strip(drawn: Interval, scale: Scale, origin: float) -> Markup:
    parts = [_band(drawn.coarse, "coarse", 22, scale), _band(drawn.sharp, "sharp", 12, scale)]
    parts += [_axis(scale, origin), _whisker(drawn.cautious, "cautious", scale)]
    parts += [_whisker(drawn.interval, "interval", scale), _dot(drawn.value, scale)]
    return Markup("").join(parts)


def _window(drawn: Interval) -> Scale | None:
    """The part to enlarge: twice a narrow interval or more, its ends on round numbers."""
    if drawn.interval is None or drawn.value is None:
        return None
    low, high = min(drawn.interval[0], drawn.value), max(drawn.interval[1], drawn.value)
    if not 0 < high - low < NARROW * (drawn.high - drawn.low):
        return None
    step = _round_step((high - low) / 2)
    first = round((low + high) / 2 / step) - 2
    first = max(first, round(drawn.low / step))
    first = min(first, round(drawn.high / step) - 4)
    return Scale(low=round(first * step, 9), high=round((first + 4) * step, 9), top=HEIGHT + 14)


def _round_step(least: float) -> float:
    """The smallest of 1, 2 and 5 times a power of ten that is not below `least`."""
    power = 10.0 ** floor(log10(least))
    return next(k * power for k in (1, 2, 5, 10) if k * power >= least * (1 - 1e-9))


def _lens(whole: Scale, near: Scale, word: str) -> Markup:
    """Lines from the place on the whole range to the enlarged strip."""
    left, right = whole.x(near.low), whole.x(near.high)
    path = f"M{left} {HEIGHT}L{EDGE} {near.top}M{right} {HEIGHT}L{WIDTH - EDGE} {near.top}"
    shape = Markup('<path class="lens" d="{}"/>').format(path)
    return shape + Markup('<text class="lens" x="{}" y="{}">{}</text>').format(
        WIDTH // 2, near.top + 4, word
    )


def _band(span: Span | None, name: str, height: int, scale: Scale) -> Markup:
    if span is None or span[1] < scale.low or span[0] > scale.high:
        return Markup("")
    left, right = float(scale.x(span[0])), float(scale.x(span[1]))
    return Markup('<rect class="{}" x="{}" y="{}" width="{}" height="{}" rx="2"/>').format(
        name, left, scale.middle - height / 2, f"{max(right - left, 1):.1f}", height
    )


def _whisker(span: Span | None, name: str, scale: Scale) -> Markup:
    """A line with a cap at each end that lies on the axis."""
    if span is None:
        return Markup("")
    line = f"M{scale.x(span[0])} {scale.middle}H{scale.x(span[1])}"
    caps = [f"M{scale.x(e)} {scale.middle - CAP}v{2 * CAP}" for e in span if scale.holds(e)]
    return Markup('<path class="{}" d="{}"/>').format(name, line + "".join(caps))


def _dot(value: float | None, scale: Scale) -> Markup:
    if value is None:
        return Markup("")
    return Markup('<circle class="value" cx="{}" cy="{}" r="4.5"/>').format(
        scale.x(value), scale.middle
    )


def _axis(scale: Scale, origin: float) -> Markup:
    """Line, five ticks, and zero; a range that begins at `origin` below zero has plus signs."""
    y = scale.top + 44
    out = [Markup('<path class="axis" d="M{} {}H{}"/>').format(EDGE, y, WIDTH - EDGE)]
    for k in range(5):
        mark = round(scale.low + (scale.high - scale.low) * k / 4, 9)
        x = scale.x(mark)
        out.append(Markup('<path class="tick" d="M{} {}v4"/>').format(x, y))
        out.append(Markup('<text x="{}" y="{}">{}</text>').format(x, y + 16, tick(mark, origin)))
    if scale.low < 0 < scale.high:
        zero = f"M{scale.x(0.0)} {scale.top + 8}V{y}"
        out.append(Markup('<path class="zero" d="{}"/>').format(zero))
    return Markup("").join(out)


STRIP = 84
"""Width of a share's picture in a cell."""


def share_strip(value: float, span: Span, null: float | None) -> Markup:
    """A share from 0 to 1 with its interval and, where it has one, the value under its null. It
    stands beside the same numbers as text, so that readers of text pass over it."""

    def x(share: float) -> str:
        return f"{3 + min(max(share, 0.0), 1.0) * (STRIP - 6):.1f}"

    parts = [
        Markup('<path class="axis" d="M3 11H{}M3 8v6M{} 8v6"/>').format(STRIP - 3, STRIP - 3),
        Markup('<path class="interval" d="M{} 7H{}"/>').format(x(span[0]), x(span[1])),
    ]
    if null is not None:
        parts.append(Markup('<path class="null" d="M{} 1v12"/>').format(x(null)))
    parts.append(Markup('<circle class="share" cx="{}" cy="7" r="3"/>').format(x(value)))
    return Markup('<svg class="strip" viewBox="0 0 {} 15" aria-hidden="true">{}</svg>').format(
        STRIP, Markup("").join(parts)
    )
