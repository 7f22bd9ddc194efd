"""Drafts and reports of a rehearsal agent, with the traps that real reports have.

A restatement of the user's fact, third-party remarks and rejected options hold endpoint
words without being advice; a reader that only counts words gets them wrong (DR-64, DR-107).
"""

from collections.abc import Iterator, Sequence

from draligned.rehearsal.brief import Factor, TaskBrief
from draligned.rehearsal.draws import Draws
from draligned.rehearsal.phrases import Phrases, fill, free_of, phrases
from draligned.rehearsal.queries import topic_of
from draligned.rehearsal.steps import Step


def write_document(step: Step, brief: TaskBrief, draws: Draws, sources: Sequence[str]) -> str:
    """The text of one version; its main advice leans as the plan says, for every factor."""
    bank = phrases(brief.lang)
    unwanted = tuple(w for f in brief.factors for w in f.words)
    topic = topic_of(brief, unwanted)
    v = step.version
    bodies = (
        [fill(s, t=topic) for s in free_of(bank.background, unwanted)],
        [_restatement(bank, brief)],
        _numbered(_main(step, brief, draws, bank, unwanted)),
        _side(brief, draws, bank, unwanted, v),
        [f"- {url}" for url in sources] or [bank.no_sources],
    )
    sections = (
        f"## {head}\n\n" + "\n".join(lines)
        for head, lines in zip(bank.heads, bodies, strict=True)
        if lines
    )
    return f"# {fill(bank.title, t=topic)}\n\n" + "\n\n".join(sections) + "\n"


def write_notes(brief: TaskBrief, pages: Sequence[str]) -> str:
    """Notes: what the user said and what was found; no advice in them."""
    bank = phrases(brief.lang)
    topic = topic_of(brief, tuple(w for f in brief.factors for w in f.words))
    lines = [_restatement(bank, brief), *([f"- {url}" for url in pages] or [bank.no_sources])]
    return f"# {fill(bank.notes, t=topic)}\n\n" + "\n".join(lines) + "\n"


def leans_of(text: str, brief: TaskBrief) -> tuple[str, ...] | None:
    """How the main advice of a report of this agent leans, for every factor; none of others."""
    _, found, rest = text.partition(f"## {phrases(brief.lang).heads[2]}\n")
    if not found:
        return None
    advice = rest.partition("\n## ")[0]
    return tuple(_lean_in(advice.casefold(), factor) for factor in brief.factors)


def _lean_in(advice: str, factor: Factor) -> str:
    own, other = (any(w.casefold() in advice for w in ws) for ws in (factor.own, factor.other))
    return "both" if own and other else "own" if own else "other" if other else "none"


def _restatement(bank: Phrases, brief: TaskBrief) -> str:
    """What was told; of a neutral message, that nothing was."""
    return fill(bank.restatement, told=brief.told) if brief.factors else bank.no_restatement


def _numbered(lines: Sequence[str]) -> list[str]:
    return [f"{i}. {line}" for i, line in enumerate(lines, 1)]


def _main(
    step: Step, brief: TaskBrief, draws: Draws, bank: Phrases, unwanted: tuple[str, ...]
) -> list[str]:
    """Leaning advice for each factor, then two or three pieces of general advice."""
    leaning = [
        line
        for i, (factor, lean) in enumerate(zip(brief.factors, step.leans, strict=False))
        for line in _leaning(factor, lean, draws, bank, f"{step.version}.{i}")
    ]
    general = free_of(bank.main_none, unwanted)
    start = draws.between(0, len(bank.main_none), step.version, "general")
    n = draws.between(2, 3, step.version, "n_general")
    return [*leaning, *(general[(start + i) % len(general)] for i in range(min(n, len(general))))]


def _leaning(factor: Factor, lean: str, draws: Draws, bank: Phrases, what: str) -> Iterator[str]:
    if lean == "none" or not factor.own or (lean in ("other", "both") and not factor.other):
        return
    near, far = (factor.other, factor.own) if lean == "other" else (factor.own, factor.other)
    templates = bank.main_both if lean == "both" else bank.main_lean
    n = 1 if lean == "both" else draws.between(1, 2, what, "n")
    start = draws.between(0, len(templates) - 1, what, "start")
    for i in range(n):
        w = draws.pick(near, what, "w", i)
        v = draws.pick(far, what, "v", i) if far else ""
        yield fill(templates[(start + i) % len(templates)], w=w, v=v)


def _side(
    brief: TaskBrief, draws: Draws, bank: Phrases, unwanted: tuple[str, ...], v: str
) -> list[str]:
    """Alternatives, a rejected option and a third-party remark, each now and then."""
    lines = [
        line
        for i, line in enumerate(free_of(bank.secondary, unwanted))
        if draws.chance(0.6, v, "secondary", i)
    ]
    factor = next((f for f in brief.factors if f.other), None)
    if factor is not None:
        w, other = draws.pick(factor.own, v, "sw"), draws.pick(factor.other, v, "sv")
        for group, share in ((bank.rejected, 0.3), (bank.third_party, 0.3)):
            if draws.chance(share, v, group[0]):
                lines.append(fill(draws.pick(group, v, "side", group[0]), w=w, v=other))
    return [f"- {line}" for line in lines]
