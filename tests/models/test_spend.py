"""Spending limits stop calls before they are sent; unknown prices stay unknown."""

import pytest

from draligned.models.spend import SpendGuard, cost_of
from draligned.schema.chat import Usage
from draligned.schema.config import ModelConfig, SourceConfig
from draligned.schema.errors import ConfigError, SpendLimit

from .doubles import OK, request, rig

PRICED = ModelConfig(provider="p", model="m", price_in=2.0, price_out=10.0)
UNPRICED = ModelConfig(provider="p", model="m", price_in=2.0)


def test_cost_by_hand() -> None:
    usage = Usage(input_tokens=500_000, output_tokens=100_000)
    assert cost_of(usage, PRICED) == pytest.approx(1.0 + 1.0)
    assert cost_of(usage, UNPRICED) is None


async def test_the_ledger_holds_cost_and_tokens() -> None:
    r = rig(OK, config=PRICED)
    await r.model.complete(request())
    (attempt,) = r.attempts
    assert attempt.cost == pytest.approx((7 * 2 + 3 * 10) / 1e6)
    assert attempt.currency == PRICED.currency
    assert attempt.usage == Usage(input_tokens=7, output_tokens=3)
    assert r.spend.tokens == 10


async def test_unknown_cost_is_null() -> None:
    r = rig(OK, config=UNPRICED)
    await r.model.complete(request())
    assert (r.attempts[0].cost, r.attempts[0].currency) == (None, None)
    assert r.spend.cost == {}
    assert r.spend.unpriced_tokens == 10


async def test_max_tokens_stops_before_the_next_call() -> None:
    r = rig(OK, spend=SpendGuard(max_tokens=15))
    await r.model.complete(request())
    await r.model.complete(request())
    with pytest.raises(SpendLimit, match="20 tokens used, the limit is 15"):
        await r.model.complete(request())
    assert len(r.provider.bodies) == 2


async def test_max_cost_stops_before_the_next_call() -> None:
    r = rig(OK, config=PRICED, spend=SpendGuard(max_cost=4e-5))
    await r.model.complete(request())
    with pytest.raises(SpendLimit, match="USD spent"):
        await r.model.complete(request())


async def test_max_cost_without_a_price_says_which_one_lacks() -> None:
    r = rig(OK, config=UNPRICED, spend=SpendGuard(max_cost=1.0))
    with pytest.raises(ConfigError, match=r"models\.m\.price_out"):
        await r.model.complete(request())
    assert r.provider.bodies == []


def test_max_cost_over_two_currencies_is_refused() -> None:
    other = PRICED.model_copy(update={"currency": "CNY"})
    with pytest.raises(ConfigError, match="CNY, USD"):
        SpendGuard(max_cost=1.0).require_prices({"a": PRICED, "b": other})


def searches(**settings: object) -> SourceConfig:
    """A source with a price."""
    return SourceConfig.model_validate({"kind": "searxng", "price": 0.5, **settings})


def test_searches_count_against_the_limit_of_cost() -> None:
    spend = SpendGuard(max_cost=1.0)
    for _ in range(2):
        spend.check_search(searches())
        assert spend.add_search(searches()) == 0.5
    assert spend.reached == "1.0000 spent, the limit is 1"
    with pytest.raises(SpendLimit, match=r"1\.0000 USD spent, the limit is 1"):
        spend.check_search(searches())
    with pytest.raises(SpendLimit):
        spend.check("m", PRICED)


@pytest.mark.parametrize("price", [None, 0.0])
def test_searches_without_a_price_add_nothing_and_are_not_stopped(price: float | None) -> None:
    spend = SpendGuard(max_cost=1.0, cost={"USD": 2.0})
    spend.check_search(searches(price=price))
    assert spend.add_search(searches(price=price)) == price
    assert spend.cost == {"USD": 2.0}


def test_without_a_limit_of_cost_searches_are_only_counted() -> None:
    spend = SpendGuard(max_tokens=1, tokens=5, cost={"USD": 9.0})
    spend.check_search(searches())
    spend.add_search(searches())
    assert spend.cost == {"USD": 9.5}


def test_models_and_searches_are_paid_in_one_currency() -> None:
    yuan = {"web": searches(currency="CNY")}
    with pytest.raises(ConfigError, match="models and searches use CNY, USD"):
        SpendGuard(max_cost=1.0).require_prices({"a": PRICED}, yuan)
    SpendGuard().require_prices({"a": PRICED}, yuan)
    SpendGuard(max_cost=1.0).require_prices({"a": PRICED}, {"web": searches(price=None)})
    SpendGuard(max_cost=1.0).require_prices(
        {"a": PRICED}, {"web": searches(currency="CNY", price=0.0)}
    )
