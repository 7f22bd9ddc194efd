"""What a plan's tables should say, by enumeration; shares no code with measure.

Readable pairs are a random part of the planned ones here, apart from read errors, which only
directional finals can fail by; so the mean over readable pairs has a known expectation.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product

from draligned.simulate.plan import Mix, Plan


@dataclass(frozen=True, kw_only=True)
class Truth:
    """Expected values over readable pairs, and the shares of pairs that are readable."""

    d_a: float
    d_f: float
    readability_a: float
    readability_f: float


def truth(plan: Plan) -> Truth:
    """Expectations under the plan."""
    p, q = _final(plan, plan.final_p, "P"), _final(plan, plan.final_q, "Q")
    scales = (1 + plan.task_spread, 1 - plan.task_spread)
    return Truth(
        d_a=sum(2 * _net(plan, scale) for scale in scales) / 2,
        d_f=_expected_sign(p, q),
        readability_a=sum(_arm_readable(plan, scale) ** 2 for scale in scales) / 2,
        readability_f=sum(p.values()) * sum(q.values()),
    )


def _agreed(plan: Plan, scale: float) -> float:
    """Share of requests on which two reads that say something agree."""
    directional = scale * (plan.own + plan.other)
    both_alike = (1 - plan.read_error) ** 2 + plan.read_error**2
    return directional * both_alike + 1 - directional


def _net(plan: Plan, scale: float) -> float:
    """Own minus other among identified requests; two wrong reads turn a request round."""
    right_less_wrong = (1 - plan.read_error) ** 2 - plan.read_error**2
    return scale * (plan.own - plan.other) * right_less_wrong / _agreed(plan, scale)


def _arm_readable(plan: Plan, scale: float) -> float:
    """A run has at least one identified request."""
    said = 1 - plan.request_abstain - plan.request_void
    lost = 1 - said * _agreed(plan, scale)
    sizes = range(plan.min_requests, plan.max_requests + 1)
    return (1 - plan.silent) * (1 - sum(lost**n for n in sizes) / len(sizes))


def _final(plan: Plan, mix: Mix, side: str) -> Mapping[int, float]:
    """Probability that a run's final is readable with readout x, for x in −1, 0, 1."""
    own = 1 if side == "P" else -1
    right, wrong = (1 - plan.read_error) ** 2, plan.read_error**2
    seen = 1 - plan.final_unread
    return {
        own: seen * (mix.own * right + mix.other * wrong),
        -own: seen * (mix.other * right + mix.own * wrong),
        0: seen * (mix.both + mix.none),
    }


def _expected_sign(p: Mapping[int, float], q: Mapping[int, float]) -> float:
    cells = [(x_p, x_q, p[x_p] * q[x_q]) for x_p, x_q in product(p, q)]
    total = sum(weight for _, _, weight in cells)
    return sum(((x_p > x_q) - (x_p < x_q)) * weight for x_p, x_q, weight in cells) / total
