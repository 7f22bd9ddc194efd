"""The text of a PDF. Runs in the worker (see `workshop`), whose limits hold whatever it meets."""

import io
from collections.abc import Iterator
from typing import TYPE_CHECKING

from draligned.retrieval.extract import Part, clean
from draligned.schema.retrieval import ReturnStatus

if TYPE_CHECKING:
    from pypdf import PdfReader


def pdf_text(body: bytes, max_pages: int, max_chars: int) -> Part:
    """Title and text of `body`, up to so many pages and characters.

    PDF_ENCRYPTED where a password is wanted, PDF_NO_TEXT where no page holds text (scans),
    TYPE_MISMATCH where the file is damaged beyond reading.
    """
    from pypdf.errors import PyPdfError

    try:
        return _read(body, max_pages, max_chars)
    except (PyPdfError, ValueError, KeyError, TypeError, AttributeError, IndexError) as error:
        return _damaged(error)
    except (RecursionError, NotImplementedError, AssertionError, OverflowError) as error:
        return _damaged(error)


def _damaged(error: Exception) -> Part:
    why = f"the PDF is damaged ({type(error).__name__})"
    return Part(status=ReturnStatus.TYPE_MISMATCH, detail=why)


def _read(body: bytes, max_pages: int, max_chars: int) -> Part:
    from pypdf import PdfReader

    reader = PdfReader(io.BytesIO(body), strict=False)
    if reader.is_encrypted and not _opened(reader):
        return Part(status=ReturnStatus.PDF_ENCRYPTED, detail="a password is wanted")
    pages = len(reader.pages)
    text, broken = _pages_text(reader, min(pages, max_pages), max_chars)
    more = pages > max_pages or len(text) > max_chars
    title = _title(reader)
    if text.strip():
        detail = f"{broken} pages of the PDF cannot be read" if broken else ""
        return Part(title=title, text=text[:max_chars], truncated=more, detail=detail)
    if pages and broken == min(pages, max_pages):
        return Part(status=ReturnStatus.TYPE_MISMATCH, detail="the PDF is damaged (its pages)")
    return Part(status=ReturnStatus.PDF_NO_TEXT, title=title, detail=f"{pages} pages without text")


def _opened(reader: "PdfReader") -> bool:
    """Whether it opens without a password, as viewers try."""
    from pypdf.errors import DependencyError

    try:
        return bool(reader.decrypt(""))
    except (DependencyError, NotImplementedError):
        return False


def _pages_text(reader: "PdfReader", pages: int, max_chars: int) -> tuple[str, int]:
    """Text of the first `pages` and how many of them cannot be read."""
    parts: list[str] = []
    chars = broken = 0
    for part in _each_page(reader, pages):
        if part is None:
            broken += 1
        elif part:
            parts.append(part)
            chars += len(part) + 2
        if chars > max_chars:
            break
    return "\n\n".join(parts), broken


def _each_page(reader: "PdfReader", pages: int) -> Iterator[str | None]:
    for number in range(pages):
        try:
            yield clean(reader.pages[number].extract_text()).strip()
        except MemoryError:
            raise
        except Exception:  # one page no parser survives; the others may be sound
            yield None


def _title(reader: "PdfReader") -> str:
    try:
        found = reader.metadata.title if reader.metadata else None
    except Exception:  # a damaged title is no title
        return ""
    return " ".join(clean(found).split()) if isinstance(found, str) else ""
