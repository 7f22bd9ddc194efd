"""Printed values come back from planted counts, through parser, score and statistics."""

from collections.abc import Iterator

import pytest

from draligned.progress.corruption import require_tight
from draligned.progress.designs import design
from draligned.progress.frame import scored
from draligned.progress.metrics import clean, counts
from draligned.progress.prompts import marker
from draligned.progress.statistics import Settings, difference, shares, tabulate
from draligned.rehearsal.draws import Draws
from draligned.rehearsal.stage_profile import Cell, fate, stage_profile
from draligned.schema.chat import ToolCall
from draligned.schema.progress import (
    Arm,
    Position,
    ReplyStatus,
    Stage,
    StageDesign,
    StageReply,
    Stimulus,
)

TABLE_2 = {
    "deepseek-v4-flash": (31.5, 18.8, 15.6, 66.2, -44.3),
    "deepseek-v4-pro": (81.9, 5.8, 14.0, 75.0, -41.1),
    "glm-5.1": (62.5, 4.2, 6.7, 59.0, -34.5),
    "gpt-5.5": (57.7, 58.2, 34.5, 54.4, -4.2),
    "qwen3.5-122b-a10b": (83.5, 0.0, 0.0, 66.2, -38.4),
    "qwen3.5-35b-a3b": (21.7, 1.2, 2.9, 97.9, -89.3),
    "qwen3.6-27b": (70.2, 0.8, 4.6, 54.6, -29.4),
}
"""Printed θ in % at wait, ready, step and done, and Δ in points."""
NAMES = dict(zip("abcdefg", TABLE_2, strict=True))


def baseline() -> StageDesign:
    known = design("stage")
    kept = tuple(s for s in known.stimuli if s.arm is Arm.BASELINE and s.required.duty)
    return known.model_copy(update={"stimuli": kept})


def reply(asked: Stimulus, letter: str, repetition: int, number: int) -> StageReply:
    """What the deployment's profile plants, written by hand rather than by its own writer."""
    model = f"rehearsal-progress-table2-{letter}"
    cell = Cell(
        point=asked.point.value, scenario=number, repetition=repetition,
        encoding=0 if asked.encoding == "xml" else 1,
    )  # fmt: skip
    what = fate(
        model, stage_profile(model, {}), cell, "baseline", Draws(asked.stimulus_id, repetition)
    )
    position = Position(
        design="stage", deployment=NAMES[letter], model_key=letter,
        stimulus_id=asked.stimulus_id, repetition=repetition,
    )  # fmt: skip
    if what == "lost":
        return StageReply(position=position, status=ReplyStatus.TRANSPORT)
    right = marker(asked.gold.stage.wire, asked.encoding)
    other = next(s.wire for s in Stage if s is not asked.gold.stage)
    text = {
        "clean": f"好。\n{right}", "omission": "好。", "malformed": f"{right}\n好。",
        "wrong_value": f"好。\n{marker(other, asked.encoding)}", "divergence": "",
    }[what]  # fmt: skip
    call = ToolCall(call_id="c", name=asked.tools[0].name, arguments="{}")
    calls = (call,) if what == "divergence" else ()
    return StageReply(position=position, status=ReplyStatus.OK, text=text, tool_calls=calls)


def replies(known: StageDesign, letter: str) -> Iterator[StageReply]:
    order = sorted({s.scenario_id for s in known.stimuli})
    for asked in known.stimuli:
        for repetition in range(1, known.repetitions + 1):
            yield reply(asked, letter, repetition, order.index(asked.scenario_id))


@pytest.mark.parametrize("letter", NAMES)
def test_table_2_comes_back_to_the_printed_digit(letter: str) -> None:
    """SI-23, SI-33: θ at each checkpoint and Δ; intervals cannot be recomputed from counts."""
    known = baseline()
    stored = list(replies(known, letter))
    require_tight(known, stored)
    frame = scored(known, stored)
    rows = shares(tabulate(counts(frame, ["point"]), ["point", "metric"]), ["point", "metric"],
                  Settings(draws=200)).set_index(["point", "metric"])  # fmt: skip
    *theta, delta = TABLE_2[NAMES[letter]]
    for point, printed in zip(("wait", "ready", "step", "done"), theta, strict=True):
        found = 100 * rows.loc[(point, "theta"), "share"]
        assert found == pytest.approx(printed, abs=0.05 + 1e-9)
    frame["terminal"] = frame["stage"] == Stage.COMPLETED.value
    cells = tabulate(counts(frame, ["terminal"]), ["terminal", "metric"])
    gap = difference(cells, (False, "theta"), (True, "theta"), Settings(draws=200))
    assert gap is not None
    assert 100 * gap.value == pytest.approx(delta, abs=0.05 + 1e-9)
    assert gap.n_scenarios == 12
    assert clean(frame).sum() > 0
