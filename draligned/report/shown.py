"""Untrusted text made fit to be shown: as text, with what is invisible made visible, cut to
a stated length. Escaping for HTML is the template's part (autoescape)."""

import re
from dataclasses import dataclass

REQUEST_CHARS = 600
MESSAGE_CHARS = 1_200

_HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e"
    "\u2060-\u206f\ud800-\udfff\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
)


@dataclass(frozen=True, kw_only=True)
class Shown:
    """Text to show. `kept` of `chars` characters are here."""

    text: str
    kept: int
    chars: int

    @property
    def is_cut(self) -> bool:
        """Whether something is left out."""
        return self.kept < self.chars


def reveal(text: str) -> str:
    """Controls, bidi marks and lone surrogates written out as ⟨U+…⟩."""
    return _HIDDEN.sub(_name, text)


def shown(text: str, limit: int) -> Shown:
    """The first `limit` characters, with controls, bidi marks and lone surrogates visible.

    Line feeds and tabs stay; joiners inside emoji and scripts that need them stay.
    """
    kept = text[:limit].replace("\r\n", "\n")
    return Shown(text=reveal(kept), kept=min(len(text), limit), chars=len(text))


def _name(found: re.Match[str]) -> str:
    return f"⟨U+{ord(found.group()):04X}⟩"
