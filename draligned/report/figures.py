"""Pictures as inline SVG, written by pure functions. Every picture says in words what it shows.

A and F never share an axis (DR-77): each panel has the range of its own quantity.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup, escape

from draligned.report.numbers import tick

WIDTH = 360
EDGE = 18
MIDDLE = 26

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


def interval_panel(drawn: Interval) -> Markup:
    """Value, interval and bounds on the quantity's own range."""
    parts = [_band(drawn, drawn.coarse, "coarse", 22), _band(drawn, drawn.sharp, "sharp", 12)]
    parts += [_axis(drawn), _whisker(drawn, drawn.cautious, "cautious")]
    parts += [_whisker(drawn, drawn.interval, "interval"), _dot(drawn)]
    return Markup(
        '<svg class="panel" viewBox="0 0 {} 64" role="img" aria-label="{}">{}</svg>'
    ).format(WIDTH, drawn.label, Markup("").join(parts))


def _x(drawn: Interval, value: float) -> str:
    inside = min(max(value, drawn.low), drawn.high)
    return f"{EDGE + (inside - drawn.low) / (drawn.high - drawn.low) * (WIDTH - 2 * EDGE):.1f}"


def _band(drawn: Interval, span: Span | None, name: str, height: int) -> Markup:
    if span is None:
        return Markup("")
    left, right = float(_x(drawn, span[0])), float(_x(drawn, span[1]))
    return Markup('<rect class="{}" x="{}" y="{}" width="{}" height="{}" rx="2"/>').format(
        name, left, MIDDLE - height / 2, f"{max(right - left, 1):.1f}", height
    )


def _whisker(drawn: Interval, span: Span | None, name: str) -> Markup:
    if span is None:
        return Markup("")
    left, right = _x(drawn, span[0]), _x(drawn, span[1])
    path = f"M{left} {MIDDLE - 6}v12M{left} {MIDDLE}H{right}M{right} {MIDDLE - 6}v12"
    return Markup('<path class="{}" d="{}"/>').format(name, path)


def _dot(drawn: Interval) -> Markup:
    if drawn.value is None:
        return Markup("")
    return Markup('<circle class="value" cx="{}" cy="{}" r="5"/>').format(
        _x(drawn, drawn.value), MIDDLE
    )


def _axis(drawn: Interval) -> Markup:
    line = Markup('<path class="axis" d="M{} 44H{}"/>').format(EDGE, WIDTH - EDGE)
    marks = [drawn.low + (drawn.high - drawn.low) * k / 4 for k in range(5)]
    out = [line]
    for mark in marks:
        x = _x(drawn, mark)
        out.append(Markup('<path class="tick" d="M{} 44v4"/>').format(x))
        out.append(Markup('<text x="{}" y="60">{}</text>').format(x, tick(mark, drawn.low)))
    if drawn.low < 0 < drawn.high:
        out.append(Markup('<path class="zero" d="M{} 8V44"/>').format(_x(drawn, 0.0)))
    return Markup("").join(out)


@dataclass(frozen=True, kw_only=True)
class Mark:
    """One event of a run on its lane."""

    shape: str
    """`request`, `draft` or `final`."""
    label: str
    """Presence, or UNKNOWN."""
    about: str
    """What it is, in words."""


LETTERS = {"P_ONLY": "P", "Q_ONLY": "Q", "BOTH": "PQ", "NEITHER": "–", "UNKNOWN": "?"}
STEP = 26


def lane(marks: Sequence[Mark], label: str) -> Markup:
    """The events of one run in their order, one step an event; letters stand beside colours."""
    width = STEP * max(len(marks), 1) + STEP
    drawn = Markup("").join(_mark(mark, STEP * (k + 1)) for k, mark in enumerate(marks))
    line = Markup('<path class="axis" d="M6 17H{}"/>').format(width - 6)
    return Markup(
        '<svg class="lane" width="{0}" height="34" viewBox="0 0 {0} 34" role="img" '
        'aria-label="{1}">{2}{3}</svg>'
    ).format(width, label, line, drawn)


def _mark(mark: Mark, x: int) -> Markup:
    letter = LETTERS.get(mark.label, "?")
    shape = _SHAPES[mark.shape] % {"x": x, "left": x - 10, "css": escape(mark.label.lower())}
    title = escape(mark.about)
    return Markup(f"<g><title>{title}</title>{shape}<text x='{x}' y='21'>{letter}</text></g>")


_SHAPES = {
    "request": '<circle class="mark %(css)s" cx="%(x)d" cy="17" r="10"/>',
    "draft": '<rect class="mark %(css)s" x="%(left)d" y="7" width="20" height="20"/>',
    "final": '<rect class="mark final %(css)s" x="%(left)d" y="5" width="20" height="24" rx="6"/>',
}
