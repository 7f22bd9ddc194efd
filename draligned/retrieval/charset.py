"""Bytes to text by the web's order: byte-order mark, header, meta, detection (hard case 13)."""

import codecs
import re
from collections.abc import Iterator
from typing import NamedTuple

SUSPECT_SHARE = 0.02
"""Share of replacement characters among the non-ASCII ones above which a label is not believed."""

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_AS_READ = {
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "hz": "gb18030",
    "big5": "big5hkscs",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
    "ascii": "cp1252",
    "iso8859-1": "cp1252",
    "iso8859-9": "cp1254",
    "iso8859-11": "cp874",
    "tis-620": "cp874",
    "utf-16": "utf-16-le",
}
"""What browsers read a label as: the superset in use, by the codec's own name."""
_GB_LABELS = frozenset({"x-gbk", "gb_2312-80", "gb2312-80", "csgb2312", "gb18030-2000"})
_UNICODE = {"utf-8", "utf-16-le", "utf-16-be"}
_EAST_ASIAN = {"gb18030", "big5hkscs", "cp932", "euc_jp", "iso2022_jp", "cp949"}
_ONE_BYTE = {"koi8-r", "koi8-u", "cp866", "cp874", "mac-roman", "mac-cyrillic"}
_NUMBERED = {f"iso8859-{n}" for n in (*range(2, 9), 10, 13, 14, 15, 16)}
_WINDOWS = {f"cp{n}" for n in range(1250, 1259)}
_READABLE = frozenset(_UNICODE | _EAST_ASIAN | _ONE_BYTE | _NUMBERED | _WINDOWS)
"""The charsets browsers know; Python's other codecs (punycode, escapes) are none of a page."""
_META = re.compile(rb"<meta[^>]{0,400}?charset\s*=\s*[\"']?\s*([A-Za-z0-9_:.-]+)", re.IGNORECASE)
_XML = re.compile(rb"\A\s*<\?xml[^>]{0,200}?encoding\s*=\s*[\"']([A-Za-z0-9_.-]+)")
_HEADER = re.compile(r"charset\s*=\s*[\"']?\s*([A-Za-z0-9_:.-]+)", re.IGNORECASE)
_META_WITHIN = 65_536
_FOREIGN = re.compile(rb"[\x80-\xff]")
_RUNS = re.compile(rb"[\x80-\xff]+")
_FEW_BYTES = 6
_SURE_BYTES = 24
_ENOUGH_BYTES = 80
_SAMPLE = 8_000

_DETECTABLE = ("gb18030", "big5hkscs", "cp932", "euc_jp", "cp949")
_FREQUENT = frozenset(
    "的一是不了在有人这中大为上个国我以要他时来用们生到作地于出就分对成会可主发年动同工也能下过子说产种面而方后"
    "這為個國時來們於對會發動過說產種麼還沒後從將與長實現學開關問題書見車東經"
    "のにはをたがでてとしれさいるなもあこ"
    "이다는을의에가하고를한은로지도사기서"
)


class Decoded(NamedTuple):
    """A page's text, the codec that gave it, where its name came from, and how clean it is."""

    text: str
    charset: str
    source: str
    replaced: float
    """Share of replacement characters among the non-ASCII ones, 0 to 1; under a Western charset,
    also of those that no Western text holds."""


def header_charset(content_type: str) -> str:
    """The charset named in a Content-Type header, as written; empty when none is."""
    found = _HEADER.search(content_type)
    return found.group(1) if found else ""


def decode(body: bytes, content_type: str, *, complete: bool = True) -> Decoded:
    """Decode a page.

    The first label that gives clean text is taken; when none does, the first label (or, without
    labels, detection) stands and `replaced` shows how bad it is. `complete` is False for a body
    that was cut, whose last character may be half.
    """
    first: Decoded | None = None
    for source, charset in _labels(body, content_type):
        decoded = _read(body, charset, source, complete)
        if decoded.replaced <= SUSPECT_SHARE and not _is_mislabelled(body, charset, complete):
            return decoded
        first = first or decoded
    guess = _read(body, _detected(body, complete), "detection", complete)
    return guess if first is None or guess.replaced <= SUSPECT_SHARE else first


def codec_of(label: str) -> str | None:
    """Name of the codec a browser would use for `label`; None for any other label."""
    if label.lower() in _GB_LABELS:
        return "gb18030"
    try:
        name = codecs.lookup(label).name
    except (LookupError, ValueError):
        return None
    codec = _AS_READ.get(name, name)
    return codec if codec in _READABLE else None


def _labels(body: bytes, content_type: str) -> Iterator[tuple[str, str]]:
    for mark, charset in _BOMS:
        if body.startswith(mark):
            yield "bom", charset
    named = [("header", header_charset(content_type))]
    for pattern in (_XML, _META):
        found = pattern.search(body, 0, _META_WITHIN)
        named.append(("meta", found.group(1).decode("ascii") if found else ""))
    for source, label in named:
        codec = codec_of(label)
        if codec is not None:
            # A meta element that could be found as ASCII does not stand in UTF-16.
            in_utf16 = source == "meta" and codec.startswith("utf-16")
            yield source, "utf-8" if in_utf16 else codec


def _read(body: bytes, charset: str, source: str, complete: bool) -> Decoded:
    text = codecs.getincrementaldecoder(charset)("replace").decode(body, complete)
    text = text.removeprefix("\ufeff")
    bad = text.count("\ufffd")
    foreign = sum(1 for char in text if char > "\x7f") if bad else 1
    # Western letters are what any bytes give: what no Western page holds is mojibake, too.
    odd = _unwestern(body) if charset == "cp1252" else 0.0
    return Decoded(text, charset, source, max(bad / foreign, odd))


def _is_mislabelled(body: bytes, charset: str, complete: bool) -> bool:
    """Whether a label gives clean text that cannot be meant (what is called mojibake)."""
    if charset in _UNICODE or body.isascii():
        return False
    return _is_mislabelled_utf8(body, charset, complete) or _is_other_asian(body, charset)


def _is_other_asian(body: bytes, charset: str) -> bool:
    """Whether the bytes read as nothing under `charset` and well under an East Asian charset.

    Nearly all bytes of one of them are some characters of another, but never the frequent ones.
    """
    found = _FOREIGN.search(body)
    sample = body[found.start() : found.start() + _SAMPLE] if found else b""
    if len(_FOREIGN.findall(sample)) < _ENOUGH_BYTES or _likeness(sample, charset, False) > 0.08:
        return False
    return max(_likeness(sample, name, False) for name in _DETECTABLE) > 0.3


def _is_mislabelled_utf8(body: bytes, charset: str, complete: bool) -> bool:
    """Whether another label stands over text that only UTF-8 explains.

    Two Chinese characters in GBK may happen to be UTF-8; so many of them never are.
    """
    if not _fits(body, "utf-8", complete):
        return False
    return charset == "cp1252" or len(_FOREIGN.findall(body)) >= _SURE_BYTES


def _unwestern(body: bytes) -> float:
    """Share of the bytes that are no ASCII in runs of three and more, if most of them are.

    Western languages set accents on single letters; Cyrillic, Greek, Thai and others are runs.
    """
    runs = [len(run) for run in _RUNS.findall(body)]
    total, long = sum(runs), sum(length for length in runs if length >= 3)
    return long / total if total >= _FEW_BYTES and 2 * long > total else 0.0


def _is_common_chinese(body: bytes, complete: bool) -> bool:
    """Whether the bytes are the common characters of GB 2312 and little else.

    Of Western text, next to nothing is, so that a few of them in a short text are enough.
    """
    text = codecs.getincrementaldecoder("gb18030")("replace").decode(body, complete)
    foreign = [char for char in text if char > "\x7f"]
    common = sum(_is_level_one(char) for char in foreign)
    return common >= 3 and common >= 0.7 * len(foreign)


def _is_level_one(char: str) -> bool:
    """Whether a character is of the first level of GB 2312, in which the common ones stand."""
    code = char.encode("gb18030", "replace")
    return len(code) == 2 and 0xB0 <= code[0] <= 0xD7 and code[1] >= 0xA1


def _detected(body: bytes, complete: bool) -> str:
    if _read(body, "utf-8", "detection", complete).replaced <= SUSPECT_SHARE:
        return "utf-8"
    scores = {name: _likeness(body, name, complete) for name in _DETECTABLE}
    best = max(_DETECTABLE, key=lambda name: scores[name])
    if scores[best] > 0.08:
        return best
    return "gb18030" if _is_common_chinese(body, complete) else "cp1252"


def _fits(body: bytes, charset: str, complete: bool) -> bool:
    try:
        codecs.getincrementaldecoder(charset)("strict").decode(body, complete)
    except UnicodeDecodeError:
        return False
    return True


def _likeness(body: bytes, charset: str, complete: bool) -> float:
    """Share of the non-ASCII characters that are frequent ones, bad bytes counting against it."""
    text = codecs.getincrementaldecoder(charset)("replace").decode(body, complete)
    foreign = [char for char in text if char > "\x7f"]
    frequent = sum(char in _FREQUENT for char in foreign)
    bad = sum(char == "\ufffd" for char in foreign)
    return (frequent - bad) / len(foreign) if foreign else 0.0
