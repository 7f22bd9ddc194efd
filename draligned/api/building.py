"""construct and amend: source, settings, cards and models put together."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from draligned.api.context import Context
from draligned.api.judging import Earlier
from draligned.bench_data.kinds import Kind, kinds
from draligned.bench_data.relevance import RelevanceRow, rows
from draligned.constructors import agenda, build, handmade
from draligned.constructors.build import Judged
from draligned.constructors.construction import Construction
from draligned.constructors.source import Source, load_source
from draligned.models.factory import close_models
from draligned.models.protocol import ChatModel
from draligned.schema.config import ConstructConfig
from draligned.schema.design import Design, FactorCard, Lang, TaskMap
from draligned.schema.errors import ConfigError, DesignError

Say = Callable[[str], None]


@dataclass(frozen=True, kw_only=True)
class Files:
    """Files of the user's that a design is made from."""

    pdr_bench: Path | None = None
    """A folder as published; the bundled set if this and `own` are absent."""
    own: Path | None = None
    """A folder with tasks.jsonl and personas.jsonl."""
    cards: Path | None = None
    subproblems: Path | None = None
    """Lists of broad subproblems of tasks (Q13)."""


def settings(
    context: Context, lang: str | None, tasks: int | None, two_factor: int | None = None
) -> ConstructConfig:
    """The settings of construction, with what the caller overrides."""
    base = context.config.construction
    changed = {
        "lang": _language(lang or base.lang),
        "tasks": tasks or base.tasks,
        "two_factor": base.two_factor if two_factor is None else two_factor,
    }
    return base.model_copy(update=changed)


async def construct(
    context: Context,
    config: ConstructConfig,
    files: Files,
    earlier: Earlier,
    say: Say,
) -> Construction:
    """A draft design from tasks, personas and hand-written cards; what people judged stays."""
    source = load_source(files.pdr_bench, config.lang, files.own)
    hand = _hand_cards(files.cards, source)
    maps = agenda.maps_of(source, _maps(files.subproblems, source))
    judged = Judged(accepted=earlier.accepted(source.label), rejected=earlier.rejected)
    proposer, reviewers = _models(context, config)
    try:
        made = await build.construct(
            source, config, seed=context.config.seed,
            proposer=proposer, reviewers=reviewers, cards=hand, judged=judged, progress=say,
        )  # fmt: skip
        return _with_maps(made, maps)
    finally:
        await close_models([*reviewers, *([proposer] if proposer else [])])


async def amend(
    context: Context,
    design: Design,
    tasks: int | None,
    files: Files,
    judged: Judged,
    say: Say,
) -> Construction:
    """The design with `tasks` tasks added; none but the hand-written cards if absent."""
    source = _same_source(design, files)
    hand = _hand_cards(files.cards, source)
    maps = agenda.added_maps(source, design, _maps(files.subproblems, source))
    config = settings(context, design.lang, tasks or len({c.task_id for c in hand}))
    proposer, reviewers = _models(context, config)
    try:
        made = await build.amend(
            design, source, config, seed=context.config.seed, searching=tasks is not None,
            proposer=proposer, reviewers=reviewers, cards=hand, judged=judged, progress=say,
        )  # fmt: skip
        return _with_maps(made, maps)
    finally:
        await close_models([*reviewers, *([proposer] if proposer else [])])


def _same_source(design: Design, files: Files) -> Source:
    """The files the design was made from. Raises `DesignError` that says which are needed."""
    given = {"PDR-Bench": files.pdr_bench, "own": files.own}
    made = design.source.split(" ", 1)[0]
    for name, folder in given.items():
        if folder is None and name == made:
            raise DesignError(_FROM[name])
        if folder is not None and name != made:
            raise DesignError(f"the design was not made from that folder: {_FROM[made]}")
    return load_source(files.pdr_bench, design.lang, files.own)


_FROM = {
    "bundled": "it was made from the bundled set; leave out --pdr-bench and --own",
    "PDR-Bench": "the design was made from PDR-Bench: add --pdr-bench FOLDER",
    "own": "the design was made from tasks of your own: add --own FOLDER",
}
"""What to give to an amendment, by the first word of the design's source."""


def known_kinds(lang: str) -> tuple[Kind, ...]:
    """Kinds of facts that rules can make cards of."""
    return kinds(_language(lang))


def known_decisions(lang: str) -> tuple[RelevanceRow, ...]:
    """Decisions that a kind of fact can change, by domain of the task."""
    return rows(_language(lang))


def card_template(lang: str) -> str:
    """A commented card file to start from."""
    return handmade.card_template(_language(lang))


def _language(lang: str) -> Lang:
    if lang not in {"zh", "en"}:
        raise ConfigError(f"lang is {lang!r}; it must be zh or en")
    return "zh" if lang == "zh" else "en"


def _hand_cards(path: Path | None, source: Source) -> tuple[FactorCard, ...]:
    return () if path is None else handmade.read_cards(path, source)


def _maps(path: Path | None, source: Source) -> tuple[TaskMap, ...]:
    return () if path is None else agenda.read_maps(path, source)


def _with_maps(made: Construction, maps: tuple[TaskMap, ...]) -> Construction:
    design = made.design.model_copy(update={"subproblems": maps})
    return made.model_copy(update={"design": design})


def _models(
    context: Context, config: ConstructConfig
) -> tuple[ChatModel | None, tuple[ChatModel, ...]]:
    reviewers = context.models(config.reviewers, "review")
    by_name = tuple(reviewers[name] for name in config.reviewers)
    if config.constructor == "rules":
        return None, by_name
    return context.models([config.constructor], "construct")[config.constructor], by_name
