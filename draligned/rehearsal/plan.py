"""The plan of one episode, drawn once from a profile; the agent only walks along it.

Every draw has a name of its own, so that what one harness adds shifts nothing in another.
"""

from collections.abc import Sequence
from functools import lru_cache

from draligned.rehearsal.draws import Draws
from draligned.rehearsal.housekeeping import keep_house
from draligned.rehearsal.profiles import AgentProfile
from draligned.rehearsal.steps import Offer, PlannedRequest, Step


@lru_cache(maxsize=4096)
def draw_plan(profile: AgentProfile, token: str, n_factors: int, offer: Offer) -> tuple[Step, ...]:
    """All steps of an episode, in order; the last one ends it."""
    draws = Draws(token)
    research = _research(profile, draws, n_factors, offer)
    final = _leans(profile.final.weights(), draws, n_factors, "final")
    drafts = _drafts(profile, draws, final, offer) if offer.draft else []
    ending = _ending(profile, draws, final, drafts, offer)
    if offer.files:
        research, drafts = keep_house(profile, draws, research, drafts, offer.files)
    return (*research, *drafts, *ending)


def _leans(weights: dict[str, float], draws: Draws, n_factors: int, what: str) -> tuple[str, ...]:
    return tuple(draws.weighted(weights, what, i) for i in range(n_factors))


def _research(profile: AgentProfile, draws: Draws, n_factors: int, offer: Offer) -> list[Step]:
    if not offer.search:
        return []
    pending = _requests(profile, draws, n_factors, offer)
    chunk = _delegated(profile, draws, pending) if offer.delegate else []
    if not chunk:
        return in_turns(profile, draws, pending)
    start = chunk[0].number
    steps = in_turns(profile, draws, pending[:start])
    steps.append(_delegation(profile, draws, chunk))
    return in_turns(profile, draws, pending[start + len(chunk) :], steps)


def in_turns(
    profile: AgentProfile,
    draws: Draws,
    pending: Sequence[PlannedRequest],
    before: Sequence[Step] = (),
) -> list[Step]:
    """The steps `before`, then the requests in turns of one or two, some after a broken call."""
    steps = [*before]
    while pending:
        if draws.chance(profile.invalid, "invalid", len(steps)):
            steps.append(Step(kind="broken_call", requests=(pending[0],)))
        size = 2 if steps and draws.chance(profile.parallel, "parallel", len(steps)) else 1
        steps.append(Step(kind="requests", requests=tuple(pending[:size])))
        pending = pending[size:]
    return steps


def _delegated(
    profile: AgentProfile, draws: Draws, pending: Sequence[PlannedRequest]
) -> list[PlannedRequest]:
    """Neighbouring requests for a sub-context: a search, which need not be the first, and on.

    Which they are depends on no leaning, so that requests lean alike on either side.
    """
    starts = [r.number for r in pending[1:] if r.tool == "search"]
    if not starts or not draws.chance(profile.delegates, "delegates"):
        return []
    n = draws.between(1, 3, "n_delegated")
    roomy = [start for start in starts if start + n <= len(pending)]
    start = draws.pick(roomy or starts, "delegated_from")
    return [*pending[start : start + n]]


def _delegation(profile: AgentProfile, draws: Draws, chunk: Sequence[PlannedRequest]) -> Step:
    """One sub-task, or two in one turn; either begins with a search."""
    cuts = [i for i, r in enumerate(chunk) if i and r.tool == "search"]
    in_one = cuts[0] if cuts and draws.chance(profile.parallel, "two_tasks") else 0
    return Step(kind="delegate", requests=tuple(chunk), in_one=in_one)


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


def _drafts(
    profile: AgentProfile, draws: Draws, final: tuple[str, ...], offer: Offer
) -> list[Step]:
    leans: list[tuple[str, ...]]
    if profile.draft_plan is not None:
        leans = [(lean,) * len(final) for lean in profile.draft_plan]
    elif not draws.chance(profile.draft, "draft"):
        return []
    else:
        n = 2 if draws.chance(profile.redraft, "redraft") else 1
        leans = [_draft_leans(profile, draws, final, i) for i in range(1, n + 1)]
    return [
        Step(
            kind="write",
            version=f"draft{i}",
            leans=lean,
            edit=i > 1 and _edits(profile, draws, f"draft{i}", offer),
        )
        for i, lean in enumerate(leans, 1)
    ]


def _edits(profile: AgentProfile, draws: Draws, version: str, offer: Offer) -> bool:
    return "edit_file" in offer.files and draws.chance(profile.edits, "edit", version)


def _draft_leans(
    profile: AgentProfile, draws: Draws, final: tuple[str, ...], number: int
) -> tuple[str, ...]:
    if draws.chance(profile.draft_follows, "follows", number):
        return final
    return _leans(profile.draft_lean.weights(), draws, len(final), f"draft{number}")


def _ending(
    profile: AgentProfile, draws: Draws, final: tuple[str, ...], drafts: list[Step], offer: Offer
) -> list[Step]:
    if offer.hands_over:
        return [Step(kind="hand_over", notes=not drafts)]
    ending = draws.weighted(profile.endings(), "ending")
    if ending == "submit" and offer.submit == "saved":
        return _saved_submission(profile, draws, final, drafts, offer)
    version = "final"
    repeats = draws.chance(profile.verbatim, "verbatim")
    if drafts and drafts[-1].leans == final and repeats:
        version = drafts[-1].version
    repeats = repeats and offer.handed and not offer.draft
    if ending == "submit" and offer.submit == "text":
        submit = Step(kind="submit", version=version, leans=final, repeats=repeats)
        return [submit, Step(kind="closing", version=version, leans=final)]
    if ending in ("submit", "text"):
        return [Step(kind="text", version=version, leans=final, repeats=repeats)]
    if ending == "length":
        return [Step(kind="length_cut", version=version, leans=final)]
    return [Step(kind="empty")]


def _saved_submission(
    profile: AgentProfile, draws: Draws, final: tuple[str, ...], drafts: list[Step], offer: Offer
) -> list[Step]:
    """Submit what is saved, then close with a word.

    A last draft that leans as the final should is submitted as it stands or, like any other,
    after it was changed once more: the final leans as drawn either way.
    """
    kept = bool(drafts) and drafts[-1].leans == final and draws.chance(profile.keeps, "keeps")
    version = drafts[-1].version if kept else "final"
    edit = bool(drafts) and _edits(profile, draws, "final", offer)
    saved = Step(kind="write", version=version, leans=final, edit=edit)
    closing = Step(kind="closing", version=version, leans=final)
    if kept or not offer.draft:
        return [Step(kind="submit", version=version, leans=final), closing]
    if draws.chance(profile.at_once, "at_once"):
        return [
            Step(kind="submit", version=version, leans=final, edit=edit, saves=True),
            closing,
        ]
    return [saved, Step(kind="submit", version=version, leans=final), closing]
