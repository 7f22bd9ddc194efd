"""What planted profiles imply, in closed form and without any code of the measures.

For an infinite study in which both arms of every pair play the given profiles: expected d_A
and d_F over readable pairs (DR-83, DR-84), and the shares of readable pairs (DR-85). They are
the same for every harness of the family: a delegated request is one of the planned requests
and leans like any other, and the final leans as drawn whether a text, a saved document or a
file is submitted, in one stage or in several.

Assumptions: addresses show no endpoint word; every search returns a hit not opened before;
both words of the factor are known; budgets are never reached; the first and the mirrored
read declare different seeds, so that their errors are independent.
"""

from dataclasses import dataclass
from itertools import product

from draligned.rehearsal.profiles import AgentProfile, Leaning
from draligned.rehearsal.reader_profile import ReaderProfile

LABELS = ("own", "other", "both", "none", "unknown")
_SIGN = {"own": 1.0, "other": -1.0, "both": 0.0, "none": 0.0}
_FLIPPED = {"own": "other", "other": "own"}


@dataclass(frozen=True, kw_only=True)
class PlantedTruth:
    """Expectations of one agent under one reader."""

    d_a: float
    """Difference of within-run mean request readouts over pairs readable in A, in [-2, 2]."""
    d_f: float
    """Sign of the difference of final readouts over pairs readable in F, in [-1, 1]."""
    readable_a: float
    """Share of pairs in which both runs have an identified request."""
    readable_f: float
    """Share of pairs in which both finals have an accepted label."""


@dataclass(frozen=True, kw_only=True)
class PlantedUse:
    """How an agent uses what harnesses offer, as shares of its runs."""

    delegates: float
    """Runs with a delegation, where one is offered."""
    drafts: float
    """Runs that save a draft before the final is due."""
    repeated: float
    """Of those runs, where a text is submitted: the last draft is the final, word for word.
    Where a saved file is submitted every last version is, by construction (DR-24)."""


def planted_use(profile: AgentProfile) -> PlantedUse:
    """What a profile implies for one factor; nothing but the plan is assumed.

    Raises `ValueError` for a profile with fixed plans.
    """
    if profile.request_plan is not None or profile.draft_plan is not None:
        raise ValueError("fixed plans have no expectation: count what they hold")
    counts = range(profile.requests_min, profile.requests_max + 1)
    all_read = sum(profile.url_reads ** (n - 1) if n else 1.0 for n in counts) / len(counts)
    drawn, final = profile.draft_lean.weights(), profile.final.weights()
    by_chance = sum(share * final[name] for name, share in drawn.items())
    alike = profile.draft_follows + (1.0 - profile.draft_follows) * by_chance
    return PlantedUse(
        delegates=profile.delegates * (1.0 - all_read),
        drafts=profile.draft,
        repeated=alike * profile.verbatim,
    )


def planted_truth(
    p: AgentProfile, q: AgentProfile | None = None, reader: ReaderProfile | None = None
) -> PlantedTruth:
    """The truth for arms that play `p` and `q` (default: both `p`), read by `reader`.

    Without a reader, labels are read without error. Raises `ValueError` for a profile with a
    fixed `request_plan`: its readouts need no expectation.
    """
    q = q or p
    if p.request_plan is not None or q.request_plan is not None:
        raise ValueError("a fixed request plan has no expectation: count its leanings")
    reader = reader or ReaderProfile(abstain=0.0, flip=0.0, order_bias=0.0)
    return PlantedTruth(
        d_a=_mean(accepted(p.request, reader)) + _mean(accepted(q.request, reader)),
        d_f=_sign_of_difference(accepted(p.final, reader), accepted(q.final, reader)),
        readable_a=_some_identified(p, reader) * _some_identified(q, reader),
        readable_f=_final_read(p, reader) * _final_read(q, reader),
    )


def untold(profile: AgentProfile) -> AgentProfile:
    """What the agent of a profile does when nothing is told: it leans nowhere."""
    return profile.model_copy(
        update={"request": Leaning(), "final": Leaning(), "draft_lean": Leaning()}
    )


def read_once(label: str, reader: ReaderProfile, first_is_own: bool) -> dict[str, float]:
    """Distribution of one read of a unit whose true label is `label`."""
    out = dict.fromkeys(LABELS, 0.0)
    out["unknown"] = reader.abstain
    biased = "own" if first_is_own else "other"
    for flipped, share in ((True, reader.flip), (False, 1.0 - reader.flip)):
        seen = _FLIPPED.get(label, label) if flipped else label
        weight = (1.0 - reader.abstain) * share
        bias = reader.order_bias if seen != "none" else 0.0
        out[seen] += weight * (1.0 - bias)
        out[biased] += weight * bias
    return out


def accepted(lean: Leaning, reader: ReaderProfile) -> dict[str, float]:
    """Joint probability of each label that both orientations agree on; sums to the share read."""
    out = dict.fromkeys(_SIGN, 0.0)
    for label, share in lean.weights().items():
        one, two = read_once(label, reader, True), read_once(label, reader, False)
        for name in out:
            out[name] += share * one[name] * two[name]
    return out


def _mean(labels: dict[str, float]) -> float:
    read = sum(labels.values())
    return sum(_SIGN[name] * share for name, share in labels.items()) / read


def _sign_of_difference(p: dict[str, float], q: dict[str, float]) -> float:
    """Expected sign of x_P - x_Q; a Q run that leans to its own end has x = -1."""
    total = 0.0
    for (a, share_a), (b, share_b) in product(p.items(), q.items()):
        difference = _SIGN[a] + _SIGN[b]
        total += share_a * share_b * ((difference > 0) - (difference < 0))
    return total / (sum(p.values()) * sum(q.values()))


def _some_identified(profile: AgentProfile, reader: ReaderProfile) -> float:
    """Probability that a run has an identified request; its first request is a search."""
    read = sum(accepted(profile.request, reader).values())
    later = 1.0 - read * (1.0 - profile.url_reads)
    counts = range(profile.requests_min, profile.requests_max + 1)
    none = sum((1.0 - read) * later ** (n - 1) if n else 1.0 for n in counts)
    return 1.0 - none / len(counts)


def _final_read(profile: AgentProfile, reader: ReaderProfile) -> float:
    return profile.delivers * sum(accepted(profile.final, reader).values())
