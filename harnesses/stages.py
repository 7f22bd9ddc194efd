"""Where a harness begins a fresh context: the stages between handoff boundaries (DR-20, DR-26)."""

from typing import NamedTuple

from draligned.schema.harness import Capability, HarnessSpec

MECHANISMS = ("acquisition", "workspace", "finalization")
LOOP = "loop"
DELEGATION = "delegation"
ALL_READABLE: tuple[Capability, ...] = ("user_message", "results", "drafts")


class Stage(NamedTuple):
    """One kind of context: the tools it offers, in order, and what it may read."""

    name: str
    """`loop`, mechanisms joined by `+`, or `delegation`."""
    tools: tuple[str, ...]
    reads: frozenset[Capability]


def stages(spec: HarnessSpec) -> tuple[Stage, ...]:
    """The stages in order; one where both boundaries are coupled."""
    groups = [["acquisition"]]
    for boundary, mechanism in ((spec.handoff_aw, "workspace"), (spec.handoff_wf, "finalization")):
        if boundary == "handoff":
            groups.append([mechanism])
        else:
            groups[-1].append(mechanism)
    return tuple(_stage(spec, group) for group in groups)


def delegation(spec: HarnessSpec) -> Stage:
    """The kind of context that `delegate` opens."""
    return Stage(DELEGATION, spec.delegated, frozenset(spec.access.get(DELEGATION, ())))


def _stage(spec: HarnessSpec, group: list[str]) -> Stage:
    names = {name for mechanism in group for name in getattr(spec, mechanism)}
    reads = frozenset(c for mechanism in group for c in spec.access.get(mechanism, ()))
    name = LOOP if len(group) == len(MECHANISMS) else "+".join(group)
    return Stage(name, tuple(n for n in spec.tool_order if n in names), reads)
