"""The events of a run as lines: what the agent did by channel, and what was read of it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from draligned.report.controls import control_entry
from draligned.report.runs import decoded
from draligned.report.shown import Shown, shown
from draligned.report.steps import read_words
from draligned.report.texts import Texts
from draligned.schema import events as ev
from draligned.schema.labels import ReadRole
from draligned.schema.trajectory import Step, Trajectory

REQUEST_CHARS = 2_000
RAW_CHARS = 600


@dataclass(frozen=True, kw_only=True)
class Piece:
    """A part of a text; `reads` are those that quote it."""

    text: str
    reads: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class ReadView:
    """What one read says of a unit: its words, its code (blank where it says nothing), and for a
    request the words it quotes."""

    said: str
    presence: str
    quotes: tuple[Shown, ...]


@dataclass(frozen=True, kw_only=True)
class Line:
    """One event. `pieces` of a request stand in place of `text`."""

    seq: int
    utc: str
    channel: str
    css: str
    title: str
    text: Shown | None = None
    pieces: tuple[Piece, ...] = ()
    note: str = ""
    """Of an address: the same in plain letters."""
    flags: tuple[str, ...] = ()
    blob: str | None = None
    """Hash of the text that came back, or that was saved or delivered."""
    document: bool = False
    """Whether it is a version of the document or the final, which has a page of its own."""
    first: ReadView | None = None
    mirror: ReadView | None = None
    label: str = ""
    reason: str = ""


class Lines:
    """Makes the lines of one run; without a trajectory, what was read is left out."""

    def __init__(
        self, events: Sequence[ev.Event], trajectory: Trajectory | None, texts: Texts
    ) -> None:
        self._events = events
        self._texts = texts
        steps = () if trajectory is None else trajectory.steps
        self._steps: Mapping[int, Step] = {s.seq: s for s in steps}
        self._results = {
            (e.body.sequence, e.body.call_index): e.body.text_sha256
            for e in events
            if isinstance(e.body, ev.ToolResult)
        }

    def all(self, *, whole: bool = False) -> Iterator[Line]:
        """Lines in the order of the log; with `whole`, also of events that say little: call
        starts, tool results, turns without text."""
        for event in self._events:
            line = self._line(event)
            if line is not None:
                yield line
            elif whole:
                yield self._raw(event)

    def _line(self, event: ev.Event) -> Line | None:
        body = event.body
        if isinstance(body, ev.RequestExecuted):
            return self._request(event, body)
        if isinstance(body, ev.DraftSaved | ev.Submitted | ev.TextReply):
            return self._document(event, body)
        entry = control_entry(event, self._texts)
        if entry is None:
            return None
        step = self._steps.get(event.seq)
        found = self._bare(event, "control", entry.title, entry.text)
        return found if step is None else self._read(found, step)

    def _bare(self, event: ev.Event, css: str, title: str, text: Shown | None = None) -> Line:
        return Line(
            seq=event.seq,
            utc=event.utc,
            channel=event.body.channel.value,
            css=css,
            title=title,
            text=text,
        )

    def _raw(self, event: ev.Event) -> Line:
        text = shown(event.body.model_dump_json(), RAW_CHARS)
        return self._bare(event, "control raw", event.body.kind, text)

    def _request(self, event: ev.Event, body: ev.RequestExecuted) -> Line:
        title = self._texts(
            "run.request" if body.parent is None else "run.request_delegated",
            no=body.request_no,
            delegation=body.parent,
            tool=self._texts.word("tool", body.tool),
            status=self._texts.word("returned", body.return_status.value),
        )
        line = self._bare(event, "request", title)
        step = self._steps.get(event.seq)
        changed = {
            "pieces": tuple(pieces(body.request, step)),
            "note": decoded(body, self._texts),
            "flags": tuple(f.value for f in body.flags),
            "blob": self._results.get((body.sequence, body.call_index)),
        }
        line = Line(**{**vars(line), **changed})
        return line if step is None else self._read(line, step)

    def _document(self, event: ev.Event, body: ev.DraftSaved | ev.Submitted | ev.TextReply) -> Line:
        step = self._steps.get(event.seq)
        css = "note" if step is None else step.unit
        path = None if isinstance(body, ev.TextReply) else body.path
        line = self._bare(event, css, self._title(body, step), shown(path, 300) if path else None)
        line = Line(**{**vars(line), "blob": body.text_sha256, "document": step is not None})
        return line if step is None else self._read(line, step)

    def _title(self, body: ev.DraftSaved | ev.Submitted | ev.TextReply, step: Step | None) -> str:
        chars = f"{body.chars:,}"
        if step is None:
            return self._texts(f"view.{body.kind}", chars=chars)
        return self._texts(f"run.{body.kind}", no=step.no or 0, chars=chars)

    def _read(self, line: Line, step: Step) -> Line:
        made = {
            "first": _read_view(step, ReadRole.FIRST, self._texts),
            "mirror": _read_view(step, ReadRole.MIRROR, self._texts),
            "label": step.presence.value,
            "reason": "" if step.reason is None else step.reason.value,
            "css": step.unit,
            "document": step.text_sha256 is not None,
            "blob": line.blob or step.text_sha256,
        }
        return Line(**{**vars(line), **made})


def _read_view(step: Step, role: ReadRole, texts: Texts) -> ReadView:
    said = step.first if role is ReadRole.FIRST else step.mirror
    quotes = dict.fromkeys(e.quote for e in step.evidence if e.read is role and e.quote)
    return ReadView(
        said=read_words(said, texts),
        presence="" if said.presence is None else said.presence.value,
        quotes=tuple(shown(q, 200) for q in quotes),
    )


def pieces(text: str, step: Step | None) -> Iterator[Piece]:
    """A request in parts, those that reads quote apart; the whole of it where none does."""
    kept = text[:REQUEST_CHARS]
    spans: list[tuple[int, int, str]] = []
    for one in step.evidence if step else ():
        start = kept.find(one.quote) if one.quote else -1
        if start >= 0:
            spans.append((start, start + len(one.quote), one.read.value))
    edges = sorted({0, len(kept), *(e for span in spans for e in span[:2])})
    for left, right in pairwise(edges):
        reads = dict.fromkeys(read for a, b, read in spans if a <= left and right <= b)
        yield Piece(text=shown(kept[left:right], REQUEST_CHARS).text, reads=tuple(reads))
    if len(text) > REQUEST_CHARS:
        yield Piece(text=f"… ({len(text):,})")
