"""HarnessSpec: a harness is a value (DR-19, DESIGN §6)."""

from typing import Literal

from draligned.schema.base import Record, short_id

Boundary = Literal["coupled", "handoff"]
Capability = Literal["user_message", "results", "drafts"]
"""What a mechanism may read (DR-26): the user's messages, what requests returned, drafts."""
GateName = Literal[
    "no_tool_call", "marker", "terminal_tool", "typed_state", "hard_cap", "runtime_owned"
]


class EpisodeBudget(Record):
    """Limits of one episode (DR-29); never shown to the agent (DR-31)."""

    decisions: int = 96
    """Answers of the model."""
    tools: int = 192
    """Executed tool calls, searches and reads included."""
    acquisition: int = 96
    """Executed searches and reads."""
    output_tokens: int = 128_000
    """Tokens that the model wrote, reasoning included."""


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
    """By mechanism, and `delegation` for sub-contexts; one that is not named reads nothing."""
    topology: Literal["single", "delegated"] = "single"
    delegated: tuple[str, ...] = ()
    """Tools of a sub-context, in order; empty where nothing can be delegated (DR-25)."""
    gate: GateName = "no_tool_call"
    scripted_turns: int = 0
    """User turns after the first that the harness speaks, whatever the agent said (DR-24)."""
    instrumentation: Literal["events-1", "events-1+duty"] = "events-1"
    """How runs are watched: by events alone, or with a stage tag asked for in every turn too."""
    budget: EpisodeBudget = EpisodeBudget()
    development_only: bool = False
    submits_saved_file: bool = False
    """Whether the saved draft itself is submitted, so that persistence is refused (DR-23)."""
    recursion_limit: int = 1000
    texts: str = ""
    """Hash of the fixed texts that the harness adds; other texts make another harness."""

    @property
    def progress_duty(self) -> bool:
        """Whether its agents are asked for a stage tag in every turn."""
        return self.instrumentation == "events-1+duty"

    @property
    def key(self) -> str:
        """Identity by content."""
        return short_id(self.model_dump(mode="json"))
