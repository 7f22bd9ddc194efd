"""Records of the second instrument (StageIF): stages, checkpoints, stimuli, replies, scores.

Truth is a function of runtime state alone (SI-1, SI-3); what is required of a reply (L*) is
another thing than what is true (Z*, SI-4).
"""

from enum import StrEnum
from typing import Any, Literal

from draligned.schema.base import Record, short_id
from draligned.schema.chat import Message, StopReason, ToolCall, ToolSpec, Usage
from draligned.schema.design import Lang

Encoding = Literal["xml", "json"]
Duty = Literal["machine_report", "status_sentence", "deferred_terminal", "none", "stage_value"]
"""What the output protocol asks for (SI-53); `none` has no protocol paragraph (Q25). `stage_value`:
a question asks for the stage alone, whatever the protocol says (SI-58)."""
Family = Literal["scheduling", "support", "helpdesk"]


class Stage(StrEnum):
    """Lifecycle values (SI-2)."""

    NEEDS_INFO = "NEEDS_INFO"
    READY = "READY"
    POST_OBS = "POST_OBS"
    COMPLETED = "COMPLETED"

    @property
    def wire(self) -> str:
        """The value a report carries in StageIF (Q19)."""
        return _WIRE[self]


_WIRE = {
    Stage.NEEDS_INFO: "needs_information",
    Stage.READY: "ready_for_action",
    Stage.POST_OBS: "post_observation_continue",
    Stage.COMPLETED: "completed",
}


class WorkStage(StrEnum):
    """Where a research episode stands; what a stage tag of its turns may say (progress duty)."""

    NOTHING = "nothing_acquired"
    ACQUIRING = "acquiring"
    DRAFTING = "drafting"
    SUBMITTED = "submitted"

    @property
    def place(self) -> int:
        """Place in the order in which an episode comes to them, from 0; it never goes back."""
        return list(WorkStage).index(self)


WORK_VALUES = tuple(stage.value for stage in WorkStage)


class Point(StrEnum):
    """The five checkpoints of a scenario, in their order (SI-9), and the controls (SI-50)."""

    WAIT = "wait"
    READY = "ready"
    CALL = "call"
    """The right move is a tool call; no report is due."""
    STEP = "step"
    DONE = "done"
    POST_DONE = "post_done"
    """A turn after completion: speech without a report is due."""
    SMALL_TALK = "small_talk"
    """A turn before any tool result."""


class Arm(StrEnum):
    """What of the prompt is varied (SI-15 … SI-19)."""

    BASELINE = "baseline"
    GOLD = "gold_injected"
    STATIC = "static"
    INERT = "inert"
    REMINDER_STATIC = "reminder_static"
    REMINDER = "reminder"


class Gold(Record):
    """The oracle's answer about one state: (D, Z*)."""

    duty: bool
    stage: Stage


class Required(Record):
    """What a reply must hold to be clean: a report with `value`, or no report."""

    duty: bool
    value: str | None
    """L*, on the wire; null where no report is due or its duty carries none."""


class Stimulus(Record):
    """One frozen request: everything a model is shown, and what is true and required there."""

    scenario_id: str
    family: Family
    point: Point
    lang: Lang
    arm: Arm
    encoding: Encoding
    duty: Duty = "machine_report"
    factors: dict[str, str] = {}
    """Of the design at hand, e.g. ownership, executability, cue, wording, thinking, prompt."""
    messages: tuple[Message, ...]
    tools: tuple[ToolSpec, ...]
    advancing: tuple[str, ...]
    """U: tools of which a call would advance the task in this state (SI-6)."""
    gold: Gold
    required: Required
    concepts: tuple[tuple[str, ...], ...] = ()
    """What a useful spoken reply holds: of each group one word (SI-56); fixed before any reply."""

    @property
    def stimulus_id(self) -> str:
        """Identity by content."""
        return short_id("stimulus", self.model_dump(mode="json"))


class Position(Record):
    """One planned reply: a stimulus, put to one deployment for the n-th time."""

    design: str
    deployment: str
    model_key: str
    stimulus_id: str
    repetition: int

    @property
    def position_id(self) -> str:
        """Identity; the owner of its model call and the origin of its seed."""
        return short_id("position", self.design, self.model_key, self.stimulus_id, self.repetition)


class ReplyStatus(StrEnum):
    """Whether a reply can be scored (SI-30); only `ok` enters a rate."""

    OK = "ok"
    TRANSPORT = "transport"
    """No reply came, for good."""
    IDENTITY = "identity"
    """Another model answered than the one that was asked."""


class StageReply(Record):
    """What came back for one position; stored once, never changed."""

    position: Position
    status: ReplyStatus
    detail: str = ""
    text: str | None = None
    """Normalised text, without reasoning."""
    tool_calls: tuple[ToolCall, ...] = ()
    stop: StopReason | None = None
    usage: Usage | None = None
    reasoning_shown: bool = False
    """Whether the provider gave reasoning beside the text (SI-52)."""
    echoed_model: str | None = None
    request_sha256: str | None = None


class Layer(StrEnum):
    """What became of one position: the first that applies, in this order (SI-27, Q22)."""

    TRANSPORT = "transport"
    """Not scored: no reply, or from another model."""
    DIVERGENCE = "divergence"
    """A tool call where a report was due."""
    OMISSION = "omission"
    MALFORMED = "malformed"
    WRONG_VALUE = "wrong_value"
    INTRUSION = "intrusion"
    """A report, whatever its form, where none was due."""
    CLEAN = "clean"


class Score(Record):
    """Indicators of one position (SI-22); null where there was no scorable reply."""

    position_id: str
    layer: Layer
    problem: str | None
    """Of the marker: `gates.marker_text.MarkerProblem`."""
    claimed: str | None
    """The value that was read, on the wire."""
    s: bool
    m: bool | None
    e: bool | None
    v: bool | None
    f: bool | None
    called: bool | None
    """Whether the reply calls a tool."""
    advanced: bool | None
    """Whether it calls a tool of U."""
    false_completion: bool | None
    """COMPLETED is claimed while the truth is another stage (SI-26)."""
    marker_only: bool | None
    """The reply is the marker and nothing else (SI-60)."""
    spoke: bool | None
    """Whether the reply is text and calls no tool."""
    task_passed: bool | None
    """Of the lexical proxy, for spoken replies where the stimulus has concepts (SI-56)."""


class Probe(Record):
    """One question of an identity precheck (SI-44, Q24)."""

    good: bool
    reason: str
    """`ok`, or what was wrong."""
    echoed_model: str | None = None


class Lane(Record):
    """One deployment in one design: who was asked, and whether it is admitted (SI-44 … SI-46)."""

    design: str
    deployment: str
    """Name in study.toml; a bundle of model and configuration, no vendor's ranking (SI-21)."""
    model_key: str
    requested_model: str
    provider: str
    params: dict[str, Any]
    aliases: tuple[str, ...] = ()
    rehearsal: bool
    probes: tuple[Probe, ...]
    needed: int
    """Good probes that admit."""

    @property
    def good(self) -> int:
        """Good probes."""
        return sum(probe.good for probe in self.probes)

    @property
    def admitted(self) -> bool:
        """Whether its replies enter any denominator."""
        return self.good >= self.needed


Evidence = Literal[
    "Observational", "Controlled intervention", "Post-treatment descriptive", "Audit/engineering"
]
"""What kind of claim a study can carry (SI-106)."""


class StageDesign(Record):
    """A named design, frozen before any reply (SI-67)."""

    name: str
    question: str
    evidence: Evidence
    """Every table carries it."""
    boundary: str
    """What its results do not show (SI-107)."""
    stimuli: tuple[Stimulus, ...]
    repetitions: int
    notes: dict[str, Any] = {}
