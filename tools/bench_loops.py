"""What the harness is measured against: two loops written by hand, and stored pages.

The loops do what any agent must do: send the history, read the calls, append the results.
They keep no log, count no budget and check nothing. Their results are the texts that the
harness shows for the same calls.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from bench_server import passage

from draligned.harnesses.registry import get_harness
from draligned.harnesses.texts import RECEIPTS
from draligned.harnesses.toolbox import tools_of
from draligned.models.encode import encode_tool
from draligned.retrieval.protocol import Served
from draligned.retrieval.render import nonce_of, render
from draligned.schema.design import Condition
from draligned.schema.retrieval import RetrievalAnswer, ReturnStatus, SearchHit

if TYPE_CHECKING:
    import openai

Message = dict[str, Any]
Reply = Callable[[list[Message]], Awaitable[tuple[str | None, list[tuple[str, str, str]]]]]
"""Sends a history; the text of the reply and its calls as (id, name, arguments)."""


class StoredPages:
    """`Retrieval` that answers at once: six hits of a search, 3,000 characters of a page."""

    environment = "stored"

    async def search(self, query: str) -> Served:
        """The same six hits for every query."""
        return Served(_found(query), True)

    async def read(self, url: str) -> Served:
        """The same page for every address."""
        return Served(_page(url), True)


@cache
def _found(query: str) -> RetrievalAnswer:
    hits = tuple(
        SearchHit(
            title=f"演讲练习手册（{number}）",
            url=f"https://pages.example/articles/{number}",
            snippet=passage(200, number),
        )
        for number in range(1, 7)
    )
    return RetrievalAnswer(tool="search", request=query, status=ReturnStatus.OK, hits=hits)


@cache
def _page(url: str) -> RetrievalAnswer:
    text = passage(3000, len(url))
    return RetrievalAnswer(
        tool="read", request=url, status=ReturnStatus.OK, title="练习手册", text=text
    )


def _shown(name: str, args: Mapping[str, str]) -> str:
    """The text of a result; the fence's mark is of the same length as the harness's."""
    if name == "search":
        return render(_found(args["query"]), nonce_of("bench", 1))
    if name == "read":
        return render(_page(args["url"]), nonce_of("bench", 1))
    receipts = RECEIPTS["zh"]
    return receipts.submitted if name == "submit_report" else receipts.draft_saved


@dataclass(frozen=True)
class Episode:
    """What a hand-written episode begins with."""

    system: str
    user: str
    tools: tuple[dict[str, Any], ...]

    @classmethod
    def of(cls, condition: Condition) -> "Episode":
        """The condition's messages and the tools of `coupled`."""
        spec = get_harness("coupled")
        tools = tools_of(spec.tool_order, spec.name).values()
        declared = tuple(encode_tool(tool.spec(condition.lang)) for tool in tools)
        return cls(condition.system, condition.turns[0], declared)


async def talk(episode: Episode, reply: Reply) -> int:
    """One episode; returns how often the model was asked."""
    messages: list[Message] = [
        {"role": "system", "content": episode.system},
        {"role": "user", "content": episode.user},
    ]
    asked = 0
    while True:
        text, calls = await reply(messages)
        asked += 1
        if not calls:
            return asked
        messages.append({"role": "assistant", "content": text, "tool_calls": _sent(calls)})
        for call_id, name, arguments in calls:
            shown = _shown(name, json.loads(arguments))
            messages.append({"role": "tool", "content": shown, "tool_call_id": call_id})


def _sent(calls: Sequence[tuple[str, str, str]]) -> list[Message]:
    return [
        {"id": i, "type": "function", "function": {"name": name, "arguments": arguments}}
        for i, name, arguments in calls
    ]


def posting(client: "openai.AsyncOpenAI", model: str, episode: Episode) -> Reply:
    """Over the client's low-level `post`: the body is encoded here."""
    import httpx2

    async def reply(messages: list[Message]) -> tuple[str | None, list[tuple[str, str, str]]]:
        body = {"model": model, "messages": messages, "tools": episode.tools}
        response = await client.post(
            "/chat/completions",
            cast_to=httpx2.Response,
            content=json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode(),
            options={"headers": {"Content-Type": "application/json"}},
        )
        said = json.loads(response.content)["choices"][0]["message"]
        calls = said.get("tool_calls") or ()
        functions = [(c["id"], c["function"]) for c in calls]
        return said["content"], [(i, f["name"], f["arguments"]) for i, f in functions]

    return reply


def creating(client: "openai.AsyncOpenAI", model: str, episode: Episode) -> Reply:
    """Over `chat.completions.create`."""
    tools: Any = episode.tools

    async def reply(messages: list[Any]) -> tuple[str | None, list[tuple[str, str, str]]]:
        done = await client.chat.completions.create(model=model, messages=messages, tools=tools)
        said = done.choices[0].message
        found = [c for c in said.tool_calls or () if c.type == "function"]
        return said.content, [(c.id, c.function.name, c.function.arguments) for c in found]

    return reply


async def crowd(
    base_url: str,
    model: str,
    episode: Episode,
    make: "Callable[[openai.AsyncOpenAI, str, Episode], Reply]",
    *,
    episodes: int,
    at_once: int,
) -> int:
    """Many episodes over one client; returns how often the model was asked in all."""
    import openai

    places = asyncio.Semaphore(at_once)
    async with openai.AsyncOpenAI(api_key="none", base_url=base_url, max_retries=0) as client:
        reply = make(client, model, episode)

        async def one() -> int:
            async with places:
                return await talk(episode, reply)

        return sum(await asyncio.gather(*(one() for _ in range(episodes))))
