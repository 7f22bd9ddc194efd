"""Follow-ups in a study folder: made from a lane's stored replies, one design a deployment."""

from draligned.api.context import Context
from draligned.api.stage_lanes import lane_of
from draligned.progress import lanes
from draligned.progress.designs import DESIGNS, design, no_design
from draligned.progress.followups import KINDS, SOURCE, follow_up, kind_of, name_of
from draligned.schema.errors import InputError
from draligned.schema.progress import StageDesign


def parts_of(context: Context, name: str) -> tuple[StageDesign, ...]:
    """The designs that a name stands for: one, or those of a follow-up that were begun here.

    Raises `InputError` for a name that is none, and for a follow-up that was not begun.
    """
    store = context.folder.store
    frozen = lanes.frozen_designs(store)
    if name in frozen:
        return (lanes.load_design(store, name),)
    if name not in KINDS:
        if name not in DESIGNS:
            raise no_design(name, [*DESIGNS, *KINDS])
        return (design(name),)
    found = tuple(lanes.load_design(store, n) for n in frozen if kind_of(n) == name)
    if not found:
        raise InputError(
            f"{name} is made from a deployment's replies to {SOURCE}: `progress run {SOURCE}`, "
            f"then `progress run {name}` begins it"
        )
    return found


def joined(name: str, parts: tuple[StageDesign, ...]) -> StageDesign:
    """One design in place of a follow-up's parts, for tables over deployments."""
    if len(parts) == 1 and parts[0].name == name:
        return parts[0]
    stimuli = {s.stimulus_id: s for part in parts for s in part.stimuli}
    notes = {"parts": [part.name for part in parts]}
    return parts[0].model_copy(
        update={"name": name, "stimuli": tuple(stimuli.values()), "notes": notes}
    )


def begun(context: Context) -> tuple[str, ...]:
    """Names of designs that were begun here, a follow-up's parts under one name, in the order of
    the evidence map; what this version does not know comes last."""
    found = {kind_of(n) or n for n in lanes.frozen_designs(context.folder.store)}
    known = [name for name in (*DESIGNS, *KINDS) if name in found]
    return (*known, *sorted(found.difference(known)))


def follow_up_of(context: Context, kind: str, deployment: str, *, counts: bool) -> StageDesign:
    """A deployment's follow-up: as frozen, or as its replies to the source make it.

    `counts`: whether its lane in the source is admitted and complete; without that, and without
    a reply of the kind, raises `InputError`.
    """
    store = context.folder.store
    source = parts_of(context, SOURCE)[0]
    lane = lane_of(context, source, deployment)
    name = name_of(kind, lane)
    if name in lanes.frozen_designs(store):
        return lanes.load_design(store, name)
    if not counts:
        raise InputError(
            f"{kind} follows up what {deployment} replied in {SOURCE}, where it is not admitted "
            f"and complete yet: `progress run {SOURCE} --model {deployment}` comes first"
        )
    return follow_up(kind, source, lane, lanes.iter_replies(store, SOURCE, lane.model_key))
