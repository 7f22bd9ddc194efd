"""What counts as the text of a file, and how one place in it is replaced."""

from draligned.schema.errors import WorkspaceRefusal
from draligned.schema.refusals import RefusalReason


def as_text(data: bytes, path: str) -> str:
    """UTF-8 without NUL, or a refusal."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        raise WorkspaceRefusal(RefusalReason.NOT_TEXT, path) from None
    if "\0" in text:
        raise WorkspaceRefusal(RefusalReason.NOT_TEXT, path)
    return text


def as_bytes(text: str, path: str | None, limit: int) -> bytes:
    """The UTF-8 of a text without NUL and lone surrogates, of at most `limit` bytes."""
    try:
        data = text.encode("utf-8")
    except UnicodeEncodeError:
        raise WorkspaceRefusal(RefusalReason.NOT_TEXT, path) from None
    if b"\0" in data:
        raise WorkspaceRefusal(RefusalReason.NOT_TEXT, path)
    if len(data) > limit:
        raise WorkspaceRefusal(RefusalReason.TOO_LARGE, path)
    return data


def replaced(text: str, old: str, new: str, path: str) -> str:
    """`text` with its one `old` replaced; places that overlap count as several."""
    first = text.find(old)
    if first < 0:
        raise WorkspaceRefusal(RefusalReason.OLD_TEXT_MISSING, path)
    if text.find(old, first + 1) >= 0:
        raise WorkspaceRefusal(RefusalReason.OLD_TEXT_NOT_UNIQUE, path)
    return text[:first] + new + text[first + len(old) :]
