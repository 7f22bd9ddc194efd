"""The words of a sub-task: all that passes from an agent to the assistant it delegates to.

The assistant sees neither the conversation nor the plan. What its requests lean to, it has
from the sub-task, in plain words.
"""

from collections.abc import Sequence
from typing import Literal, NamedTuple

from draligned.rehearsal.brief import Lang, ahead_of_message
from draligned.rehearsal.phrases import fill, phrases

_HEADS: dict[Lang, str] = {"zh": "子任务：\n", "en": "Sub-task:\n"}
_NAMES: dict[Lang, str] = {"zh": "子任务", "en": "sub-task"}
_MOST = 60
"""Characters of a sub-task in free wording that serve as its query."""


class Errand(NamedTuple):
    """One point of a sub-task: a tool, and what to look for."""

    tool: Literal["search", "read"]
    query: str


class SubTask(NamedTuple):
    """A sub-task as its assistant understands it."""

    lang: Lang
    text: str
    errands: tuple[Errand, ...]
    """At least one; the first is a search."""


def write_sub_task(errands: Sequence[Errand], lang: Lang) -> str:
    """The text of a sub-task, one line a point."""
    bank = phrases(lang)
    templates = {"search": bank.task_search, "read": bank.task_read}
    lines = (fill(templates[e.tool], t=" ".join(e.query.split())) for e in errands)
    return "\n".join((bank.task_lead, *lines))


def read_sub_task(system: str, user_texts: Sequence[str]) -> SubTask | None:
    """The sub-task that a context is about; none where it is about something else.

    The user's message may follow it; the assistant goes by the sub-task alone.
    """
    for lang, head in _HEADS.items():
        if user_texts and user_texts[0].startswith(head) and _NAMES[lang] in system.casefold():
            text = ahead_of_message(user_texts[0][len(head) :], lang)
            return SubTask(lang, text, _errands(text, lang))
    return None


def _errands(text: str, lang: Lang) -> tuple[Errand, ...]:
    """The points of a text; free wording is searched for as it stands."""
    bank = phrases(lang)
    leads: tuple[tuple[Literal["search", "read"], str], ...] = (
        ("search", bank.task_search.partition("{t}")[0]),
        ("read", bank.task_read.partition("{t}")[0]),
    )
    found = [
        Errand(tool, line[len(lead) :].strip())
        for line in text.splitlines()
        for tool, lead in leads
        if line.startswith(lead) and line[len(lead) :].strip()
    ]
    if found and found[0].tool == "search":
        return tuple(found)
    whole = " ".join(text.split())[:_MOST] or bank.fallback
    return (Errand("search", whole), *found)


def write_answer(pages: Sequence[str], lang: Lang) -> str:
    """What an assistant answers, with the addresses of the pages it came upon."""
    bank = phrases(lang)
    if not pages:
        return bank.answer_empty
    return "\n".join((bank.answer_lead, *(f"- {url}" for url in pages)))
