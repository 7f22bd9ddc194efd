"""P and Q of a pair on one axis of events, as inline SVG without scripts (DR-110).

Each channel has a row of its own: the axis is the order of events, and no scale is shared between
channels (DR-77). A mark that is hovered or focused shows its text and the words that carried its
label.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources

from markupsafe import Markup

from draligned.report.shown import reveal, shown
from draligned.report.steps import StepView, TextOf, step_views
from draligned.report.texts import Texts
from draligned.schema.labels import Channel, Observes, Side
from draligned.schema.trajectory import PairTrajectory, Trajectory

STEP = 38
LABEL = 96
"""Room for the names of the rows."""
ROW = 32
HEAD = 26
"""Room above the rows of a run."""
TIP_WIDTH = 340
TIP_HEIGHT = 118
LEAST = 560

LETTERS = {"P_ONLY": "P", "Q_ONLY": "Q", "BOTH": "PQ", "NEITHER": "–", "UNKNOWN": "?"}
ROWS = (
    ("request", Channel.ACQUISITION),
    ("draft", Channel.WORKSPACE),
    ("final", Channel.FINALIZATION),
)

Href = Callable[[Trajectory, StepView], str]
"""Where a mark leads to; of ids alone, never of text."""


@dataclass(frozen=True, kw_only=True)
class Lane:
    """One run of a picture."""

    arm: str
    endpoint: str
    """What the run was told, as a short value."""
    trajectory: Trajectory | None
    absent: str = ""
    """Why there is no run, in words."""


def pair_lanes(pair: PairTrajectory, ends: Mapping[Side, str], texts: Texts) -> tuple[Lane, Lane]:
    """The two lanes of a pair; `ends` are the short values of its endpoints."""
    p, q = (
        Lane(
            arm=side.value,
            endpoint=ends.get(side, ""),
            trajectory=run,
            absent="" if why is None else texts.word("reason", why),
        )
        for side, run, why in (
            (Side.P, pair.p, pair.absent_p),
            (Side.Q, pair.q, pair.absent_q),
        )
    )
    return p, q


def pair_figure(
    lanes: Sequence[Lane],
    texts: Texts,
    *,
    name: str,
    text_of: TextOf | None = None,
    href: Href | None = None,
    places: range | None = None,
) -> Markup:
    """The picture of one run or of two, one above the other.

    `name` begins the ids of its parts: give each picture of a page another one. `places`: the
    steps to draw, counted from 1, of runs that are too long for one picture; all by default.
    """
    longest = max((len(lane.trajectory.steps) for lane in lanes if lane.trajectory), default=0)
    every = range(1, longest + 1)
    drawn = every if places is None else every[places.start - 1 : places.stop - 1]
    views = [_steps(lane, drawn, texts, text_of) for lane in lanes]
    width = max(LABEL + STEP * len(drawn) + 16, LEAST)
    tops = [HEAD + k * (HEAD + ROW * len(ROWS)) for k in range(len(lanes))]
    bottom = HEAD + len(lanes) * (HEAD + ROW * len(ROWS))
    parts = [_axis(drawn, bottom, texts), _hint(bottom, drawn, longest, texts)]
    for lane, top in zip(lanes, tops, strict=True):
        parts.append(_lane(lane, top, width, texts))
    for n, (lane, steps, top) in enumerate(zip(lanes, views, tops, strict=True)):
        place = _Place(name=f"{name}-{n}", top=top, tip=bottom, width=width, before=drawn.start - 1)
        parts += [_mark(lane, step, place, texts, href) for step in steps]
    return _svg(name, width, bottom + TIP_HEIGHT + 8, _title(lanes, texts), parts, views, texts)


def _steps(lane: Lane, drawn: range, texts: Texts, text_of: TextOf | None) -> list[StepView]:
    if lane.trajectory is None:
        return []
    before = drawn.start - 1
    part = lane.trajectory.steps[before : drawn.stop - 1]
    return step_views(part, texts, text_of, before=before)


def _title(lanes: Sequence[Lane], texts: Texts) -> str:
    named = [f"{lane.arm} {shown(lane.endpoint, 40).text}".strip() for lane in lanes]
    return texts("trajectory.title", runs=texts("overview.join").join(named))


def _svg(
    name: str,
    width: int,
    height: int,
    title: str,
    parts: Sequence[Markup],
    views: Sequence[Sequence[StepView]],
    texts: Texts,
) -> Markup:
    told = "; ".join(" ".join(LETTERS[s.label] for s in steps) for steps in views)
    return Markup(
        '<svg class="trajectory" width="{0}" height="{1}" '
        'viewBox="0 0 {0} {1}" role="group" aria-labelledby="{2}-t" aria-describedby="{2}-d">'
        '<title id="{2}-t">{3}</title><desc id="{2}-d">{4}</desc>{5}</svg>'
    ).format(
        width,
        height,
        name,
        title,
        texts("trajectory.desc", labels=told or "–"),
        Markup("").join(parts),
    )


def _axis(drawn: range, bottom: int, texts: Texts) -> Markup:
    out = [Markup('<text class="head" x="0" y="14">{}</text>').format(texts("trajectory.axis"))]
    for k in drawn:
        x = _x(k - drawn.start + 1)
        out.append(Markup('<path class="grid" d="M{} 20V{}"/>').format(x, bottom - 4))
        out.append(Markup('<text class="no" x="{}" y="14">{}</text>').format(x, k))
    return Markup("").join(out)


def _x(place: int) -> int:
    return LABEL + STEP * place - STEP // 2


def _hint(bottom: int, drawn: range, longest: int, texts: Texts) -> Markup:
    said = texts("trajectory.hint")
    if len(drawn) < longest:
        part = texts("trajectory.part", first=drawn.start, last=drawn.stop - 1, total=longest)
        said = f"{part} {said}"
    return Markup('<text class="hint" x="0" y="{}">{}</text>').format(bottom + 18, said)


def _lane(lane: Lane, top: int, width: int, texts: Texts) -> Markup:
    title = f"{lane.arm} {shown(lane.endpoint, 40).text}".strip()
    out = [
        Markup('<path class="rule" d="M0 {}H{}"/>').format(top, width),
        Markup('<text class="arm" x="0" y="{}">{}</text>').format(top + 18, reveal(title)),
    ]
    if lane.trajectory is None:
        said = lane.absent or texts("trajectory.absent")
        out.append(
            Markup('<text class="none" x="{}" y="{}">{}</text>').format(
                LABEL + 8, top + HEAD + ROW, said
            )
        )
        return Markup("").join(out)
    for row, (unit, channel) in enumerate(ROWS):
        y = top + HEAD + ROW * row + ROW // 2
        out.append(
            Markup('<text class="row" x="0" y="{}">{}</text>').format(
                y + 4, texts(f"trajectory.{unit}")
            )
        )
        if not any(step.unit == unit for step in lane.trajectory.steps):
            seen = lane.trajectory.observes.get(channel, Observes.NONE)
            key = "none" if seen is Observes.FULL else "unseen"
            out.append(
                Markup('<text class="none" x="{}" y="{}">{}</text>').format(
                    LABEL + 8, y + 4, texts(f"trajectory.{key}")
                )
            )
    return Markup("").join(out)


@dataclass(frozen=True, kw_only=True)
class _Place:
    name: str
    top: int
    tip: int
    width: int
    before: int
    """Steps before the first that is drawn."""


def _mark(lane: Lane, step: StepView, place: _Place, texts: Texts, href: Href | None) -> Markup:
    x = _x(step.place - place.before)
    row = [unit for unit, _ in ROWS].index(step.unit)
    y = place.top + HEAD + ROW * row + ROW // 2
    tip = f"{place.name}-{step.seq}-{step.unit[0]}"
    inside = _shape(step, x, y) + _tip(step, tip, x, place, texts)
    if href is None or lane.trajectory is None:
        opened = Markup('<g class="step" tabindex="0" role="img" aria-labelledby="{}">').format(tip)
        return opened + inside + Markup("</g>")
    opened = Markup('<a class="step" href="{}" aria-labelledby="{}">').format(
        href(lane.trajectory, step), tip
    )
    return opened + inside + Markup("</a>")


def _shape(step: StepView, x: int, y: int) -> Markup:
    css = step.label.lower()
    letter = "≠" if step.halves else LETTERS[step.label]
    halves = Markup("") if step.halves is None else _halves(step.halves, x, y)
    return (
        Markup(_SHAPES[step.unit]).format(css=css, x=x, y=y, left=x - 11, top=y - 11)
        + halves
        + Markup('<text class="letter" x="{}" y="{}">{}</text>').format(x, y + 4, letter)
    )


_SHAPES = {
    "request": '<circle class="mark {css}" cx="{x}" cy="{y}" r="11"/>',
    "draft": '<rect class="mark {css}" x="{left}" y="{top}" width="22" height="22"/>',
    "final": '<rect class="mark final {css}" x="{left}" y="{top}" width="22" height="22" rx="7"/>',
}


def _halves(halves: tuple[str, str], x: int, y: int) -> Markup:
    """Left what the first read says, right what the mirrored one says."""
    left, right = (half.lower() for half in halves)
    return Markup(
        '<path class="half {}" d="M{x} {top}A9 9 0 0 0 {x} {low}Z"/>'
        '<path class="half {}" d="M{x} {top}A9 9 0 0 1 {x} {low}Z"/>'
    ).format(left, right, x=x, top=y - 9, low=y + 9)


def _tip(step: StepView, tip: str, x: int, place: _Place, texts: Texts) -> Markup:
    left = min(max(x - TIP_WIDTH // 2, 0), max(place.width - TIP_WIDTH, 0))
    said = texts("trajectory.said", label=step.said, first=step.first, mirror=step.mirror)
    text = Markup("") if step.text is None else Markup("<q>{}</q>").format(_cut(step.text))
    quotes = Markup("").join(
        Markup('<span class="quote"><i class="{}">{} {}</i> {}</span>').format(
            quote.presence.lower(), quote.read, quote.said, _cut(quote.text)
        )
        for quote in step.quotes
    )
    return Markup(
        '<foreignObject class="tip" x="{}" y="{}" width="{}" height="{}">'
        '<div id="{}"><b>{}</b> {} <em>{}</em>{}</div>'
        "</foreignObject>"
    ).format(left, place.tip, TIP_WIDTH, TIP_HEIGHT, tip, step.title, text, said, quotes)


def _cut(text: object) -> str:
    return f"{getattr(text, 'text', '')}{'…' if getattr(text, 'is_cut', False) else ''}"


@cache
def css(name: str) -> Markup:
    """A stylesheet of the package: report, trajectory or notebook."""
    folder = resources.files("draligned.report").joinpath("templates")
    return Markup(folder.joinpath(f"{name}.css").read_text(encoding="utf-8"))


def standalone(lanes: Sequence[Lane], texts: Texts, *, name: str, text_of: TextOf | None) -> str:
    """The picture with its own colours and a note, as a notebook shows it."""
    page = Markup(
        '<div class="draligned"><style>{}</style><div class="scroll" tabindex="0" role="group" '
        'aria-label="{}">{}</div><p>{}</p></div>'
    ).format(
        css("notebook") + css("trajectory"),
        _title(lanes, texts),
        pair_figure(lanes, texts, name=name, text_of=text_of),
        texts("trajectory.note"),
    )
    return reveal(page)
