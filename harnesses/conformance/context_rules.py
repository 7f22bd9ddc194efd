"""Rules on contexts: what one may not do is denied and logged; delegation is its own fact."""

from collections.abc import Iterator

from draligned.harnesses.conformance.lab import Lab, Run
from draligned.harnesses.conformance.player import Act, Move, Say, Turn
from draligned.harnesses.conformance.toolkit import turns
from draligned.harnesses.stages import DELEGATION, stages
from draligned.harnesses.toolbox import TOOLS
from draligned.schema.events import (
    AccessDenied,
    DelegationClosed,
    DelegationOpened,
    ModelTurn,
    RequestExecuted,
    ToolResult,
)

BLIND = ("user_message",)
"""What a context may read that may use no tool with a need."""


async def access(lab: Lab) -> str | None:
    """A call that its context may not make is denied, logged, answered and not charged (DR-26)."""
    for label, run, tools in [
        *await _foreign_tools(lab),
        ("without any access", *await _blinded(lab)),
    ]:
        denied = [body for body in run.bodies if isinstance(body, AccessDenied)]
        missing = set(tools) - {body.tool for body in denied}
        if missing:
            return f"{label}: {', '.join(sorted(missing))} was not denied"
        problem = _executed(run, denied)
        if problem:
            return f"{label}: {problem}"
    return None


async def _foreign_tools(lab: Lab) -> list[tuple[str, Run, set[str]]]:
    """In each context, a call of every tool that another context offers."""
    out = []
    whole = set(lab.toolkit.shown)
    for label, before, offered in _contexts(lab):
        foreign = sorted(whole - offered)
        if foreign:
            calls = tuple(act for act in _some_calls(lab) if act.tool in foreign)
            run = await lab.play([*before, Turn(calls, anywhere=True)])
            out.append((label, run, set(foreign)))
    return out


def _contexts(lab: Lab) -> Iterator[tuple[str, list[Move], set[str]]]:
    """Each context: how to come to it, and the tools that it offers."""
    lead: list[Move] = []
    for stage in stages(lab.spec):
        yield f"in {stage.name}", list(lead), {TOOLS[name].name for name in stage.tools}
        lead = [*lead, Say("这一部分完成了。")]
    if lab.spec.delegated:
        yield "in a delegation", turns(lab.toolkit.delegates()), set(lab.spec.delegated)


def _some_calls(lab: Lab) -> list[Act]:
    """A call of every tool of the harness."""
    kit = lab.toolkit
    acts = [*kit.searches(), *kit.delegates(), *kit.saves("x"), *kit.looks(), *kit.submits("x")]
    return list({act.tool: act for act in acts}.values())


async def _blinded(lab: Lab) -> tuple[Run, set[str]]:
    """The harness with every capability taken away, and the tools that need one."""
    blind = lab.with_spec(access=dict.fromkeys(lab.spec.access, BLIND))
    first = stages(lab.spec)[0]
    needy = {TOOLS[name].name for name in first.tools if TOOLS[name].needs}
    calls = tuple(act for act in _some_calls(lab) if act.tool in needy)
    return await blind.play([Turn(calls, anywhere=True)] if calls else []), needy


def _executed(run: Run, denied: list[AccessDenied]) -> str | None:
    """What a denied call did all the same."""
    places = {(body.sequence, body.call_index) for body in denied}
    for body in run.bodies:
        place = (getattr(body, "sequence", None), getattr(body, "call_index", None))
        if place in places and not isinstance(body, AccessDenied | ToolResult):
            return f"a denied call left a {body.kind} event"
    results = [b for b in run.bodies if isinstance(b, ToolResult)]
    texts = [run.blobs.get(b.text_sha256) for b in results if (b.sequence, b.call_index) in places]
    if len(texts) != len(places) or not all(t.startswith("access_denied") for t in texts):
        return "a denied call was not answered with access_denied"
    return None


async def delegation(lab: Lab) -> str | None:
    """Offered and invoked are two facts; what is asked inside carries its parent (DR-25)."""
    without = [m for m in lab.toolkit.whole() if not _delegates(m)]
    run = await lab.play(without)
    if run.of("delegation_opened", "delegation_closed"):
        return "a delegation was logged that nobody invoked"
    if any(isinstance(b, RequestExecuted) and b.parent is not None for b in run.bodies):
        return "a request outside of a delegation carries a parent"
    return await _delegated(lab) if lab.spec.delegated else None


def _delegates(move: Move) -> bool:
    return isinstance(move, Turn) and move.acts[0].tool == "delegate"


async def _delegated(lab: Lab) -> str | None:
    searches = lab.toolkit.searches()
    story = [*turns(lab.toolkit.delegates()), *turns(searches), Say("子任务的回答。")]
    run = await lab.play(story)
    opened = [b for b in run.bodies if isinstance(b, DelegationOpened)]
    closed = [b for b in run.bodies if isinstance(b, DelegationClosed)]
    if [b.number for b in opened] != [1] or [b.number for b in closed] != [1]:
        return f"{len(opened)} delegations were opened and {len(closed)} closed, not one"
    inside = [b.parent for b in run.bodies if isinstance(b, RequestExecuted)]
    if inside != [1] * len(searches):
        return "a request inside a delegation does not carry its number"
    answer = closed[0].text_sha256
    given = [
        b.text_sha256
        for b in run.bodies
        if isinstance(b, ToolResult) and b.sequence == opened[0].sequence
    ]
    if answer is None or given != [answer]:
        return "the answer of the delegation is not the result of its call"
    return _same_counters(run)


def _same_counters(run: Run) -> str | None:
    """Turns of a sub-context are ordinary turns of the episode."""
    turns_logged = [b.sequence for b in run.bodies if isinstance(b, ModelTurn)]
    if turns_logged != list(range(1, len(turns_logged) + 1)):
        return "turns of a delegation are not counted with the others"
    sub = [r for r in run.requests if {t.name for t in r.tools} == set(run.spec.delegated)]
    return None if sub else f"no context of the kind {DELEGATION} was asked"
