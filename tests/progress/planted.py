"""Stored replies with planted counts, written by hand rather than by the rehearsal's own writer,
and the shares that they come to."""

from collections.abc import Iterable, Iterator, Mapping
from hashlib import sha256

import pandas as pd
import pytest

from draligned.progress.metrics import counts
from draligned.progress.prompts import CONSTANTS, marker
from draligned.progress.statistics import Settings, shares, tabulate
from draligned.rehearsal.draws import Draws
from draligned.rehearsal.stage_profile import Cell, fate, intrudes, stage_profile
from draligned.schema.chat import ToolCall
from draligned.schema.progress import (
    Arm,
    Point,
    Position,
    ReplyStatus,
    Stage,
    StageDesign,
    StageReply,
    Stimulus,
)

DEPLOYMENTS = {
    "a": "deepseek-v4-flash", "b": "deepseek-v4-pro", "c": "glm-5.1", "d": "gpt-5.5",
    "e": "qwen3.5-122b-a10b", "f": "qwen3.5-35b-a3b", "g": "qwen3.6-27b",
}  # fmt: skip
"""The paper's deployments by the letter of the rehearsal profile that holds their counts."""
_HINTED = {Arm.GOLD: "hinted"}
SETTINGS = Settings(draws=50)


def reply(
    known: StageDesign, asked: Stimulus, deployment: str, repetition: int, what: str,
    spoken: str = "好。",
) -> StageReply:  # fmt: skip
    """A reply that came to `what`: a layer, `lost`, or `call` where no report is due."""
    position = Position(
        design=known.name, deployment=deployment, model_key=deployment,
        stimulus_id=asked.stimulus_id, repetition=repetition,
    )  # fmt: skip
    if what == "lost":
        return StageReply(position=position, status=ReplyStatus.TRANSPORT)
    truth = asked.gold.stage
    right = marker(CONSTANTS.get(asked.arm, truth.wire), asked.encoding)
    claimed = Stage.COMPLETED if truth is not Stage.COMPLETED else Stage.READY
    wrong = marker(claimed.wire, asked.encoding)
    text = {
        "clean": f"{spoken}\n{right}", "omission": spoken, "malformed": f"{right}\n{spoken}",
        "wrong_value": f"{spoken}\n{wrong}", "divergence": "", "call": "",
        "intrusion": f"{spoken}\n{wrong}",
    }[what]  # fmt: skip
    call = ToolCall(call_id="c", name=asked.tools[0].name, arguments="{}")
    calls = (call,) if what in ("divergence", "call") else ()
    return StageReply(position=position, status=ReplyStatus.OK, text=text, tool_calls=calls)


def by_profile(known: StageDesign, letter: str) -> Iterator[StageReply]:
    """Every position of a design, answered as the profile `table2-<letter>` plants."""
    model = f"rehearsal-progress-table2-{letter}"
    profile = stage_profile(model, {})
    order = sorted({s.scenario_id for s in known.stimuli})
    for asked in known.stimuli:
        arm = _HINTED.get(asked.arm, asked.arm.value)
        for repetition in range(1, known.repetitions + 1):
            cell = Cell(
                point=asked.point.value, scenario=order.index(asked.scenario_id),
                repetition=repetition, encoding=0 if asked.encoding == "xml" else 1,
            )  # fmt: skip
            draws = Draws(asked.stimulus_id, repetition)
            if asked.point is Point.CALL:
                what = "intrusion" if intrudes(model, profile, cell, arm, draws) else "call"
            else:
                what = fate(model, profile, cell, arm, draws)
            yield reply(known, asked, DEPLOYMENTS[letter], repetition, what)


def spread(
    known: StageDesign, asked: Iterable[Stimulus], deployments: Iterable[str],
    counts: Mapping[str, int], rest: str = "omission", repetitions: int | None = None,
) -> list[StageReply]:  # fmt: skip
    """Replies to some stimuli by some deployments: so many come to each, by hash; else `rest`."""
    names = list(deployments)
    last = repetitions or known.repetitions
    places = [(s, d, r) for s in asked for d in names for r in range(1, last + 1)]
    places.sort(key=lambda p: sha256(f"{p[0].stimulus_id} {p[1]} {p[2]}".encode()).digest())
    whats = [what for what, number in counts.items() for _ in range(number)]
    assert len(whats) <= len(places)
    whats += [rest] * (len(places) - len(whats))
    return [reply(known, s, d, r, w) for (s, d, r), w in zip(places, whats, strict=True)]


def printed(value: float) -> object:
    """To the printed digit of a percentage."""
    return pytest.approx(value, abs=0.05 + 1e-9)


def chosen(known: StageDesign, *points: Point, arm: Arm = Arm.BASELINE) -> list[Stimulus]:
    return [s for s in known.stimuli if s.point in points and s.arm is arm]


def shares_of(frame: pd.DataFrame, by: list[str]) -> "pd.Series[float]":
    names = [*by, "metric"]
    table = shares(tabulate(counts(frame, by), names), names, SETTINGS)
    return 100 * table.set_index(names)["share"]


def spoken(
    known: StageDesign, asked: list[Stimulus], deployment: str, what: str, n: int, passed: int
) -> list[StageReply]:
    """`n` replies, of which the first `passed` hold the scenario's words."""
    places = [(s, r) for r in range(1, known.repetitions + 1) for s in asked][:n]
    assert len(places) == n
    return [
        reply(known, s, deployment, r, what, _words(s) if i < passed else "好。")
        for i, (s, r) in enumerate(places)
    ]


def _words(asked: Stimulus) -> str:
    said = "，".join(group[0] for group in asked.concepts)
    return f"请问{said}？" if asked.point is Point.WAIT else f"{said}。"
