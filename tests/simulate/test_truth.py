"""Known truth: planted values lie in the reported intervals, and would not if labels were
restored wrongly.

Three ways of breaking it were tried. Reading the mirrored read as if it were not mirrored, and
exchanging P and Q when restoring both reads, bring the hits below the line; drawing the same
orientation first everywhere changes nothing, because restoring goes by what the read says.
"""

from collections.abc import Mapping
from dataclasses import replace
from functools import cache

import pytest

from draligned.measure import made
from draligned.measure.contrasts import estimates, groups
from draligned.measure.estimate import Settings
from draligned.measure.pairs import build_pairs
from draligned.measure.variants import core_targets
from draligned.schema.frames import MeasureInputs
from draligned.simulate.labels import Orientation, simulate_many
from draligned.simulate.plan import NULL, PAPER, PLANS, REVERSED, SPARSE, Mix, Plan
from draligned.simulate.truth import Truth, truth
from tests.breaks import exchange_p_and_q, leave_second_read_unrestored

SEEDS = range(40)
ENOUGH = 31
NAMES = {
    "D_A": "d_a", "D_F": "d_f", "readability_A": "readability_a", "readability_F": "readability_f",
}  # fmt: skip


@cache
def studies(plan: Plan, orientation: Orientation = "hash") -> MeasureInputs:
    return simulate_many(plan, SEEDS, orientation)


def hits(inputs: MeasureInputs, expected: Truth) -> Mapping[str, int]:
    """In how many seeds each planted value lies in its 95 % interval."""
    matrix, _ = made.matrix_of(made.read(inputs), "block_none")
    panels = groups(build_pairs(matrix, "first"), by_model=False)
    settings = Settings(seed=20260929, draws=2000)
    rows = estimates(panels, core_targets, settings)
    planted = rows["estimand"].map({name: getattr(expected, own) for name, own in NAMES.items()})
    inside = (rows["ci_lo"] <= planted + 1e-9) & (planted <= rows["ci_hi"] + 1e-9)
    counted = inside.groupby(rows["estimand"]).agg(["sum", "size"])
    assert (counted["size"] == len(SEEDS)).all()
    return {str(name): int(count) for name, count in counted["sum"].items()}


@pytest.mark.parametrize("plan", PLANS, ids=lambda plan: plan.name)
def test_planted_values_lie_in_the_intervals(plan: Plan) -> None:
    found = hits(studies(plan), truth(plan))
    assert set(found) == set(NAMES)
    assert min(found.values()) >= ENOUGH, found


@pytest.mark.parametrize("plan", [PAPER, REVERSED], ids=lambda plan: plan.name)
def test_leaving_the_second_read_unrestored_is_found(
    plan: Plan, monkeypatch: pytest.MonkeyPatch
) -> None:
    leave_second_read_unrestored(monkeypatch)
    found = hits(studies(plan), truth(plan))
    assert min(found["D_A"], found["D_F"], found["readability_F"]) < ENOUGH, found


@pytest.mark.parametrize("plan", [PAPER, REVERSED], ids=lambda plan: plan.name)
def test_exchanging_p_and_q_in_both_reads_is_found(
    plan: Plan, monkeypatch: pytest.MonkeyPatch
) -> None:
    exchange_p_and_q(monkeypatch)
    found = hits(studies(plan), truth(plan))
    assert max(found["D_A"], found["D_F"]) < ENOUGH, found


def test_always_the_same_first_orientation_is_harmless() -> None:
    found = hits(studies(PAPER, "always_p"), truth(PAPER))
    assert found == hits(studies(PAPER), truth(PAPER))


def test_truth_without_errors_by_hand() -> None:
    plan = Plan(
        name="hand", own=0.3, other=0.1, both=0.0, request_abstain=0.5, request_void=0.0,
        silent=0.0, min_requests=2, max_requests=2, final_p=Mix(own=0.5), final_q=Mix(own=0.5),
        final_unread=0.2,
    )  # fmt: skip
    known = truth(plan)
    assert known.d_a == pytest.approx(0.4)
    assert known.d_f == pytest.approx(1 - 0.25)
    assert known.readability_a == pytest.approx((1 - 0.25) ** 2)
    assert known.readability_f == pytest.approx(0.8**2)


def test_read_errors_shrink_what_can_be_seen() -> None:
    known = truth(replace(PAPER, read_error=0.2, task_spread=0.0))
    clean = truth(replace(PAPER, read_error=0.0, task_spread=0.0))
    assert known.readability_f < clean.readability_f
    assert 0 < known.d_f < clean.d_f
    # directional requests fail to agree with 2 · 0.2 · 0.8 and, agreed, are wrong 0.04 : 0.64
    agreed = 0.125 * (0.64 + 0.04) + 0.875
    assert known.d_a == pytest.approx(2 * 0.075 * (0.64 - 0.04) / agreed)


def test_plans_are_what_the_papers_print() -> None:
    known = truth(PAPER)
    assert known.d_a == pytest.approx(0.15, abs=0.01)
    assert known.d_f == pytest.approx(0.83, abs=0.01)
    assert known.readability_a == pytest.approx(0.791, abs=0.005)
    assert truth(NULL).d_a == truth(NULL).d_f == 0
    assert truth(REVERSED).d_a < 0 > truth(REVERSED).d_f
    assert truth(SPARSE).readability_a == pytest.approx(0.3, abs=0.002)
    assert truth(SPARSE).readability_f == pytest.approx(0.3, abs=0.002)
    assert SPARSE.models == 5
