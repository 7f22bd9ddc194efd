"""Markdown, tags, addresses, footnote marks and list numbers taken out, by docs/definitions.md.

Each step goes over the whole text from left to right, in a fixed order.
"""

from collections.abc import Callable

Step = Callable[[str, int], tuple[int, str] | None]
"""At a place of a text: where what is taken out ends and what is left of it; none to go on."""

_BLANKS = " \t>"
_NUMBER_ENDS = ".)、．）"
_JOINERS = "\u00ad\u200c\u200d\u2060\ufeff" + "".join(map(chr, range(0xFE00, 0xFE10)))
_ASCII = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
_LETTERS = _ASCII | frozenset("\u017f\u212a\u0130\u0131")
"""With those that are one of a to z in another case."""
_LAST = _LETTERS | frozenset("0123456789#%&+-/=_~")
_OF_ADDRESS = _LAST | frozenset("!$'()*,.:;?@^|")
_SCHEMES = ("https://", "http://", "ftp://", "www.")
_TAG, _ASIDE = 200, 40
"""Most characters inside of a tag, and on either side of † in a footnote mark."""


def without_markup(text: str) -> str:
    """`text` with its lines, punctuation and the number signs of headings left."""
    text = "\n".join("" if _is_fence(line) else line for line in text.split("\n"))
    text = _walked(text, "<", _tag)
    text = _walked(text, "![", _link)
    text = _walked(text, "hHfFwW", _address)
    text = _walked(text, "[【0123456789#*", _mark)
    text = "\n".join(map(_without_number, text.split("\n")))
    text = _walked(text, "*", _star)
    return text.translate(dict.fromkeys(map(ord, _JOINERS)))


def _walked(text: str, begins: str, step: Step) -> str:
    """A text with all taken out that a step takes; it is tried where one of `begins` stands."""
    if not any(sign in text for sign in begins):
        return text
    out: list[str] = []
    at = kept = 0
    while at < len(text):
        taken = step(text, at) if text[at] in begins else None
        if taken is None:
            at += 1
        else:
            out += (text[kept:at], taken[1])
            at = kept = taken[0]
    return "".join(out) + text[kept:]


def _is_fence(line: str) -> bool:
    return line.lstrip(_BLANKS).startswith(("```", "~~~"))


def _tag(text: str, at: int) -> tuple[int, str] | None:
    name = at + 2 if text.startswith("/", at + 1) else at + 1
    if text[name : name + 1] not in _ASCII:
        return None
    end = text.find(">", name)
    inside = text[name + 1 : end]
    good = end >= 0 and len(inside) <= _TAG and "<" not in inside and "\n" not in inside
    return (end + 1, " ") if good else None


def _link(text: str, at: int) -> tuple[int, str] | None:
    """[said](address "title"), or with ! before; what it says is left."""
    start = at + 1 if text[at] == "!" else at
    if not text.startswith("[", start):
        return None
    closed = text.find("](", start)
    said = text[start + 1 : closed]
    if closed < 0 or any(sign in said for sign in "[]\n"):
        return None
    end = _past_target(text, closed + 2)
    title = _past_title(text, end)
    ends = [e for e in (title, end) if e is not None and text.startswith(")", e)]
    return (ends[0] + 1, said) if ends else None


def _past_target(text: str, at: int) -> int:
    """Past what is no blank and no bracket, brackets that close again within it excepted."""
    while at < len(text):
        if text[at] == "(":
            closed = text.find(")", at)
            inside = text[at + 1 : closed]
            if closed < 0 or "(" in inside or any(c.isspace() for c in inside):
                break
            at = closed + 1
        elif text[at] == ")" or text[at].isspace():
            break
        else:
            at += 1
    return at


def _past_title(text: str, at: int) -> int | None:
    start = at
    while text[start : start + 1] in (" ", "\t"):
        start += 1
    if start == at or not text.startswith('"', start):
        return None
    end = text.find('"', start + 1)
    return None if end < 0 or "\n" in text[start:end] else end + 1


def _address(text: str, at: int) -> tuple[int, str] | None:
    """A web address up to its last character that may end one."""
    if at and text[at - 1] in _LETTERS:
        return None
    head = text[at : at + 8].lower().replace("\u017f", "s")
    scheme = next((s for s in _SCHEMES if head.startswith(s)), None)
    if scheme is None:
        return None
    end = first = at + len(scheme)
    while end < len(text) and text[end] in _OF_ADDRESS:
        end += 1
    while end > first and text[end - 1] not in _LAST:
        end -= 1
    return (end, " ") if end > first else None


def _mark(text: str, at: int) -> tuple[int, str] | None:
    """[1], [^1], 【1†source】, or a keycap."""
    if text[at] == "[":
        number = at + 2 if text.startswith("^", at + 1) else at + 1
        end = text.find("]", number, number + 4)
        return (end + 1, " ") if end > number and text[number:end].isdecimal() else None
    if text[at] == "【":
        end = text.find("】", at)
        inside = text[at + 1 : end]
        good = end >= 0 and "\n" not in inside and any(
            c == "†" and i <= _ASIDE and len(inside) - i - 1 <= _ASIDE for i, c in enumerate(inside)
        )  # fmt: skip
        return (end + 1, " ") if good else None
    after = at + 2 if text.startswith("\ufe0f", at + 1) else at + 1
    return (after + 1, " ") if text.startswith("\u20e3", after) else None


def _without_number(line: str) -> str:
    """A line without the number of a list item, of up to three digits."""
    bare = line.lstrip(_BLANKS)
    digits = len(bare) - len(bare.lstrip("".join(c for c in set(bare) if c.isdecimal())))
    after = bare[digits + 1 : digits + 2]
    if 1 <= digits <= 3 and bare[digits : digits + 1] in tuple(_NUMBER_ENDS):
        return line if after.isdecimal() else bare[digits + 1 :].lstrip(" \t")
    return line


def _star(text: str, at: int) -> tuple[int, str] | None:
    """Emphasis; a single star between two digits multiplies."""
    end = at
    while text.startswith("*", end):
        end += 1
    times = end == at + 1 and text[at - 1 : at].isdecimal() and text[end : end + 1].isdecimal()
    return None if times else (end, "")
