"""Construction: from tasks and personas to a draft design (DESIGN §5)."""

from collections.abc import Callable, Sequence
from typing import Any

from draligned.constructors.chat_review import review_by_models
from draligned.constructors.conditions import TEMPLATES, pair_of, prompt
from draligned.constructors.construction import Construction as Construction
from draligned.constructors.construction import count
from draligned.constructors.handmade import decision_of
from draligned.constructors.search import Search, TaskLog
from draligned.constructors.select import MIN_PATHS, Uses
from draligned.constructors.source import Source
from draligned.models.protocol import ChatModel
from draligned.schema.base import sha256_of
from draligned.schema.config import ConstructConfig
from draligned.schema.design import Design, Estimand, FactorCard
from draligned.schema.errors import ConfigError, DesignError
from draligned.schema.labels import CardOutcome

PRIMARY = (
    Estimand(name="D_A", channel="A", population="readable"),
    Estimand(name="D_F", channel="F", population="readable"),
)


def _silent(_: str) -> None:
    """Say nothing."""


async def construct(
    source: Source,
    config: ConstructConfig,
    *,
    seed: int,
    proposer: ChatModel | None = None,
    reviewers: Sequence[ChatModel] = (),
    cards: Sequence[FactorCard] = (),
    progress: Callable[[str], None] = _silent,
) -> Construction:
    """Draw up cards until `config.tasks` tasks have one; nothing is padded.

    `cards` are hand-written ones, already checked (`handmade.read_cards`): the
    accepted come first and count. Without `proposer` the rules draw cards up.
    Raises `ConfigError` for a language other than the source's, and
    `DesignError` when no task has an accepted card.
    """
    _same_language(source, config)
    return await _construct(source, config, seed, proposer, reviewers, cards, (), progress)


async def amend(
    design: Design,
    source: Source,
    config: ConstructConfig,
    *,
    seed: int,
    proposer: ChatModel | None = None,
    reviewers: Sequence[ChatModel] = (),
    cards: Sequence[FactorCard] = (),
    progress: Callable[[str], None] = _silent,
) -> Construction:
    """Add `config.tasks` tasks to a frozen design; its cards and conditions stay as they are.

    Raises `DesignError` when the source is not the design's.
    """
    _same_language(source, config)
    if design.source != source.label:
        raise DesignError(f"the design was made from other files: {design.source}")
    added = await _construct(
        source, config, seed, proposer, reviewers, cards, design.cards, progress
    )
    new = added.design
    amended = design.model_copy(
        update={
            "tasks": (*design.tasks, *(t for t in new.tasks if t not in design.tasks)),
            "cards": (*design.cards, *new.cards),
            "conditions": (*design.conditions, *new.conditions),
            "notes": {
                **design.notes,
                "amendments": [*design.notes.get("amendments", []), new.notes],
            },
        }
    )
    return added.model_copy(update={"design": amended})


async def _construct(
    source: Source,
    config: ConstructConfig,
    seed: int,
    proposer: ChatModel | None,
    reviewers: Sequence[ChatModel],
    cards: Sequence[FactorCard],
    kept: Sequence[FactorCard],
    progress: Callable[[str], None],
) -> Construction:
    cards = [await _reviewed(c, source, reviewers, seed) for c in cards]
    by_hand = [c for c in cards if c.outcome is CardOutcome.ACCEPTED]
    uses = Uses((*kept, *by_hand), config.max_per_user, config.max_per_path)
    search = Search(source, config, seed, proposer, tuple(reviewers), uses, progress)
    busy = {c.task_id for c in (*kept, *by_hand)}
    wanted = config.tasks - len({c.task_id for c in by_hand})
    logs = await search.run(wanted, busy)
    found = [*by_hand, *(log.card for log in logs if log.card is not None)]
    if not found:
        raise DesignError("no task has an accepted card; see the decision record for the reasons")
    decisions = (*(decision_of(c) for c in cards), *(d for log in logs for d in log.decisions))
    return Construction(
        design=draft(source, found, seed, _notes(source, config, found, proposer, reviewers)),
        decisions=decisions,
        counts=count(decisions),
        set_aside=_set_aside(cards, logs),
        wanted=config.tasks,
    )


async def _reviewed(
    card: FactorCard, source: Source, reviewers: Sequence[ChatModel], seed: int
) -> FactorCard:
    """A hand-written card after the model reviewers, as a generated one."""
    task = source.task(card.task_id)
    if task is None:
        raise DesignError(f"a card is for task {card.task_id}, which is not in {source.label}")
    return await review_by_models(card, task, reviewers, seed)


def draft(source: Source, cards: Sequence[FactorCard], seed: int, notes: dict[str, Any]) -> Design:
    """The design of accepted cards, tasks in the source's order. Raises `DesignError`."""
    if len({c.factor_id for c in cards}) != len(cards):
        raise DesignError("the same factor stands on two cards; leave one out")
    place = {t.task_id: n for n, t in enumerate(source.tasks)}
    ordered = sorted(cards, key=lambda c: place[c.task_id])
    tasks = {c.task_id: source.tasks[place[c.task_id]] for c in ordered}
    return Design(
        lang=source.lang,
        seed=seed,
        source=source.label,
        tasks=tuple(tasks.values()),
        cards=tuple(ordered),
        conditions=tuple(x for c in ordered for x in pair_of(tasks[c.task_id], c)),
        estimands=PRIMARY,
        notes=notes,
    )


def _set_aside(cards: Sequence[FactorCard], logs: Sequence[TaskLog]) -> tuple[FactorCard, ...]:
    refused = [c for c in cards if c.outcome is not CardOutcome.ACCEPTED]
    return (*refused, *(c for log in logs for c in log.set_aside))


def _same_language(source: Source, config: ConstructConfig) -> None:
    if source.lang != config.lang:
        raise ConfigError(f"the source is {source.lang}, the settings say lang = {config.lang}")


def _notes(
    source: Source,
    config: ConstructConfig,
    cards: Sequence[FactorCard],
    proposer: ChatModel | None,
    reviewers: Sequence[ChatModel],
) -> dict[str, Any]:
    """Settings of construction, as frozen with the design (Q1, DR-10)."""
    users = dict.fromkeys(c.user_id for c in cards)
    personas = [p for u in users if (p := source.persona(u)) is not None]
    protocol = [prompt(n, source.lang) for n in ("system", "constructor", "reviewer")]
    return {
        "selection": config.selection,
        "tasks_wanted": config.tasks,
        "max_per_user": config.max_per_user,
        "max_per_path": config.max_per_path,
        "spread_over_paths": MIN_PATHS if config.selection == "stratified" else None,
        "constructor": "rules" if proposer is None else proposer.name,
        "reviewers": [r.name for r in reviewers],
        "screening": "rules and models" if reviewers else "rules only",
        "human_review": False,
        "field_order": {p.user_id: [d.path for d in p.details] for p in personas},
        "left_out": "the user's name, in every arm",
        "protocol_sha256": sha256_of([*protocol, TEMPLATES[source.lang]]),
    }
