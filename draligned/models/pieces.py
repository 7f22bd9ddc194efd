"""Parts of a body as bytes, encoded once and kept as long as what they were made from lives.

The history goes out again with every turn. What a turn may cost for it is one look-up a
message and the joining of the bytes; everything else is paid when a message first appears.
"""

import hashlib
import weakref
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import Any, Generic, NamedTuple, TypeVar

from draligned.models.tokens import CharCount, count_chars
from draligned.schema.base import Record
from draligned.schema.strictjson import clean_text, dumps

R = TypeVar("R", bound=Record)


class Piece(NamedTuple):
    """Part of a body: a JSON value, or elements of an array with the commas between them."""

    body: bytes
    chars: CharCount
    sha256: bytes


class EncodedRequest(NamedTuple):
    """A body ready to be sent."""

    body: bytes
    tokens: int
    """Of the body, estimated."""
    sha256: str
    """Of the request, over the hashes of its parts: equal for equal bodies alone."""


class PieceCache(Generic[R]):
    """The elements that records are in an array, by identity: a frozen record has one piece.

    To compare by value would cost more than encoding a small message, and the history is
    handed on as the same objects. A piece goes with its record.
    """

    def __init__(self, encode: Callable[[R], Sequence[Any]]) -> None:
        self._encode = encode
        self._pieces: dict[int, tuple[weakref.ref[R], Piece]] = {}

    def __len__(self) -> int:
        return len(self._pieces)

    def of(self, record: R) -> Piece:
        """The piece of `record`."""
        known = self._pieces.get(id(record))
        if known is not None and known[0]() is record:
            return known[1]
        key, pieces = id(record), self._pieces
        piece = _piece(dumps(self._encode(record))[1:-1])
        pieces[key] = (weakref.ref(record, lambda _: pieces.pop(key, None)), piece)
        return piece

    def array(self, records: Iterable[R]) -> Piece:
        """The JSON array of all their elements.

        Its hash is one over the hashes of the pieces, as those are not made again.
        """
        parts = [piece for record in records if (piece := self.of(record)).body]
        chars = CharCount(
            sum(p.chars.ascii for p in parts) + max(len(parts) - 1, 0) + 2,
            sum(p.chars.other for p in parts),
        )
        sha256 = hashlib.sha256(b"".join(p.sha256 for p in parts)).digest()
        return Piece(b"[%b]" % b",".join(p.body for p in parts), chars, sha256)


def piece_of(value: Any) -> Piece:
    """A value as JSON."""
    return _piece(dumps(value))


def join_body(fields: dict[str, Any]) -> EncodedRequest:
    """The body of these fields, in their order; a `Piece` among them is taken as it is."""
    named = [
        (_key(name), value if isinstance(value, Piece) else piece_of(value))
        for name, value in fields.items()
    ]
    chars = CharCount(
        sum(name.chars.ascii + value.chars.ascii + 2 for name, value in named) + 1,
        sum(name.chars.other + value.chars.other for name, value in named),
    )
    body = b"{%b}" % b",".join(b"%b:%b" % (name.body, value.body) for name, value in named)
    digest = hashlib.sha256(b"".join(name.sha256 + value.sha256 for name, value in named))
    return EncodedRequest(body, chars.tokens, digest.hexdigest())


@lru_cache(maxsize=256)
def _key(name: str) -> Piece:
    return piece_of(name)


def _piece(text: str) -> Piece:
    """Text that cannot be encoded is cleaned as at the text boundary."""
    try:
        body = text.encode("utf-8")
    except UnicodeEncodeError:
        text = clean_text(text).text
        body = text.encode("utf-8")
    return Piece(body, count_chars(text), hashlib.sha256(body).digest())
