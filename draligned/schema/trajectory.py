"""A run as a row of steps, each with what was read of it (DR-78, DR-110).

The axis is ordinal: the n-th request, draft or final that the run put out. It is no clock, and it
is no scale on which one channel could be compared with another (DR-77).
"""

from typing import Literal

from draligned.schema.base import Record
from draligned.schema.endings import Outcome
from draligned.schema.labels import Channel, Observes, Presence, ReadRole, Side, UnknownReason
from draligned.schema.retrieval import ReturnStatus


class Evidence(Record):
    """What one read points to: words of a request, or an item of a document."""

    read: ReadRole
    """First or mirror; a retest never enters a label."""
    presence: Presence
    """Direction of this piece alone, restored to P and Q."""
    quote: str = ""
    """Of a request: the words that the read copied from it."""
    entity: str = ""
    """Of a document: the item's name."""
    paragraphs: tuple[int, ...] = ()
    """Of a document: numbers of the item's paragraphs, as `evaluators.paragraphs.segment` cuts."""
    main: bool = True
    """Of a document: whether it is main advice; other items do not enter the label."""


class ReadSaid(Record):
    """What one read says of a whole unit."""

    status: Literal["ok", "no_basis", "void", "oversize", "missing", "not_planned"]
    """`no_basis`: a document was read and has no main advice of a known direction."""
    presence: Presence | None
    """Restored to P and Q, null unless `ok`; UNKNOWN where the evaluator abstains."""


class Step(Record):
    """One request, one saved version of the document, or the final."""

    seq: int
    """Number of the event in the run's log."""
    unit: Literal["request", "draft", "final"]
    no: int | None
    """Number of the request or version; none of a final."""
    first: ReadSaid
    mirror: ReadSaid
    presence: Presence
    """The label: UNKNOWN unless both reads agree."""
    reason: UnknownReason | None
    """Why it is UNKNOWN; none where it is known."""
    evidence: tuple[Evidence, ...] = ()
    tool: Literal["search", "read"] | None = None
    request: str | None = None
    """The request as sent; none of a document."""
    return_status: ReturnStatus | None = None
    delegation: int | None = None
    """Of a request inside a delegation: its number."""
    text_sha256: str | None = None
    """Blob of a document; none of a request."""
    chars: int | None = None


class Trajectory(Record):
    """One run as one evaluator read it for one factor; steps in the order of the log."""

    run_id: str
    attempt: int
    task_id: str
    user_id: str
    factor_id: str
    side: Side | None
    """The endpoint that the run was told; none where it was not told of this factor."""
    model: str
    harness: str
    environment: str
    replicate: int
    evaluator: str
    """Name of the evaluator."""
    outcome: Outcome
    observes: dict[Channel, Observes]
    """An unobserved channel has no steps here, which does not say that nothing happened."""
    steps: tuple[Step, ...]

    def of(self, unit: Literal["request", "draft", "final"]) -> tuple[Step, ...]:
        """The steps of one unit."""
        return tuple(step for step in self.steps if step.unit == unit)


class PairTrajectory(Record):
    """The two runs of a pair, side by side."""

    pair_id: str
    factor_id: str
    evaluator: str
    p: Trajectory | None
    q: Trajectory | None
    absent_p: str | None = None
    """Why there is no P run to be seen: run_open, run_failed, run_censored, run_excluded or
    not_planned."""
    absent_q: str | None = None
