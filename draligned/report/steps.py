"""Steps of a trajectory in words: what stands in the tip of a mark and in the list below."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from draligned.evaluators.paragraphs import segment
from draligned.report import numbers
from draligned.report.shown import Shown, shown
from draligned.report.texts import Texts
from draligned.schema.labels import Presence, UnknownReason
from draligned.schema.trajectory import Evidence, ReadSaid, Step

QUOTE_CHARS = 160
TEXT_CHARS = 200
QUOTES = 3
"""Of a document, so many pieces of each read are quoted, those with a direction first."""

TextOf = Callable[[str], str]
"""The text of a blob, by its hash."""


@dataclass(frozen=True, kw_only=True)
class Quote:
    """Words that one read points to, and what it says of them."""

    read: str
    presence: str
    said: str
    text: Shown


@dataclass(frozen=True, kw_only=True)
class StepView:
    """One step, ready to be laid out."""

    seq: int
    place: int
    """Its place on the axis, from 1."""
    unit: str
    title: str
    text: Shown | None
    """The request as sent; none of a document."""
    label: str
    """Presence, as a code."""
    said: str
    """The label in words, with its reason where it is UNKNOWN."""
    first: str
    mirror: str
    halves: tuple[str, str] | None
    """What the two reads say, as codes, where they disagree."""
    quotes: tuple[Quote, ...]


def step_views(
    steps: Sequence[Step], texts: Texts, text_of: TextOf | None, *, before: int = 0
) -> list[StepView]:
    """Views of steps in their order, after `before` others. Without `text_of` documents are not
    quoted."""
    numbered = enumerate(steps, start=before + 1)
    return [_view(step, place, texts, text_of) for place, step in numbered]


def _view(step: Step, place: int, texts: Texts, text_of: TextOf | None) -> StepView:
    label = step.presence.value
    said = texts.word("presence", label)
    if step.reason is not None:
        said = f"{said} · {texts.word('reason', step.reason.value)}"
    return StepView(
        seq=step.seq,
        place=place,
        unit=step.unit,
        title=_title(step, texts),
        text=None if step.request is None else shown(step.request, TEXT_CHARS),
        label=label,
        said=said,
        first=read_words(step.first, texts),
        mirror=read_words(step.mirror, texts),
        halves=_halves(step),
        quotes=tuple(quotes_of(step, texts, text_of)),
    )


def _title(step: Step, texts: Texts) -> str:
    if step.unit == "request":
        status = "" if step.return_status is None else step.return_status.value
        return texts(
            "step.request" if step.delegation is None else "step.request_delegated",
            no=step.no,
            tool=texts.word("tool", step.tool or ""),
            status=texts.word("returned", status),
            delegation=step.delegation,
        )
    chars = numbers.count(step.chars or 0)
    return texts(f"step.{step.unit}", no=step.no, chars=chars)


def read_words(read: ReadSaid, texts: Texts) -> str:
    """What one read says of a unit, or why it says nothing."""
    if read.presence is not None:
        return texts.word("presence", read.presence.value)
    return texts.word("read_status", read.status)


def _halves(step: Step) -> tuple[str, str] | None:
    both = (step.first.presence, step.mirror.presence)
    if step.reason is not UnknownReason.MIRROR_DISAGREEMENT or None in both:
        return None
    return (str(both[0]), str(both[1]))


def quotes_of(step: Step, texts: Texts, text_of: TextOf | None) -> list[Quote]:
    """Words that carried the label: those a read copied from the request, or the paragraphs of
    the main advice that it found in the document."""
    if step.unit == "request":
        return _once([(one, one.quote) for one in step.evidence if one.quote], texts)
    if text_of is None or step.text_sha256 is None:
        return []
    chosen = _carrying(step.evidence)
    parts = _paragraphs(text_of(step.text_sha256)) if chosen else {}
    return _once([(one, _item_text(one, parts)) for one in chosen], texts)


def _carrying(evidence: Sequence[Evidence]) -> list[Evidence]:
    """Main advice with a direction, so many of each read; without any, main advice without one."""
    main = [one for one in evidence if one.main]
    turned = [one for one in main if one.presence not in (Presence.NEITHER, Presence.UNKNOWN)]
    kept: list[Evidence] = []
    for read in dict.fromkeys(one.read for one in evidence):
        kept += [one for one in (turned or main) if one.read is read][:QUOTES]
    return kept


def _paragraphs(text: str) -> Mapping[int, str]:
    return {p.no: p.text for p in segment(text)}


def _item_text(one: Evidence, parts: Mapping[int, str]) -> str:
    numbered = [f"¶{no} {' '.join(parts.get(no, '').split())}" for no in one.paragraphs]
    return " ".join([*([f"{one.entity}:"] if one.entity else []), *numbered])


def _once(found: Sequence[tuple[Evidence, str]], texts: Texts) -> list[Quote]:
    """What both reads point to alike stands once."""
    by: dict[tuple[str, str], list[str]] = {}
    for one, text in found:
        reads = by.setdefault((one.presence.value, text), [])
        if one.read.value not in reads:
            reads.append(one.read.value)
    return [
        Quote(
            read=texts("run.both_reads" if len(reads) > 1 else f"run.{reads[0]}"),
            presence=presence,
            said=texts.word("presence", presence),
            text=shown(text, QUOTE_CHARS),
        )
        for (presence, text), reads in by.items()
    ]
