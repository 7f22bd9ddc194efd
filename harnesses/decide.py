"""The node that asks the model, and says where its reply leads."""

from draligned.gates.reprompts import stalled
from draligned.gates.rule import ReplyFacts
from draligned.harnesses.closing import written_call
from draligned.harnesses.context import ClosedBy, Entry, Episode, Step
from draligned.harnesses.endings import Stop
from draligned.harnesses.moves import can_hand_over
from draligned.models.turn import Turn, TurnKind, is_blank, read_turn, take_turn
from draligned.schema.chat import CallKey, ChatReply, ChatRequest
from draligned.schema.endings import EndedBy, Outcome
from draligned.schema.events import CallStarted, ModelTurn

BARREN_TURNS = 5
"""Consecutive turns without one executable call after which the loop guard ends an episode."""
SAME_TURNS = 24
"""Consecutive turns with the same text and calls after which it does; a quarter of DR-29's 96."""

_DENIED = {"acquisition": Outcome.BUDGET_ACQUISITION, "tools": Outcome.BUDGET_TOOLS}
_VOID: dict[TurnKind, ClosedBy] = {
    TurnKind.LENGTH_CUT: "length_cut",
    TurnKind.FILTERED: "filtered",
}


async def decide(episode: Episode) -> Step:
    """The next step: execute the turn's calls, move to another context, speak, or end.

    A turn that was logged before a kill, or that a delegation interrupted, is read again from
    the log. One whose calls have begun to be executed was judged before.
    """
    context = episode.state.top
    if context.pending is None:
        step = _before_call(episode)
        if step is not None:
            return step
        episode.turn = await _ask(episode)
    else:
        episode.turn = read_turn(_logged_reply(context.pending), episode.declared)
        if context.outcomes:
            return "act"
    return _after_reply(episode, episode.turn)


def _before_call(episode: Episode) -> Step | None:
    """Where to go without asking the model; none if it is to be asked.

    Where a budget ends a sub-context, the calls beside its delegation still run or are denied.
    """
    stop, context = _budget_stop(episode), episode.state.top
    if stop is not None:
        return _end(episode, stop) if context.parent is None else _close(episode, "budget")
    guard = _guard(context.barren_turns, context.same_turns)
    if guard is not None and context.parent is not None:
        return _close(episode, "loop_guard")
    if guard is not None:
        return _end(episode, Stop(EndedBy.HARD_CAP, Outcome.LOOP_GUARD, guard))
    if context.parent is not None or not context.turns:
        return None
    if episode.awaits_script:
        return "speak_as_user"
    return _end(episode, _gate_stop(episode, None)) if _passed(episode) else None


def _budget_stop(episode: Episode) -> Stop | None:
    state = episode.state
    if state.denied is not None:
        return Stop(EndedBy.BUDGET, _DENIED[state.denied.budget])
    if state.ledger.no_decision_left:
        return Stop(EndedBy.BUDGET, Outcome.BUDGET_DECISIONS)
    if state.ledger.no_token_left:
        return Stop(EndedBy.BUDGET, Outcome.BUDGET_TOKENS)
    return None


def _guard(barren_turns: int, same_turns: int) -> str | None:
    if barren_turns >= BARREN_TURNS:
        return "no executable call"
    return "the same turn again and again" if same_turns >= SAME_TURNS else None


def _passed(episode: Episode) -> bool:
    """Whether the gate stops now that the calls of the last turn have run."""
    return not episode.state.reprompts_in_a_row and episode.rules.gate.stops(_facts(episode, None))


async def _ask(episode: Episode) -> Turn:
    state, declared = episode.state, episode.declared
    sequence = state.calls if state.in_flight else state.calls + 1
    request = ChatRequest(
        key=CallKey(owner=episode.header.run_id, attempt=episode.header.attempt, sequence=sequence),
        messages=tuple(state.top.messages),
        tools=declared,
        max_output_tokens=state.ledger.declared_cap(),
        seed=episode.seed,
    )
    if state.in_flight:
        episode.reissued(request.key)
    else:
        sha256 = state.top.request_sha256(f"{episode.settings}{request.max_output_tokens}")
        episode.record(Entry(CallStarted(sequence=sequence, request_sha256=sha256)))
    turn = await take_turn(episode.model, request, declared)
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


def _after_reply(episode: Episode, turn: Turn) -> Step:
    """A turn over our token cap, cut or filtered is void; its calls run; else it was spoken."""
    delegated = episode.state.top.parent is not None
    if episode.state.ledger.turn_crossed(turn.reply.usage, turn.reply.stop):
        stop = Stop(EndedBy.BUDGET, Outcome.BUDGET_TOKENS)
        return _close(episode, "budget") if delegated else _end(episode, stop)
    if delegated and turn.kind in _VOID:
        return _close(episode, _VOID[turn.kind])
    if turn.kind is TurnKind.LENGTH_CUT:
        return _end(episode, Stop(EndedBy.PROVIDER, Outcome.LENGTH_CUT))
    if turn.kind is TurnKind.FILTERED:
        return _end(episode, Stop(EndedBy.PROVIDER, Outcome.CENSORED, "content_filter"))
    if turn.kind is TurnKind.CALLS:
        return "act"
    if delegated:
        return _close(episode, "empty" if _silent(episode) else "answered")
    return _after_spoken(episode, turn)


def _after_spoken(episode: Episode, turn: Turn) -> Step:
    """A reply without a call: the script, the next stage, the gate, or a re-prompt."""
    if episode.awaits_script:
        return "speak_as_user"
    gate = episode.rules.gate
    if not gate.stops(_facts(episode, turn)) and gate.injects_user_turns:
        if not stalled(_facts(episode, turn)):
            return "speak_as_user"
        return _end(episode, Stop(gate.ended_by, Outcome.LOOP_GUARD, "re-prompt limit"))
    if tool := written_call(episode.state.top.closing, episode.rules.names):
        said = f"the reply is a call of {tool}, written as text"
        return _end(episode, Stop(EndedBy.PROVIDER, Outcome.BAD_RESPONSE, said))
    if can_hand_over(episode):
        return "hand_over"
    return _end(episode, _gate_stop(episode, turn))


def _facts(episode: Episode, turn: Turn | None) -> ReplyFacts:
    """What the gate may know; without a turn, of a reply whose calls have run."""
    state = episode.state
    return ReplyFacts(
        text=None if turn is None else state.top.closing or None,
        n_calls=0 if turn is not None else 1,
        submitted=state.submission is not None,
        state_done=state.submission is not None,
        decisions=state.ledger.decisions,
        reprompts=state.reprompts_in_a_row,
    )


def _gate_stop(episode: Episode, turn: Turn | None) -> Stop:
    """The end by the gate, or by `no_tool_call` where it lets a spoken reply pass (DR-43)."""
    gate = episode.rules.gate
    by_gate = turn is None or gate.stops(_facts(episode, turn))
    ended_by = gate.ended_by if by_gate else EndedBy.NO_TOOL_CALL
    if turn is None:
        done = episode.state.submission is not None
        return Stop(ended_by, Outcome.SUBMITTED if done else Outcome.LOOP_GUARD)
    return Stop(ended_by, Outcome.EMPTY_REPLY if _silent(episode) else Outcome.TEXT_REPLY)


def _silent(episode: Episode) -> bool:
    """Whether the last reply says nothing that can be seen."""
    return is_blank(episode.state.top.closing)


def _end(episode: Episode, stop: Stop) -> Step:
    episode.stop = stop
    return "end"


def _close(episode: Episode, reason: ClosedBy) -> Step:
    episode.closed_by = reason
    return "close_delegation"
