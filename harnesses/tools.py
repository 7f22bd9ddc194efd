"""Tools as values in a registry: what is declared to the model, and what runs (DR-44)."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple

from draligned.harnesses import texts
from draligned.retrieval.protocol import Retrieval, Served
from draligned.retrieval.render import nonce_of, render
from draligned.schema.chat import ToolSpec
from draligned.schema.design import Lang
from draligned.schema.errors import ConfigError
from draligned.schema.events import DraftSaved, RequestExecuted, Submitted
from draligned.schema.harness import HarnessSpec
from draligned.schema.labels import Channel
from draligned.schema.retrieval import ReturnStatus
from draligned.schema.strictjson import clean_text
from draligned.store.blobs import Blobs

DOCUMENT = "report"
"""Path of the one document of the coupled harness."""
BROKEN = frozenset({ReturnStatus.RATE_LIMITED, ReturnStatus.BLOCKED, ReturnStatus.ERROR})
"""Statuses that say that the network failed: retried here, not charged (HARD_CASES 16)."""
RETRY_WAITS = (1.0, 4.0)
"""Seconds before the second and third try of a broken request."""

Effect = RequestExecuted | DraftSaved | Submitted


@dataclass(frozen=True, kw_only=True)
class Bench:
    """What a tool may use."""

    retrieval: Retrieval
    blobs: Blobs
    lang: Lang
    fence_seed: str
    """The same for P and Q, so that equal requests give equal texts (DR-17)."""
    retry_waits: tuple[float, ...] = RETRY_WAITS


class CallSite(NamedTuple):
    """Place of a call within the episode."""

    sequence: int
    call_index: int
    request_no: int
    """Number among executed requests; used by acquisition tools alone."""


class Done(NamedTuple):
    """An executed call: the event to log and the text shown to the agent."""

    effect: Effect
    text: str


Args = Mapping[str, str]
Execute = Callable[[Bench, CallSite, Args], Awaitable[Done]]


@dataclass(frozen=True, kw_only=True)
class Tool:
    """One tool. Its arguments are texts, all required, and none may be blank."""

    name: str
    arguments: tuple[str, ...]
    channel: Channel
    text: Mapping[Lang, texts.ToolText]
    execute: Execute

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


def _clean(raw: str) -> str:
    try:
        raw.encode("utf-8")
    except UnicodeEncodeError:
        return clean_text(raw).text
    return raw


async def _search(bench: Bench, site: CallSite, args: Args) -> Done:
    return await _request("search", bench.retrieval.search, bench, site, args["query"])


async def _read(bench: Bench, site: CallSite, args: Args) -> Done:
    return await _request("read", bench.retrieval.read, bench, site, args["url"])


async def _request(
    tool: Literal["search", "read"],
    ask: Callable[[str], Awaitable[Served]],
    bench: Bench,
    site: CallSite,
    request: str,
) -> Done:
    served = await ask(request)
    for wait in bench.retry_waits:
        if served.answer.status not in BROKEN:
            break
        await asyncio.sleep(wait)
        served = await ask(request)
    effect = RequestExecuted(
        sequence=site.sequence,
        call_index=site.call_index,
        request_no=site.request_no,
        tool=tool,
        request=request,
        return_status=served.answer.status,
        environment_hit=served.environment_hit,
    )
    return Done(effect, render(served.answer, nonce_of(bench.fence_seed, site.request_no)))


async def _write_report(bench: Bench, site: CallSite, args: Args) -> Done:
    content = args["content"]
    effect = DraftSaved(
        sequence=site.sequence,
        call_index=site.call_index,
        path=DOCUMENT,
        text_sha256=bench.blobs.put(content),
        chars=len(content),
    )
    return Done(effect, texts.RECEIPTS[bench.lang].draft_saved)


async def _submit_report(bench: Bench, site: CallSite, args: Args) -> Done:
    content = args["content"]
    effect = Submitted(
        sequence=site.sequence,
        call_index=site.call_index,
        text_sha256=bench.blobs.put(content),
        chars=len(content),
    )
    return Done(effect, texts.RECEIPTS[bench.lang].submitted)


TOOLS: dict[str, Tool] = {
    tool.name: tool
    for tool in (
        Tool(
            name="search",
            arguments=("query",),
            channel=Channel.ACQUISITION,
            text=texts.SEARCH,
            execute=_search,
        ),
        Tool(
            name="read",
            arguments=("url",),
            channel=Channel.ACQUISITION,
            text=texts.READ,
            execute=_read,
        ),
        Tool(
            name="submit_report",
            arguments=("content",),
            channel=Channel.FINALIZATION,
            text=texts.SUBMIT_REPORT,
            execute=_submit_report,
        ),
        Tool(
            name="write_report",
            arguments=("content",),
            channel=Channel.WORKSPACE,
            text=texts.WRITE_REPORT,
            execute=_write_report,
        ),
    )
}


def tools_of(spec: HarnessSpec) -> dict[str, Tool]:
    """The tools of a harness, in the order declared. Raises `ConfigError` for unknown ones."""
    unknown = [name for name in spec.tool_order if name not in TOOLS]
    if unknown:
        raise ConfigError(f"harness {spec.name!r} names tools that do not exist: {unknown}")
    return {name: TOOLS[name] for name in spec.tool_order}
