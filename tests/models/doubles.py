"""A scripted provider and a clock that only moves when somebody waits."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from draligned.models.client import OpenAIChatModel
from draligned.models.limits import Limiter
from draligned.models.spend import SpendGuard
from draligned.schema.chat import AttemptRecord, CallKey, ChatRequest, Message, ToolSpec
from draligned.schema.config import AttemptPolicy, ModelConfig, ProviderConfig

NOON = datetime(2026, 1, 7, 12, 0, 0, tzinfo=UTC)


@dataclass
class FakeClock:
    """Time that passes by sleeping."""

    now: float = 0.0
    sleeps: list[float] = field(default_factory=list)

    def monotonic(self) -> float:
        return self.now

    def utc(self) -> datetime:
        return NOON + timedelta(seconds=self.now)

    async def sleep(self, seconds: float) -> None:
        self.sleeps.append(seconds)
        self.now += seconds


@dataclass(frozen=True)
class Said:
    """One scripted HTTP answer."""

    status: int = 200
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)


def completion(message: Mapping[str, Any], finish: str = "stop", **extra: Any) -> Said:
    """A 200 with one choice."""
    payload = {
        "model": "echoed",
        "choices": [{"index": 0, "message": message, "finish_reason": finish}],
        "usage": {"prompt_tokens": 7, "completion_tokens": 3},
        **extra,
    }
    return Said(body=json.dumps(payload).encode())


@dataclass
class Provider:
    """An ASGI app that gives its answers in order, the last one for ever."""

    script: list[Said]
    bodies: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    while_serving: Callable[[], Any] | None = None

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        raw = b""
        while True:
            part = await receive()
            raw += part["body"]
            if not part.get("more_body"):
                break
        self.bodies.append(json.loads(raw))
        self.headers.append({k.decode(): v.decode() for k, v in scope["headers"]})
        if self.while_serving is not None:
            await self.while_serving()
        said = self.script.pop(0) if len(self.script) > 1 else self.script[0]
        headers = [(k.encode(), v.encode()) for k, v in said.headers.items()]
        await send({"type": "http.response.start", "status": said.status, "headers": headers})
        await send({"type": "http.response.body", "body": said.body})


@dataclass
class Rig:
    """A model over a scripted provider, and all it left behind."""

    model: OpenAIChatModel
    provider: Provider
    clock: FakeClock
    attempts: list[AttemptRecord]
    spend: SpendGuard


def rig(
    *script: Said,
    config: ModelConfig | None = None,
    policy: AttemptPolicy | None = None,
    spend: SpendGuard | None = None,
    **provider_fields: Any,
) -> Rig:
    """A model whose provider answers as scripted."""
    clock = FakeClock()
    app = Provider(list(script))
    attempts: list[AttemptRecord] = []
    provider = ProviderConfig(
        kind="rehearsal", attempts=policy or AttemptPolicy(), **provider_fields
    )
    guard = spend or SpendGuard()
    model = OpenAIChatModel(
        "m",
        config or ModelConfig(provider="p", model="wanted"),
        "p",
        provider,
        record=attempts.append,
        purpose="agent",
        limiter=Limiter.of(provider, clock),
        app=app,
        spend=guard,
        clock=clock,
    )
    return Rig(model, app, clock, attempts, guard)


def request(*messages: Message, **fields: Any) -> ChatRequest:
    """A request of one user message, unless told otherwise."""
    return ChatRequest(
        key=CallKey(owner="run", attempt=1, sequence=1),
        messages=messages or (Message(role="user", text="hello"),),
        **fields,
    )


def tool(name: str, *parameters: str) -> ToolSpec:
    """A tool of string parameters."""
    return ToolSpec(
        name=name,
        description=name,
        parameters={
            "type": "object",
            "properties": {p: {"type": "string"} for p in parameters},
            "required": list(parameters),
        },
    )


OK = completion({"role": "assistant", "content": "fine"})
