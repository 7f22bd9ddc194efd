"""How much of an answer is read."""

from draligned.schema.base import Record


class ReadLimits(Record):
    """Caps of one read. What exceeds a cap is cut and the answer says so."""

    wire_bytes: int = 2_000_000
    """Bytes received, before decompression."""
    body_bytes: int = 4_000_000
    """Bytes after decompression, and after each layer of it."""
    seconds: float = 20.0
    """The whole exchange, redirects included."""
    text_chars: int = 40_000
    """Characters of extracted text."""
    redirects: int = 5
