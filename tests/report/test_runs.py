"""Runs as shown: order, labels, what is left out, and how much text a page may hold."""

from dataclasses import replace

from draligned.report.data import ReportData
from draligned.report.runs import PAGE_CHARS, RunView, RunViews
from draligned.report.texts import load_texts
from draligned.schema.base import sha256_text
from draligned.schema.events import CodeRun, DraftSaved, Event, RequestExecuted, SavedFile
from draligned.schema.observed import ObservedRun

from .made import data_of
from .world import READER, World

EN = load_texts("en")


def first(data: ReportData) -> RunView:
    """The first observed run."""
    run = data.observed[0]
    view = RunViews(data, READER, EN).view(run.run_id, run.assigned[0].factor_id)
    assert view is not None
    return view


def test_entries_follow_the_log() -> None:
    view = first(data_of(World(tasks=1, models=("m",), requests=2)))
    kinds = ["control", "request", "request", "draft", "final", "control"]
    assert [e.kind for e in view.entries] == kinds
    assert [e.seq for e in view.entries] == sorted(e.seq for e in view.entries)
    assert view.left_out == 6, "two call starts, two empty turns, two tool results"


def test_a_request_carries_both_reads_and_its_label(flat: ReportData) -> None:
    request = next(e for e in first(flat).entries if e.kind == "request")
    assert request.reading is not None
    assert (request.reading.first, request.reading.mirror) == ("neither", "neither")
    assert (request.reading.restored, request.reading.label) == ("neither", "NEITHER")


def test_a_run_that_was_not_observed_has_no_view(flat: ReportData) -> None:
    views = RunViews(flat, READER, EN)
    assert views.view("unknown", "f") is None
    assert views.view(None, "f") is None


def test_long_texts_are_cut_and_say_where_the_whole_is() -> None:
    data = data_of(World(tasks=1, models=("m",), final_text="y" * 200_000))
    view = first(data)
    shown = [e for e in view.entries if e.document and e.text]
    assert len(shown) == 2
    assert all(e.text is not None and e.text.is_cut for e in shown)
    assert all("blob" in e.note for e in shown)
    kept = sum(e.text.kept for e in shown if e.text)
    assert kept * len(data.observed) <= PAGE_CHARS


def test_an_address_is_shown_as_sent_and_decoded() -> None:
    data = data_of(World(tasks=1, models=("m",), requests=1))

    def events(run: ObservedRun) -> list[Event]:
        return [_reading(e, "https://x.test/%E4%BA%91%E5%8D%97") for e in data.events_of(run)]

    request = next(e for e in first(replace(data, events_of=events)).entries if e.kind == "request")
    assert request.text is not None
    assert request.text.text == "https://x.test/%E4%BA%91%E5%8D%97"
    assert request.note == "decoded: https://x.test/云南"

    def gbk(run: ObservedRun) -> list[Event]:
        return [_reading(e, "https://x.test/%B0%D9%B6%C8") for e in data.events_of(run)]

    request = next(e for e in first(replace(data, events_of=gbk)).entries if e.kind == "request")
    assert request.note == ""


def _reading(event: Event, address: str) -> Event:
    if not isinstance(event.body, RequestExecuted):
        return event
    body = event.body.model_copy(update={"tool": "read", "request": address})
    return event.model_copy(update={"body": body})


def test_a_request_inside_a_delegation_says_so_and_files_have_their_names() -> None:
    data = data_of(World(tasks=1, models=("m",), requests=1))
    run = data.observed[0]
    events = list(data.events_of(run))
    for k, event in enumerate(events):
        if isinstance(event.body, RequestExecuted):
            events[k] = event.model_copy(
                update={"body": event.body.model_copy(update={"parent": 3})}
            )
        if isinstance(event.body, DraftSaved):
            body = event.body.model_copy(update={"tool": "write_file", "path": "a\u202e.md"})
            events[k] = event.model_copy(update={"body": body})
    view = first(replace(data, events_of=lambda _: events))
    titles = [e.title for e in view.entries]
    assert any(t.startswith("Request 1, search (answered), in delegation 3:") for t in titles)
    (draft,) = (e for e in view.entries if e.kind == "draft")
    assert draft.note.endswith("File a⟨U+202E⟩.md.")


def test_a_draft_that_code_left_is_shown_as_a_draft() -> None:
    data = data_of(World(tasks=1, models=("m",), requests=1))
    run = data.observed[0]
    events = list(data.events_of(run))
    (k,) = (k for k, e in enumerate(events) if isinstance(e.body, DraftSaved))
    saved = events[k].body
    assert isinstance(saved, DraftSaved)
    files = [("notes.md", "0" * 64), ("r.md", saved.text_sha256)]
    code = CodeRun(
        sequence=90, call_index=0, exit="ok", output_sha256="0" * 64,
        saved=tuple(SavedFile(path=p, text_sha256=sha, chars=9) for p, sha in files),
    )  # fmt: skip
    events[k] = events[k].model_copy(update={"body": code})
    before, view = first(data), first(replace(data, events_of=lambda _: events))
    (draft,) = (e for e in view.entries if e.kind == "draft")
    assert (draft.seq, draft.document) == (run.drafts[0].seq, True)
    assert draft.note.endswith("File r.md.")
    assert view.left_out == before.left_out


TAG = "\n\n<stage>drafting</stage>"


def test_where_tags_are_asked_for_texts_are_shown_as_evaluators_saw_them() -> None:
    """The log holds tags; what is observed, and so what is listed, is without them."""
    data = data_of(World(tasks=1, models=("m",), requests=1))
    (saved,) = data.observed[0].drafts
    plain = data.text_of(saved.text_sha256).rstrip()
    tagged = sha256_text(plain + TAG)
    blobs = {tagged: plain + TAG, sha256_text(plain): plain}
    draft = saved.model_copy(update={"text_sha256": sha256_text(plain)})
    run = data.observed[0].model_copy(update={"n_tags_stripped": 3, "drafts": (draft,)})
    events = []
    for event in data.events_of(data.observed[0]):
        body = event.body
        if isinstance(body, RequestExecuted):
            body = body.model_copy(update={"request": body.request + " <stage>acquiring</stage>"})
        elif isinstance(body, DraftSaved):
            body = CodeRun(
                sequence=90, call_index=0, exit="ok", output_sha256="0" * 64,
                saved=(SavedFile(path="r.md", text_sha256=tagged, chars=len(blobs[tagged])),),
            )  # fmt: skip
        events.append(event.model_copy(update={"body": body}))
    asked = replace(
        data, observed=(run,), events_of=lambda _: events, tagged=frozenset({run.harness_key}),
        text_of=lambda sha: blobs.get(sha) or data.text_of(sha),
    )  # fmt: skip
    view = first(asked)
    texts = [e.text.text for e in view.entries if e.text]
    assert not [text for text in texts if "<stage>" in text]
    (request,) = (e for e in view.entries if e.kind == "request")
    assert request.note == "Stage tags taken out: 1."
    (entry,) = (e for e in view.entries if e.kind == "draft")
    assert entry.text is not None
    assert entry.text.text == plain
    assert entry.title == f"Draft, version 1 ({len(plain):,} characters)"
    assert entry.note.endswith("File r.md. Stage tags taken out: 1.")
    other = first(replace(asked, tagged=frozenset()))
    assert [e for e in other.entries if e.text and "<stage>" in e.text.text], "not asked: as it is"
