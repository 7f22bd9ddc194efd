"""One position of a design as text: what was asked, what is true, what came back, how it scores."""

from collections.abc import Iterator

from draligned.api.context import Context
from draligned.progress import lanes
from draligned.progress.score import score
from draligned.schema.errors import InputError
from draligned.schema.progress import StageReply, Stimulus
from draligned.schema.strictjson import visible

Found = tuple[Stimulus, StageReply]
_ALL = 1_000_000


def show_position(context: Context, position: str) -> tuple[str, ...]:
    """Lines about the position whose id begins with `position`; control characters escaped.

    Raises `InputError` where no stored reply, or more than one, has such an id.
    """
    found = [f for f in _replies(context) if f[1].position.position_id.startswith(position)]
    if not position or len(found) != 1:
        many = "no" if not found else f"{len(found)}"
        raise InputError(
            f"{many} stored replies have a position id that begins with {position!r}; ids are in "
            "the column position_id of `study.progress.replies(DESIGN)`, those of rollouts in "
            "trajectory_id of `study.rollouts.frame()`"
        )
    return tuple(visible(line, _ALL) for line in _lines(*found[0]))


def _replies(context: Context) -> Iterator[Found]:
    store = context.folder.store
    for name in lanes.frozen_designs(store):
        stimuli = {s.stimulus_id: s for s in lanes.load_design(store, name).stimuli}
        for lane in lanes.load_lanes(store, name):
            for reply in lanes.iter_replies(store, name, lane.model_key):
                asked = stimuli.get(reply.position.stimulus_id)
                if asked is not None:
                    yield asked, reply


def _lines(asked: Stimulus, reply: StageReply) -> Iterator[str]:
    position, found = reply.position, score(asked, reply)
    yield f"position {position.position_id}: {position.design}, {position.deployment}"
    cell = [asked.scenario_id, asked.point.value, asked.lang, asked.arm.value, asked.encoding,
            asked.duty, *(f"{k}={v}" for k, v in asked.factors.items())]  # fmt: skip
    yield f"cell: {', '.join(cell)}, repetition {position.repetition}"
    yield f"true: {asked.gold.stage.wire}{'' if asked.gold.duty else ', not on a tool result'}"
    yield f"required: {f'a report of {asked.required.value}' if asked.required.duty else 'none'}"
    yield f"tools: {', '.join(t.name for t in asked.tools)}"
    for message in asked.messages:
        yield from said(message.role, message.text)
        yield from (f"  calls {c.name} {c.arguments}" for c in message.tool_calls)
    yield from said(f"reply ({reply.status.value})", reply.text)
    yield from (f"  calls {c.name} {c.arguments}" for c in reply.tool_calls)
    if reply.detail:
        yield f"  {reply.detail}"
    problem = f" ({found.problem})" if found.problem else ""
    yield f"layer: {found.layer.value}{problem}; claimed: {found.claimed or '–'}"


def said(who: str, text: str | None) -> Iterator[str]:
    """A turn, its lines indented."""
    yield f"{who}:"
    yield from (f"  {line}" for line in (text or "").splitlines())
