"""Planted truth comes out of the whole pipeline: 24 tasks × 2 models, from prompts to tables.

The label-level version over 40 seeds stands in tests/simulate; `make proof` has the longer one.
"""

import shutil
from collections import Counter
from pathlib import Path

import pytest

from draligned.api import Study
from draligned.evaluators import orientation
from draligned.schema.labels import Side
from tests.breaks import exchange_p_and_q, leave_second_read_unrestored

from .planted import PLANS, Check, checks, draft, study_of
from .studies import copied

pytestmark = pytest.mark.slow
SEEDS = (1, 2)
ENOUGH = 29
"""Of 32 intervals of 95 %: 30.4 are expected to cover, fewer than 29 in 7 of 100 series."""


@pytest.fixture(scope="module")
def drafted24(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A draft of 24 tasks."""
    return draft(tmp_path_factory.mktemp("planted"))


@pytest.fixture(scope="module")
def planted(drafted24: Path) -> dict[tuple[str, int], Study]:
    """A finished study for every plan and seed."""
    return {
        (plan, seed): study_of(plan, seed, drafted24, drafted24.parent / f"{plan}-{seed}")
        for plan in PLANS
        for seed in SEEDS
    }


def test_planted_values_lie_in_the_intervals(planted: dict[tuple[str, int], Study]) -> None:
    found = [
        check for (plan, seed), study in planted.items() for check in checks(plan, seed, study)
    ]
    missed = [check for check in found if not check.hit]
    assert len(found) == 4 * len(planted)
    assert len(found) - len(missed) >= ENOUGH, missed
    assert max(Counter(check.what for check in missed).values(), default=0) <= 2, missed


def test_what_is_planted_differs_enough_to_be_told_apart(
    planted: dict[tuple[str, int], Study],
) -> None:
    for seed in SEEDS:
        d = {plan: _differences(plan, seed, planted[plan, seed]) for plan in PLANS}
        assert d["a"]["D_A"].low > 0 > d["reversed"]["D_A"].high
        assert d["a"]["D_F"].low > 0 > d["reversed"]["D_F"].high


@pytest.fixture
def copy(planted: dict[tuple[str, int], Study], tmp_path: Path) -> Study:
    """A finished study of plan a that may be measured wrongly."""
    return copied(planted["a", 1].folder.root, tmp_path / "copy")


def test_leaving_the_second_read_unrestored_is_found(
    copy: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    leave_second_read_unrestored(monkeypatch)
    copy.measure()
    assert not all(check.hit for check in checks("a", 1, copy))


def test_exchanging_p_and_q_in_both_reads_is_found(
    copy: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    exchange_p_and_q(monkeypatch)
    copy.measure()
    assert not any(check.hit for check in _differences("a", 1, copy).values())


def test_always_the_same_first_orientation_is_harmless(
    copy: Study, planted: dict[tuple[str, int], Study], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every interval covers that covers in the study whose first orientation was drawn."""
    monkeypatch.setattr(orientation, "first_alpha", lambda _packet, _seed: Side.P)
    shutil.rmtree(copy.folder.root / "reads")
    copy.evaluate()
    copy.measure()
    sides = {r.alpha for e in copy.plan().evaluators for r in copy.readings().records(e)}
    assert sides == {Side.P, Side.Q}
    hits = {check.what: check.hit for check in checks("a", 1, copy)}
    assert hits == {check.what: check.hit for check in checks("a", 1, planted["a", 1])}


def _differences(plan: str, seed: int, study: Study) -> dict[str, Check]:
    return {c.what: c for c in checks(plan, seed, study) if c.what in {"D_A", "D_F"}}
