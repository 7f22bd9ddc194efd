"""A document without markup and addresses, its characters in one form (Q14)."""

import html
import re
import unicodedata

_FENCE = re.compile(r"(?m)^[ \t>]*(?:`{3,}|~{3,})[^\n]*$")
_TAG = re.compile(r"</?[a-zA-Z][^<>\n]{0,200}>")
_LINK = re.compile(r"!?\[([^\[\]\n]*)\]\((?:[^()\s]|\([^()\s]*\))*+(?:[ \t]+\"[^\"\n]*\")?\)")
_URL = re.compile(r"(?i)(?<![a-z])(?:https?://|ftp://|www\.)[!#-;=?-Z^_a-z|~]*[#%&+\-/-9=A-Z_a-z~]")
"""Up to the first character that is not of an address; Chinese text may follow without a blank."""
_MARK = re.compile(r"\[\^?\d{1,3}\]|【[^】\n]{0,40}†[^】\n]{0,40}】|[0-9#*]\ufe0f?\u20e3")
_NUMBER = re.compile(r"(?m)^[ \t>]*\d{1,3}[.)、．）](?!\d)[ \t]*")
_STAR = re.compile(r"\*(?:\*+|(?!\d)|(?<!\d\*))")
"""Emphasis, which parts no word; 2*3 keeps its sign."""
_JOINERS = "\u00ad\u200c\u200d\u2060\ufeff" + "".join(map(chr, range(0xFE00, 0xFE10)))
_JOIN = re.compile(f"[{_JOINERS}]+")
"""Soft hyphens, joiners and variation selectors: they part no word either."""


def prose(text: str) -> str:
    """`text` without Markdown, tags, addresses, footnote marks and list numbers, folded.

    Lines and punctuation stay, so do the `#` of headings. Folding: NFKC (full-width and composed
    forms), letters in one case, one apostrophe. Any string is accepted.
    """
    for pattern, left, signs in _STEPS:
        if any(sign in text for sign in signs):
            text = pattern.sub(left, text)
    return folded(html.unescape(text) if "&" in text else text)


_STEPS = (
    (_FENCE, "", ("```", "~~~")),
    (_TAG, " ", "<"),
    (_LINK, r"\1", ("](",)),
    (_URL, " ", ("://", "w.", "W.")),
    (_MARK, " ", "[【\u20e3"),
    (_NUMBER, "", ".)、．）"),
    (_STAR, "", "*"),
    (_JOIN, "", _JOINERS),
)
"""What is taken out, what stands in its place, and signs of which a text has one where it occurs:
they are looked for first, since most texts have none."""


def folded(text: str) -> str:
    """`text` in one form of its characters: NFC, NFD and full-width text become the same."""
    if text.isascii():
        return text.casefold()
    once = unicodedata.normalize("NFKC", text).casefold()
    return unicodedata.normalize("NFKC", once).replace("’", "'")
