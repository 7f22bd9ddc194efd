"""What the parts of the API share about one study."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from draligned.models.factory import build_models, resolve_model, resolve_provider
from draligned.models.protocol import ChatModel
from draligned.models.spend import SpendGuard
from draligned.models.transport import read_key
from draligned.schema.config import StudyConfig
from draligned.schema.errors import ConfigError
from draligned.study.claims import Claims
from draligned.study.folder import StudyFolder
from draligned.study.ledger import Ledger


def asked_for(key: str, named: Sequence[str] | None, default: Sequence[str]) -> tuple[str, ...]:
    """Names given on the command line, else those of study.toml under `key`, each once."""
    names = tuple(dict.fromkeys(named or default))
    if not names:
        raise ConfigError(f"`{key}` in study.toml names none; name one, or leave the key out")
    return names


@dataclass(frozen=True)
class Context:
    """A study's folder and settings, and the models made from them."""

    folder: StudyFolder
    config: StudyConfig

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
        self, names: Iterable[str], purpose: Any, spend: SpendGuard | None = None
    ) -> dict[str, ChatModel]:
        """Models by name, every try of theirs in the study's ledger."""
        return build_models(
            self.config,
            names,
            purpose=purpose,
            record=Ledger(self.folder.store).record,
            app=self.rehearsal_app,
            spend=spend,
        )
