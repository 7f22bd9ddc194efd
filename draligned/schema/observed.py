"""ObservedRun: all that evaluators and measures may see of a run (DESIGN §2)."""

from typing import Literal

from draligned.schema.base import Record
from draligned.schema.design import Assigned
from draligned.schema.endings import EpisodeEnd
from draligned.schema.labels import Channel, Observes
from draligned.schema.retrieval import ReturnStatus


class ObservedRequest(Record):
    """An executed request, as sent."""

    request_no: int
    seq: int
    tool: Literal["search", "read"]
    request: str
    return_status: ReturnStatus
    parent: int | None = None


class ObservedDraft(Record):
    """A distinct saved content of the document finally submitted."""

    version_no: int
    seq: int
    text_sha256: str
    chars: int


class ObservedFinal(Record):
    """The delivered text."""

    seq: int
    text_sha256: str
    chars: int
    by: Literal["submission", "text_reply"]


class ObservedRun(Record):
    """One analysed attempt, built by one function from its events."""

    run_id: str
    attempt: int
    condition_id: str
    task_id: str
    user_id: str
    assigned: tuple[Assigned, ...]
    model_name: str
    model_key: str
    harness_name: str
    harness_key: str
    environment: str
    replicate: int
    delegation_offered: bool = False
    delegations: int = 0
    """Delegations invoked; offered and invoked are two facts (DR-25)."""
    observes: dict[Channel, Observes]
    requests: tuple[ObservedRequest, ...]
    drafts: tuple[ObservedDraft, ...]
    final: ObservedFinal | None
    end: EpisodeEnd
    n_tags_stripped: int = 0
    """Stage tags taken out of requests and of distinct texts, where the harness asks for tags."""
