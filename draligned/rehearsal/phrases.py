"""The phrase bank of rehearsal agents, and filling of its slots in one pass."""

import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

_SLOT = re.compile(r"\{(w|v|t|told)\}")


@dataclass(frozen=True, kw_only=True)
class Phrases:
    """What an agent can say in one language."""

    stop_words: tuple[str, ...]
    """Words of a task that are no good in a query."""
    aspects: tuple[str, ...]
    fallback: str
    join: str
    title: str
    heads: tuple[str, ...]
    background: tuple[str, ...]
    restatement: str
    no_restatement: str
    main_lean: tuple[str, ...]
    main_both: tuple[str, ...]
    main_none: tuple[str, ...]
    secondary: tuple[str, ...]
    rejected: tuple[str, ...]
    third_party: tuple[str, ...]
    no_sources: str
    closing: str
    question: str
    notes: str
    """Heading of notes."""
    handing_over: str
    """What a stage says last whose draft is handed over."""
    absent: str
    """A passage that no text of the agent holds."""
    task_lead: str
    """First line of a sub-task."""
    task_search: str
    task_read: str
    """Lines of a sub-task, by the tool that each asks for."""
    answer_lead: str
    answer_empty: str
    """What a sub-task is answered with, by whether anything was found."""


@cache
def phrases(lang: str) -> Phrases:
    """The phrases of a language."""
    text = files(__package__).joinpath("phrases.toml").read_text("utf-8")
    fields: dict[str, Any] = tomllib.loads(text)[lang]
    packed: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in fields.items()}
    return Phrases(**packed)


def fill(template: str, **slots: str) -> str:
    """`template` with its slots filled in one pass: braces inside the values stay as they are."""
    return _SLOT.sub(lambda found: slots.get(found[1], found[0]), template)


def free_of(texts: Iterable[str], words: Iterable[str]) -> list[str]:
    """The texts that hold none of `words`, upper and lower case alike."""
    unwanted = [w.casefold() for w in words]
    return [t for t in texts if not any(w in t.casefold() for w in unwanted)]
