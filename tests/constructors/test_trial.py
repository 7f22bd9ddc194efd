"""Defective and sound packets in free wording: the table is printed, there is no bar."""

from collections import Counter
from pathlib import Path

import pytest

from draligned.constructors.trial import SOUND, as_text, read_trials, trial_table
from draligned.schema.labels import Problem

DATA = Path(__file__).parent / "data"


@pytest.mark.parametrize("name", ["review_packets.jsonl", "review_packets_fresh.jsonl"])
def test_hits_and_misses_are_printed(name: str) -> None:
    trials = read_trials((DATA / name).read_text("utf-8"))
    assert Counter(t.expect for t in trials) == {**{p.value: 6 for p in Problem}, SOUND: 10}
    rows = trial_table(trials)
    print(f"\n{name}\n{as_text(rows)}")  # noqa: T201 - the table is what this is for
    assert [(r.expect, r.n) for r in rows] == [*((p.value, 6) for p in Problem), (SOUND, 10)]
    assert all(r.hit + r.other + r.open + r.missed == r.n for r in rows)


def test_the_table_tells_hits_from_misses() -> None:
    first, *_ = read_trials((DATA / "review_packets.jsonl").read_text("utf-8"))
    clean = first.packet.model_copy(update={"background": ()})
    trials = [first, first.model_copy(update={"packet": clean})]
    row = trial_table(trials)[0]
    assert (row.hit, row.missed) == (1, 1)
