"""What the parts of the API share about one study."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from draligned.models.factory import build_models
from draligned.models.protocol import ChatModel
from draligned.models.spend import SpendGuard
from draligned.schema.config import StudyConfig
from draligned.study.claims import Claims
from draligned.study.folder import StudyFolder
from draligned.study.ledger import Ledger


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
