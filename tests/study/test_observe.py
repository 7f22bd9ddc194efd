"""What is observed of an attempt, from events written by hand."""

from pathlib import Path

import pytest

from draligned.schema.chat import Message
from draligned.schema.design import Assigned, Condition
from draligned.schema.endings import EndedBy, EpisodeEnd, Outcome
from draligned.schema.errors import DamageError
from draligned.schema.events import (
    Body,
    CodeRun,
    DelegationOpened,
    DraftSaved,
    Ended,
    Event,
    Opened,
    RequestExecuted,
    RunHeader,
    SavedFile,
    Seal,
    Submitted,
    TextReply,
)
from draligned.schema.labels import Channel, Observes, Side
from draligned.schema.observed import ObservedRun
from draligned.schema.retrieval import ReturnStatus
from draligned.store.local import LocalStore
from draligned.study.attempts import events_key, read_header, read_seal, write_header, write_seal
from draligned.study.log import EventLog
from draligned.study.observe import load_observed, observe

CONDITION = Condition(
    task_id="1", user_id="u", lang="en", assigned=(Assigned(factor_id="f", side=Side.P),),
    system="s", turns=("t",),
)  # fmt: skip
HEADER = RunHeader(
    run_id="r", attempt=1, condition_id=CONDITION.condition_id, design_sha256="d",
    model_name="m", model_key="k", requested_model="m", harness_name="H-W", harness_key="h",
    environment="e", replicate=1, observes=dict.fromkeys(Channel, Observes.FULL),
    rehearsal=True, started_utc="2026-01-01T00:00:00+00:00", versions={},
)  # fmt: skip
OPENED = Opened(messages=(Message(role="user", text="t"),))
A, B = "a" * 64, "b" * 64


def saved(sha: str, path: str = "report.md", tool: str = "write_file") -> DraftSaved:
    return DraftSaved(
        sequence=1, call_index=0, path=path, text_sha256=sha, chars=1, tool=tool
    )  # fmt: skip


def submitted(sha: str, path: str | None = "report.md") -> Submitted:
    return Submitted(sequence=1, call_index=0, text_sha256=sha, chars=1, path=path)


def ended(final: str | None) -> Ended:
    outcome = Outcome.SUBMITTED if final else Outcome.EMPTY_REPLY
    return Ended(
        end=EpisodeEnd(
            ended_by=EndedBy.NO_TOOL_CALL, outcome=outcome, final_sha256=final,
            work_done_by_state=final is not None,
        )
    )  # fmt: skip


def events(*bodies: Body) -> list[Event]:
    return [
        Event(seq=seq, utc="", mono=0.0, prev="", body=body)
        for seq, body in enumerate((OPENED, *bodies))
    ]


def seen(*bodies: Body) -> ObservedRun:
    return observe(HEADER, CONDITION, events(*bodies))


def test_versions_are_distinct_contents_of_the_document_submitted() -> None:
    run = seen(
        saved(A), saved(A), saved(B, "notes.md"), saved(B), saved(A), submitted(A), ended(A)
    )  # fmt: skip
    assert [(d.version_no, d.seq, d.text_sha256) for d in run.drafts] == [
        (1, 1, A), (2, 4, B), (3, 5, A),
    ]  # fmt: skip


def test_what_code_saved_is_a_version_too() -> None:
    files = (SavedFile(path="other.md", text_sha256=B, chars=1),
             SavedFile(path="report.md", text_sha256=A, chars=1))  # fmt: skip
    code = CodeRun(sequence=1, call_index=0, exit="ok", output_sha256=B, saved=files)
    assert [d.text_sha256 for d in seen(code, submitted(A), ended(A)).drafts] == [A]


def test_without_a_submitted_document_reports_are_drafts_and_files_are_not() -> None:
    run = seen(saved(A), saved(B, tool="write_report"), ended(None))
    assert ([d.text_sha256 for d in run.drafts], run.final) == ([B], None)


def test_the_last_submission_delivers_the_final_even_where_a_reply_repeats_it() -> None:
    reply = TextReply(sequence=2, text_sha256=A, chars=1)
    run = seen(submitted(A, None), submitted(B, None), submitted(A, None), reply, ended(A))
    assert run.final is not None
    assert (run.final.seq, run.final.by) == (3, "submission")
    alone = seen(submitted(B, None), reply, ended(A)).final
    assert alone is not None
    assert (alone.seq, alone.by) == (2, "text_reply")


def test_a_final_that_nothing_delivered_is_damage() -> None:
    with pytest.raises(DamageError, match="no event delivered"):
        seen(submitted(B), ended(A))


def test_what_has_not_ended_is_not_observed() -> None:
    with pytest.raises(DamageError, match="has not ended"):
        seen(submitted(A))
    with pytest.raises(DamageError, match="has not ended"):
        observe(HEADER, CONDITION, [])


def test_requests_keep_order_place_and_delegation() -> None:
    asked = [
        RequestExecuted(
            sequence=1, call_index=0, request_no=no, tool="search", request=f"q{no}",
            return_status=status, parent=parent,
        )
        for no, status, parent in ((1, ReturnStatus.OK, None), (2, ReturnStatus.EMPTY, 1))
    ]  # fmt: skip
    opened = DelegationOpened(sequence=1, call_index=0, number=1, messages=())
    run = seen(asked[0], opened, asked[1], ended(None))
    assert [(r.request_no, r.seq, r.return_status, r.parent) for r in run.requests] == [
        (1, 1, ReturnStatus.OK, None), (2, 3, ReturnStatus.EMPTY, 1),
    ]  # fmt: skip
    assert (run.delegations, run.task_id, run.assigned) == (1, "1", CONDITION.assigned)


@pytest.fixture
def store(tmp_path: Path) -> LocalStore:
    """One sealed attempt on disk."""
    found = LocalStore(tmp_path)
    assert write_header(found, HEADER)
    log = EventLog(found, events_key("r", 1))
    log.append(OPENED, submitted(A, None), ended(A))
    end = ended(A).end
    seal = Seal(run_id="r", attempt=1, n_events=3, last_sha256=log.last_sha256, end=end)
    assert write_seal(found, seal)
    return found


def test_a_sealed_attempt_is_read_back(store: LocalStore) -> None:
    run = load_observed(store, "r", 1, CONDITION)
    assert run.final is not None
    assert (run.run_id, run.final.text_sha256, run.n_tags_stripped) == ("r", A, 0)
    assert read_header(store, "r", 1) == HEADER
    assert not write_header(store, HEADER.model_copy(update={"replicate": 2}))
    assert (read_header(store, "r", 2), read_seal(store, "r", 2)) == (None, None)


@pytest.mark.parametrize("name", ["header", "seal"])
def test_an_attempt_that_lacks_a_part_is_damage(store: LocalStore, name: str) -> None:
    store.path(f"runs/r/a1/{name}.json").unlink()
    with pytest.raises(DamageError, match=rf"runs/r/a1/{name}\.json is missing"):
        load_observed(store, "r", 1, CONDITION)


def test_a_log_that_grew_after_its_seal_is_damage(store: LocalStore) -> None:
    EventLog(store, events_key("r", 1)).append(ended(A))
    with pytest.raises(DamageError, match="not the log that was sealed"):
        load_observed(store, "r", 1, CONDITION)
