"""From a reply to its tag, strictly and with a JSON envelope taken off (SI-74, Q30).

The one marker parser of the gates reads both; only what stands around the tag differs. A tag at
the end of a line is the end of the message as much as one on a line of its own.
"""

import re
from collections.abc import Mapping
from typing import NamedTuple

from draligned.gates.marker_text import MarkerProblem, read_marker
from draligned.schema.progress import Stage
from draligned.schema.strictjson import loads
from draligned.schema.tau2 import TauMessage

TAG = "stage"
VALUES: Mapping[str, Stage] = {
    **{stage.wire: stage for stage in Stage},
    **{stage.value: stage for stage in Stage},
}
"""What a tag may hold: the values of StageIF on the wire, or their names."""
ENVELOPE_KEYS = ("message", "content", "text", "reply", "response")
HIDDEN_KEY, WHOLE_KEY = "stage_tag", "stage_reply"
"""Where a results file keeps a tag that the customer did not see, and the reply as it came."""
PLAIN = re.compile(r"[A-Za-z_]{1,32}")
"""Words of a file that tables may repeat: too plain to be a key of a provider."""
OTHER_KEY = "(other)"
_OPENED = re.compile(r"(`{3,}|~{3,})[^\n`]*\n")
_ENDING = re.compile(rf"<{TAG}>[^<>]*</{TAG}>\s*")


class TagReading(NamedTuple):
    """The stage that a reply names, or what is wrong with its tag: one of the two is set."""

    stage: Stage | None
    problem: MarkerProblem | None

    @property
    def present(self) -> bool:
        """Whether there is a tag at all, be it a broken one (Q33)."""
        return self.problem not in (MarkerProblem.ABSENT, MarkerProblem.OTHER_ENCODING)


class Unwrapped(NamedTuple):
    """A reply without its envelope, and the key that held it, `OTHER_KEY` where that is no plain
    word; null where there was none."""

    text: str
    key: str | None


def read_tag(text: str) -> TagReading:
    """The tag that ends a message; never raises, whatever `text` holds."""
    found = read_marker(_set_off(text), tuple(VALUES), "xml", TAG)
    return TagReading(None if found.value is None else VALUES[found.value], found.problem)


def _set_off(text: str) -> str:
    """The ending tag on a line of its own."""
    place = text.rfind(f"<{TAG}>")
    if place < 1 or _ENDING.fullmatch(text, place) is None:
        return text
    return f"{text[:place]}\n{text[place:]}"


def unwrap(text: str) -> Unwrapped:
    """Take off a JSON object around the whole reply, in a block of code or not.

    Its only string field is the reply, or the first of `ENVELOPE_KEYS`; anything else is left
    as it is.
    """
    body = _out_of_fence(text.strip()).strip()
    if not body.startswith("{"):
        return Unwrapped(text, None)
    try:
        held = loads(body)
    except ValueError:
        return Unwrapped(text, None)
    strings = [key for key, value in held.items() if isinstance(value, str)]
    key = (
        strings[0] if len(strings) == 1 else next((k for k in ENVELOPE_KEYS if k in strings), None)
    )
    if key is None:
        return Unwrapped(text, None)
    return Unwrapped(held[key], key if PLAIN.fullmatch(key) else OTHER_KEY)


def _out_of_fence(text: str) -> str:
    """What a block of code holds, where it is all of a text."""
    opened = _OPENED.match(text)
    if opened is None or not text.endswith(opened[1], opened.end()):
        return text
    return text[opened.end() : -len(opened[1])]


def reply_of(message: TauMessage) -> str:
    """What the agent wrote: with the tag that was kept from the customer, if one was."""
    kept = message.raw_data or {}
    whole, tag = kept.get(WHOLE_KEY), kept.get(HIDDEN_KEY)
    if isinstance(whole, str):
        return whole
    said = message.content or ""
    return f"{said}\n{tag}" if isinstance(tag, str) else said
