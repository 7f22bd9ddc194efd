"""Sentinels: how many, which, where among the reads, and what is made of them."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from draligned.evaluators.orientation import PlannedRead, Work
from draligned.evaluators.sentinels import (
    interleaved,
    sentinel_table,
    sentinel_units,
    sentinel_work,
    sentinels,
)
from draligned.schema.labels import ReadRole, Side, VoidReason
from draligned.schema.packets import EvalUnit
from draligned.study.reads import ReadsOf
from tests.evaluators.test_gold import record


def read(number: int, evaluator: str = "e") -> Work:
    unit = EvalUnit(packet_id=f"{number:016x}", kind="document", factor_id="f", run_id=None,
                    text_sha256="t", mode="document")  # fmt: skip
    return Work(unit, evaluator, PlannedRead(ReadRole.FIRST, Side.P))


@settings(deadline=None)
@given(st.integers(0, 300), st.floats(0, 1))
def test_the_share_is_rounded_up(n: int, share: float) -> None:
    count = len(sentinels("zh", n, share))
    assert count >= round(share * n, 9)
    assert count - 1 < share * n or count == 0


def test_a_share_that_binary_numbers_miss_is_not_rounded_up() -> None:
    assert 0.07 * 100 > 7
    assert len(sentinels("zh", 100, 0.07)) == 7


def test_more_reads_bring_more_waves_and_change_none() -> None:
    few, many = sentinels("zh", 100, 0.1), sentinels("zh", 1000, 0.1)
    assert [s.unit for s in many[: len(few)]] == [s.unit for s in few]
    assert [s.wave for s in few] == [1] * 4 + [2] * 4 + [3] * 2
    assert len({s.unit.unit.packet_id for s in many}) == 100


def test_what_was_made_stays_planned_when_the_share_shrinks() -> None:
    assert len(sentinels("en", 100, 0.0, made=7)) == 7


def test_places_are_spread_evenly() -> None:
    places = [s.place for s in sentinels("en", 400, 0.05)]
    assert places == sorted(places)
    assert {b - a for a, b in pairwise(places)} == {20}
    assert (places[0], places[-1]) == (10, 390)


def test_a_packet_is_asked_the_same_way_round_in_every_wave() -> None:
    found = sentinels("zh", 400, 0.1)
    work = sentinel_work(found, "e")
    assert {w.of for w in work} == {ReadsOf.SENTINELS}
    sides: dict[str, set[Side]] = {}
    for sentinel, one in zip(found, work, strict=True):
        sides.setdefault(sentinel.unit.gold_id, set()).add(one.read.alpha)
    assert {len(s) for s in sides.values()} == {1}
    assert len(sides) == len(sentinel_units("zh")) == 4


@settings(deadline=None)
@given(st.integers(0, 60), st.integers(0, 12), st.integers(1, 3))
def test_reads_keep_their_order_and_every_sentinel_comes_once(n: int, k: int, many: int) -> None:
    names = [f"e{i}" for i in range(many)]
    reads = [read(i, names[i % many]) for i in range(n)]
    apart = [w for name in names for w in sentinel_work(sentinels("en", k, 1.0), name)]
    out = interleaved(reads, apart)
    assert [w for w in out if w.of is ReadsOf.STUDY] == reads
    assert len(out) == n + len(apart)
    for name in names:
        mine = [w for w in out if w.of is ReadsOf.SENTINELS and w.evaluator_id == name]
        assert mine == [w for w in apart if w.evaluator_id == name]


def test_sentinels_stand_among_the_reads_and_not_at_their_end() -> None:
    reads = [read(i) for i in range(40)]
    out = interleaved(reads, sentinel_work(sentinels("zh", 40, 0.1), "e"))
    places = [i for i, w in enumerate(out) if w.of is ReadsOf.SENTINELS]
    assert places == [5, 16, 27, 38]


def test_rows_say_what_was_right_void_and_missing() -> None:
    found = sentinels("zh", 100, 0.04)
    document = next(s for s in found if s.unit.unit.kind == "document")
    requests = [s for s in found if s.unit.unit.kind == "requests"]
    void = record(document.unit, ReadRole.FIRST).model_copy(update={"void": VoidReason.EMPTY_REPLY})
    table = sentinel_table([("reader", "e", found)], lambda _: [void])
    row = table[table["sentinel_id"] == document.unit.gold_id].iloc[0]
    assert (row["status"], row["reason"], row["label"]) == ("void", "empty_reply", None)
    assert row["correct"] is None
    missing = table[table["sentinel_id"] == requests[0].unit.gold_id]
    assert set(missing["status"]) == {"missing"}
    assert list(missing["unit"]) == list(requests[0].unit.unit.request_nos)


@pytest.mark.parametrize("share", [0.0, 0.05])
def test_no_reads_no_sentinels(share: float) -> None:
    assert sentinels("zh", 0, share) == ()
