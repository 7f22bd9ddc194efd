"""Sets of runs and reads beside the panel: which there are, by the shares of study.toml.

Each set is a study of its own over the same reads, and never pooled with the panel.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from math import ceil

from draligned.verify.design import Card, DesignFacts
from draligned.verify.ids import draw_of
from draligned.verify.logs import Run
from draligned.verify.packets import Unit, masked_unit, run_units, text_units, texts_of
from draligned.verify.plan import AA, NEUTRAL, PANEL, TWO_FACTOR

Text = tuple[str, str]
"""Hash of a text, and the factor on which it is read."""


def how_many(share: float, n: int) -> int:
    """⌈share · n⌉."""
    return ceil(round(share * n, 9))


def as_arm(run: Run, factor: str, side: str) -> Run:
    """The run as if it stood for one side of one factor."""
    return replace(run, cell=replace(run.cell, assigned=((factor, side),)))


def run_sets(panel: Sequence[Run], beside: Iterable[Run]) -> dict[str, list[Run]]:
    """A/A pairs, the neutral arm, two-factor runs by the side of their second factor."""
    first = {_pair(r): r for r in panel if r.factors[0][1] == "P" and r.cell.replicate == 1}
    sets: dict[str, list[Run]] = {}
    for run in beside:
        if run.cell.run_set == AA and _pair(run) in first:
            again = as_arm(run, run.factors[0][0], "Q")
            sets.setdefault("aa", []).extend([first[_pair(run)], again])
        elif run.cell.run_set == NEUTRAL:
            sets.setdefault("neutral", []).append(run)
        elif run.cell.run_set == TWO_FACTOR:
            name = {"P": "primary", "Q": "complementary"}[run.factors[1][1]]
            sets.setdefault(f"two_factor_{name}", []).append(run)
    return sets


def _pair(run: Run) -> tuple[str, ...]:
    block = run.cell.block
    names = (run.names[0], run.factors[0][0])
    return (*names, block.model_key, block.harness_key, block.environment)


def placebo(panel: Sequence[Run], design: DesignFacts, share: float) -> list[Run]:
    """Runs of a share of the pairs, on a factor of another task; their drafts are not read."""
    axes = {f: axis_for(f, design) for f in {r.factors[0][0] for r in panel}}
    out = []
    for block, pairs in _first_pairs(panel).items():
        able = sorted(f for f, arms in pairs.items() if axes[f] and len(arms) == 2)
        drawn = sorted(able, key=lambda f: draw_of("placebo", design.seed, *block, f))
        for factor in drawn[: how_many(share, len(able))]:
            out += [
                _without_drafts(as_arm(run, axes[factor] or "", side))
                for side, run in pairs[factor].items()
            ]
    return out


def _first_pairs(panel: Sequence[Run]) -> dict[tuple[str, str, str], dict[str, dict[str, Run]]]:
    found: dict[tuple[str, str, str], dict[str, dict[str, Run]]] = {}
    for run in sorted(panel, key=lambda r: r.cell.replicate):
        block = (run.cell.block.model_key, run.cell.block.harness_key, run.names[4])
        factor, side = run.factors[0]
        if run.cell.run_set == PANEL:
            found.setdefault(block, {}).setdefault(factor, {}).setdefault(side, run)
    return found


def axis_for(factor: str, design: DesignFacts) -> str | None:
    """A factor of another task and kind of which runs of `factor` are told no word."""
    own = design.cards[factor]
    told = "\n".join(
        turn
        for condition in design.conditions
        if factor in {f for f, _ in condition.assigned}
        for turn in condition.turns
    ).casefold()
    fit = [card.factor_id for card in design.cards.values() if _fits(card, own, told)]
    return min(fit, key=lambda f: (draw_of("axis", design.seed, factor, f), f), default=None)


def _fits(card: Card, own: Card, told: str) -> bool:
    words = {w.casefold() for end in card.ends.values() for w in (*end.words, end.value)}
    other = card.task_id != own.task_id and card.kind != own.kind and card.lang == own.lang
    return other and not any(word in told for word in words if word)


def _without_drafts(run: Run) -> Run:
    seen = replace(run.seen, drafts=()) if run.seen else None
    return replace(run, seen=seen, observes={**run.observes, "w": "none"})


def masked_texts(panel: Sequence[Run], seed: int, share: float) -> list[Text]:
    """A share of the panel's texts × factors, by hash."""
    found = {
        unit.packet_id: (unit.text_sha256 or "", factor)
        for run in panel
        for factor, _ in run.factors
        for unit in text_units(run, factor)
    }
    drawn = sorted(found, key=lambda packet: (draw_of("masked", seed, packet), packet))
    return sorted(found[packet] for packet in drawn[: how_many(share, len(found))])


def masked(panel: Sequence[Run], texts: Iterable[Text]) -> list[Run]:
    """Runs with those of their texts that are among `texts`, and nothing else."""
    wanted, out = set(texts), []
    for run in panel:
        if run.seen is None:
            continue
        factor = run.factors[0][0]
        kept = {t.sha256 for _, t in texts_of(run) if (t.sha256, factor) in wanted}
        if kept:
            seen = replace(
                run.seen,
                requests=(),
                drafts=tuple(d for d in run.seen.drafts if d.sha256 in kept),
                final=run.seen.final if run.seen.final and run.seen.final.sha256 in kept else None,
            )
            observes = {"a": "none", "w": "partial", "f": "partial"}
            out.append(replace(run, seen=seen, observes=observes))
    return out


def possible(runs: Iterable[Run], design: DesignFacts, mode: str) -> Iterator[Unit]:
    """Every packet that some share of controls would ask for; such reads are no damage."""
    for run in runs:
        for factor in design.cards:
            yield from run_units(run, factor, mode)
            for unit in text_units(run, factor):
                yield masked_unit(unit.text_sha256 or "", factor)
