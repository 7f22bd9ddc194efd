import hashlib

import pytest
from pydantic import ValidationError

from draligned.schema.base import Record, sha256_of, short_id, unit_draw
from draligned.schema.endings import EndedBy, EpisodeEnd, Outcome


class Example(Record):
    text: str
    number: float = 0.0


def test_a_record_reads_back_and_stays_on_one_line() -> None:
    record = Example(text="行\u2028\u2029\x85\n尾", number=1.5)
    assert len(record.to_json().splitlines()) == 1
    assert Example.from_json(record.to_json()) == record


@pytest.mark.parametrize(
    "text",
    ['{"text":"a","number":NaN}', '{"text":"a","other":1}', '{"text":"a","text":"b"}', "[]", "{"],
)
def test_a_record_refuses_what_it_did_not_write(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        Example.from_json(text)


def test_a_record_holds_no_number_that_is_none() -> None:
    with pytest.raises(ValidationError):
        Example(text="a", number=float("nan"))


def test_hashes_are_of_the_canonical_form() -> None:
    known = hashlib.sha256('{"a":1,"b":"好"}'.encode()).hexdigest()
    assert sha256_of({"b": "好", "a": 1}) == known
    assert short_id("a", 1) == hashlib.sha256(b'["a",1]').hexdigest()[:16]


def test_draws_are_spread_over_the_unit_interval() -> None:
    draws = [unit_draw("x", i) for i in range(2000)]
    assert min(draws) >= 0
    assert max(draws) < 1
    assert abs(sum(draws) / 2000 - 0.5) < 0.03
    assert unit_draw("x", 1) == draws[1]


def test_no_outcome_is_a_default() -> None:
    with pytest.raises(ValidationError, match="outcome"):
        EpisodeEnd(ended_by=EndedBy.BUDGET, final_sha256=None, work_done_by_state=False)  # type: ignore[call-arg]
    assert len(Outcome) == 15
