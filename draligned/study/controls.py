"""Which pairs get a control run: a share of the pairs, chosen by hash, kept once chosen."""

from collections.abc import Collection, Sequence
from math import ceil

from draligned.schema.base import unit_draw
from draligned.schema.config import ControlsConfig
from draligned.schema.design import Design
from draligned.schema.labels import RunSet, Side
from draligned.study.plan import Plan, PlanBlock


def with_controls(
    blocks: Sequence[PlanBlock], design: Design, config: ControlsConfig, before: Plan
) -> tuple[PlanBlock, ...]:
    """`blocks` with the factors whose P condition is run once more, and whose neutral condition is.

    What an earlier plan chose stays chosen, whatever became of the shares or was added to the
    design; more are taken only while the share asks for more. A design from before there was a
    neutral arm has none.
    """
    pairs = _with_both_arms(design)
    silent = [n.factor_id for n in design.neutral if n.factor_id in set(pairs)]
    kept = {b.key: b for b in before.blocks}
    out = []
    for block in blocks:
        old = kept.get(block.key, block)
        chosen = {
            "aa": _chosen("aa", config.aa_share, pairs, old.aa, design.seed, block.key),
            "neutral": _chosen(
                "neutral", config.neutral_share, silent, old.neutral, design.seed, block.key
            ),
        }
        out.append(block.model_copy(update=chosen))
    return tuple(out)


def _with_both_arms(design: Design) -> list[str]:
    """Factors of the panel, in the order of the design."""
    told = [c.assigned[0] for c in design.conditions if c.run_set is RunSet.PANEL]
    q = {a.factor_id for a in told if a.side is Side.Q}
    return [a.factor_id for a in told if a.side is Side.P and a.factor_id in q]


def how_many(share: float, eligible: int) -> int:
    """⌈share · eligible⌉: any share above 0 takes at least one of them."""
    return ceil(round(share * eligible, 9))


def _chosen(
    what: str,
    share: float,
    eligible: Sequence[str],
    kept: Collection[str],
    seed: int,
    block: str,
) -> tuple[str, ...]:
    """Those kept, then the lowest draws, until there are enough."""
    missing = how_many(share, len(eligible)) - len(kept)
    left = sorted(
        (f for f in eligible if f not in kept), key=lambda f: unit_draw(what, seed, block, f)
    )
    return (*kept, *left[: max(missing, 0)])
