"""A run's turns as two lanes: what the log shows above, what the agent claims below.

Every cell has a letter, so that no colour carries a meaning alone; a claim that is not there or
cannot be read is hatched. ▲ stands under a claim ahead of the log, ▼ under one behind it.
"""

from collections.abc import Sequence
from typing import NamedTuple

from markupsafe import Markup

from draligned.progress.duty_tables import NO_REPLY, NO_TAG, UNREADABLE
from draligned.report.texts import Texts
from draligned.schema.progress import WORK_VALUES as STAGES

CELL, ROW, LEFT, GAP = 19, 19, 36, 2
ABSENT = (NO_TAG, UNREADABLE, NO_REPLY)
MARKS = {"ahead": "▲", "behind": "▼"}


class Beat(NamedTuple):
    """One turn: codes of the true stage, of the claim or what stands for it, and of the lag."""

    truth: str
    claim: str
    lag: str


def strip(beats: Sequence[Beat], title: str, texts: Texts) -> Markup:
    """The figure of one run, its deviations named in its label."""
    width, height = LEFT + CELL * len(beats) + 4, 2 * ROW + GAP + 16
    cells = Markup("").join(_beat(n, beat, texts) for n, beat in enumerate(beats))
    lanes = Markup("").join(
        Markup('<text class="lane" x="{}" y="{}">{}</text>').format(LEFT - 5, y, word)
        for y, word in ((14, texts("duty.lane_log")), (ROW + GAP + 14, texts("duty.lane_tag")))
    )
    return Markup(
        '<svg class="duty-strip" role="img" '
        'width="{}" height="{}" viewBox="0 0 {} {}" aria-label="{}">{}{}</svg>'
    ).format(width, height, width, height, _spoken(beats, title, texts), lanes, cells)


def _beat(place: int, beat: Beat, texts: Texts) -> Markup:
    x, low = LEFT + CELL * place, ROW + GAP
    mark = MARKS.get(beat.lag)
    return Markup("<g><title>{}</title>{}{}{}</g>").format(
        _about(place + 1, beat, texts),
        _cell(x, 0, beat.truth, texts),
        _cell(x, low, beat.claim, texts),
        Markup('<text class="mark" x="{}" y="{}">{}</text>').format(
            x + CELL / 2, low + ROW + 12, mark
        )
        if mark
        else "",
    )


def _cell(x: int, y: int, code: str, texts: Texts) -> Markup:
    css = f"s{STAGES.index(code)}" if code in STAGES else "absent"
    return Markup(
        '<rect class="{}" x="{}" y="{}" width="{}" height="{}"/>'
        '<text class="in-{}" x="{}" y="{}">{}</text>'
    ).format(
        css, x + 1, y + 1, CELL - 2, ROW - 2, css, x + CELL / 2, y + 14,
        texts(f"duty_letter.{code}"),
    )  # fmt: skip


def _about(turn: int, beat: Beat, texts: Texts) -> str:
    said = texts.word("duty_stage", beat.claim)
    shown = texts.word("duty_stage", beat.truth)
    lag = texts.word("duty_lag", beat.lag)
    return texts("duty.turn", turn=turn, truth=shown, claim=said, lag=lag)


def _spoken(beats: Sequence[Beat], title: str, texts: Texts) -> str:
    """The turns whose claim is not what the log shows, in words."""
    off = [_about(n, b, texts) for n, b in enumerate(beats, start=1) if b.lag != "same"]
    listed = " ".join(off) or texts("duty.all_same")
    return texts("duty.spoken", title=title, n=len(beats), turns=listed)


def legend(texts: Texts) -> Markup:
    """What the letters stand for."""
    found = []
    for code in (*STAGES, *ABSENT):
        swatch = Markup(
            '<svg class="duty-strip" width="{}" height="{}" aria-hidden="true">{}</svg>'
        ).format(CELL, ROW, _cell(0, 0, code, texts))
        word = texts.word("duty_stage", code)
        found.append(Markup("<span>{} {}</span>").format(swatch, word))
    marks = (
        Markup("<span>{} {}</span>").format(mark, texts.word("duty_lag", lag))
        for lag, mark in MARKS.items()
    )
    return Markup("").join([*found, *marks])
