"""The node that asks the model, and says where its reply leads."""

from draligned.gates.rule import ReplyFacts
from draligned.harnesses.context import Entry, Episode
from draligned.harnesses.endings import Stop
from draligned.models.turn import Turn, TurnKind, read_turn, take_turn
from draligned.schema.chat import CallKey, ChatReply, ChatRequest
from draligned.schema.endings import EndedBy, Outcome
from draligned.schema.events import CallStarted, ModelTurn

BARREN_TURNS = 5
"""Consecutive turns without one executable call after which the loop guard ends an episode."""
SAME_TURNS = 24
"""Consecutive turns with the same text and calls after which it does; a quarter of DR-29's 96."""

_DENIED = {"acquisition": Outcome.BUDGET_ACQUISITION, "tools": Outcome.BUDGET_TOOLS}


async def decide(episode: Episode) -> None:
    """Leave either `episode.stop` or a turn whose calls are to be executed.

    A turn that was logged before a kill is read again from the log, not asked for again.
    """
    pending = episode.state.pending
    if pending is None:
        episode.stop = _stop_before_call(episode)
        if episode.stop is not None:
            return
        turn = await _ask(episode)
    else:
        turn = read_turn(_logged_reply(pending), episode.declared)
    episode.turn = turn
    episode.stop = _stop_after_reply(episode, turn)


def _stop_before_call(episode: Episode) -> Stop | None:
    state = episode.state
    if state.denied is not None:
        return Stop(EndedBy.BUDGET, _DENIED[state.denied.budget])
    if state.ledger.no_decision_left:
        return Stop(EndedBy.BUDGET, Outcome.BUDGET_DECISIONS)
    if state.ledger.no_token_left:
        return Stop(EndedBy.BUDGET, Outcome.BUDGET_TOKENS)
    if state.barren_turns >= BARREN_TURNS:
        return Stop(EndedBy.HARD_CAP, Outcome.LOOP_GUARD, "no executable call")
    if state.same_turns >= SAME_TURNS:
        return Stop(EndedBy.HARD_CAP, Outcome.LOOP_GUARD, "the same turn again and again")
    return None


async def _ask(episode: Episode) -> Turn:
    state = episode.state
    sequence = state.calls if state.in_flight else state.calls + 1
    request = ChatRequest(
        key=CallKey(owner=episode.header.run_id, attempt=episode.header.attempt, sequence=sequence),
        messages=tuple(state.messages),
        tools=episode.declared,
        max_output_tokens=state.ledger.declared_cap(),
        seed=episode.seed,
    )
    if state.in_flight:
        episode.reissued(request.key)
    else:
        sha256 = state.request_sha256(f"{episode.settings}{request.max_output_tokens}")
        episode.record(Entry(CallStarted(sequence=sequence, request_sha256=sha256)))
    turn = await take_turn(episode.model, request, episode.declared)
    episode.record(Entry(_turn_event(episode, sequence, turn.reply)))
    return turn


def _turn_event(episode: Episode, sequence: int, reply: ChatReply) -> ModelTurn:
    return ModelTurn(
        sequence=sequence,
        message=episode.state.with_new_ids(reply.message, sequence),
        stop=reply.stop,
        usage=reply.usage,
        requested_model=reply.requested_model,
        echoed_model=reply.echoed_model,
        sanitised=reply.sanitised,
    )


def _logged_reply(body: ModelTurn) -> ChatReply:
    return ChatReply(
        message=body.message,
        stop=body.stop,
        usage=body.usage,
        requested_model=body.requested_model,
        echoed_model=body.echoed_model,
        request_sha256="",
        sanitised=body.sanitised,
    )


def _stop_after_reply(episode: Episode, turn: Turn) -> Stop | None:
    """A turn over our token cap, cut or filtered is void; else the gate decides."""
    state = episode.state
    if state.ledger.turn_crossed(turn.reply.usage, turn.reply.stop):
        return Stop(EndedBy.BUDGET, Outcome.BUDGET_TOKENS)
    if turn.kind is TurnKind.LENGTH_CUT:
        return Stop(EndedBy.PROVIDER, Outcome.LENGTH_CUT)
    if turn.kind is TurnKind.FILTERED:
        return Stop(EndedBy.PROVIDER, Outcome.CENSORED, "content_filter")
    facts = ReplyFacts(
        text=turn.reply.message.text,
        n_calls=len(turn.reply.message.tool_calls),
        submitted=state.submission is not None,
    )
    if not episode.gate.stops(facts):
        return None
    outcome = Outcome.TEXT_REPLY if turn.kind is TurnKind.TEXT else Outcome.EMPTY_REPLY
    return Stop(episode.gate.ended_by, outcome)
