"""Harnesses by name: each is a `HarnessSpec` value (DR-19 … DR-25)."""

from difflib import get_close_matches

from draligned.harnesses.fixed import with_texts
from draligned.harnesses.stages import ALL_READABLE, DELEGATION
from draligned.schema.errors import ConfigError
from draligned.schema.harness import Boundary, Capability, HarnessSpec

_ACCESS: dict[str, tuple[Capability, ...]] = {
    "acquisition": ALL_READABLE,
    "workspace": ALL_READABLE,
    "finalization": ALL_READABLE,
}

COUPLED = with_texts(
    HarnessSpec(
        name="coupled",
        acquisition=("search", "read"),
        workspace=("write_report",),
        finalization=("submit_report",),
        tool_order=("search", "read", "submit_report", "write_report"),
        access=_ACCESS,
    )
)
"""The main loop: one model, four tools, ends at a reply without a tool call."""

_FILES = ("list_files", "read_file", "write_file", "edit_file")
H_W = with_texts(
    HarnessSpec(
        name="H-W",
        acquisition=("search", "read"),
        workspace=_FILES,
        finalization=("submit_file",),
        tool_order=(*_FILES, "search", "read", "submit_file"),
        access=_ACCESS,
        submits_saved_file=True,
    )
)
"""A file workspace in a sandbox; the saved file itself is submitted (DR-23, Q5)."""

H_D = with_texts(
    H_W.model_copy(
        update={
            "name": "H-D",
            "acquisition": ("search", "read", "delegate"),
            "tool_order": (*H_W.tool_order, "delegate"),
            "access": {**_ACCESS, DELEGATION: ("results",)},
            "topology": "delegated",
            "delegated": ("search", "read"),
        }
    )
)
"""H-W with an offered `delegate`: a sub-context that searches and reads (DR-25, Q5)."""

INITIAL = with_texts(
    HarnessSpec(
        name="initial",
        acquisition=("search", "read"),
        workspace=("write_report",),
        finalization=("submit_saved_report",),
        tool_order=("search", "read", "submit_saved_report", "write_report"),
        access=_ACCESS,
        scripted_turns=1,
        submits_saved_file=True,
    )
)
"""One scripted clarification before the work; the saved draft is submitted (DR-24, Q6)."""


def _cell(name: str, handoff_aw: Boundary, handoff_wf: Boundary) -> HarnessSpec:
    """A handoff cell of the boundary square; never in analysed runs (DR-20)."""
    changed = {
        "name": name,
        "handoff_aw": handoff_aw,
        "handoff_wf": handoff_wf,
        "development_only": True,
    }
    return with_texts(COUPLED.model_copy(update=changed))


HARNESSES: dict[str, HarnessSpec] = {
    spec.name: spec
    for spec in (
        COUPLED,
        H_W,
        H_D,
        INITIAL,
        _cell("handoff-aw", "handoff", "coupled"),
        _cell("handoff-wf", "coupled", "handoff"),
        _cell("handoff-both", "handoff", "handoff"),
    )
}


def get_harness(name: str) -> HarnessSpec:
    """The harness of that name. Raises `ConfigError` with the nearest name there is."""
    if name in HARNESSES:
        return HARNESSES[name]
    same = [known for known in HARNESSES if known.casefold() == name.casefold()]
    near = same or get_close_matches(name, HARNESSES, n=1, cutoff=0.4)
    advice = f"did you mean {near[0]!r}?" if near else f"choose one of: {', '.join(HARNESSES)}"
    raise ConfigError(f"there is no harness {name!r}; {advice}")
