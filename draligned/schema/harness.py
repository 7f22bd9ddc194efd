"""HarnessSpec: a harness is a value (DR-19, DESIGN §6)."""

from typing import Literal

from draligned.schema.base import Record, short_id

Boundary = Literal["coupled", "handoff"]
Capability = Literal["user_message", "results", "drafts"]


class EpisodeBudget(Record):
    """Limits of one episode (DR-29); never shown to the agent (DR-31)."""

    decisions: int = 96
    tools: int = 192
    acquisition: int = 96
    output_tokens: int = 128_000


class HarnessSpec(Record):
    """Mechanisms, boundaries, access, topology, gate and instrumentation of a harness."""

    name: str
    acquisition: tuple[str, ...]
    """Acquisition tools, in the order declared."""
    workspace: tuple[str, ...]
    finalization: tuple[str, ...]
    tool_order: tuple[str, ...]
    """All tools in the order of the first request (DR-44)."""
    handoff_aw: Boundary = "coupled"
    handoff_wf: Boundary = "coupled"
    access: dict[str, tuple[Capability, ...]] = {}
    topology: Literal["single", "delegated"] = "single"
    gate: Literal["no_tool_call", "marker", "terminal_tool", "typed_state", "runtime_owned"] = (
        "no_tool_call"
    )
    scripted_turns: int = 0
    instrumentation: Literal["events-1"] = "events-1"
    budget: EpisodeBudget = EpisodeBudget()
    development_only: bool = False
    submits_saved_file: bool = False
    """Whether the saved draft itself is submitted, so that persistence is refused (DR-23)."""
    recursion_limit: int = 1000

    @property
    def key(self) -> str:
        """Identity by content."""
        return short_id(self.model_dump(mode="json"))
