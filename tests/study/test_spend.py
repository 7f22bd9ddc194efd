"""What a study has spent: unknown stays unknown, and currencies are not added up."""

from typing import Any

import pytest

from draligned.schema.chat import AttemptRecord, CallKey, Usage
from draligned.study.spend import SpendRow, spend_rows

TRY = AttemptRecord(
    key=CallKey(owner="0" * 16, attempt=1, sequence=1), purpose="agent", provider="mine",
    requested_model="m", echoed_model=None, try_no=1, started_utc="2026-01-01T00:00:00+00:00",
    seconds=1.0, waited_seconds=0.0, outcome="ok", http_status=200,
    usage=Usage(input_tokens=10, output_tokens=1), cost=None,
)  # fmt: skip


def total(*tries: dict[str, Any]) -> SpendRow:
    (found,) = spend_rows(TRY.model_copy(update=changes) for changes in tries)
    return found


def row(*costs: tuple[float | None, str | None]) -> SpendRow:
    return total(*({"cost": cost, "currency": currency} for cost, currency in costs))


def test_costs_of_one_currency_add_up() -> None:
    found = row((0.25, "EUR"), (0.5, "EUR"))
    assert (found.cost, found.currency, found.input_tokens) == (0.75, "EUR", 20)


@pytest.mark.parametrize("other", [(None, None), (0.5, "USD")])
def test_a_total_with_an_unknown_or_another_currency_is_unknown(
    other: tuple[float | None, str | None],
) -> None:
    found = row((0.25, "EUR"), other)
    assert (found.cost, found.currency, found.tries) == (None, None, 2)


def test_a_search_has_a_price_and_no_tokens_and_a_failed_one_neither() -> None:
    search = {"purpose": "retrieval", "usage": None}
    good = {**search, "cost": 0.5, "currency": "USD"}
    found = total(good, good, {**search, "outcome": "error"})
    assert (found.cost, found.tries, found.failed, found.unaccounted) == (1.0, 3, 1, 0)
    assert total(good, search).cost is None


def test_a_try_without_usage_may_have_been_billed_where_it_was_broken_off() -> None:
    none = {"usage": None}
    found = total({"cost": 1.0, "currency": "USD"}, {**none, "outcome": "timeout"},
                  {**none, "outcome": "lost"}, {**none, "outcome": "request_refused"})  # fmt: skip
    assert (found.unaccounted, found.failed, found.cost) == (2, 3, 1.0)
