"""Which texts are read again with the user's restatements masked."""

from collections.abc import Callable, Iterable, Mapping, Sequence

from draligned.evaluators.packets import document_units, masked_unit
from draligned.evaluators.restatements import restates
from draligned.schema.base import unit_draw
from draligned.schema.design import FactorCard
from draligned.schema.labels import Channel, Observes
from draligned.schema.observed import ObservedRun
from draligned.schema.packets import EvalUnit
from draligned.study.controls import how_many

_IN_PART = (Channel.WORKSPACE, Channel.FINALIZATION)

Text = tuple[str, str]
"""SHA-256 of a text, and the factor on which it is read."""


def chosen_texts(
    runs: Iterable[ObservedRun],
    factors_of: Callable[[ObservedRun], Iterable[str]],
    share: float,
    seed: int,
) -> tuple[Text, ...]:
    """⌈share · n⌉ of the n distinct texts × factors of `runs`, by hash, sorted."""
    units = {
        u.packet_id: (u.text_sha256 or "", factor)
        for run in runs
        for factor in factors_of(run)
        for u in document_units(run, factor)
    }
    drawn = sorted(units, key=lambda p: (unit_draw("masked", seed, p), p))
    return tuple(sorted(units[p] for p in drawn[: how_many(share, len(units))]))


def masked_units(
    texts: Sequence[Text], cards: Mapping[str, FactorCard], text_of: Callable[[str], str]
) -> tuple[EvalUnit, ...]:
    """Units of those of `texts` that restate an endpoint; the others have nothing to mask."""
    return tuple(masked_unit(sha, f) for sha, f in texts if restates(text_of(sha), cards[f]))


def holding(run: ObservedRun, factor_id: str, texts: Iterable[Text]) -> ObservedRun | None:
    """The run with those of its drafts and final that are among `texts`; none if none is."""
    wanted = {sha for sha, factor in texts if factor == factor_id}
    drafts = tuple(d for d in run.drafts if d.text_sha256 in wanted)
    final = run.final if run.final and run.final.text_sha256 in wanted else None
    if not drafts and final is None:
        return None
    observes = {Channel.ACQUISITION: Observes.NONE} | dict.fromkeys(_IN_PART, Observes.PARTIAL)
    kept = {"drafts": drafts, "final": final, "requests": (), "observes": observes}
    return run.model_copy(update=kept)
