"""One position put to a model: what comes back is stored as it is, or the position stays open."""

from draligned.models.protocol import ChatModel
from draligned.models.turn import read_turn
from draligned.schema.chat import CallKey, ChatReply, ChatRequest, Message, ToolSpec
from draligned.schema.errors import BadResponse, ProviderError, RequestRefused
from draligned.schema.progress import Lane, Position, Probe, ReplyStatus, StageReply, Stimulus

MAX_OUTPUT_TOKENS = 4_096
"""Room for a reply with inline reasoning; a reply that is cut is scored as it stands."""
PROBES, NEEDED = 20, 18
"""Of an identity precheck (Q24)."""
_SETTINGS = frozenset({401, 402, 403, 404, 407})
"""HTTP statuses that a user mends in study.toml or with the provider: no key, no credit, no access,
no such model or address."""
_PING = ToolSpec(
    name="ping",
    description="Answer a check of the connection. 回应一次连通检查。",
    parameters={
        "type": "object", "properties": {"word": {"type": "string"}}, "required": ["word"],
        "additionalProperties": False,
    },
)  # fmt: skip


async def ask(model: ChatModel, lane: Lane, stimulus: Stimulus, position: Position) -> StageReply:
    """The reply to a position.

    A request that the provider refuses, and an answer that is not its protocol, are transport
    failures for good (SI-30). Raises `ProviderError` for all else that fails, a key or a model's
    name that the provider does not know among them: the position stays open.
    """
    request = ChatRequest(
        key=CallKey(owner=position.position_id, attempt=1, sequence=1),
        messages=stimulus.messages,
        tools=stimulus.tools,
        max_output_tokens=MAX_OUTPUT_TOKENS,
        seed=position.repetition,
    )
    try:
        reply = await model.complete(request)
    except (RequestRefused, BadResponse) as error:
        require_an_answer(error)
        detail = f"{type(error).__name__}: {error}"
        return StageReply(position=position, status=ReplyStatus.TRANSPORT, detail=detail)
    known = is_known(reply, lane)
    return StageReply(
        position=position,
        status=ReplyStatus.OK if known else ReplyStatus.IDENTITY,
        detail="" if known else f"the provider says {reply.echoed_model!r} answered",
        text=reply.message.text,
        tool_calls=reply.message.tool_calls,
        stop=reply.stop,
        usage=reply.usage,
        reasoning_shown=bool(reply.message.reasoning) or bool(reply.usage.reasoning_tokens),
        echoed_model=reply.echoed_model,
        request_sha256=reply.request_sha256,
    )


def require_an_answer(error: ProviderError) -> None:
    """Raise an error that is about who asks or where, and says nothing of what was asked."""
    if error.status in _SETTINGS:
        raise error


def is_known(reply: ChatReply, lane: Lane) -> bool:
    """Whether the model that says it answered is the one asked for; one that says nothing has
    no identity to doubt, and the precheck has counted that."""
    names = (lane.requested_model, *lane.aliases)
    return reply.echoed_model is None or reply.echoed_model in names


async def probe(model: ChatModel, lane: Lane, number: int) -> Probe:
    """One question of the precheck: an echo of the right name and one readable tool call.

    Raises `ProviderError` where the provider cannot be reached or knows no such key or model: that
    says nothing of identity.
    """
    text = (
        f"请调用工具 ping，参数 word 填 {number}，不要说别的话。Call the tool ping, word {number}."
    )
    request = ChatRequest(
        key=CallKey(owner=f"precheck-{lane.design}-{lane.model_key}", attempt=1, sequence=number),
        messages=(Message(role="user", text=text),),
        tools=(_PING,),
        max_output_tokens=MAX_OUTPUT_TOKENS,
        seed=number,
    )
    try:
        reply = await model.complete(request)
    except (RequestRefused, BadResponse) as error:
        require_an_answer(error)
        return Probe(good=False, reason=f"{type(error).__name__}: {error}")
    return _judged(reply, lane, len(read_turn(reply, (_PING,)).valid))


def _judged(reply: ChatReply, lane: Lane, calls: int) -> Probe:
    reason = "ok"
    if reply.echoed_model is None:
        reason = "no model is named in the answer"
    elif not is_known(reply, lane):
        reason = "another model is named in the answer"
    elif calls != 1:
        reason = f"{calls} readable tool calls, not one"
    return Probe(good=reason == "ok", reason=reason, echoed_model=reply.echoed_model)
