"""What the parts of the API share about one study."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, get_args

from draligned.models.calls import CallArchive
from draligned.models.client import Recorder
from draligned.models.factory import build_models, resolve_model, resolve_provider
from draligned.models.protocol import ChatModel
from draligned.models.recording import record_models
from draligned.models.replay import replay_models
from draligned.models.spend import SpendGuard
from draligned.models.transport import read_key
from draligned.schema.chat import AttemptRecord
from draligned.schema.config import ModelsMode, RetrievalMode, StudyConfig
from draligned.schema.errors import ConfigError
from draligned.study.claims import Claims
from draligned.study.folder import StudyFolder
from draligned.study.ledger import Ledger

_RECORDED = ("agent", "evaluate", "progress", "qualify")


def asked_for(key: str, named: Sequence[str] | None, default: Sequence[str]) -> tuple[str, ...]:
    """Names given on the command line, else those of study.toml under `key`, each once."""
    names = tuple(dict.fromkeys(named or default))
    if not names:
        raise ConfigError(f"`{key}` in study.toml names none; name one, or leave the key out")
    return names


@dataclass(frozen=True, kw_only=True)
class Modes:
    """How a command gets its answers: afresh, or from what was recorded."""

    retrieval: RetrievalMode | None = None
    """None: as the source's settings in study.toml say."""
    models: ModelsMode = "live"

    def __post_init__(self) -> None:
        """Raise `ConfigError` for a word that is none of the modes."""
        if self.retrieval is not None:
            _one_of("retrieval", self.retrieval, get_args(RetrievalMode))
        _one_of("models", self.models, get_args(ModelsMode))


def _one_of(what: str, word: str, known: Sequence[str]) -> None:
    if word not in known:
        raise ConfigError(f"{what} is {word!r}; choose one of {', '.join(known)}")


@dataclass(frozen=True)
class Context:
    """A study's folder and settings, and the models made from them."""

    folder: StudyFolder
    config: StudyConfig
    watchers: list[Recorder] = field(default_factory=list, compare=False)
    """Told of every try of a model, once the ledger has it."""

    @cached_property
    def rehearsal_app(self) -> Any:
        """The offline provider, in this process."""
        from draligned.rehearsal.app import make_app

        return make_app()

    @cached_property
    def claims(self) -> Claims:
        """Claims of this process."""
        return Claims(self.folder.store)

    def require_keys(self, names: Iterable[str]) -> None:
        """Raise `ConfigError` where the key of a model's provider is not in the environment.

        To be asked before anything is written; each call of a model reads the key again.
        """
        for provider in sorted({resolve_model(self.config, name).provider for name in names}):
            settings = resolve_provider(self.config, provider)
            key = read_key(provider, settings)
            if not key.isascii() or not key.isprintable() or " " in key:
                raise ConfigError(
                    f"the environment variable {settings.api_key_env} holds no key: it has "
                    "spaces, line breaks or characters that no header can carry"
                )

    def models(
        self,
        names: Iterable[str],
        purpose: Any,
        spend: SpendGuard | None = None,
        mode: ModelsMode = "live",
    ) -> dict[str, ChatModel]:
        """Models by name, every try of theirs in the study's ledger and what agents,
        evaluators and reporters of progress say recorded; in a replay, what was recorded, and no
        call at all."""
        calls = CallArchive(self.folder.store, self.folder.blobs)
        if mode == "replay":
            return replay_models(self.config, names, calls)
        made = build_models(
            self.config,
            names,
            purpose=purpose,
            record=self._recorded,
            app=self.rehearsal_app,
            spend=spend,
        )
        return record_models(self.config, made, calls) if purpose in _RECORDED else made

    def _recorded(self, attempt: AttemptRecord) -> None:
        Ledger(self.folder.store).record(attempt)
        for told in self.watchers:
            told(attempt)
