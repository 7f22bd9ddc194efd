"""Rules on endings: all can be reached, each names its cause, and no draft becomes a final."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from draligned.gates.registry import get_gate
from draligned.harnesses.conformance.lab import Lab, Run
from draligned.harnesses.conformance.player import Act, Busy, Move, Say, Turn
from draligned.harnesses.conformance.toolkit import ANSWER, DRAFT, FINAL, turns
from draligned.schema.base import sha256_text
from draligned.schema.chat import StopReason
from draligned.schema.endings import EndedBy, Outcome
from draligned.schema.errors import BadResponse, ProviderError, RequestRefused
from draligned.schema.events import DraftSaved, ModelTurn, Submitted
from draligned.schema.harness import HarnessSpec

Absent = Callable[[HarnessSpec], str | None]
"""Why a harness cannot come to an outcome; none if it can."""


@dataclass(frozen=True, kw_only=True)
class Ending:
    """How to drive an episode to an outcome."""

    outcome: Outcome
    story: tuple[Move, ...]
    limits: tuple[tuple[str, int], ...] = ()
    absent: Absent = lambda spec: None


def _no_requests(spec: HarnessSpec) -> str | None:
    return None if {"search", "read"} & set(spec.acquisition) else "it makes no requests"


def _gate_waits(spec: HarnessSpec) -> str | None:
    speaks = get_gate(spec.gate).injects_user_turns
    return f"the gate {spec.gate} answers a reply that says nothing" if speaks else None


def _gate_owns(spec: HarnessSpec) -> str | None:
    return "the runtime ends by state alone" if spec.gate == "runtime_owned" else None


_NONSENSE = tuple(Turn((Act("no_such_tool", {"x": str(n)}),), anywhere=True) for n in range(6))
_LENGTH, _FILTER = StopReason.LENGTH, StopReason.CONTENT_FILTER

ENDINGS: tuple[Ending, ...] = (
    Ending(outcome=Outcome.TEXT_REPLY, story=(Say(ANSWER),) * 3, absent=_gate_owns),
    Ending(outcome=Outcome.EMPTY_REPLY, story=(Say(None),) * 3, absent=_gate_waits),
    Ending(outcome=Outcome.BUDGET_DECISIONS, story=(Busy(),), limits=(("decisions", 9),)),
    Ending(outcome=Outcome.BUDGET_TOOLS, story=(Busy(),), limits=(("tools", 9),)),
    Ending(
        outcome=Outcome.BUDGET_ACQUISITION,
        story=(Busy(),),
        limits=(("acquisition", 9),),
        absent=_no_requests,
    ),
    Ending(outcome=Outcome.BUDGET_TOKENS, story=(Busy(),), limits=(("output_tokens", 95),)),
    Ending(outcome=Outcome.LENGTH_CUT, story=(Say("半", _LENGTH),)),
    Ending(outcome=Outcome.LOOP_GUARD, story=_NONSENSE),
    Ending(outcome=Outcome.PROVIDER_ERROR, story=(ProviderError("down", status=502),)),
    Ending(outcome=Outcome.BAD_RESPONSE, story=(BadResponse("<html>", status=200),)),
    Ending(outcome=Outcome.RATE_LIMITED, story=(ProviderError("wait", status=429),)),
    Ending(outcome=Outcome.HARNESS_ERROR, story=(KeyError("ours"),)),
    Ending(outcome=Outcome.CENSORED, story=(RequestRefused("no", status=400),)),
    Ending(outcome=Outcome.CENSORED, story=(Say("", _FILTER),)),
)
"""Ends without a submission."""
NEVER = {Outcome.CANCELLED: "a cancelled episode stays open and is continued"}


async def every_outcome_reachable(lab: Lab) -> str | None:
    """Each outcome of the closed set comes about by the script made for it (DR-33)."""
    for ending in ENDINGS:
        if ending.absent(lab.spec) is None:
            run = await _driven(lab, ending, _begun(lab))
            if run.end is None or run.end.outcome is not ending.outcome:
                return f"{ending.outcome} was not reached: {_said(run)}"
    deliver = lab.toolkit.delivers(FINAL)
    if deliver:
        run = await lab.play([*deliver, Say(ANSWER)])
        if run.end is None or run.end.outcome is not Outcome.SUBMITTED:
            return f"{Outcome.SUBMITTED} was not reached: {_said(run)}"
    return None


def unreachable(lab: Lab) -> dict[Outcome, str]:
    """Outcomes that this harness cannot come to, and why."""
    reasons = {e.outcome: why for e in ENDINGS if (why := e.absent(lab.spec)) is not None}
    if not lab.toolkit.delivers(FINAL):
        reasons[Outcome.SUBMITTED] = "nothing can be submitted"
    return {**reasons, **NEVER}


def _begun(lab: Lab) -> list[Move]:
    """One turn of work, so that model output has been logged."""
    return turns(lab.toolkit.searches()[:1] or lab.toolkit.saves(DRAFT))


async def _driven(lab: Lab, ending: Ending, begin: Sequence[Move]) -> Run:
    return await lab.with_budget(**dict(ending.limits)).play([*begin, *ending.story])


def _said(run: Run) -> str:
    if run.end is None:
        return "the cell stays open"
    return f"{run.end.outcome} {run.end.detail}".strip()


async def no_draft_promoted(lab: Lab) -> str | None:
    """A saved draft is never the final, however the episode ends (DR-32)."""
    saves = turns(lab.toolkit.saves(DRAFT))
    for ending in ENDINGS if saves else ():
        run = await _driven(lab, ending, saves)
        if run.end is None:
            return f"{ending.outcome}: the cell stays open"
        saved = any(isinstance(body, DraftSaved) for body in run.bodies)
        if saved and run.end.final_sha256 != _closing_text(run):
            return f"{run.end.outcome}: the final is {_which(run)}"
        if saved and run.end.work_done_by_state:
            return f"{run.end.outcome}: the work counts as done, though nothing was submitted"
    return await _submission_stays(lab)


async def _submission_stays(lab: Lab) -> str | None:
    """An accepted submission is the final whatever ends the run later."""
    deliver = lab.toolkit.delivers(FINAL)
    for ending in ENDINGS if deliver else ():
        run = await _driven(lab, ending, deliver)
        submitted = [b for b in run.bodies if isinstance(b, Submitted)]
        if submitted and (run.end is None or run.end.final_sha256 != submitted[-1].text_sha256):
            return f"{ending.outcome} after a submission: the submission is not the final"
    return None


def _closing_text(run: Run) -> str | None:
    """Hash of the text that the agent closed with; none where it did not come to that."""
    if run.end is None or run.end.outcome is not Outcome.TEXT_REPLY:
        return None
    last = [body.message for body in run.bodies if isinstance(body, ModelTurn)][-1]
    return None if last.tool_calls or last.text is None else sha256_text(last.text)


def _which(run: Run) -> str:
    draft = any(
        isinstance(body, DraftSaved) and run.end and body.text_sha256 == run.end.final_sha256
        for body in run.bodies
    )
    if draft:
        return "the draft"
    return "absent" if run.end and run.end.final_sha256 is None else "a text that nobody delivered"


async def end_names_its_gate(lab: Lab) -> str | None:
    """The end says what stopped the loop, and by state whether the work was done (DR-21)."""
    deliver, gate = lab.toolkit.delivers(FINAL), get_gate(lab.spec.gate)
    if deliver:
        run = await lab.play([*deliver, Say(ANSWER)])
        if run.end is None or not run.end.work_done_by_state:
            return "a submission was accepted, but the work does not count as done"
        if run.end.ended_by not in (gate.ended_by, EndedBy.NO_TOOL_CALL):
            return f"{gate.name} ended the episode, but the end names {run.end.ended_by}"
    claimed = await lab.play([Say(f"{ANSWER}已提交。")] * 3)
    if claimed.end is None or claimed.end.work_done_by_state:
        return "the work counts as done on the agent's word"
    return None
