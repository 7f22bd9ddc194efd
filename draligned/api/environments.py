"""The environments of a study: named in study.toml, opened for one command (DESIGN §6)."""

import difflib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from draligned.api.context import Context
from draligned.harnesses.pairs import pair_id
from draligned.models.spend import SpendGuard
from draligned.retrieval.archive import Archive
from draligned.retrieval.embedded import EmbeddedRetrieval
from draligned.retrieval.environment import Environment
from draligned.retrieval.identity import environment_name, scope_id, source_identity
from draligned.retrieval.protocol import Retrieval, Source
from draligned.retrieval.search.backends import backend_for, is_billed
from draligned.retrieval.search.keys import read_key
from draligned.retrieval.sources import source_for
from draligned.retrieval.web import check_reading
from draligned.schema.config import RetrievalMode, Scope, SourceConfig, StudyConfig
from draligned.schema.design import Design, Lang
from draligned.schema.errors import ConfigError
from draligned.study.inventory import RunCell
from draligned.study.ledger import Ledger

EMBEDDED = "embedded"
_BUILT_IN = {EMBEDDED: SourceConfig(kind="embedded", mode="live")}


def source_config(config: StudyConfig) -> SourceConfig:
    """The source that `run.retrieval` names. Raises `ConfigError` with a suggestion."""
    name, known = config.run.retrieval, {**_BUILT_IN, **config.retrieval}
    if name in known:
        return known[name]
    close = difflib.get_close_matches(name, known, n=1)
    hint = f"did you mean {close[0]!r}?" if close else f"known: {', '.join(sorted(known))}"
    raise ConfigError(
        f"run.retrieval names no source {name!r}: {hint} (or add [retrieval.{name}] to study.toml)"
    )


def environment_names(config: StudyConfig, lang: Lang) -> tuple[str, ...]:
    """The environments that runs are made in, one a snapshot."""
    source = source_config(config)
    base = _identity(source, lang)
    return tuple(environment_name(base, source.scope, k) for k in range(1, source.snapshots + 1))


def _identity(source: SourceConfig, lang: Lang) -> str:
    if source.kind == "embedded":
        return EmbeddedRetrieval(lang).environment
    return source_identity(source, lang)


def mode_of(config: StudyConfig, asked: RetrievalMode | None) -> RetrievalMode:
    """How requests are answered: as asked for, else as the source's settings say."""
    return asked or source_config(config).mode


def require_source(context: Context, lang: Lang, mode: RetrievalMode) -> None:
    """Raise `ConfigError` where the source cannot be asked: wrong settings, or no key.

    To be asked before anything is written; nothing is connected to.
    """
    name, config = context.config.run.retrieval, source_config(context.config)
    if mode == "replay" or config.kind == "embedded":
        return
    backend_for(name, config, lang)
    check_reading(name, config.reading)
    read_key(name, config)


def searched(context: Context, mode: RetrievalMode, spend: SpendGuard) -> dict[str, SourceConfig]:
    """The source whose searches cost something, by its name; none in a replay.

    Raises `ConfigError` where a limit of cost is set and a provider that bills has no price.
    """
    name, config = context.config.run.retrieval, source_config(context.config)
    if mode == "replay" or config.kind == "embedded":
        return {}
    if spend.max_cost is not None and config.price is None and is_billed(config):
        raise ConfigError(
            f"--max-cost needs retrieval.{name}.price (of one search; 0 where it is free) in "
            "study.toml"
        )
    return {name: config}


class _Answering(Protocol):
    """An environment as one run sees it, by scope and run id."""

    def bound(self, scope: str, run_id: str) -> Retrieval:
        """Search and read for one run."""
        ...


@dataclass(frozen=True)
class _Unrecorded:
    """The embedded corpus as it is: it answers everybody alike, so nothing need be recorded."""

    retrieval: Retrieval

    def bound(self, scope: str, run_id: str) -> Retrieval:
        """The same for all."""
        return self.retrieval


@dataclass(frozen=True, kw_only=True)
class Environments:
    """The open environments of a command. They share one source."""

    scope: Scope
    by_name: Mapping[str, _Answering]
    source: Source | None

    def bound(self, cell: RunCell) -> Retrieval:
        """Search and read for the run of `cell`.

        Raises `ConfigError` for a run planned in an environment that study.toml no longer names.
        """
        if cell.environment not in self.by_name:
            raise ConfigError(
                f"run {cell.run_id} was planned in the environment {cell.environment}, which "
                "study.toml no longer describes"
            )
        scope = scope_id(self.scope, task_id=cell.task_id, pair_id=pair_id(cell))
        return self.by_name[cell.environment].bound(scope, cell.run_id)

    async def aclose(self) -> None:
        """Close the source."""
        if self.source is not None:
            await self.source.aclose()


def open_environments(
    context: Context, design: Design, mode: RetrievalMode, spend: SpendGuard | None = None
) -> Environments:
    """The environments of study.toml in `mode`. A replay opens no source; `spend` is what the
    command may still spend."""
    config, names = source_config(context.config), environment_names(context.config, design.lang)
    if mode == "live" and config.kind == "embedded":
        alone = _Unrecorded(EmbeddedRetrieval(design.lang))
        return Environments(scope=config.scope, by_name=dict.fromkeys(names, alone), source=None)
    source = None if mode == "replay" else make_source(context, design, mode, spend)
    archive = Archive(context.folder.store, context.folder.blobs)
    by_name = {n: Environment(n, mode, source=source, archive=archive) for n in names}
    return Environments(scope=config.scope, by_name=by_name, source=source)


def make_source(
    context: Context, design: Design, mode: RetrievalMode, spend: SpendGuard | None = None
) -> Source:
    """The source of study.toml, its tries in the ledger; the bytes of pages are kept beside
    what is recorded."""
    return source_for(
        context.config.run.retrieval,
        source_config(context.config),
        design.lang,
        record=Ledger(context.folder.store).record,
        tasks=[task.text for task in design.tasks],
        keep=context.folder.blobs.put_bytes if mode == "record" else None,
        spend=spend,
    )
