"""Files that something has spoilt at any place: refused in one line, or every run told of once."""

import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from draligned.progress.statistics import Settings
from draligned.progress.tau2.frame import OK, Scored, left_out, score_files
from draligned.progress.tau2.results import read_results
from draligned.progress.tau2.tables import build
from draligned.schema.errors import DralignedError
from draligned.study.spreadsheet import to_csv
from tests.progress.tau2 import toy
from tests.progress.tau2.made import results, run
from tests.progress.tau2.test_frame import REPAIR, RIGHT, repair

WHOLE = json.dumps(
    results(
        toy.PHONE, toy.embedded(toy.REPAIR, toy.HAND_OFF),
        [run(REPAIR, repair(*RIGHT), trial=n) for n in range(3)],
    )
)  # fmt: skip
ODD: tuple[Any, ...] = (
    None, True, 0, -1, 1.5, "x", "", [], {}, [None], {"a": None}, "\ud800", "\x00", "=1+1", "../..",
    float("nan"), float("inf"), 10**50, "9" * 50, "a" * 5_000, RIGHT[0], "<stage>" * 40,
    {"role": "assistant", "content": RIGHT[3]}, {"role": "tool", "id": "", "content": "x"},
)  # fmt: skip


def places(held: Any, before: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every place in a file."""
    if before:
        yield before
    parts = dict(enumerate(held)) if isinstance(held, list) else held
    for key, part in parts.items() if isinstance(parts, dict) else ():
        yield from places(part, (*before, key))


PLACES = sorted(places(json.loads(WHOLE)), key=len)
SHALLOW = [place for place in PLACES if len(place) <= 4]


@st.composite
def spoilt(draw: st.DrawFn) -> str:
    """The file with one to four places replaced, taken away or said twice."""
    held = json.loads(WHOLE)
    for _ in range(draw(st.integers(1, 4))):
        *way, last = draw(st.sampled_from(SHALLOW) | st.sampled_from(PLACES))
        part = held
        try:
            for key in way:
                part = part[key]
            what = draw(st.sampled_from([*ODD, "drop", "twice"]))
            if what == "drop":
                del part[last]
            elif what == "twice" and isinstance(part, list):
                part.insert(last, part[last])
            else:
                part[last] = what
        except (KeyError, IndexError, TypeError):
            continue  # an earlier change has taken the place away
    return json.dumps(held)


def read_and_scored(text: str) -> Scored | str:
    """What comes of a file, or why it is refused."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "odd.json")
        path.write_text(text, encoding="utf-8")
        try:
            return score_files([("m", read_results(path))], toy.benchmark())
        except DralignedError as error:
            return str(error)


@settings(deadline=None, max_examples=20, suppress_health_check=[HealthCheck.too_slow])
@given(spoilt())
def test_whatever_is_spoilt_every_run_is_told_of_once(text: str) -> None:
    scored = read_and_scored(text)
    if isinstance(scored, str):
        assert "\n" not in scored
        return
    there = len(json.loads(text)["simulations"])
    assert len(scored.runs) == there
    assert scored.runs["run_id"].nunique() == there
    apart = int((scored.runs["status"] != OK).sum())
    assert sum(left_out(scored).values()) == apart
    tables = build(scored, Settings(draws=20))
    assert int(tables["lanes"]["runs"].sum()) == there
    assert int(tables["left_out"]["runs"].sum()) == apart
    for table in tables.values():
        table.to_parquet()
        assert b"\nnan" not in to_csv(table).lower()
