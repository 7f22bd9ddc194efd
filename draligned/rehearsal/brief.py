"""What a rehearsal agent understands of its first messages: task, language, endpoints."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from draligned.bench_data import lexicon
from draligned.bench_data.neutral import tells_nothing

Lang = Literal["zh", "en"]
_HEADS: dict[Lang, tuple[str, str, str]] = {
    "zh": ("任务：", "用户背景：", "用户情况："),
    "en": ("Task:", "User background:", "About the user:"),
}
_HANDED: dict[Lang, str] = {"zh": "上一阶段的材料：", "en": "Material from the stage before:"}
_QUOTED = re.compile("[“「『\"‘']([^“”「」『』\"‘’']{1,40})[”」』\"’']")


@dataclass(frozen=True, kw_only=True)
class Factor:
    """One told endpoint: its sentence and the words of both ends."""

    sentence: str
    own: tuple[str, ...]
    other: tuple[str, ...]
    """Empty where a hand-written sentence has no known counterfactual."""

    @property
    def words(self) -> tuple[str, ...]:
        """All words that a neutral text must not have."""
        return self.own + self.other


@dataclass(frozen=True, kw_only=True)
class TaskBrief:
    """A task as the agent sees it; no factors where nothing was told."""

    lang: Lang
    task: str
    factors: tuple[Factor, ...]
    told: str
    """The text that states the endpoints, to be repeated in a restatement."""
    handed: str = ""
    """What the stage before handed over, if there was one."""


@lru_cache(maxsize=2048)
def read_brief(user_texts: tuple[str, ...]) -> TaskBrief:
    """Read the user messages: the first holds the task, the last the endpoints (Q6).

    What a stage before handed over stands ahead of the task and is no part of it.
    """
    opening = user_texts[0] if user_texts else ""
    lang = language_of(opening)
    handed, first = split_handed(opening)
    task_head, background_head, told_head = _HEADS[lang]
    task, _, rest = first.partition(f"\n\n{background_head}\n")
    task = task.removeprefix(f"{task_head}\n").strip()
    _, found, told = (rest or first).rpartition(f"{told_head}\n")
    if not found:
        told = _told_later(user_texts[1:], f"{told_head}\n")
    told = told.strip()
    factors = read_factors(told, lang)
    return TaskBrief(lang=lang, task=task, factors=factors, told=told, handed=handed)


def _told_later(texts: Sequence[str], head: str) -> str:
    """The endpoints of a later turn: the last one with their heading, else the last one."""
    headed = [text.removeprefix(head) for text in texts if text.startswith(head)]
    return (headed or [*texts] or [""])[-1]


def split_handed(text: str) -> tuple[str, str]:
    """What a stage before handed over, and the message that follows it; both may be empty."""
    lang = next((x for x, head in _HANDED.items() if text.startswith(f"{head}\n")), None)
    if lang is None:
        return "", text
    body = text[len(_HANDED[lang]) :]
    handed, found, message = body.rpartition(f"\n\n{_HEADS[lang][0]}\n")
    return (handed[1:], found[2:] + message) if found else (body[1:], "")


def ahead_of_message(text: str, lang: Lang) -> str:
    """What stands ahead of the user's message in a text; all of it where there is no message."""
    return text.partition(f"\n\n{_HEADS[lang][0]}\n")[0]


def language_of(text: str) -> Lang:
    """Chinese where the template or a tenth of the characters is, else English."""
    for lang, heads in _HEADS.items():
        if text.startswith((heads[0], _HANDED[lang])):
            return lang
    han = sum("\u4e00" <= c <= "\u9fff" for c in text)
    return "zh" if han * 10 > len(text) else "en"


def read_factors(told: str, lang: Lang) -> tuple[Factor, ...]:
    """The endpoints stated in `told`: known sentences first, else one from its words."""
    if not told or tells_nothing(told):
        return ()
    entries = lexicon.find_all(told, lang)
    if not entries:
        single = lexicon.find(told, lang)
        entries = (single,) if single else ()
    if entries:
        return tuple(Factor(sentence=told, own=e.own, other=e.other) for e in entries)
    return (Factor(sentence=told, own=(_value_in(told),), other=()),)


def _value_in(sentence: str) -> str:
    """The value of a hand-written sentence: its last quoted term, else what follows a colon."""
    quoted = _QUOTED.findall(sentence)
    if quoted:
        return str(quoted[-1])
    body = re.split("[:：]", sentence)[-1].strip(" 。.!！")
    return body.split()[-1] if " " in body else body[-6:]
