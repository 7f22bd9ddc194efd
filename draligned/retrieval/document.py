"""From received bytes to a part of an answer: what kind, which charset, what text, what walls."""

from collections.abc import Callable

from draligned.retrieval.body import Cut
from draligned.retrieval.challenge import Wall, wall_of
from draligned.retrieval.charset import SUSPECT_SHARE, Decoded, decode
from draligned.retrieval.extract import Extracted, Part, clean, extract, opening
from draligned.retrieval.fetch import Fetched
from draligned.retrieval.kinds import Kind, kind_of
from draligned.retrieval.suspicion import flags_of
from draligned.retrieval.worker import Job
from draligned.retrieval.workshop import Workshop
from draligned.schema.config import ReadingConfig
from draligned.schema.retrieval import ReturnStatus

_INLINE_CHARS = 100_000
"""Larger documents are read by a worker, where they do not hold up other episodes."""
_TITLE_CHARS = 300
_BEFORE_SIZE = (ReturnStatus.BLOCKED, ReturnStatus.PDF_ENCRYPTED)
"""What a page is, whatever its size."""


async def part_of(
    fetched: Fetched, reading: ReadingConfig, workshop: Workshop, *, apart: bool = False
) -> Part:
    """What the body holds: a function of the bytes and how they were sent and cut.

    `apart` has small pages read by a worker as well, which pays where several are on their way.
    """
    kind = kind_of(fetched.body, fetched.content_type)
    if kind is Kind.PDF:
        part = await _pdf(fetched, reading, workshop)
    elif kind is Kind.OTHER:
        part = Part(status=ReturnStatus.TYPE_MISMATCH, detail="the address holds no text page")
    else:
        part = await _page(fetched, kind, reading, workshop, apart)
    return _finished(part, fetched.cut, reading, fetched.detail)


async def _pdf(fetched: Fetched, reading: ReadingConfig, workshop: Workshop) -> Part:
    part = await workshop.part(_job("pdf", fetched.body, reading), fetched.body)
    if part is not None:
        return part
    why = "the PDF exceeds the limits of time or memory"
    return Part(status=ReturnStatus.TOO_LARGE, detail=why)


async def _page(
    fetched: Fetched, kind: Kind, reading: ReadingConfig, workshop: Workshop, apart: bool
) -> Part:
    decoded = decode(fetched.body, fetched.content_type, complete=fetched.cut is None)
    if decoded.replaced > SUSPECT_SHARE:
        return Part(
            status=ReturnStatus.DECODE_SUSPECT, charset=decoded.charset, detail=_suspect(decoded)
        )
    if kind is not Kind.HTML:
        part = Part(text=clean(decoded.text))
    elif len(decoded.text) <= _INLINE_CHARS and not apart:
        part = _parsed(lambda: extract(decoded.text))
    else:
        part = await _large(decoded.text, fetched.cut, reading, workshop)
    wall = wall_of(part.title, part.text, decoded.text) if kind is Kind.HTML else None
    return (_walled(wall) if wall else part).model_copy(update={"charset": decoded.charset})


async def _large(html: str, cut: Cut | None, reading: ReadingConfig, workshop: Workshop) -> Part:
    if cut is None:
        body = html.encode("utf-8", "surrogatepass")
        part = await workshop.part(_job("html", body, reading), body)
        if part is not None:
            return part
    begun = await workshop.beside(lambda: _parsed(lambda: extract(opening(html))))
    if cut is None and begun.status is ReturnStatus.OK:
        why = "the page is too intricate; only its beginning was read"
        return begun.model_copy(
            update={"status": ReturnStatus.TOO_LARGE, "truncated": True, "detail": why}
        )
    return begun


def _parsed(parse: Callable[[], Extracted]) -> Part:
    try:
        page = parse()
    except Exception as error:  # a page no parser survives is a property of the page
        why = f"no parser reads it ({type(error).__name__})"
        return Part(status=ReturnStatus.NO_TEXT, detail=why)
    return Part(title=page.title, text=page.text)


def _walled(wall: Wall) -> Part:
    return Part(status=ReturnStatus.BLOCKED, detail=f"the site shows {wall} in place of the page")


def _finished(part: Part, cut: Cut | None, reading: ReadingConfig, detail: str) -> Part:
    """The part as it is answered: cut to size, with what the cut means, and flags."""
    whole = part.text if part.text.strip() else ""
    text = whole[: reading.text_chars]
    changes: dict[str, object] = {
        "title": part.title[:_TITLE_CHARS],
        "text": text,
        "truncated": part.truncated or cut is not None or len(text) < len(whole),
        "flags": flags_of(part.title, text),
    }
    if cut is Cut.BYTES and part.status not in _BEFORE_SIZE:
        changes |= {"status": ReturnStatus.TOO_LARGE, "detail": _too_large(part)}
    elif cut is not None:
        changes |= {"status": ReturnStatus.ERROR, "detail": detail}
    elif part.status is ReturnStatus.OK and not text:
        changes |= {"status": ReturnStatus.NO_TEXT, "detail": "no main text in the page"}
    return part.model_copy(update=changes)


def _too_large(part: Part) -> str:
    cut = "it exceeds the size limit and was cut"
    told = part.detail if part.status is ReturnStatus.TYPE_MISMATCH else ""
    return f"{told}; {cut}" if told else cut


def _job(kind: str, body: bytes, reading: ReadingConfig) -> Job:
    return Job(
        kind=kind,
        size=len(body),
        pages=reading.pdf_pages,
        chars=reading.text_chars,
        seconds=reading.extract_seconds,
    )


def _suspect(decoded: Decoded) -> str:
    share = f"{decoded.replaced:.0%}"
    return f"{share} of the non-ASCII characters are no {decoded.charset}"
