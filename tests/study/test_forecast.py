"""What open work might take: of its own kind, or unknown."""

from dataclasses import replace
from typing import Literal

from draligned.schema.chat import AttemptRecord, CallKey, Usage
from draligned.schema.config import ModelConfig
from draligned.study.forecast import Asked, forecast, used_alone, used_by
from draligned.study.spend import spend_rows

MODEL = ModelConfig(provider="p", model="sent", price_in=1.0, price_out=2.0)


def call(owner: str, tokens: int, purpose: Literal["agent", "evaluate"] = "agent") -> AttemptRecord:
    return AttemptRecord(
        key=CallKey(owner=owner, attempt=1, sequence=1), purpose=purpose, provider="p",
        requested_model="sent", echoed_model=None, try_no=1, started_utc="", seconds=0.0,
        waited_seconds=0.0, outcome="ok", http_status=200,
        usage=Usage(input_tokens=tokens, output_tokens=10), cost=None,
    )  # fmt: skip


LEDGER = [call("a", 100), call("a", 200), call("b", 500), call("c", 9_000_000)]


def asked(harness: str, done: int, owners: set[str]) -> Asked:
    return Asked(
        model_name="m", model=MODEL, open=4, done=done, harness=harness,
        used=used_by(LEDGER, owners),
    )  # fmt: skip


def test_the_work_of_one_harness_says_nothing_of_another() -> None:
    found = forecast([asked("coupled", 2, {"a", "b"}), asked("H-W", 0, set())], "agent")
    assert found.rows == (
        ("m in coupled", 4, 1600, 60, "0.00 USD"), ("m in H-W", 4, None, None, None),
    )  # fmt: skip
    assert "try --pilot 1" in found.notes[0]


def test_one_harness_needs_no_name() -> None:
    (row,) = forecast([asked("H-W", 1, {"c"})], "agent").rows
    assert row == ("m", 4, 36_000_000, 40, "36.00 USD")


def test_two_that_share_a_model_are_unknown() -> None:
    one = Asked(model_name="m", model=MODEL, open=1, done=1)
    spent = spend_rows([call("x", 7, "evaluate"), call("y", 9)])
    (alone,) = used_alone([one], spent, "evaluate")
    assert alone.used is not None
    assert alone.used.input_tokens == 7
    both = used_alone([one, replace(one, model_name="n")], spent, "evaluate")
    assert [a.used for a in both] == [None, None]


def test_remarks_stand_only_where_something_is_unknown() -> None:
    known = asked("H-W", 1, {"c"})
    assert forecast([known], "agent").notes == ()
    unpriced = replace(known, model=MODEL.model_copy(update={"price_out": None}))
    found = forecast([unpriced], "agent")
    assert found.rows == (("m", 4, 36_000_000, 40, None),)
    assert found.notes == ("A cost is unknown while tokens or a price in study.toml are unknown.",)
    begun = forecast([asked("H-W", 0, set())], "evaluate")
    assert [note.rpartition(": ")[2] for note in begun.notes[:1]] == ["try --limit 10."]
    assert len(begun.notes) == 2


def test_what_is_done_needs_nothing_more_whatever_is_unknown() -> None:
    done = replace(asked("H-W", 0, set()), open=0, beside="A/A")
    found = forecast([done], "agent")
    assert (found.rows, found.notes) == ((("m: A/A", 0, 0, 0, "0.00 USD"),), ())
