"""Orientations, retests and the order of work are drawn by hash."""

from hypothesis import given
from hypothesis import strategies as st

from draligned.evaluators.orientation import (
    ReadPlan,
    first_alpha,
    planned_reads,
    read_id,
    work_list,
)
from draligned.evaluators.packets import plan_units
from draligned.schema.labels import ReadRole, Side

from .scripted import run

IDS = [f"packet-{i}" for i in range(2_000)]
PLAN = ReadPlan(seed=7, mirrored=True, retest_share=0.1)


def test_half_of_the_first_reads_have_p_as_alpha() -> None:
    share = sum(first_alpha(i, 7) is Side.P for i in IDS) / len(IDS)
    assert 0.45 < share < 0.55
    assert [first_alpha(i, 7) for i in IDS] != [first_alpha(i, 8) for i in IDS]


@given(st.text(), st.integers(), st.booleans(), st.floats(0, 1))
def test_mirror_swaps_and_retest_repeats(
    packet: str, seed: int, mirrored: bool, share: float
) -> None:
    plan = ReadPlan(seed=seed, mirrored=mirrored, retest_share=share)
    reads = {r.role: r.alpha for r in planned_reads(packet, plan)}
    first = reads[ReadRole.FIRST]
    assert (ReadRole.MIRROR in reads) is mirrored
    assert reads.get(ReadRole.MIRROR, first.other) is first.other
    assert reads.get(ReadRole.RETEST, first) is first


def test_the_retest_share_is_kept_and_grows_without_changing_its_mind() -> None:
    def retested(share: float) -> set[str]:
        plan = ReadPlan(seed=7, mirrored=True, retest_share=share)
        return {i for i in IDS if planned_reads(i, plan)[-1].role is ReadRole.RETEST}

    assert retested(0) == set()
    assert 0.08 < len(retested(0.1)) / len(IDS) < 0.12
    assert retested(0.1) < retested(0.5) < retested(1) == set(IDS)


def test_every_read_has_an_identity_of_its_own() -> None:
    ids = {read_id(p, e, r) for p in IDS[:50] for e in ("e1", "e2") for r in ReadRole}
    assert len(ids) == 50 * 2 * 3


def test_work_is_shuffled_whatever_the_order_of_its_units() -> None:
    runs = [run(("甲",), run_id=f"{i:016d}") for i in range(40)]
    units = plan_units(runs, "whole_run")
    work = work_list(units, ("e1", "e2"), PLAN)
    assert work == work_list(reversed(units), ("e2", "e1"), PLAN)
    assert len(set(work)) == len(work) >= 160
    assert work != work_list(units, ("e1", "e2"), ReadPlan(seed=8, mirrored=True))
    place = {(w.unit.packet_id, w.evaluator_id, w.read.role): i for i, w in enumerate(work)}
    before = [
        place[u.packet_id, "e1", ReadRole.FIRST] < place[u.packet_id, "e1", ReadRole.MIRROR]
        for u in units
    ]
    assert 10 < sum(before) < 30
