"""The OpenAI-compatible chat model: one class for every provider, rehearsal included."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from draligned.models.clock import Clock, SystemClock
from draligned.models.failures import classify
from draligned.models.limits import Limiter, Slot
from draligned.models.pieces import EncodedRequest
from draligned.models.retry import Answered, Failed, RetryOwner
from draligned.models.spend import SpendGuard
from draligned.models.transport import Broken, Transport
from draligned.models.wires import wire_of
from draligned.schema.chat import AttemptRecord, CallKey, ChatReply, ChatRequest
from draligned.schema.config import ModelConfig, ProviderConfig
from draligned.schema.errors import BadResponse
from draligned.schema.ids import model_key

Purpose = Literal["construct", "review", "agent", "evaluate", "qualify", "progress"]
Recorder = Callable[[AttemptRecord], None]


@dataclass(frozen=True, kw_only=True)
class Timing:
    """When a try began, how long it worked and how long it had waited, in seconds."""

    started_utc: str
    seconds: float
    waited: float


class OpenAIChatModel:
    """A `ChatModel` over either interface of the protocol (DESIGN §10; DR-39, DR-40).

    Every try goes to `record` as one `AttemptRecord`. `limiter` is shared by the models
    of a provider, `spend` by all models of a command.
    """

    def __init__(
        self,
        name: str,
        config: ModelConfig,
        provider_name: str,
        provider: ProviderConfig,
        *,
        record: Recorder,
        purpose: Purpose,
        limiter: Limiter | None = None,
        app: Any | None = None,
        spend: SpendGuard | None = None,
        clock: Clock | None = None,
    ) -> None:
        self._wire = wire_of(provider)
        self._sent = self._wire.settings(name, config)
        self._name = name
        self._config = config
        self._provider_name = provider_name
        self._provider = provider
        self._record = record
        self._purpose: Purpose = purpose
        self._clock = clock or SystemClock()
        self._limiter = limiter or Limiter.of(provider, self._clock)
        self._spend = spend or SpendGuard()
        self._transport = Transport(provider_name, provider, app)
        self._retry = RetryOwner(policy=provider.attempts, clock=self._clock)

    @property
    def name(self) -> str:
        """The name in study.toml."""
        return self._name

    @property
    def key(self) -> str:
        """Identity by content: model, provider and parameters as asked for."""
        return model_key(self._config.model, self._provider_name, self._config.params)

    @property
    def requested_model(self) -> str:
        """The model name sent; what comes back is `echoed_model` and verifies nothing (DR-40)."""
        return self._config.model

    async def complete(self, request: ChatRequest) -> ChatReply:
        """Answer one request under the attempt policy; errors as in `ChatModel.complete`."""
        encoded = self._wire.encode(request, self._sent, self._provider)

        async def send(number: int, waited: float) -> Answered | Failed:
            self._spend.check(self._name, self._config)
            async with self._limiter.slot(encoded.tokens) as slot:
                self._spend.check(self._name, self._config)
                return await self._one_try(request.key, encoded, number, waited, slot)

        return await self._retry.run(request.key, send)

    async def aclose(self) -> None:
        """Close the connections."""
        await self._transport.aclose()

    async def _one_try(
        self, key: CallKey, encoded: EncodedRequest, number: int, waited: float, slot: Slot
    ) -> Answered | Failed:
        """Send once, record the try, tell the limiter what was learnt."""
        started, utc = self._clock.monotonic(), self._clock.utc().isoformat()
        result: Answered | Failed | None = None
        try:
            result = await self._post(encoded)
            return result
        except asyncio.CancelledError:
            result = Failed(kind="cancelled", status=None, detail="cancelled in flight")
            raise
        finally:
            if result is not None:
                seconds = self._clock.monotonic() - started
                timing = Timing(
                    started_utc=utc, seconds=seconds, waited=waited + slot.waited_seconds
                )
                self._account(key, result, number, timing, slot)

    async def _post(self, encoded: EncodedRequest) -> Answered | Failed:
        wire = self._wire
        try:
            answer = await self._transport.post(wire.path, encoded.body, wire.assembler())
            if isinstance(answer, Broken):
                now = self._clock.utc()
                return classify(answer, self._provider_name, self._provider, now)
            reply = wire.parse(
                answer.payload,
                requested_model=self._config.model,
                request_tokens=encoded.tokens,
                request_sha256=encoded.sha256,
            )
        except BadResponse as error:
            detail = f"provider {self._provider_name}: {self._transport.redact(str(error))}"
            return Failed(kind="bad_response", status=error.status, detail=detail)
        return Answered(reply=self._transport.redact_reply(reply))

    def _account(
        self, key: CallKey, result: Answered | Failed, number: int, timing: Timing, slot: Slot
    ) -> None:
        reply = result.reply if isinstance(result, Answered) else None
        cost = None
        if reply is not None:
            cost = self._spend.add(reply.usage, self._config)
            slot.correct(reply.usage.input_tokens + reply.usage.output_tokens)
        elif isinstance(result, Failed) and result.told_wait is not None:
            self._limiter.hold(min(result.told_wait, self._retry.policy.retry_after_cap_seconds))
        self._record(self._attempt(key, result, number, timing, cost))

    def _attempt(
        self,
        key: CallKey,
        result: Answered | Failed,
        number: int,
        timing: Timing,
        cost: float | None,
    ) -> AttemptRecord:
        reply = result.reply if isinstance(result, Answered) else None
        failed = result if isinstance(result, Failed) else None
        return AttemptRecord(
            key=key,
            purpose=self._purpose,
            provider=self._provider_name,
            requested_model=self._config.model,
            echoed_model=reply.echoed_model if reply else None,
            try_no=number,
            started_utc=timing.started_utc,
            seconds=timing.seconds,
            waited_seconds=timing.waited,
            outcome="ok" if failed is None else failed.kind,
            http_status=200 if failed is None else failed.status,
            usage=reply.usage if reply else None,
            cost=cost,
            currency=None if cost is None else self._config.currency,
            detail="" if failed is None else failed.detail,
        )
