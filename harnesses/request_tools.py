"""Tools of acquisition: search and read, outside of any sandbox (DR-37, DR-46)."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Literal

from draligned.harnesses import texts
from draligned.harnesses.tools import Args, Bench, CallSite, Done, Tool
from draligned.retrieval.protocol import Numbered, Retrieval, Served
from draligned.retrieval.render import nonce_of, render
from draligned.schema.events import RequestExecuted
from draligned.schema.labels import Channel
from draligned.schema.retrieval import TRANSIENT


async def _search(bench: Bench, site: CallSite, args: Args) -> Done:
    return await _request("search", _asking(bench, site).search, bench, site, args["query"])


async def _read(bench: Bench, site: CallSite, args: Args) -> Done:
    return await _request("read", _asking(bench, site).read, bench, site, args["url"])


def _asking(bench: Bench, site: CallSite) -> Retrieval:
    found = bench.retrieval
    return found.numbered(site.number) if isinstance(found, Numbered) else found


async def _request(
    tool: Literal["search", "read"],
    ask: Callable[[str], Awaitable[Served]],
    bench: Bench,
    site: CallSite,
    request: str,
) -> Done:
    served = await ask(request)
    for wait in bench.retry_waits:
        if served.answer.status not in TRANSIENT:
            break
        await asyncio.sleep(wait)
        served = await ask(request)
    effect = RequestExecuted(
        sequence=site.sequence,
        call_index=site.call_index,
        request_no=site.number,
        tool=tool,
        request=request,
        return_status=served.answer.status,
        environment_hit=served.environment_hit,
        age_seconds=served.age_seconds,
        first_fetcher=served.first_fetcher,
        flags=served.answer.flags,
        parent=site.parent,
    )
    return Done(effect, render(served.answer, nonce_of(bench.fence_seed, site.number)))


SEARCH = Tool(
    name="search",
    arguments=("query",),
    channel=Channel.ACQUISITION,
    text=texts.SEARCH,
    execute=_search,
    needs=frozenset({"results"}),
)
READ = Tool(
    name="read",
    arguments=("url",),
    channel=Channel.ACQUISITION,
    text=texts.READ,
    execute=_read,
    needs=frozenset({"results"}),
)
