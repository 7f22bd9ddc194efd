"""The environments of a study: named in study.toml, opened for one command (DESIGN §6)."""

import difflib
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

from draligned.api.context import Context
from draligned.harnesses.pairs import pair_id
from draligned.retrieval.archive import Archive
from draligned.retrieval.embedded import EmbeddedRetrieval
from draligned.retrieval.environment import Environment
from draligned.retrieval.identity import environment_name, scope_id, source_identity
from draligned.retrieval.protocol import Retrieval, Source
from draligned.schema.config import RetrievalMode, Scope, SourceConfig, StudyConfig
from draligned.schema.design import Lang
from draligned.schema.errors import ConfigError
from draligned.schema.retrieval import RetrievalAnswer
from draligned.study.inventory import RunCell

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


def require_source_key(config: StudyConfig, mode: RetrievalMode) -> None:
    """Raise `ConfigError` where the key of the source is needed and not in the environment."""
    name = source_config(config).api_key_env
    if mode != "replay" and name and not os.environ.get(name, "").strip():
        raise ConfigError(
            f"retrieval {config.run.retrieval} needs its key in the environment variable {name}: "
            "set it and run again"
        )


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


@dataclass(frozen=True)
class EmbeddedSource:
    """The embedded corpus as a source to be recorded."""

    retrieval: Retrieval

    @property
    def identity(self) -> str:
        """See `Source.identity`."""
        return self.retrieval.environment

    async def search(self, query: str) -> RetrievalAnswer:
        """See `Source.search`."""
        return (await self.retrieval.search(query)).answer

    async def read(self, url: str) -> RetrievalAnswer:
        """See `Source.read`."""
        return (await self.retrieval.read(url)).answer

    async def aclose(self) -> None:
        """There is nothing to close."""


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


def open_environments(context: Context, lang: Lang, mode: RetrievalMode) -> Environments:
    """The environments of study.toml in `mode`. A replay opens no source."""
    config, names = source_config(context.config), environment_names(context.config, lang)
    if mode == "live" and config.kind == "embedded":
        alone = _Unrecorded(EmbeddedRetrieval(lang))
        return Environments(scope=config.scope, by_name=dict.fromkeys(names, alone), source=None)
    folder = context.folder
    keep = folder.blobs.put_bytes if mode == "record" else None
    source = None if mode == "replay" else make_source(context.config, lang, keep)
    archive = Archive(folder.store, folder.blobs)
    by_name = {n: Environment(n, mode, source=source, archive=archive) for n in names}
    return Environments(scope=config.scope, by_name=by_name, source=source)


def make_source(config: StudyConfig, lang: Lang, keep: Callable[[bytes], str] | None) -> Source:
    """The source of study.toml; `keep` stores the bytes of pages beside what is recorded."""
    source = source_config(config)
    if source.kind == "embedded":
        return EmbeddedSource(EmbeddedRetrieval(lang))
    raise ConfigError(f"run.retrieval: there is no source of kind {source.kind!r} yet")
