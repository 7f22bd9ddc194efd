"""What a tool is: a value that says what is declared to the model, and what runs (DR-44)."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from draligned.harnesses import texts
from draligned.harnesses.desk import Desk
from draligned.retrieval.protocol import Retrieval
from draligned.schema.chat import ToolSpec
from draligned.schema.design import Lang
from draligned.schema.events import (
    CodeRun,
    DelegationOpened,
    DraftSaved,
    RequestExecuted,
    Submitted,
    ToolRefused,
    WorkspaceRead,
)
from draligned.schema.harness import Capability
from draligned.schema.labels import Channel
from draligned.schema.refusals import RefusalReason
from draligned.schema.strictjson import clean_text
from draligned.store.blobs import Blobs

RETRY_WAITS = (1.0, 4.0)
"""Seconds before the second and third try of a broken request."""

Effect = (
    RequestExecuted
    | DraftSaved
    | Submitted
    | WorkspaceRead
    | CodeRun
    | ToolRefused
    | DelegationOpened
)
"""The event of a call that was executed; each spends a tool action."""


@dataclass(frozen=True, kw_only=True)
class Bench:
    """What a tool may use."""

    retrieval: Retrieval
    blobs: Blobs
    lang: Lang
    fence_seed: str
    """The same for P and Q, so that equal requests give equal texts (DR-17)."""
    desk: Desk
    user_message: str | None = None
    """What sub-contexts are told of the user; none where they may not read it (DR-26)."""
    retry_waits: tuple[float, ...] = RETRY_WAITS

    @property
    def receipts(self) -> texts.Receipts:
        """Fixed texts in the language of the condition."""
        return texts.RECEIPTS[self.lang]


class CallSite(NamedTuple):
    """Place of a call within the episode."""

    sequence: int
    call_index: int
    number: int
    """Of a request or a delegation among its kind, from 1; used by those alone."""
    parent: int | None = None
    """The delegation it is made in, if any."""


class Done(NamedTuple):
    """An executed call: the event to log, and the text shown to the agent where the event
    does not tell it (`receipts.text_of`)."""

    effect: Effect
    text: str | None = None


Args = Mapping[str, str]
Execute = Callable[[Bench, CallSite, Args], Awaitable[Done]]


@dataclass(frozen=True, kw_only=True)
class Tool:
    """One tool. Its arguments are texts, all required; blank only those in `may_be_blank`."""

    name: str
    """As declared to the model."""
    arguments: tuple[str, ...]
    channel: Channel
    text: Mapping[Lang, texts.ToolText]
    execute: Execute
    needs: frozenset[Capability] = frozenset()
    """What a context must be allowed to read for this tool to run (DR-26)."""
    may_be_blank: frozenset[str] = frozenset()

    @property
    def acquires(self) -> bool:
        """Whether a call spends the acquisition budget too."""
        return self.channel is Channel.ACQUISITION

    def spec(self, lang: Lang) -> ToolSpec:
        """The declaration in the language of the condition."""
        described = self.text[lang]
        properties = {
            name: {"type": "string", "description": text}
            for name, text in zip(self.arguments, described.arguments, strict=True)
        }
        return ToolSpec(
            name=self.name,
            description=described.tool,
            parameters={
                "type": "object",
                "properties": properties,
                "required": list(self.arguments),
                "additionalProperties": False,
            },
        )

    def clean(self, args: Args) -> Args:
        """The arguments, free of lone surrogates even if a model double lets them through."""
        return {name: _clean(args.get(name, "")) for name in self.arguments}


def refused(site: CallSite, tool: str, path: str | None, reason: RefusalReason) -> Done:
    """A call that its tool refused: the agent is told the reason by name."""
    effect = ToolRefused(
        sequence=site.sequence, call_index=site.call_index, tool=tool, path=path, reason=reason
    )
    return Done(effect)


def _clean(raw: str) -> str:
    try:
        raw.encode("utf-8")
    except UnicodeEncodeError:
        return clean_text(raw).text
    return raw
