"""From events to `ObservedRun`: the one builder (DESIGN §2)."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from draligned.schema.design import Condition
from draligned.schema.endings import EpisodeEnd
from draligned.schema.errors import DamageError
from draligned.schema.events import (
    CodeRun,
    DelegationOpened,
    DraftSaved,
    Ended,
    Event,
    RequestExecuted,
    RunHeader,
    Submitted,
    TextReply,
)
from draligned.schema.observed import (
    ObservedDraft,
    ObservedFinal,
    ObservedRequest,
    ObservedRun,
)
from draligned.store.blobs import Blobs
from draligned.store.protocol import Store
from draligned.study.attempts import attempt_prefix, events_key, read_header, read_seal
from draligned.study.log import read_log
from draligned.study.untagged import untagged


class _SavedByCode(NamedTuple):
    path: str
    text_sha256: str
    chars: int
    tool: str = "python"


def observe(header: RunHeader, condition: Condition, events: Sequence[Event]) -> ObservedRun:
    """What evaluators and measures may see of an ended attempt."""
    end = _end(events)
    return ObservedRun(
        run_id=header.run_id,
        attempt=header.attempt,
        condition_id=header.condition_id,
        task_id=condition.task_id,
        user_id=condition.user_id,
        assigned=condition.assigned,
        model_name=header.model_name,
        model_key=header.model_key,
        harness_name=header.harness_name,
        harness_key=header.harness_key,
        environment=header.environment,
        replicate=header.replicate,
        delegation_offered=header.delegation_offered,
        delegations=sum(isinstance(e.body, DelegationOpened) for e in events),
        observes=header.observes,
        requests=tuple(_requests(events)),
        drafts=tuple(_drafts(events)),
        final=_final(events, end),
        end=end,
    )


def load_observed(store: Store, run_id: str, attempt: int, condition: Condition) -> ObservedRun:
    """Read one sealed attempt from disk, stage tags taken out where its harness asks for them.

    Raises `DamageError`.
    """
    header, seal = read_header(store, run_id, attempt), read_seal(store, run_id, attempt)
    if header is None or seal is None:
        missing = "header" if header is None else "seal"
        raise DamageError(f"{attempt_prefix(run_id, attempt)}/{missing}.json is missing")
    key = events_key(run_id, attempt)
    log = read_log(store, key)
    if (len(log.events), log.last_sha256) != (seal.n_events, seal.last_sha256):
        raise DamageError(f"{key}: it is not the log that was sealed")
    run = observe(header, condition, log.events)
    return untagged(run, Blobs(store)) if header.progress_duty else run


def _end(events: Sequence[Event]) -> EpisodeEnd:
    if not events or not isinstance(events[-1].body, Ended):
        raise DamageError("the episode has not ended; it cannot be observed yet")
    return events[-1].body.end


def _requests(events: Sequence[Event]) -> list[ObservedRequest]:
    return [
        ObservedRequest(
            request_no=e.body.request_no,
            seq=e.seq,
            tool=e.body.tool,
            request=e.body.request,
            return_status=e.body.return_status,
            parent=e.body.parent,
        )
        for e in events
        if isinstance(e.body, RequestExecuted)
    ]


def _submitted_path(events: Sequence[Event]) -> str | None:
    paths = [e.body.path for e in events if isinstance(e.body, Submitted)]
    return paths[-1] if paths else None


def _drafts(events: Sequence[Event]) -> list[ObservedDraft]:
    """Distinct saved contents of the document finally submitted; other files are notes.

    Where no saved document was submitted, what `write_report` saved are the drafts.
    """
    path = _submitted_path(events)
    out: list[ObservedDraft] = []
    for seq, saved in _saves(events):
        of_document = saved.tool == "write_report" if path is None else saved.path == path
        if not of_document or (out and out[-1].text_sha256 == saved.text_sha256):
            continue
        out.append(
            ObservedDraft(
                version_no=len(out) + 1, seq=seq, text_sha256=saved.text_sha256, chars=saved.chars
            )
        )
    return out


def _saves(events: Sequence[Event]) -> Iterator[tuple[int, DraftSaved | _SavedByCode]]:
    for event in events:
        if isinstance(event.body, DraftSaved):
            yield event.seq, event.body
        elif isinstance(event.body, CodeRun):
            for file in event.body.saved:
                yield event.seq, _SavedByCode(file.path, file.text_sha256, file.chars)


def _final(events: Sequence[Event], end: EpisodeEnd) -> ObservedFinal | None:
    """The last event that delivered the final; a submission before a reply of equal text."""
    if end.final_sha256 is None:
        return None
    delivered = [
        (event.seq, event.body)
        for event in events
        if isinstance(event.body, Submitted | TextReply)
        and event.body.text_sha256 == end.final_sha256
    ]
    for seq, body in sorted(delivered, key=lambda d: (isinstance(d[1], Submitted), d[0]))[-1:]:
        return ObservedFinal(
            seq=seq,
            text_sha256=body.text_sha256,
            chars=body.chars,
            by="submission" if isinstance(body, Submitted) else "text_reply",
        )
    raise DamageError("the end names a final that no event delivered")
