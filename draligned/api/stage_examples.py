"""A stored reply of each layer of a design, for readers who want to see what is counted."""

from collections.abc import Iterable

from draligned.progress.score import score
from draligned.report.stage_data import ExampleReply
from draligned.schema.base import unit_draw
from draligned.schema.progress import Arm, Layer, StageDesign, StageReply, Stimulus


def examples(known: StageDesign, replies: Iterable[StageReply]) -> tuple[ExampleReply, ...]:
    """The reply of each layer that is lowest by hash, baseline arm; none of lost ones."""
    asked = {s.stimulus_id: s for s in known.stimuli if s.arm is Arm.BASELINE}
    best: dict[Layer, tuple[float, StageReply]] = {}
    for reply in replies:
        stimulus = asked.get(reply.position.stimulus_id)
        if stimulus is None:
            continue
        layer = score(stimulus, reply).layer
        draw = unit_draw("example", reply.position.position_id)
        known_best = best.get(layer)
        if layer is not Layer.TRANSPORT and (known_best is None or draw < known_best[0]):
            best[layer] = (draw, reply)
    return tuple(
        _example(layer, asked[reply.position.stimulus_id], reply)
        for layer, (_, reply) in best.items()
    )


def _example(layer: Layer, asked: Stimulus, reply: StageReply) -> ExampleReply:
    last = next((m for m in reversed(asked.messages) if m.role != "system"), asked.messages[-1])
    return ExampleReply(
        layer=layer.value,
        deployment=reply.position.deployment,
        scenario_id=asked.scenario_id,
        point=asked.point.value,
        last=last.text or "",
        required=asked.required.value if asked.required.duty else None,
        text=reply.text or "",
        calls=tuple(f"{c.name} {c.arguments}" for c in reply.tool_calls),
        position_id=reply.position.position_id,
    )
