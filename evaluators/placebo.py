"""The placebo axis: runs read on a factor of another task, which nobody told them (DESIGN §8).

What an evaluator finds there was not put there: d over such pairs shows what reads make of
nothing. Requests and finals are read; drafts are not.
"""

from collections.abc import Iterable, Mapping, Sequence

from draligned.schema.base import unit_draw
from draligned.schema.design import Design, FactorCard
from draligned.schema.labels import Channel, Observes, RunSet, Side
from draligned.schema.observed import ObservedRun
from draligned.study.controls import how_many
from draligned.study.inventory import RunCell


def placebo_axes(cells: Sequence[RunCell], design: Design, share: float) -> dict[str, str]:
    """The other task's factor on which a run is read, by run id; of both runs of a pair the same.

    Of the first planned pairs of each model × harness × environment ⌈share · n⌉ are taken, by
    hash of the design's seed, whatever becomes of their runs. A pair without a factor that fits
    is no candidate.
    """
    axes = {f: axis for f in {c.factor_id for c in cells} if (axis := axis_for(f, design))}
    out: dict[str, str] = {}
    for block, pairs in _pairs(cells).items():
        able = sorted(f for f, arms in pairs.items() if f in axes and len(arms) == len(Side))
        drawn = sorted(able, key=lambda f: unit_draw("placebo", design.seed, *block, f))
        for factor in drawn[: how_many(share, len(able))]:
            out |= {cell.run_id: axes[factor] for cell in pairs[factor].values()}
    return out


def axis_for(factor_id: str, design: Design) -> str | None:
    """A factor of another task and kind of which the runs of `factor_id` are told no word.

    The same for all models; none where the design has no such factor.
    """
    own = design.card(factor_id)
    told = _told(factor_id, design)
    fit = [c for c in design.cards if _fits(c, own, told)]
    draws = {c.factor_id: unit_draw("axis", design.seed, factor_id, c.factor_id) for c in fit}
    return min(draws, key=lambda f: (draws[f], f), default=None)


def _fits(card: FactorCard, own: FactorCard, told: str) -> bool:
    words = {w.casefold() for e in (card.p, card.q) for w in (*e.words, e.value)}
    other = card.task_id != own.task_id and card.kind != own.kind and card.lang == own.lang
    return other and not any(w in told for w in words if w)


def _told(factor_id: str, design: Design) -> str:
    turns = (
        turn
        for c in design.conditions
        if factor_id in {a.factor_id for a in c.assigned}
        for turn in c.turns
    )
    return "\n".join(turns).casefold()


def _pairs(cells: Iterable[RunCell]) -> dict[tuple[str, str, str], dict[str, dict[Side, RunCell]]]:
    """By block and factor, the panel's run of smallest replicate of each arm (Q16)."""
    found: dict[tuple[str, str, str], dict[str, dict[Side, RunCell]]] = {}
    for cell in sorted(cells, key=lambda c: c.replicate):
        if cell.run_set is RunSet.PANEL:
            block = (cell.model_key, cell.harness_key, cell.environment)
            found.setdefault(block, {}).setdefault(cell.factor_id, {}).setdefault(cell.arm, cell)
    return found


def as_placebo(cells: Iterable[RunCell], axes: Mapping[str, str]) -> list[RunCell]:
    """The runs of `axes` as if they had been told of the other factor, arms as they are."""
    return [c.model_copy(update={"factor_id": axes[c.run_id]}) for c in cells if c.run_id in axes]


def without_drafts(run: ObservedRun) -> ObservedRun:
    """The run with its workspace unobserved: its drafts are not read on a placebo axis."""
    observes = dict(run.observes) | {Channel.WORKSPACE: Observes.NONE}
    return run.model_copy(update={"drafts": (), "observes": observes})
