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
    Arm,
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


def test_a_contrast_over_wordings_says_whether_each_has_its_sign() -> None:
    """SI-66: where one wording shows nothing, they do not agree; null for a single wording."""
    theta = factorial().xs("theta", level="metric")
    assert set(theta["registered"]) == {True}
    agree = theta["wordings_agree"]
    assert agree["executability (all wordings)"]
    assert agree["ownership × executability (all wordings)"]
    assert not agree["cue (all wordings)"]
    assert agree[[n for n in agree.index if "(all" not in n]].isna().all()


def test_wordings_that_contradict_one_another_do_not_agree() -> None:
    known = design("factorial")
    rows = []
    for asked in known.stimuli:
        turned = asked.factors["wording"] == "zh"
        gone = asked.factors["executability"] == "withdrawn"
        good, bad = marker(Stage.POST_OBS.wire, "xml"), marker(Stage.COMPLETED.wire, "xml")
        rows.append(reply(known, asked, 1, good if gone != turned else bad))
    plain = known.model_copy(update={"notes": {}})
    made = build(plain, scored(plain, rows), SETTINGS)["contrasts"]
    theta = made[made["metric"] == "theta"].set_index("contrast")
    assert theta.loc["executability (all wordings)", "value"] == pytest.approx(1 / 3)
    assert not theta.loc["executability (all wordings)", "wordings_agree"]
    assert theta["registered"].isna().all()


def test_each_duty_has_its_reminder_and_its_match() -> None:
    """SI-53: repetition r is clean where r is at most: 1, and one more for a reminder; the status
    sentence 1 more."""
    known = design("obligations")
    rows = []
    for asked in known.stimuli:
        cleans = 1 + (asked.arm is Arm.REMINDER) + (asked.duty == "status_sentence")
        value = asked.required.value
        right = value if asked.duty == "status_sentence" or value is None else marker(
            value, "xml", "sig" if asked.duty == "deferred_terminal" else "stage"
        )  # fmt: skip
        said = right if asked.required.duty else "…"
        rows += [reply(known, asked, r, said if r <= cleans else "…") for r in range(1, 5)]
    found = build(known, scored(known, rows), SETTINGS)["contrasts"].set_index(
        ["contrast", "group"]
    )["value"]
    for duty in ("deferred_terminal", "machine_report", "status_sentence"):
        assert found[f"reminder - baseline ({duty})", "all"] == pytest.approx(0.25)
    for group in ("nonterminal", "terminal"):
        assert found["status_sentence - machine_report", group] == pytest.approx(0.25)
    assert found["deferred_terminal - machine_report", "terminal"] == pytest.approx(0.0)


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
