"""Queries of a rehearsal agent: words of the task, an aspect, and words of an endpoint."""

import re
from collections.abc import Sequence
from functools import lru_cache

from draligned.rehearsal.brief import Factor, TaskBrief
from draligned.rehearsal.draws import Draws
from draligned.rehearsal.phrases import free_of, phrases
from draligned.rehearsal.steps import PlannedRequest

_ZH_SPLIT = re.compile("[\\s，。；：！？、,.;:!?（）()“”\"']+")
_ZH_LEAD = re.compile(
    "^(?:我|我们|请|帮我|帮忙|想要?|希望|打算|计划|需要|为我|给我|正在|如何|怎样)+"
)
_EN_WORD = re.compile(r"[A-Za-z][A-Za-z-]{3,}")
_EN_STOP = frozenset(phrases("en").stop_words)


def query_for(request: PlannedRequest, brief: TaskBrief, draws: Draws) -> str:
    """The query of a planned search. Nothing in it leans but what the plan says."""
    bank = phrases(brief.lang)
    unwanted = tuple(w for f in brief.factors for w in f.words)
    fragments = task_fragments(brief.task, brief.lang, unwanted) or (bank.fallback,)
    aspects = free_of(bank.aspects, unwanted) or [bank.fallback]
    start = draws.between(0, len(aspects) - 1, "aspect")
    aspect = aspects[(start + request.number) % len(aspects)]
    fragment = draws.pick(fragments[:3], "fragment", request.number)
    lead = lean_words(request.lean, brief.factors, request.factor, draws, request.number)
    return bank.join.join([*lead, fragment, aspect])


def lean_words(
    lean: str, factors: Sequence[Factor], index: int, draws: Draws, what: object
) -> list[str]:
    """Endpoint words for a leaning; none where the other end's words are not known."""
    if not factors or lean == "none":
        return []
    factor = factors[index]
    sides = {"own": [factor.own], "other": [factor.other], "both": [factor.own, factor.other]}[lean]
    if not all(sides):
        return []
    return [draws.pick(words, "word", what, i) for i, words in enumerate(sides)]


@lru_cache(maxsize=512)
def task_fragments(task: str, lang: str, unwanted: tuple[str, ...]) -> tuple[str, ...]:
    """Short pieces of the task text that hold none of the unwanted words."""
    if lang == "zh":
        clauses = (_ZH_LEAD.sub("", c) for c in _ZH_SPLIT.split(task))
        pieces = [c[:14] for c in clauses if len(c) >= 4]
    else:
        words = [w for w in _EN_WORD.findall(task) if w.casefold() not in _EN_STOP]
        words = free_of(words, unwanted)
        pieces = [" ".join(words[i : i + 3]) for i in range(0, len(words), 3)]
    return tuple(free_of(pieces, unwanted)[:8])


def topic_of(brief: TaskBrief, unwanted: tuple[str, ...]) -> str:
    """A few words for what the task is about."""
    fragments = task_fragments(brief.task, brief.lang, unwanted)
    return fragments[0] if fragments else phrases(brief.lang).fallback
