"""More printed numbers: obligations, the reminder, the bundle by deployment, prompts, Figure 5, and
the counts that a figure's cell has. Each from counts that fit it, by scorer and statistics."""

import pandas as pd
import pytest

from draligned.progress.designs import design
from draligned.progress.filling import COMPLETE
from draligned.progress.frame import scored
from draligned.progress.metrics import layers
from draligned.progress.models import baseline_rows, mixed_models
from draligned.progress.tables import build
from draligned.schema.progress import Arm, Point, StageDesign, StageReply, Stimulus
from tests.progress.planted import (
    DEPLOYMENTS,
    SETTINGS,
    by_profile,
    chosen,
    printed,
    shares_of,
    spoken,
    spread,
)

NINE = tuple(f"deployment-{n}" for n in range(1, 10))
MIDDLE = (Point.WAIT, Point.READY, Point.STEP)
DUE = (*MIDDLE, Point.DONE)


def value(made: pd.DataFrame, contrast: str, metric: str, group: str = "all") -> float:
    """A contrast in points."""
    named = made["contrast"].str.startswith(contrast)
    rows = made[named & (made["metric"] == metric) & (made["group"] == group)]
    pooled = rows[rows["encoding"] == "both"] if len(rows) > 1 else rows
    (found,) = pooled["value"]
    return 100 * float(found)


def test_a_final_signal_and_a_status_sentence() -> None:
    """SI-53: 99.0 % of final replies, 43.7 % of all due checkpoints of a sentence."""
    known = design("obligations")
    final = _duty(known, "deferred_terminal", Point.DONE)
    sentence = _duty(known, "status_sentence", *DUE)
    assert (len(final) * 20 * 9, len(sentence) * 20 * 9) == (2_160, 8_640)
    stored = [_signed(r, "<sig>done</sig>") for r in spread(known, final, NINE, {"clean": 2_138})]
    stored += [
        _signed(r, str(_required(sentence, r)))
        for r in spread(known, sentence, NINE, {"clean": 3_776})
    ]
    found = shares_of(scored(known, stored), ["duty"])
    assert found[("deferred_terminal", "theta")] == printed(99.0)
    assert found[("status_sentence", "theta")] == printed(43.7)


def _duty(known: StageDesign, duty: str, *points: Point) -> list[Stimulus]:
    return [s for s in chosen(known, *points) if s.factors["duty"] == duty and s.required.duty]


def _required(asked: list[Stimulus], reply: StageReply) -> str | None:
    return {s.stimulus_id: s.required.value for s in asked}[reply.position.stimulus_id]


def _signed(reply: StageReply, ending: str) -> StageReply:
    """A reply of another duty: what was clean as a stage ends in `ending`, the rest in nothing."""
    clean = "<stage>" in (reply.text or "")
    return reply.model_copy(update={"text": f"好。\n{ending}" if clean else "好。"})


def five_arms(plan: dict[Arm, int]) -> dict[str, pd.DataFrame]:
    """Tables of one deployment: so many of 960 due replies are clean in each arm; all of the
    240 that call are."""
    known, stored = design("five-arm"), list[StageReply]()
    for arm, cleans in plan.items():
        stored += spread(known, chosen(known, *DUE, arm=arm), ["one"], {"clean": cleans})
        stored += spread(known, chosen(known, Point.CALL, arm=arm), ["one"], {}, "call")
    return build(known, scored(known, stored), SETTINGS)


def test_the_gain_of_a_reminder_over_five_and_over_four_checkpoints() -> None:
    """SI-35: +9.3 points over all five checkpoints are 11.7 over the four where a report is due."""
    made = five_arms({Arm.BASELINE: 400, Arm.REMINDER: 512})
    assert value(made["contrasts"], "salience", "broad") == printed(9.3)
    due = made["shares"][made["shares"]["group"].isin(["nonterminal", "terminal"])]
    theta = due[(due["metric"] == "theta") & (due["encoding"] == "both")]
    sums = theta.groupby("arm")[["k", "n"]].sum()
    shares = 100 * sums["k"] / sums["n"]
    assert shares["reminder"] - shares["baseline"] == printed(11.7)
    less = five_arms({Arm.BASELINE: 400, Arm.REMINDER: 356})["contrasts"]
    assert value(less, "salience", "broad") == printed(-3.7)


def test_a_reminder_beside_a_constant() -> None:
    """SI-18: D − B is +5 to +9 points on three deployments."""
    for more, points in ((60, 5), (108, 9)):
        made = five_arms({Arm.STATIC: 300, Arm.REMINDER_STATIC: 300 + more})["contrasts"]
        assert value(made, "reminder × constant", "broad") == pytest.approx(points)


@pytest.mark.parametrize(("a", "e", "points"), [(232, 198, -7.1), (199, 258, 12.3)])
def test_shifts_of_divergence_by_deployment(a: int, e: int, points: float) -> None:
    """Of 480 positions where action is at hand: −7.1 to +12.3 points."""
    known, stored = design("five-arm"), list[StageReply]()
    for arm, calls in ((Arm.BASELINE, a), (Arm.REMINDER, e)):
        asked = chosen(known, Point.READY, Point.STEP, arm=arm)
        stored += spread(known, asked, ["one"], {"divergence": calls})
    found = layers(scored(known, stored), ["arm"]).set_index(["arm", "layer"])["n"]
    assert found.groupby("arm").sum().tolist() == [480, 480]
    shift = found[("reminder", "divergence")] - found[("baseline", "divergence")]
    assert 100 * shift / 480 == printed(points)


BUNDLE = {
    "least": {"present": {"clean": 60}, "withdrawn": {"clean": 38, "wrong_value": 22}},
    "greatest": {
        "present": {"clean": 20},
        "withdrawn": {"lost": 6, "wrong_value": 205, "clean": 3},
    },
    "rising-least": {"present": {"clean": 60}, "withdrawn": {"clean": 80, "wrong_value": 23}},
    "rising-greatest": {"present": {"lost": 2}, "withdrawn": {"lost": 2, "wrong_value": 190}},
}
"""Counts of 240 a level."""


@pytest.mark.parametrize(
    ("name", "metric", "points"),
    [
        ("least", "false_completion", 9.2), ("greatest", "false_completion", 87.6),
        ("least", "emission", 0.0), ("rising-least", "emission", 17.9),
        ("rising-greatest", "emission", 79.8),
    ],
)  # fmt: skip
def test_the_bundle_by_deployment(name: str, metric: str, points: float) -> None:
    """SI-63: Δμ 9.2 to 87.6, ΔE 17.9 to 79.8 where it rises, and 0 where values alone switch."""
    known, stored = design("bundle"), list[StageReply]()
    for level, numbers in BUNDLE[name].items():
        asked = [s for s in known.stimuli if s.factors["bundle"] == level]
        stored += spread(known, asked, [name], numbers)
    made = build(known, scored(known, stored), SETTINGS)["contrasts"]
    assert value(made, "withdrawn - present", metric) == printed(points)


@pytest.mark.parametrize(
    ("without", "less", "speaks", "drop"), [(199, 57, 55.3, -15.8), (183, 37, 50.8, -10.3)]
)
def test_speaking_with_and_without_the_protocol(
    without: int, less: int, speaks: float, drop: float
) -> None:
    """SI-55: of 360 intermediate checkpoints two deployments speak on 55.3 and 50.8 % where no
    report is asked for, and on 15.8 and 10.3 points fewer where one is."""
    known, stored = design("protocol-demand"), list[StageReply]()
    for level, said in (("without_protocol", without), ("with_protocol", without - less)):
        asked = [s for s in chosen(known, *MIDDLE) if s.factors["prompt"] == level]
        stored += spread(known, asked, ["one"], {"omission": said}, "divergence")
    tables = build(known, scored(known, stored), SETTINGS)
    assert value(tables["contrasts"], "with - without", "speaks", "intermediate") == printed(drop)
    rows = tables["shares"].set_index(["factor_prompt", "group", "metric"])
    found = rows.loc[("without_protocol", "intermediate", "speaks")]
    assert (found["n"], 100 * found["share"]) == (360, printed(speaks))


def test_what_the_protocol_costs_the_task_part() -> None:
    """SI-55: −6.5 points on the one deployment that pays, over turns that speak."""
    known, stored = design("protocol-demand"), list[StageReply]()
    for level, what, passed in (
        ("without_protocol", "omission", 400), ("with_protocol", "clean", 374),
    ):  # fmt: skip
        asked = [s for s in chosen(known, *DUE) if s.factors["prompt"] == level]
        stored += spoken(known, asked, "one", what, 400, passed)
    made = build(known, scored(known, stored), SETTINGS)["contrasts"]
    assert value(made, "with - without", "task_passed") == printed(-6.5)


def test_wrong_values_are_few_but_after_an_action() -> None:
    """SI-27 (Figure 5): of 1,680 less two that were lost, 13.6 % at CP4 and under 2 % elsewhere."""
    known = design("stage")
    stored = list[StageReply]()
    for point, wrong in zip(DUE, (33, 32, 228, 0), strict=True):
        asked = [s for s in chosen(known, point) if s.encoding == "xml"]
        lost = {"lost": 2} if point is Point.STEP else {}
        stored += spread(known, asked, DEPLOYMENTS.values(), {**lost, "wrong_value": wrong})
    frame = scored(known, stored)
    found = layers(frame[frame["s"]], ["point"]).set_index(["point", "layer"])["n"]
    assert found.groupby("point").sum().to_dict() == {
        "wait": 1_680, "ready": 1_680, "step": 1_678, "done": 1_680,
    }  # fmt: skip
    shares = {p.value: 100 * found[(p.value, "wrong_value")] / found[p.value].sum() for p in DUE}
    assert shares.pop("step") == printed(13.6)
    assert max(shares.values()) < 2


@pytest.mark.parametrize(
    ("name", "middle", "done", "gap", "pooled"),
    [("gpt-5.5", 353, 150, -13.5, -4.2), ("qwen3.5-35b-a3b", 75, 236, -87.9, -89.3)],
)
def test_one_encoding_alone_hides_the_other(
    name: str, middle: int, done: int, gap: float, pooled: float
) -> None:
    """SI-36, SI-40: −0.135 and −0.879 are of XML rows; with the counts of Table 2 that leaves
    +5.1 points in JSON on gpt-5.5, whose pooled gap is −4.2."""
    letter = {v: k for k, v in DEPLOYMENTS.items()}[name]
    total = {"d": (721, 1_437, 261), "f": (124, 1_440, 470)}[letter]
    known = design("stage")
    xml = [s for s in chosen(known, *DUE) if s.encoding == "xml"]
    ends = [s for s in xml if s.point is Point.DONE]
    stored = spread(known, [s for s in xml if s not in ends], [name], {"clean": middle})
    stored += spread(known, ends, [name], {"clean": done})
    rows = baseline_rows(scored(known, stored))
    assert len(rows) == 960
    found = mixed_models(rows).iloc[0]
    assert found["status"] == "ok"
    assert 100 * found["intermediate"] == printed(gap)
    rest = (total[0] - middle) / (total[1] - 720) - (total[2] - done) / 240
    if letter == "d":
        assert 100 * rest == pytest.approx(5.1, abs=0.06)
    assert 100 * (total[0] / total[1] - total[2] / 480) == printed(pooled)


def test_rows_of_the_mixed_model() -> None:
    """SI-40: 7 deployments × 12 × 4 × 20 of one encoding are 6,720; two were lost."""
    known = design("stage")
    xml = [s for s in chosen(known, *DUE) if s.encoding == "xml"]
    stored = spread(known, xml, DEPLOYMENTS.values(), {"lost": 2, "clean": 3_000})
    assert (len(stored), len(baseline_rows(scored(known, stored)))) == (6_720, 6_718)


def test_cells_of_the_figures() -> None:
    """Figures 3, 4a and 4b: 240 a deployment and checkpoint; 2,160 over nine, 1,680 over seven."""
    known, other = design("stage"), design("breadth-helpdesk")
    asked = [s for s in chosen(known, Point.STEP) if s.encoding == "xml"]
    assert len(asked) * known.repetitions == 240
    assert len(asked) * known.repetitions * 7 == 1_680
    assert len(chosen(other, Point.STEP)) * other.repetitions * 9 == 2_160


@pytest.mark.parametrize(("middle", "done", "points"), [(2_300, 1_045, 19.3), (2_300, 865, 6.8)])
def test_the_later_cohort_over_all_arms(middle: int, done: int, points: float) -> None:
    """19.3 and 6.8 points where three arms are pooled: of 4,320 and of 1,440."""
    known = design("stage")
    stored = list[StageReply]()
    for arm in (Arm.BASELINE, Arm.GOLD, Arm.STATIC):
        stored += spread(known, chosen(known, *MIDDLE, arm=arm), ["one"], {"clean": middle // 3})
        stored += spread(known, chosen(known, Point.DONE, arm=arm), ["one"], {"clean": done // 3})
    frame = scored(known, stored)
    found = shares_of(frame.assign(end=frame["point"] == "done"), ["end"])
    assert found[(True, "theta")] - found[(False, "theta")] == printed(points)


def test_shares_of_a_later_deployment_fit_three_pooled_arms_and_no_single_one() -> None:
    """87.8 and 69.9 % are shares of 1,440, and of neither 480 nor 240."""
    for share in (87.8, 69.9):
        fits = {n: any(round(100 * k / n, 1) == share for k in range(n + 1)) for n in (240, 1_440)}
        assert fits[1_440]
    assert not any(round(100 * k / 480, 1) == 87.8 for k in range(481))


def test_false_alarms_after_completion() -> None:
    """SI-50: 90 to 100 % of 240 replies report where the task is over and nothing is due."""
    known = design("controls")
    asked = chosen(known, Point.POST_DONE)
    stored = spread(known, asked, ["least"], {"intrusion": 216})
    stored += spread(known, asked, ["most"], {"intrusion": 240})
    found = shares_of(scored(known, stored), ["deployment"])
    assert 100 - found[("least", "omega")] == printed(90)
    assert 100 - found[("most", "omega")] == printed(100)


PHI = {"e": 1.8, "g": 5.6, "f": 83.4}
"""Points that φ falls from the end to unfinished checkpoints; the first two are the least."""


@pytest.mark.parametrize("letter", PHI)
def test_how_far_validity_of_spoken_turns_falls(letter: str) -> None:
    """SI-24, over all arms; a difference of two printed values is uncertain by a tenth."""
    known = design("stage")
    frame = scored(known, by_profile(known, letter))
    found = shares_of(frame.assign(end=frame["point"] == "done"), ["end"])
    assert found[(True, "phi")] - found[(False, "phi")] == pytest.approx(PHI[letter], abs=0.11)


@pytest.mark.parametrize("share", [0.925, 0.943])
def test_lanes_of_the_wrong_state_study_were_short(share: float) -> None:
    """SI-45: 92.5 and 94.3 % of the planned positions are below the gate."""
    assert share < COMPLETE
