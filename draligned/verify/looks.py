"""What can be seen of a packet, apart from reading it: counted once, for the check of blinding."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from draligned.verify.design import Card

_CONTENT = ("requests", "paragraphs")


@dataclass(frozen=True, slots=True)
class Look:
    """One packet as its first reader saw it; what is said of P and Q is what this check knows
    and the evaluator does not."""

    packet_id: str
    kind: str
    factor_id: str
    alpha_is_p: bool
    shell: int
    """Characters of the messages that are not content: prompts, axis, endpoints."""
    n_parts: int
    """Requests or paragraphs."""
    n_chars: int
    """Characters of content."""
    p_words: int
    q_words: int
    """Occurrences of either endpoint's public words in the content."""
    p_said: bool
    q_said: bool
    """Whether the content repeats an endpoint's sentence word for word."""


def look(packet_id: str, messages: list[dict[str, Any]], card: Card, alpha: str) -> Look:
    """`messages`: the archived ones."""
    instruction, _, written = messages[-1]["text"].partition("\n")
    body = json.loads(written)
    parts = [part for name in _CONTENT for part in body.get(name, ())]
    shell = {name: value for name, value in body.items() if name not in _CONTENT}
    content = "\n".join(str(p["request"] if "request" in p else p["text"]) for p in parts)
    ends = card.ends
    return Look(
        packet_id=packet_id,
        kind=body["kind"],
        factor_id=card.factor_id,
        alpha_is_p=alpha == "P",
        shell=len(messages[0]["text"]) + len(instruction) + len(json.dumps(shell)),
        n_parts=len(parts),
        n_chars=len(content),
        p_words=_count(content, ends["P"].words),
        q_words=_count(content, ends["Q"].words),
        p_said=ends["P"].sentence in content,
        q_said=ends["Q"].sentence in content,
    )


def _count(text: str, words: Iterable[str]) -> int:
    return sum(text.count(word) for word in words)
