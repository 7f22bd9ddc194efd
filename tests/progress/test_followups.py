"""Follow-ups hold a deployment's own replies, one a frozen request, and nothing else changes."""

import pytest

from draligned.progress.corruption import require_tight
from draligned.progress.designs import design
from draligned.progress.followups import KINDS, follow_up, kind_of, sample
from draligned.progress.prompts import marker, prompts, question
from draligned.progress.score import score
from draligned.schema.errors import InputError
from draligned.schema.progress import (
    Arm,
    Lane,
    Layer,
    Position,
    ReplyStatus,
    Stage,
    StageDesign,
    StageReply,
    Stimulus,
)

SOURCE = design("stage")
LANE = Lane(
    design="stage", deployment="m", model_key="model-1", requested_model="m", provider="p",
    params={}, rehearsal=True, probes=(), needed=18,
)  # fmt: skip


def reply(asked: Stimulus, text: str, repetition: int = 1, known: str = "stage") -> StageReply:
    position = Position(
        design=known, deployment="m", model_key="model-1", stimulus_id=asked.stimulus_id,
        repetition=repetition,
    )  # fmt: skip
    return StageReply(position=position, status=ReplyStatus.OK, text=text)


def wrong(asked: Stimulus) -> str:
    return marker(next(s.wire for s in Stage if s is not asked.gold.stage), asked.encoding)


def stored() -> list[StageReply]:
    """Of every stimulus three replies: two omitted, one wrong."""
    return [
        reply(s, text, n)
        for s in SOURCE.stimuli
        for n, text in enumerate(("好。", "行。", f"好。\n{wrong(s)}"), start=1)
    ]


@pytest.fixture(scope="module")
def made() -> dict[str, StageDesign]:
    return {kind: follow_up(kind, SOURCE, LANE, stored()) for kind in KINDS}


def test_one_reply_of_each_baseline_request_with_a_duty(made: dict[str, StageDesign]) -> None:
    """12 scenarios × 4 checkpoints × 2 encodings, each asked in two ways."""
    for kind, known in made.items():
        assert len(known.stimuli) == 2 * 96 == len({s.stimulus_id for s in known.stimuli})
        assert {s.arm for s in known.stimuli} == {Arm.BASELINE}
        assert all(s.required.duty and s.required.value == s.gold.stage.wire for s in known.stimuli)
        assert known.name == f"{kind}-model-1"
        assert kind_of(known.name) == kind_of(kind) == kind
        assert known.evidence == "Post-treatment descriptive"
    assert kind_of("stage") is None


def test_which_reply_is_taken_does_not_depend_on_the_order(made: dict[str, StageDesign]) -> None:
    for kind, known in made.items():
        assert follow_up(kind, SOURCE, LANE, reversed(stored())).sha256() == known.sha256()
    taken = {r.text for _, r in sample("replay", SOURCE, stored())}
    assert taken == {"好。", "行。"}


def test_the_request_follows_the_own_reply_and_the_question_takes_its_place(
    made: dict[str, StageDesign],
) -> None:
    calls = {"replay": prompts("zh").report_request, "wrong-state": prompts("zh").report_check}
    for kind, known in made.items():
        for request, asked in zip(known.stimuli[::2], known.stimuli[1::2], strict=True):
            *history, own, call = request.messages
            assert own.role == "assistant"
            assert (call.role, call.text) == ("user", calls[kind])
            assert tuple(history) == asked.messages[:-1]
            assert asked.messages[-1].text == question("zh")
            assert all(stage.wire in (asked.messages[-1].text or "") for stage in Stage)
            assert (own.text or "").endswith(wrong(request)) is (kind == "wrong-state")


@pytest.mark.parametrize(
    ("text", "layer"),
    [
        ("{right}", Layer.CLEAN), (" `{right}`。\n", Layer.CLEAN),
        ("<stage>{right}</stage>", Layer.CLEAN), ('{{"stage": "{right}"}}', Layer.CLEAN),
        ("{other}", Layer.WRONG_VALUE), ("<stage>{other}</stage>", Layer.WRONG_VALUE),
        ("不知道", Layer.OMISSION), ("", Layer.OMISSION),
        ("任务处于 {right}", Layer.MALFORMED), ("{right} {other}", Layer.MALFORMED),
        ("{right}\n{right}", Layer.MALFORMED),
    ],
)  # fmt: skip
def test_the_question_is_scored_as_a_stage_value(
    made: dict[str, StageDesign], text: str, layer: Layer
) -> None:
    asked = made["replay"].stimuli[1]
    right = asked.gold.stage.wire
    other = next(s.wire for s in Stage if s.wire != right)
    found = score(asked, reply(asked, text.format(right=right, other=other)))
    assert found.layer is layer


def test_nothing_survives_corruption(made: dict[str, StageDesign]) -> None:
    for known in made.values():
        answers = [
            reply(s, s.gold.stage.wire if s.duty == "stage_value" else
                  marker(s.gold.stage.wire, s.encoding), 1, known.name)
            for s in known.stimuli
        ]  # fmt: skip
        assert all(score(s, r).layer is Layer.CLEAN
                   for s, r in zip(known.stimuli, answers, strict=True))  # fmt: skip
        assert require_tight(known, answers).scored == len(answers)


def test_without_a_reply_of_the_kind_there_is_nothing_to_follow_up() -> None:
    clean = [
        reply(s, f"好。\n{marker(s.gold.stage.wire, s.encoding)}")
        for s in SOURCE.stimuli
        if s.arm is Arm.BASELINE
    ]
    for kind, about in (("replay", "omitted"), ("wrong-state", "wrong")):
        with pytest.raises(InputError, match=f"whose report is {about}: there is nothing"):
            follow_up(kind, SOURCE, LANE, clean)
