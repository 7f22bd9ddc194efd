"""Records of a progress duty on tau2-bench: what is read of a results file, and what is known of
each checkpoint.

The reading records keep only what scoring needs. A results file may hold keys and addresses of
providers; nothing here has a field for them.
"""

from math import isfinite
from typing import Annotated, Any, Literal, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    ValidatorFunctionWrapHandler,
    WrapValidator,
)

from draligned.schema.base import Record
from draligned.schema.progress import Stage
from draligned.schema.strictjson import clean_text, dumps

Requestor = Literal["user", "assistant"]
State = Literal["before_acting", "mid_task", "completed"]
"""Where a task stands; needing information and being ready are one, since no database tells them
apart (SI-70)."""
DutyArm = Literal["tag", "hidden", "none"]
"""Whether the agent is asked for a tag, and whether the customer sees it; `none` is the stock
agent."""


Name = Annotated[str, AfterValidator(lambda text: clean_text(text).text)]
"""A text that tables repeat: it can be stored."""
Whole = Annotated[int, Field(ge=-(2**63), lt=2**63)]
T = TypeVar("T")


def _or_unknown(value: Any, read: ValidatorFunctionWrapHandler) -> Any:
    try:
        return read(value)
    except ValidationError:
        return None


def _can_be_called(arguments: dict[str, Any]) -> dict[str, Any]:
    """Raises `ValueError` for what JSON has not: then it is unknown what was called."""
    try:
        dumps(arguments)
    except (TypeError, RecursionError) as error:
        raise ValueError("no JSON") from error
    return arguments


Told = Annotated[T | None, WrapValidator(_or_unknown)]
"""What a file tells beside a conversation: unknown where it has another shape, and no more."""


class Foreign(BaseModel):
    """Part of a results file: unknown keys are dropped."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class TauCall(Foreign):
    """A tool call."""

    id: str = ""
    name: str
    arguments: Annotated[dict[str, Any], AfterValidator(_can_be_called)] = {}
    requestor: Requestor = "assistant"


class TauMessage(Foreign):
    """One message; tool results are messages of their own."""

    role: Literal["system", "user", "assistant", "tool"]
    content: str | None = None
    tool_calls: tuple[TauCall, ...] | None = None
    id: str | None = None
    usage: Told[dict[str, Any]] = None
    raw_data: Told[dict[str, Any]] = None

    @property
    def speaks(self) -> bool:
        """Whether it is text for the other side: a message with tool calls goes to the
        environment, its text reaches nobody."""
        return not self.tool_calls and bool((self.content or "").strip())


class TauReward(Foreign):
    """The benchmark's own verdict."""

    reward: Told[float] = None


class TauRun(Foreign):
    """One simulated conversation."""

    model_config = ConfigDict(coerce_numbers_to_str=True)

    id: Name = ""
    task_id: Name
    trial: Told[Whole] = None
    termination_reason: Told[Name] = None
    reward_info: Told[TauReward] = None
    messages: tuple[TauMessage, ...]

    @property
    def reward(self) -> float | None:
        """The benchmark's reward, if it gave one."""
        told = None if self.reward_info is None else self.reward_info.reward
        return told if told is not None and isfinite(told) else None


class TauUnread(TauRun):
    """A conversation that a file holds and that cannot be read: what can be told of it."""

    messages: tuple[TauMessage, ...] = ()
    """None: where one cannot be read, what follows it cannot be replayed."""
    why: Name
    """By place and kind."""


class TauArgs(Foreign):
    """The few settings of a model that are told on: whether reasoning was asked for (SI-81).

    Of any shape, as their providers have it.
    """

    reasoning_effort: Any = None
    thinking: Any = None


class TauSide(Foreign):
    """Who played the agent, or the customer."""

    implementation: Told[str] = None
    llm: Told[Name] = None
    llm_args: Told[TauArgs] = None


class TauDomain(Foreign):
    """Which environment."""

    domain_name: Name


class TauInfo(Foreign):
    """How the simulations were made."""

    agent_info: TauSide
    user_info: TauSide
    environment_info: TauDomain


class TauResults(Foreign):
    """One results file. Tasks are as embedded: they are what its runs are graded against."""

    info: TauInfo
    tasks: tuple[dict[str, Any], ...]
    simulations: tuple[TauRun, ...] = ()


class Truth(Record):
    """What the environment says at one checkpoint, before the tag is looked at (SI-70)."""

    index: int
    """Place of the message in the run."""
    changed: bool
    """Whether a database differs now from what it was at the start."""
    ever_changed: bool
    """Whether it did at this or an earlier checkpoint (Q32)."""
    done: bool
    """Whether the benchmark's own checks hold now (SI-71)."""
    verified: bool | None
    """Whether someone looked at the phone after the last change; null where there is no phone."""

    @property
    def state(self) -> State:
        """With the change latched: an undone change still counts."""
        return _state(self.done, self.ever_changed)

    @property
    def unlatched(self) -> State:
        """With the change as it stands now."""
        return _state(self.done, self.changed)


def _state(done: bool, changed: bool) -> State:
    if done:
        return "completed"
    return "mid_task" if changed else "before_acting"


ACCEPTED: dict[State, tuple[Stage, ...]] = {
    "before_acting": (Stage.NEEDS_INFO, Stage.READY),
    "mid_task": (Stage.POST_OBS,),
    "completed": (Stage.COMPLETED,),
}
"""Tags that are correct in a state."""


class DutyRun(Record):
    """How `progress tau2 run` asked, beside the results that came of it."""

    name: str
    arm: DutyArm
    block: str | None
    """The text added to the agent's instructions; null in the arm without."""
    block_sha256: str | None
    domain: str
    agent_llm: str
    agent_args: dict[str, Any] = {}
    user_llm: str
    user_args: dict[str, Any] = {}
    trials: int
    max_steps: int
    seed: int
    split: str
    tasks: tuple[str, ...] = ()
    """Chosen tasks; empty for all of the split."""
    tau2: str
    """Version of the benchmark as installed."""


class ScoredFile(Record):
    """One results file behind a score."""

    deployment: str
    name: str
    results_sha256: str
    domain: str
    arm: DutyArm
    agent_llm: str | None
    user_llm: str | None
    block_sha256: str | None
    """Of the text that asked for the tag; null where `progress tau2 run` did not make the file."""


class DutyScore(Record):
    """What tables of one score were made from."""

    name: str
    files: tuple[ScoredFile, ...]
    tau2: str
    cues_sha256: str
    seed: int
    draws: int
    simulator: str | None
    """The only simulator of customers whose runs were kept; null for all."""
    excluded_runs: int
    """Runs on another simulator."""
    left_out: dict[str, int] = {}
    """Runs that are in no number, by the reason."""
    rehearsal: bool
    """Whether a scripted model stood in for a language model."""
