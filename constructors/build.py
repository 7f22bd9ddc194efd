"""Construction: from tasks and personas to a draft design (DESIGN §5)."""

from collections.abc import Callable, Sequence
from typing import Any

from draligned.constructors.chat_review import review_by_models
from draligned.constructors.conditions import TEMPLATES, prompt
from draligned.constructors.construction import Construction as Construction
from draligned.constructors.construction import count
from draligned.constructors.draft import draft
from draligned.constructors.human import (
    accepted_by_human,
    decision_of,
    human_accepted,
    human_finding,
    left_open,
    next_step,
    rejected_by_human,
    told,
)
from draligned.constructors.screening import BY_PEOPLE
from draligned.constructors.search import Search, TaskLog
from draligned.constructors.select import MIN_PATHS
from draligned.constructors.source import Source
from draligned.constructors.two_factor import Doubled, double
from draligned.models.protocol import ChatModel
from draligned.schema.base import Record, sha256_of
from draligned.schema.config import ConstructConfig
from draligned.schema.design import Design, FactorCard
from draligned.schema.errors import ConfigError, DesignError
from draligned.schema.labels import CardOutcome, RunSet

TOLD = 5
"""Tasks that an error about a fruitless construction names."""


class Judged(Record):
    """What people decided about cards; it outlives the draft it was decided on."""

    accepted: tuple[FactorCard, ...] = ()
    """They come first, and count."""
    rejected: tuple[FactorCard, ...] = ()
    """They are not drawn up again; their lines stay in the record, which a draft writes anew."""
    accept_why: str = ""
    """Why hand-written cards that rules leave open are accepted; empty: they are not."""


NOTHING_JUDGED = Judged()


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
    judged: Judged = NOTHING_JUDGED,
    progress: Callable[[str], None] = _silent,
) -> Construction:
    """Draw up cards until `config.tasks` tasks have one; nothing is padded.

    `cards` are hand-written ones, already checked (`handmade.read_cards`): the
    accepted come first and count. Without `proposer` the rules draw cards up.
    Raises `ConfigError` for a language other than the source's, and
    `DesignError` when no task has an accepted card.
    """
    _same_language(source, config)
    search = Search(source, config, seed, proposer, reviewers, progress, judged.rejected)
    return await _construct(search, config.tasks, cards, None, judged)


async def amend(
    design: Design,
    source: Source,
    config: ConstructConfig,
    *,
    seed: int,
    searching: bool = True,
    proposer: ChatModel | None = None,
    reviewers: Sequence[ChatModel] = (),
    cards: Sequence[FactorCard] = (),
    judged: Judged = NOTHING_JUDGED,
    progress: Callable[[str], None] = _silent,
) -> Construction:
    """Add `config.tasks` tasks, those of `cards` included, to a frozen design.

    Its cards and conditions stay as they are. Not `searching`, only `cards` are added.
    Raises `DesignError` when the source is not the design's, when a card is in the design
    already, and when nothing can be added.
    """
    _same_language(source, config)
    if config.screening == "people":
        raise DesignError(
            "people cannot review a card before an amendment freezes it; write screening = "
            '"model-only" under [construction] for it (the design keeps the word), or begin a study'
        )
    if design.source != source.label:
        raise DesignError(f"the design was made from other files: {design.source}")
    known = {c.factor_id for c in design.cards}
    if twice := next((c for c in cards if c.factor_id in known), None):
        raise DesignError(
            f"factor {twice.factor_id} (task {twice.task_id}, {twice.user_id}, {twice.kind}) is "
            "already in the design; leave its card out of the file"
        )
    search = Search(source, config, seed, proposer, reviewers, progress, judged.rejected)
    added = await _construct(search, config.tasks if searching else 0, cards, design, judged)
    return added.model_copy(update={"design": _joined(design, added.design)})


def _joined(design: Design, new: Design) -> Design:
    human = bool(design.notes.get("human_review")) or bool(new.notes["human_review"])
    notes = {
        **design.notes,
        "human_review": human,
        "amendments": [*design.notes.get("amendments", []), new.notes],
    }
    return design.model_copy(
        update={
            "tasks": (*design.tasks, *(t for t in new.tasks if t not in design.tasks)),
            "cards": (*design.cards, *new.cards),
            "conditions": (*design.conditions, *new.conditions),
            "neutral": (*design.neutral, *new.neutral),
            "notes": notes,
        }
    )


async def _construct(
    search: Search,
    tasks: int,
    cards: Sequence[FactorCard],
    frozen: Design | None,
    judged: Judged,
) -> Construction:
    """Beside the cards of a frozen design, if there is one; without `tasks` none is searched."""
    kept = frozen.cards if frozen else ()
    hand = [await _reviewed(c, search, judged) for c in cards]
    given = {c.factor_id for c in hand}
    carried = [c for c in judged.accepted if c.factor_id not in given]
    first = [*carried, *(c for c in hand if c.outcome is CardOutcome.ACCEPTED)]
    for card in (*kept, *first):
        search.uses.add(card)
    old = {c.task_id for c in kept}
    wanted = tasks - len({c.task_id for c in first} - old)
    logs = await search.run(wanted, old | {c.task_id for c in first}) if tasks else ()
    found = [*first, *(log.card for log in logs if log.card is not None)]
    if not found:
        raise DesignError(_nothing(search.source, hand, logs, frozen=bool(kept)))
    doubled = await double(search, found, search.config.two_factor - _doubled_before(frozen))
    aside = _set_aside(hand, logs)
    met = {c.factor_id for c in (*aside, *found)}
    unmet = [c for c in judged.rejected if c.factor_id not in met] if not kept else []
    decisions = (
        *(decision_of(c) for c in (*carried, *hand)),
        *(d for log in logs for d in log.decisions),
        *doubled.decisions,
        *(decision_of(c) for c in unmet),
    )
    source, seed = search.source, search.seed
    return Construction(
        design=draft(source, found, seed, _notes(search, found, tasks, doubled), doubled.doubles),
        decisions=decisions,
        counts=count(decisions),
        set_aside=aside,
        set_aside_tasks=tuple(t for t in source.tasks if t.task_id in {c.task_id for c in aside}),
        wanted=tasks,
        wanted_two_factor=search.config.two_factor,
    )


def _doubled_before(frozen: Design | None) -> int:
    """Two-factor tasks that stand in a frozen design."""
    told = frozen.conditions if frozen else ()
    return len({c.task_id for c in told if c.run_set is RunSet.TWO_FACTOR})


def _nothing(
    source: Source, hand: Sequence[FactorCard], logs: Sequence[TaskLog], *, frozen: bool
) -> str:
    """Why no card was accepted, and what to do: nothing is written."""
    parts = [f"{told(c)}. Next: {next_step(c, frozen=frozen, kept=False)}" for c in hand]
    if parts:
        return "; ".join(["none of the cards is accepted, nothing was written", *parts])
    if frozen and not logs:
        name = source.label.partition(";")[0]
        return (
            f"all {len(source.tasks)} tasks of the set ({name}) are in the design already; add "
            "factors with --cards FILE, or begin a study with another set"
        )
    ends = [f"task {log.task_id}: {log.decisions[-1].reason}" for log in logs]
    more = [f"and {len(ends) - TOLD} tasks more"] * (len(ends) > TOLD)
    return "; ".join(["no task has an accepted card", *ends[:TOLD], *more])


async def _reviewed(card: FactorCard, search: Search, judged: Judged) -> FactorCard:
    """A hand-written card after the model reviewers, as a generated one, and after people."""
    task = search.source.task(card.task_id)
    if task is None:
        raise DesignError(f"a card is for task {card.task_id}, which is not in the set")
    before = search.rejected.get(card.factor_id)
    if before is not None and not judged.accept_why:
        return rejected_by_human(card, _word(before))
    out = await review_by_models(card, task, search.reviewers, search.seed)
    if out.outcome is not CardOutcome.NEEDS_REVIEW or not left_open(out):
        return out
    earlier = next((c for c in judged.accepted if _same(c, card)), None)
    why = judged.accept_why if earlier is None else _word(earlier)
    return accepted_by_human(out, why) if why else out


def _same(one: FactorCard, other: FactorCard) -> bool:
    """Whether two cards say the same, whatever was found about them."""
    bare = {"findings": (), "outcome": CardOutcome.NEEDS_REVIEW}
    return one.model_copy(update=bare) == other.model_copy(update=bare)


def _word(card: FactorCard) -> str:
    found = human_finding(card)
    return "" if found is None else found.reason


def _set_aside(cards: Sequence[FactorCard], logs: Sequence[TaskLog]) -> tuple[FactorCard, ...]:
    refused = [c for c in cards if c.outcome is not CardOutcome.ACCEPTED]
    return (*refused, *(c for log in logs for c in log.set_aside))


def _same_language(source: Source, config: ConstructConfig) -> None:
    if source.lang != config.lang:
        raise ConfigError(f"the source is {source.lang}, the settings say lang = {config.lang}")


def _screening(search: Search) -> str:
    """Who passes the cards, in words."""
    automated = "rules and models" if search.reviewers else "rules only"
    return automated + (BY_PEOPLE if search.config.screening == "people" else "")


def _notes(
    search: Search, cards: Sequence[FactorCard], tasks: int, doubled: Doubled
) -> dict[str, Any]:
    """Settings of construction, as frozen with the design (Q1, DR-10)."""
    source, config, proposer = search.source, search.config, search.proposer
    users = dict.fromkeys(c.user_id for c in cards)
    personas = [p for u in users if (p := source.persona(u)) is not None]
    protocol = [prompt(n, source.lang) for n in ("system", "constructor", "reviewer")]
    return {
        "selection": config.selection,
        "tasks_wanted": tasks,
        "max_per_user": config.max_per_user,
        "max_per_path": config.max_per_path,
        "spread_over_paths": MIN_PATHS if config.selection == "stratified" else None,
        "constructor": "rules" if proposer is None else proposer.name,
        "reviewers": [r.name for r in search.reviewers],
        "screening": _screening(search),
        "human_review": bool(human_accepted(cards)),
        "field_order": {p.user_id: [d.path for d in p.details] for p in personas},
        "left_out": "the user's name, in every arm",
        "protocol_sha256": sha256_of([*protocol, TEMPLATES[source.lang]]),
        **({"two_factor_tasks": len(doubled.doubles)} if config.two_factor else {}),
    }
