"""A run's events in order: requests with both reads and their restored label, drafts, final."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from urllib.parse import unquote

from draligned.gates.marker_strip import Stripped, strip_markers
from draligned.report.controls import control_entry
from draligned.report.data import ReportData
from draligned.report.entries import Entry, Reading, RunView
from draligned.report.pictures import STEPS, Pictures
from draligned.report.rows import Row, only, rows
from draligned.report.shown import REQUEST_CHARS, shown
from draligned.report.texts import Texts
from draligned.schema import events as ev
from draligned.schema.base import sha256_text
from draligned.schema.observed import ObservedRun
from draligned.schema.progress import WORK_VALUES

PAGE_CHARS = 1_200_000
"""Characters of drafts and finals that one page may hold."""
RUN_CHARS = 40_000
LEAST_CHARS = 1_000
ENTRIES = 400
"""Entries of one run on the page, and more where `STEPS` steps take more."""
STEP_KINDS = ("request", "draft", "final")
NOTE_CHARS = 200
"""Of a text that is neither a draft version nor the final."""

Labels = Mapping[tuple[str, str, object], Row]


class RunViews:
    """Builds the views of one evaluator's runs."""

    def __init__(self, data: ReportData, evaluator: str, texts: Texts) -> None:
        self._data = data
        self._texts = texts
        self._requests = _index(data, "requests", evaluator, "request_no")
        self._documents = _index(data, "documents", evaluator, "seq")
        self._pictures = Pictures(data, evaluator, texts)
        self._runs = {run.run_id: run for run in data.observed}
        fair = PAGE_CHARS // max(len(data.observed), 1)
        self._chars = min(max(fair, LEAST_CHARS), RUN_CHARS)

    @property
    def pictures(self) -> Pictures:
        """Pictures of the same runs."""
        return self._pictures

    def view(self, run_id: str | None, factor_id: str, anchor: str = "e") -> RunView | None:
        """The run as read for a factor; none if it was not observed. Ids of its events begin with
        `anchor`."""
        run = self._runs.get(run_id or "")
        if run is None:
            return None
        events = self._data.events_of(run)
        entries = tuple(self._entries(run, factor_id, events))
        listed = _listed(entries)
        return RunView(
            run_id=run.run_id,
            attempt=run.attempt,
            model=run.model_name,
            harness=run.harness_name,
            replicate=run.replicate,
            outcome=self._texts.word("outcome", run.end.outcome.value),
            anchor=anchor,
            entries=entries[:listed],
            beyond=len(entries) - listed,
            left_out=len(events) - len({entry.seq for entry in entries}),
        )

    def _entries(
        self, run: ObservedRun, factor_id: str, events: Sequence[ev.Event]
    ) -> Iterator[Entry]:
        limits = _limits(run, self._chars)
        quotes = self._pictures.quotes(run.run_id, factor_id)
        for entry in self._plain_entries(run, factor_id, events, limits):
            yield replace(entry, quotes=quotes.get((entry.kind, entry.seq), ()))

    def _plain_entries(
        self,
        run: ObservedRun,
        factor_id: str,
        events: Sequence[ev.Event],
        limits: Mapping[int, int],
    ) -> Iterator[Entry]:
        drafts = {d.seq: (d.version_no, d.text_sha256) for d in run.drafts}
        for event in events:
            body = event.body
            if isinstance(body, ev.RequestExecuted):
                row = self._requests.get((run.run_id, factor_id, body.request_no))
                yield self._request(run, event.seq, body, row)
            elif isinstance(body, ev.DraftSaved | ev.Submitted | ev.TextReply):
                row = self._documents.get((run.run_id, factor_id, event.seq))
                number = _no(drafts, event.seq)
                yield self._document(run, event.seq, body, row, number, limits)
            elif (entry := control_entry(event, self._texts)) is not None:
                yield entry
            for saved in self._left_by_code(run, body, drafts.get(event.seq)):
                row = self._documents.get((run.run_id, factor_id, event.seq))
                yield self._document(run, event.seq, saved, row, drafts[event.seq][0], limits)

    def _read(self, run: ObservedRun, text: str) -> Stripped:
        """A text of the log as evaluators saw it: without stage tags where agents write some."""
        if run.harness_key not in self._data.tagged:
            return Stripped(text, 0)
        return strip_markers(text, WORK_VALUES)

    def _tags(self, found: Stripped) -> str:
        return " " + self._texts("run.tags", n=found.n_tags) if found.n_tags else ""

    def _left_by_code(
        self, run: ObservedRun, body: ev.Body, draft: tuple[int, str] | None
    ) -> list[ev.DraftSaved]:
        """The draft version that code left in the workspace, as if a tool had saved it."""
        if not isinstance(body, ev.CodeRun) or draft is None:
            return []
        files = (f for f in body.saved if self._is_draft(run, f.text_sha256, draft[1]))
        return [_saved(body, file) for file in files][:1]

    def _is_draft(self, run: ObservedRun, saved: str, draft: str) -> bool:
        """Whether a saved text is a draft's; that of a draft is of the text without tags."""
        if saved == draft:
            return True
        found = self._read(run, self._data.text_of(saved)) if run.n_tags_stripped else None
        return found is not None and found.n_tags > 0 and sha256_text(found.text) == draft

    def _request(
        self, run: ObservedRun, seq: int, body: ev.RequestExecuted, row: Row | None
    ) -> Entry:
        title = self._texts(
            "run.request" if body.parent is None else "run.request_delegated",
            no=body.request_no,
            delegation=body.parent,
            tool=self._texts.word("tool", body.tool),
            status=self._texts.word("returned", body.return_status.value),
        )
        found = self._read(run, body.request)
        as_read = body.model_copy(update={"request": found.text})
        return Entry(
            seq=seq,
            kind="request",
            title=title,
            text=shown(found.text, REQUEST_CHARS),
            reading=_reading(row, "label", self._texts),
            note=(decoded(as_read, self._texts) + self._tags(found)).strip(),
        )

    def _document(
        self,
        run: ObservedRun,
        seq: int,
        body: ev.DraftSaved | ev.Submitted | ev.TextReply,
        row: Row | None,
        number: int | None,
        limits: Mapping[int, int],
    ) -> Entry:
        """A draft version or the final; a saving or submission that is neither is a note."""
        draft = isinstance(body, ev.DraftSaved)
        counted = number is not None if draft else row is not None or seq in limits
        key = body.kind if counted else f"other_{body.kind}"
        limit = limits.get(seq, 0) if counted else NOTE_CHARS
        found = self._read(run, self._data.text_of(body.text_sha256)) if limit else None
        chars = body.chars if found is None or not found.n_tags else len(found.text)
        return Entry(
            seq=seq,
            kind=("draft" if draft else "final") if counted else "note",
            title=self._texts(f"run.{key}", no=number or 0, chars=f"{chars:,}"),
            text=shown(found.text, limit) if found else None,
            reading=_reading(row, "presence", self._texts),
            document=counted,
            note=self._texts("run.stored", sha=body.text_sha256)
            + self._file(body)
            + (self._tags(found) if found else ""),
        )

    def _file(self, body: ev.DraftSaved | ev.Submitted | ev.TextReply) -> str:
        """Which file it is, where the harness has files; the one document has no name."""
        named = isinstance(body, ev.Submitted) or (
            isinstance(body, ev.DraftSaved) and body.tool != "write_report"
        )
        if isinstance(body, ev.TextReply) or not named or body.path is None:
            return ""
        return " " + self._texts("run.file", path=shown(body.path, REQUEST_CHARS).text)


def decoded(body: ev.RequestExecuted, texts: Texts) -> str:
    """An address in plain letters beside the one sent, where that reads as UTF-8; else blank."""
    if body.tool != "read" or "%" not in body.request:
        return ""
    try:
        plain = unquote(body.request, errors="strict")
    except UnicodeDecodeError:
        return ""
    return texts("run.decoded", address=shown(plain, REQUEST_CHARS).text)


def _index(data: ReportData, table: str, evaluator: str, unit: str) -> Labels:
    found = rows(only(data.table(table), evaluator=evaluator))
    return {(str(r["run_id"]), str(r["factor_id"]), r[unit]): r for r in found}


def _reading(row: Row | None, name: str, texts: Texts) -> Reading | None:
    if row is None:
        return None
    label = str(row[name] or "UNKNOWN")
    reason = row["reason"]
    return Reading(
        first=texts.word("presence", str(row["first"] or "none_said")),
        mirror=texts.word("presence", str(row["mirror"] or "none_said")),
        restored=texts.word("presence", label),
        label=label,
        reason="" if reason is None else texts.word("reason", str(reason)),
    )


def _limits(run: ObservedRun, chars: int) -> dict[int, int]:
    """How much of each text is shown: half of the run's share for the final, the rest evenly
    for the drafts; a draft whose text is the final's is not shown twice."""
    out: dict[int, int] = {}
    if run.final is not None:
        out[run.final.seq] = chars if not run.drafts else chars // 2
    drafts = [d for d in run.drafts if not (run.final and d.text_sha256 == run.final.text_sha256)]
    for draft in drafts:
        out[draft.seq] = chars // 2 // len(drafts)
    return out


def _no(drafts: Mapping[int, tuple[int, str]], seq: int) -> int | None:
    """The number of the draft version that an event saved, if it saved one."""
    return drafts[seq][0] if seq in drafts else None


def _saved(body: ev.CodeRun, file: ev.SavedFile) -> ev.DraftSaved:
    return ev.DraftSaved(
        sequence=body.sequence,
        call_index=body.call_index,
        path=file.path,
        text_sha256=file.text_sha256,
        chars=file.chars,
        tool="python",
    )


def _listed(entries: Sequence[Entry]) -> int:
    """How many entries of a run stand on the page: all that its picture leads to among them."""
    steps = [k for k, entry in enumerate(entries, start=1) if entry.kind in STEP_KINDS]
    return min(len(entries), max(ENTRIES, steps[:STEPS][-1] if steps else 0))
