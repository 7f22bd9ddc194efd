"""Follow-ups on a deployment's own replies: replay and the isolated question (SI-58, SI-59, Q28).

Stimuli hold what one deployment said, so each deployment has a design of its own. Of a frozen
request that drew replies of the kind asked about, one is taken, the lowest by hash: every
checkpoint and scenario weighs alike, however often it failed. The sample is chosen by its replies:
it describes, and is never compared with the grid that it comes from.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Literal, NamedTuple

from draligned.progress.prompts import prompts, question
from draligned.progress.score import score
from draligned.schema.base import unit_draw
from draligned.schema.chat import Message
from draligned.schema.errors import InputError
from draligned.schema.progress import (
    Arm,
    Lane,
    Layer,
    Required,
    StageDesign,
    StageReply,
    Stimulus,
)

SOURCE = "stage"
"""The design whose baseline replies are followed up."""
REPETITIONS = 5
EVIDENCE: Literal["Post-treatment descriptive"] = "Post-treatment descriptive"


class Kind(NamedTuple):
    """One follow-up: replies of which layer, and what is asked of them."""

    layer: Layer
    about: str
    question: str


KINDS: Mapping[str, Kind] = {
    "replay": Kind(
        Layer.OMISSION, "omitted",
        "Is a report that was left out given on request, and is the stage known when asked for?",
    ),
    "wrong-state": Kind(
        Layer.WRONG_VALUE, "wrong",
        "Is a wrong report put right on request, and is the stage known when asked for?",
    ),
}  # fmt: skip
"""By name of the design."""
BOUNDARY = (
    "Replies chosen by what they were, one of each frozen request that drew any, for each "
    "deployment; compared neither with the main grid nor between deployments."
)


def name_of(kind: str, lane: Lane) -> str:
    """Name of one deployment's design, and its folder."""
    return f"{kind}-{lane.model_key}"


def kind_of(name: str) -> str | None:
    """The follow-up that a design's name belongs to, if any."""
    return next((kind for kind in KINDS if name == kind or name.startswith(f"{kind}-")), None)


def follow_up(
    kind: str, source: StageDesign, lane: Lane, replies: Iterable[StageReply]
) -> StageDesign:
    """The design of one deployment from its replies to `source`.

    Two requests a reply: with the reply and a call for its report (`request`), and the history
    with the bare question in the reply's place (`question`). Raises `InputError` where no reply
    is of the kind.
    """
    chosen = sample(kind, source, replies)
    if not chosen:
        raise InputError(
            f"{lane.deployment} has no baseline reply in {source.name} whose report is "
            f"{KINDS[kind].about}: there is nothing to follow up"
        )
    made = [s for asked, reply in chosen for s in _pair(kind, asked, reply)]
    return StageDesign(
        name=name_of(kind, lane),
        question=KINDS[kind].question,
        evidence=EVIDENCE,
        boundary=BOUNDARY,
        stimuli=tuple(made),
        repetitions=REPETITIONS,
        notes={
            "source": source.name,
            "source_sha256": source.sha256(),
            "deployment": lane.deployment,
            "replies": [reply.position.position_id for _, reply in chosen],
        },
    )


def sample(
    kind: str, source: StageDesign, replies: Iterable[StageReply]
) -> list[tuple[Stimulus, StageReply]]:
    """One reply of the kind's layer a baseline stimulus, in the order of the stimuli."""
    asked = {s.stimulus_id: s for s in source.stimuli if s.arm is Arm.BASELINE}
    best: dict[str, tuple[float, StageReply]] = {}
    for reply in replies:
        stimulus = asked.get(reply.position.stimulus_id)
        if stimulus is None or score(stimulus, reply).layer is not KINDS[kind].layer:
            continue
        draw = unit_draw("follow-up", kind, reply.position.position_id)
        known = best.get(stimulus.stimulus_id)
        if known is None or draw < known[0]:
            best[stimulus.stimulus_id] = (draw, reply)
    return [(s, best[i][1]) for i, s in asked.items() if i in best]


def _pair(kind: str, asked: Stimulus, reply: StageReply) -> Iterator[Stimulus]:
    texts = prompts(asked.lang)
    call = texts.report_check if kind == "wrong-state" else texts.report_request
    own = Message(role="assistant", text=reply.text or "")
    value = Required(duty=True, value=asked.gold.stage.wire)
    yield asked.model_copy(
        update={
            "factors": {"asked": "request"}, "concepts": (),
            "messages": (*asked.messages, own, Message(role="user", text=call)),
        }
    )  # fmt: skip
    yield asked.model_copy(
        update={
            "factors": {"asked": "question"}, "concepts": (), "duty": "stage_value",
            "required": value,
            "messages": (*asked.messages, Message(role="user", text=question(asked.lang))),
        }
    )  # fmt: skip
