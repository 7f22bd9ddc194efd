"""The plan of one episode, drawn once from a profile; the agent only walks along it."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from draligned.rehearsal.draws import Draws
from draligned.rehearsal.profiles import AgentProfile

DraftTool = Literal["write_report", "write_file"]
Kind = Literal[
    "requests", "broken_call", "write", "submit", "text", "closing", "empty", "length_cut"
]


@dataclass(frozen=True, kw_only=True)
class PlannedRequest:
    """One request: `lean` and the index of its factor; reads follow what was found."""

    number: int
    tool: Literal["search", "read"]
    lean: str
    factor: int


@dataclass(frozen=True, kw_only=True)
class Step:
    """One assistant turn."""

    kind: Kind
    requests: tuple[PlannedRequest, ...] = ()
    version: str = ""
    """For documents: which wording, `draft1`, `draft2` or `final`."""
    leans: tuple[str, ...] = ()
    """For documents: leaning for every factor."""


@dataclass(frozen=True, kw_only=True)
class Offer:
    """What the harness offers, as far as the plan depends on it."""

    search: bool
    read: bool
    draft: bool
    submit: Literal["text", "saved", "none"]
    """Submission of a text, of what was saved, or none at all."""


@lru_cache(maxsize=4096)
def draw_plan(profile: AgentProfile, token: str, n_factors: int, offer: Offer) -> tuple[Step, ...]:
    """All steps of an episode, in order; the last one ends it."""
    draws = Draws(token)
    steps = [*_research(profile, draws, n_factors, offer)]
    final = _leans(profile.final.weights(), draws, n_factors, "final")
    drafts = _drafts(profile, draws, final) if offer.draft else []
    return (*steps, *drafts, *_ending(profile, draws, final, drafts, offer))


def _leans(weights: dict[str, float], draws: Draws, n_factors: int, what: str) -> tuple[str, ...]:
    return tuple(draws.weighted(weights, what, i) for i in range(n_factors))


def _research(profile: AgentProfile, draws: Draws, n_factors: int, offer: Offer) -> list[Step]:
    if not offer.search:
        return []
    pending = _requests(profile, draws, n_factors, offer)
    steps: list[Step] = []
    while pending:
        if draws.chance(profile.invalid, "invalid", len(steps)):
            steps.append(Step(kind="broken_call", requests=(pending[0],)))
        size = 2 if steps and draws.chance(profile.parallel, "parallel", len(steps)) else 1
        steps.append(Step(kind="requests", requests=tuple(pending[:size])))
        pending = pending[size:]
    return steps


def _requests(
    profile: AgentProfile, draws: Draws, n_factors: int, offer: Offer
) -> list[PlannedRequest]:
    if profile.request_plan is not None:
        return [
            PlannedRequest(number=i, tool="search", lean=lean if n_factors else "none", factor=0)
            for i, lean in enumerate(profile.request_plan)
        ]
    n = draws.between(profile.requests_min, profile.requests_max, "n_requests")
    return [_request(profile, draws, i, n_factors, offer) for i in range(n)]


def _request(
    profile: AgentProfile, draws: Draws, number: int, n_factors: int, offer: Offer
) -> PlannedRequest:
    reads = offer.read and number > 0 and draws.chance(profile.url_reads, "url", number)
    lean = draws.weighted(profile.request.weights(), "request", number) if n_factors else "none"
    factor = draws.between(0, max(n_factors, 1) - 1, "factor", number)
    return PlannedRequest(
        number=number, tool="read" if reads else "search", lean=lean, factor=factor
    )


def _drafts(profile: AgentProfile, draws: Draws, final: tuple[str, ...]) -> list[Step]:
    if profile.draft_plan is not None:
        return [
            Step(kind="write", version=f"draft{i}", leans=(lean,) * len(final))
            for i, lean in enumerate(profile.draft_plan, 1)
        ]
    if not draws.chance(profile.draft, "draft"):
        return []
    n = 2 if draws.chance(profile.redraft, "redraft") else 1
    return [
        Step(kind="write", version=f"draft{i}", leans=_draft_leans(profile, draws, final, i))
        for i in range(1, n + 1)
    ]


def _draft_leans(
    profile: AgentProfile, draws: Draws, final: tuple[str, ...], number: int
) -> tuple[str, ...]:
    if draws.chance(profile.draft_follows, "follows", number):
        return final
    return _leans(profile.draft_lean.weights(), draws, len(final), f"draft{number}")


def _ending(
    profile: AgentProfile, draws: Draws, final: tuple[str, ...], drafts: list[Step], offer: Offer
) -> list[Step]:
    ending = draws.weighted(profile.endings(), "ending")
    version = "final"
    if drafts and drafts[-1].leans == final and draws.chance(profile.verbatim, "verbatim"):
        version = drafts[-1].version
    if ending == "submit" and offer.submit == "none":
        ending = "text"
    if ending == "submit":
        return _submission(version, final, offer)
    if ending == "text":
        return [Step(kind="text", version=version, leans=final)]
    if ending == "length":
        return [Step(kind="length_cut", version=version, leans=final)]
    return [Step(kind="empty")]


def _submission(version: str, final: tuple[str, ...], offer: Offer) -> list[Step]:
    """Submit, then close with a word; where what was saved is submitted, save it first."""
    save = [Step(kind="write", version=version, leans=final)] if offer.submit == "saved" else []
    submit = Step(kind="submit", version=version, leans=final)
    return [*save, submit, Step(kind="closing")]
