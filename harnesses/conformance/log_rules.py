"""Rules on the log: one schema, every call answered once, and no kill that changes anything."""

from collections import Counter
from collections.abc import Sequence

from draligned.harnesses.conformance.lab import LOG, Lab, Run
from draligned.harnesses.conformance.player import Act, Move, Turn
from draligned.harnesses.conformance.stage_set import RUN
from draligned.harnesses.outcomes import is_broken, is_executed
from draligned.harnesses.transcript import EpisodeState
from draligned.schema.chat import ChatReply
from draligned.schema.events import (
    AccessDenied,
    Body,
    BudgetDenied,
    CallStarted,
    CodeRun,
    DelegationOpened,
    DraftSaved,
    ModelTurn,
    RequestExecuted,
    Submitted,
    ToolCallInvalid,
    ToolRefused,
    ToolResult,
    WorkspaceRead,
)
from draligned.study.attempts import read_seal
from draligned.study.log import read_log

Settled = (
    RequestExecuted | DraftSaved | Submitted | WorkspaceRead | CodeRun | ToolRefused
    | DelegationOpened | ToolCallInvalid | BudgetDenied | AccessDenied
)  # fmt: skip
"""Events that say what became of a call."""


def wild(lab: Lab) -> list[Move]:
    """The whole story, begun by a turn of calls that are broken, empty, unknown or doubled."""
    broken = (
        Act("no_such_tool", {"x": "y"}, call_id="same"),
        Act("search", raw='{"query": "', call_id="same"),
        Act("search", {"query": " "}),
        *lab.toolkit.searches()[:1],
    )
    return [Turn(broken, anywhere=True), *lab.toolkit.whole()]


async def one_event_schema(lab: Lab) -> str | None:
    """The log re-reads whole; each call has one event and one result; counters agree (DR-27)."""
    run = await lab.play(wild(lab))
    log = read_log(run.store, LOG)
    seal = read_seal(run.store, RUN, 1)
    if seal is None or seal.end != run.end:
        return "the episode is not sealed with its end"
    if (seal.n_events, seal.last_sha256) != (len(log.events), log.last_sha256):
        return "the seal does not fit the log"
    kinds = [body.kind for body in run.bodies]
    if kinds[0] != "opened" or kinds[-1] != "ended" or kinds.count("ended") != 1:
        return "the log does not begin with `opened` and end with one `ended`"
    return _unanswered(run) or _miscounted(run) or _unread(run)


def _unanswered(run: Run) -> str | None:
    """A call without its one event or its one result, if there is one."""
    calls = Counter(
        (body.sequence, index)
        for body in run.bodies
        if isinstance(body, ModelTurn)
        for index in range(len(body.message.tool_calls))
    )
    for kind, what in ((Settled, "event"), (ToolResult, "result")):
        said = Counter((b.sequence, b.call_index) for b in run.bodies if isinstance(b, kind))
        if said != calls:
            where = next(iter((calls - said) or (said - calls)))
            return f"call {where[1]} of turn {where[0]} has {said[where]} {what}s"
    ids = [c.call_id for b in run.bodies if isinstance(b, ModelTurn) for c in b.message.tool_calls]
    answered = [body.call_id for body in run.bodies if isinstance(body, ToolResult)]
    if sorted(ids) != sorted(answered) or len(set(ids)) != len(ids):
        return "call ids and the ids of results do not pair"
    return None


def _miscounted(run: Run) -> str | None:
    """A counter of the budget that does not equal the events it counts."""
    state = EpisodeState(run.spec, run.blobs)
    for body in run.bodies:
        state.apply(body)
    executed = [b for b in run.bodies if isinstance(b, Settled) and is_executed(b)]
    charged = [b for b in executed if not is_broken(b)]
    requests = [b for b in run.bodies if isinstance(b, RequestExecuted)]
    turns = [b for b in run.bodies if isinstance(b, ModelTurn)]
    counted = {
        "tool actions": (state.ledger.tools, len(charged)),
        "requests": (
            state.ledger.acquisition,
            sum(isinstance(b, RequestExecuted) for b in charged),
        ),
        "decisions": (state.ledger.decisions, len(turns)),
        "output tokens": (state.ledger.output_tokens, sum(b.usage.output_tokens for b in turns)),
        "requests sent": (len(run.asked), len(requests)),
    }
    for name, (one, two) in counted.items():
        if one != two:
            return f"{name}: {one} counted, {two} events"
    if [b.request_no for b in requests] != list(range(1, len(requests) + 1)):
        return "requests are not numbered 1, 2, …"
    return None


def _unread(run: Run) -> str | None:
    """A text that the log names and that is not stored, or a call that went out unlogged."""
    for body in run.bodies:
        sha256 = getattr(body, "text_sha256", None)
        if sha256 is not None:
            run.blobs.get(sha256)
    started = [b.sequence for b in run.bodies if isinstance(b, CallStarted)]
    if started != [request.key.sequence for request in run.requests]:
        return "the calls logged are not those that went out"
    return None


async def resume(lab: Lab) -> str | None:
    """A kill after any event changes neither what follows nor the end (DESIGN §4)."""
    story = wild(lab)
    whole = await lab.play(story)
    for number in range(len(whole.bodies)):
        problem = await _resumed(lab, story, whole, number)
        if problem:
            kind = whole.bodies[number - 1].kind if number else "nothing"
            return f"killed after event {number} ({kind}): {problem}"
    return None


async def _resumed(lab: Lab, story: Sequence[Move], whole: Run, number: int) -> str | None:
    """Cut the log after `number` events and go on with the same replies."""
    store = whole.store.copy()
    store.discard(f"runs/{RUN}")
    lines = (whole.store.get(LOG) or b"").split(b"\n")[:number]
    store.append(LOG, b"".join(line + b"\n" for line in lines))
    known: dict[int, ChatReply | BaseException] = whole.replies
    run = await lab.play(story, begun=store, known=known)
    if run.end != whole.end:
        return "the end is another"
    if run.bodies != whole.bodies:
        return f"the events are others, first at {_first_difference(run.bodies, whole.bodies)}"
    sent = {request.key.sequence: request for request in whole.requests}
    if any(sent.get(request.key.sequence) != request for request in run.requests):
        return "the model is sent other bytes"
    return None


def _first_difference(one: Sequence[Body], two: Sequence[Body]) -> int:
    pairs = zip(one, two, strict=False)
    return next((n for n, (a, b) in enumerate(pairs, start=1) if a != b), min(len(one), len(two)))
