"""Items of a document, read from its sentences by cue words (Q9).

Nothing here knows who wrote the document or why.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from draligned.rehearsal import cues
from draligned.rehearsal.sections import Section, Sentence
from draligned.rehearsal.words import Slots, find_words

_CLAUSE = re.compile(r"[，,；;]|\bbut\b|但是?")
_KEY_CHARS = 24


@dataclass(frozen=True, kw_only=True)
class Item:
    """One attitude to one thing; `direction` in the packet's slots."""

    key: str
    actor: str
    role: str
    action: str
    strength: str
    direction: str
    paragraph: int


def items_of(sentence: Sentence, slots: Slots, stated: tuple[str, ...]) -> Iterator[Item]:
    """Items of one sentence; `stated` are the endpoint sentences, for spotting a restatement."""
    text = sentence.text
    own = cues.OWN_TURN.search(text)
    restated = _restated(sentence, stated)
    if restated is not None:
        advice = cues.ADVICE.search(text, restated)
        if advice is None:
            yield _restatement(sentence)
            return
        text = text[advice.start() :]
    elif (third := cues.THIRD_PARTY.search(text)) and (own is None or own.start() < third.start()):
        yield _third_party(sentence, slots)
        return
    elif own and third:
        text = text[own.start() :]
    yield from _own_items(sentence, text, slots)


def _restated(sentence: Sentence, stated: tuple[str, ...]) -> int | None:
    """Where a restatement of the user's facts ends, if the sentence has one."""
    for fact in stated:
        at = sentence.text.find(fact)
        if at >= 0:
            return at + len(fact)
    match = cues.RESTATEMENT.search(sentence.text)
    if match:
        return match.end()
    return 0 if sentence.section is Section.USER else None


def _restatement(sentence: Sentence) -> Item:
    return Item(
        key=_key(sentence.text, ""),
        actor="USER_RESTATEMENT",
        role="BACKGROUND",
        action="MENTION",
        strength="UNKNOWN",
        direction="NEITHER",
        paragraph=sentence.paragraph,
    )


def _third_party(sentence: Sentence, slots: Slots) -> Item:
    direction, quote = direction_of(sentence.text, slots)
    return Item(
        key=_key(sentence.text, quote),
        actor="THIRD_PARTY",
        role="BACKGROUND",
        action="RECOMMEND" if cues.ADVICE.search(sentence.text) else "MENTION",
        strength="UNKNOWN",
        direction=direction,
        paragraph=sentence.paragraph,
    )


def _own_items(sentence: Sentence, text: str, slots: Slots) -> Iterator[Item]:
    """Advice of the author, for and against; or a mention where nothing is advised."""
    accepted, rejected = split_attitudes(text)
    pointed = sentence.listed or bool(find_words(text, slots).quote)
    implied = sentence.section is Section.MAIN and pointed and not rejected
    if accepted or implied:
        yield _advice(sentence, accepted or text, slots)
    if rejected:
        yield _rejection(sentence, rejected, slots)
    if not accepted and not implied and not rejected:
        yield from _mention(sentence, text, slots)


def split_attitudes(text: str) -> tuple[str, str]:
    """The pieces advised and the pieces advised against.

    A clause without a cue goes with the one before it; at the start, with the one after.
    """
    pieces: dict[str, list[str]] = {"for": [], "against": []}
    waiting: list[str] = []
    current: str | None = None
    for clause in _CLAUSE.split(text):
        bare = clause.strip()
        if cues.REJECTION.search(bare):
            current = "against"
        elif cues.ADVICE.search(bare):
            current = "for"
        if current is None:
            waiting.append(bare)
        else:
            pieces[current] += [*waiting, bare]
            waiting = []
    return "，".join(pieces["for"]), "，".join(pieces["against"])


def _advice(sentence: Sentence, text: str, slots: Slots) -> Item:
    direction, quote = direction_of(cues.CONTRAST.sub("", text), slots)
    strength = _strength(sentence.text)
    return Item(
        key=_key(text, quote),
        actor="AGENT",
        role=_role(sentence.section, strength),
        action="CONDITION" if cues.CONDITION.search(sentence.text) else "RECOMMEND",
        strength=strength,
        direction=direction,
        paragraph=sentence.paragraph,
    )


def _rejection(sentence: Sentence, text: str, slots: Slots) -> Item:
    direction, quote = direction_of(text, slots)
    return Item(
        key=_key(text, quote),
        actor="AGENT",
        role=_role(sentence.section, "FIRM"),
        action="REJECT",
        strength="FIRM",
        direction=direction,
        paragraph=sentence.paragraph,
    )


def _mention(sentence: Sentence, text: str, slots: Slots) -> Iterator[Item]:
    direction, quote = direction_of(text, slots)
    if direction != "NEITHER":
        yield Item(
            key=_key(text, quote),
            actor="AGENT",
            role="BACKGROUND",
            action="MENTION",
            strength="UNKNOWN",
            direction=direction,
            paragraph=sentence.paragraph,
        )


def _strength(text: str) -> str:
    if cues.OPTION.search(text):
        return "OPTION"
    return "HEDGED" if cues.HEDGE.search(text) else "FIRM"


def _role(section: Section, strength: str) -> str:
    if section is Section.BACKGROUND:
        return "BACKGROUND"
    return "SECONDARY" if section is Section.SECONDARY or strength == "OPTION" else "MAIN"


def direction_of(text: str, slots: Slots) -> tuple[str, str]:
    """Direction of a text by its words, and the words as they stand there."""
    found = find_words(text, slots)
    names = {
        (True, True): "BOTH",
        (True, False): "SLOT1",
        (False, True): "SLOT2",
        (False, False): "NEITHER",
    }
    return names[found.alpha, found.beta], found.quote


def _key(text: str, quote: str) -> str:
    """A short name of the thing: the words found, else how the sentence begins."""
    return " ".join((quote or text).split())[:_KEY_CHARS] or "…"
