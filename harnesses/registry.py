"""Harnesses by name: each is a `HarnessSpec` value (DR-19, DR-21)."""

from difflib import get_close_matches

from draligned.schema.errors import ConfigError
from draligned.schema.harness import HarnessSpec

COUPLED = HarnessSpec(
    name="coupled",
    acquisition=("search", "read"),
    workspace=("write_report",),
    finalization=("submit_report",),
    tool_order=("search", "read", "submit_report", "write_report"),
    access={
        "acquisition": ("user_message", "results", "drafts"),
        "workspace": ("user_message", "results", "drafts"),
        "finalization": ("user_message", "results", "drafts"),
    },
)
"""The main loop: one model, four tools, ends at a reply without a tool call."""

HARNESSES: dict[str, HarnessSpec] = {spec.name: spec for spec in (COUPLED,)}


def get_harness(name: str) -> HarnessSpec:
    """The harness of that name. Raises `ConfigError` with the nearest name there is."""
    if name in HARNESSES:
        return HARNESSES[name]
    near = get_close_matches(name, HARNESSES, n=1, cutoff=0.4)
    advice = f"did you mean {near[0]!r}?" if near else f"choose one of: {', '.join(HARNESSES)}"
    raise ConfigError(f"there is no harness {name!r}; {advice}")
