"""Tables of designs: groups, contrasts by hand, evidence labels."""

import pandas as pd
import pytest

from draligned.progress.designs import design
from draligned.progress.frame import scored
from draligned.progress.prompts import marker
from draligned.progress.statistics import Settings
from draligned.progress.tables import build
from draligned.schema.chat import ToolCall
from draligned.schema.progress import (
    Position,
    ReplyStatus,
    Stage,
    StageDesign,
    StageReply,
    Stimulus,
)

SETTINGS = Settings(draws=200)


def reply(known: StageDesign, asked: Stimulus, number: int, text: str | None) -> StageReply:
    position = Position(
        design=known.name, deployment="one", model_key="k", stimulus_id=asked.stimulus_id,
        repetition=number,
    )  # fmt: skip
    calls = (ToolCall(call_id="c", name="x", arguments="{}"),) if text is None else ()
    return StageReply(position=position, status=ReplyStatus.OK, text=text, tool_calls=calls)


def factorial() -> pd.DataFrame:
    """Repetition r is clean where r is at most: 4, less 2 where withdrawn, less 1 where both
    withdrawn and owned by others."""
    known = design("factorial")
    rows = []
    for asked in known.stimuli:
        gone = asked.factors["executability"] == "withdrawn"
        cleans = 4 - 2 * gone - (gone and asked.factors["ownership"] == "other")
        good, bad = marker(Stage.POST_OBS.wire, "xml"), marker(Stage.COMPLETED.wire, "xml")
        rows += [reply(known, asked, r, good if r <= cleans else bad) for r in range(1, 6)]
    return build(known, scored(known, rows), SETTINGS)["contrasts"].set_index(
        ["contrast", "metric"]
    )


def test_effects_of_the_factorial_by_hand() -> None:
    """SI-65: averaged over the others; the interaction is a difference of differences, unhalved."""
    found = factorial()["value"]
    theta = found.xs("theta", level="metric")
    assert theta["executability (all wordings)"] == pytest.approx(-2.5 / 5)
    assert theta["ownership (all wordings)"] == pytest.approx(-0.5 / 5)
    assert theta["cue (all wordings)"] == pytest.approx(0.0)
    assert theta["ownership × executability (all wordings)"] == pytest.approx(-1 / 5)
    assert theta["ownership × executability (wording zh)"] == pytest.approx(-1 / 5)
    claimed = found.xs("false_completion", level="metric")
    assert claimed["executability (all wordings)"] == pytest.approx(2.5 / 5)


def test_the_bundle_has_both_estimands() -> None:
    """SI-63: ΔE and Δμ, as the total effect."""
    known = design("bundle")
    rows = []
    for asked in known.stimuli:
        gone = asked.factors["bundle"] == "withdrawn"
        text = marker((Stage.COMPLETED if gone else Stage.POST_OBS).wire, "xml")
        texts = [text] * (4 if gone else 2) + [None] * (1 if gone else 3)
        rows += [reply(known, asked, r, t) for r, t in enumerate(texts, 1)]
    made = build(known, scored(known, rows), SETTINGS)["contrasts"].set_index("metric")
    assert made.loc["emission", "value"] == pytest.approx(0.4)
    assert made.loc["false_completion", "value"] == pytest.approx(0.8)
    assert set(made["evidence"]) == {"Controlled intervention"}


def test_groups_and_labels() -> None:
    known = design("stage")
    rows = [reply(known, s, 1, marker("completed", s.encoding)) for s in known.stimuli]
    made = build(known, scored(known, rows), SETTINGS)
    shares = made["shares"].set_index(["encoding", "arm", "group", "metric"])
    assert shares.loc[("both", "baseline", "all", "broad"), "n"] == 12 * 5 * 2
    assert shares.loc[("xml", "baseline", "terminal", "theta"), ["k", "n"]].tolist() == [12, 12]
    assert shares.loc[("xml", "baseline", "nonterminal", "theta"), ["k", "n"]].tolist() == [0, 36]
    assert shares.loc[("xml", "baseline", "undue", "omega"), ["k", "n"]].tolist() == [0, 12]
    assert shares.loc[("xml", "baseline", "all", "phi"), "evidence"] == "Post-treatment descriptive"
    layers = made["layers"].set_index(["encoding", "arm", "group", "layer"])["n"]
    assert layers[("xml", "static", "step", "malformed")] == 12
    assert layers[("xml", "baseline", "step", "wrong_value")] == 12
    assert layers[("xml", "baseline", "call", "intrusion")] == 12
    confusion = made["confusion"].set_index(["encoding", "arm", "stage", "reported"])["n"]
    assert confusion[("both", "gold_injected", "POST_OBS", "completed")] == 24
