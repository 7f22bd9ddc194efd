"""construct, amend, card reject."""

from collections.abc import Callable
from pathlib import Path

from draligned.api.context import Context
from draligned.constructors import build, handmade
from draligned.constructors.construction import Construction
from draligned.constructors.source import Source, load_source
from draligned.models.factory import close_models
from draligned.models.protocol import ChatModel
from draligned.schema.config import ConstructConfig
from draligned.schema.design import Decision, Design, FactorCard, Lang
from draligned.schema.errors import ConfigError, DesignError
from draligned.schema.labels import CardOutcome

Say = Callable[[str], None]


def settings(context: Context, lang: str | None, tasks: int | None) -> ConstructConfig:
    """The settings of construction, with what the caller overrides."""
    base = context.config.construction
    changed = {"lang": _language(lang or base.lang), "tasks": tasks or base.tasks}
    return base.model_copy(update=changed)


async def construct(
    context: Context, config: ConstructConfig, pdr_bench: Path | None, cards: Path | None, say: Say
) -> Construction:
    """A draft design from tasks, personas and hand-written cards."""
    source = load_source(pdr_bench, config.lang)
    hand = _hand_cards(cards, source)
    proposer, reviewers = _models(context, config)
    try:
        return await build.construct(
            source, config, seed=context.config.seed,
            proposer=proposer, reviewers=reviewers, cards=hand, progress=say,
        )  # fmt: skip
    finally:
        await close_models([*reviewers, *([proposer] if proposer else [])])


async def amend(
    context: Context,
    design: Design,
    tasks: int | None,
    pdr_bench: Path | None,
    cards: Path | None,
    say: Say,
) -> Construction:
    """The design with `tasks` tasks added; none but those of the hand-written cards if absent."""
    source = load_source(pdr_bench, design.lang)
    hand = _hand_cards(cards, source)
    config = settings(context, design.lang, tasks or len({c.task_id for c in hand}))
    proposer, reviewers = _models(context, config)
    try:
        return await build.amend(
            design, source, config, seed=context.config.seed,
            proposer=proposer, reviewers=reviewers, cards=hand, progress=say,
        )  # fmt: skip
    finally:
        await close_models([*reviewers, *([proposer] if proposer else [])])


def without_card(design: Design, factor_id: str, why: str) -> tuple[Design, Decision]:
    """The draft without one card, and the line for the construction record."""
    gone = next((c for c in design.cards if c.factor_id == factor_id), None)
    if gone is None:
        raise DesignError(f"no card has the factor id {factor_id}; see `draligned design show`")
    conditions = tuple(
        c for c in design.conditions if factor_id not in {a.factor_id for a in c.assigned}
    )
    cards = tuple(c for c in design.cards if c is not gone)
    kept = {c.task_id for c in cards}
    tasks = tuple(t for t in design.tasks if t.task_id in kept)
    update = {"cards": cards, "conditions": conditions, "tasks": tasks}
    return design.model_copy(update=update), _rejection(gone, why)


def card_template(lang: str) -> str:
    """A commented card file to start from."""
    return handmade.card_template(_language(lang))


def _language(lang: str) -> Lang:
    if lang not in {"zh", "en"}:
        raise ConfigError(f"lang is {lang!r}; it must be zh or en")
    return "zh" if lang == "zh" else "en"


def _rejection(card: FactorCard, why: str) -> Decision:
    return Decision(
        task_id=card.task_id,
        user_id=card.user_id,
        domain=card.domain,
        field_path=card.field_path,
        kind=card.kind,
        outcome=CardOutcome.REJECTED_BY_USER,
        reason=why or "no reason given",
    )


def _hand_cards(path: Path | None, source: Source) -> tuple[FactorCard, ...]:
    return () if path is None else handmade.read_cards(path, source)


def _models(
    context: Context, config: ConstructConfig
) -> tuple[ChatModel | None, tuple[ChatModel, ...]]:
    reviewers = context.models(config.reviewers, "review")
    by_name = tuple(reviewers[name] for name in config.reviewers)
    if config.constructor == "rules":
        return None, by_name
    return context.models([config.constructor], "construct")[config.constructor], by_name
