"""What a study has spent: unknown stays unknown, and currencies are not added up."""

import pytest

from draligned.schema.chat import AttemptRecord, CallKey, Usage
from draligned.study.spend import SpendRow, spend_rows


def row(*costs: tuple[float | None, str | None]) -> SpendRow:
    tries = [
        AttemptRecord(
            key=CallKey(owner="0" * 16, attempt=1, sequence=n),
            purpose="agent",
            provider="mine",
            requested_model="m",
            echoed_model=None,
            try_no=1,
            started_utc="2026-01-01T00:00:00+00:00",
            seconds=1.0,
            waited_seconds=0.0,
            outcome="ok",
            http_status=200,
            usage=Usage(input_tokens=10, output_tokens=1),
            cost=cost,
            currency=currency,
        )
        for n, (cost, currency) in enumerate(costs, start=1)
    ]
    (found,) = spend_rows(tries)
    return found


def test_costs_of_one_currency_add_up() -> None:
    found = row((0.25, "EUR"), (0.5, "EUR"))
    assert (found.cost, found.currency, found.input_tokens) == (0.75, "EUR", 20)


@pytest.mark.parametrize("other", [(None, None), (0.5, "USD")])
def test_a_total_with_an_unknown_or_another_currency_is_unknown(
    other: tuple[float | None, str | None],
) -> None:
    found = row((0.25, "EUR"), other)
    assert (found.cost, found.currency, found.tries) == (None, None, 2)
