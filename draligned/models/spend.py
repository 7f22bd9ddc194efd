"""What was spent, and the limits a user sets on it (`--max-cost`, `--max-tokens`).

A limit stops calls before they are sent. Calls already in flight are finished, so
a limit can be passed by what those cost.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from draligned.schema.chat import Usage
from draligned.schema.config import ModelConfig, SourceConfig
from draligned.schema.errors import ConfigError, SpendLimit

_PER = 1_000_000


def cost_of(usage: Usage, config: ModelConfig) -> float | None:
    """Cost of a call in the price's currency; None where a price is unknown."""
    if config.price_in is None or config.price_out is None:
        return None
    return (usage.input_tokens * config.price_in + usage.output_tokens * config.price_out) / _PER


@dataclass(kw_only=True)
class SpendGuard:
    """Totals of tokens and cost over all models and searches, checked before every call."""

    max_cost: float | None = None
    max_tokens: int | None = None
    tokens: int = 0
    cost: dict[str, float] = field(default_factory=dict)
    """Cost by currency, of calls whose price is known."""
    unpriced_tokens: int = 0
    """Tokens of calls whose price is unknown: their cost is unknown, not zero."""

    def require_prices(
        self, models: Mapping[str, ModelConfig], searches: Mapping[str, SourceConfig] | None = None
    ) -> None:
        """Raise `ConfigError` where `max_cost` cannot be kept: a price or one currency lacks.

        `searches` are the sources that will be asked; those without a price are not counted.
        """
        if self.max_cost is None:
            return
        for name, config in models.items():
            for price in ("price_in", "price_out"):
                if getattr(config, price) is None:
                    raise ConfigError(
                        f"--max-cost needs models.{name}.{price} (per million tokens) in study.toml"
                    )
        paid = {c.currency for c in models.values() if c.price_in or c.price_out}
        paid |= {s.currency for s in (searches or {}).values() if s.price}
        if len(paid) > 1:
            who = "models and searches" if searches else "the models"
            raise ConfigError(
                f"--max-cost needs one currency, but {who} use {', '.join(sorted(paid))}"
            )

    def check(self, name: str, config: ModelConfig) -> None:
        """Raise `SpendLimit` where a limit is reached, `ConfigError` where a price lacks."""
        if self.max_tokens is not None and self.tokens >= self.max_tokens:
            raise SpendLimit(f"{self.tokens} tokens used, the limit is {self.max_tokens}")
        if self.max_cost is not None:
            self.require_prices({name: config})
            self._check_cost(self.max_cost, config.currency)

    def check_search(self, source: SourceConfig) -> None:
        """Raise `SpendLimit` where a search that costs something would pass the limit of cost."""
        if self.max_cost is not None and source.price:
            self._check_cost(self.max_cost, source.currency)

    def add_search(self, source: SourceConfig) -> float | None:
        """Count one search that was answered; returns its cost, None where it is unknown."""
        if source.price:
            self._add_cost(source.price, source.currency)
        return source.price

    def _check_cost(self, most: float, currency: str) -> None:
        spent = self.cost.get(currency, 0.0)
        if spent >= most:
            raise SpendLimit(f"{spent:.4f} {currency} spent, the limit is {most:g}")

    def _add_cost(self, cost: float, currency: str) -> None:
        self.cost[currency] = self.cost.get(currency, 0.0) + cost

    @property
    def reached(self) -> str | None:
        """Which limit is reached, in words; None while calls may go on."""
        if self.max_tokens is not None and self.tokens >= self.max_tokens:
            return f"{self.tokens} tokens used, the limit is {self.max_tokens}"
        spent = max(self.cost.values(), default=0.0)
        if self.max_cost is not None and spent >= self.max_cost > 0:
            return f"{spent:.4f} spent, the limit is {self.max_cost:g}"
        return None

    def add(self, usage: Usage, config: ModelConfig) -> float | None:
        """Count one call; returns its cost."""
        tokens = usage.input_tokens + usage.output_tokens
        self.tokens += tokens
        cost = cost_of(usage, config)
        if cost is None:
            self.unpriced_tokens += tokens
        else:
            self._add_cost(cost, config.currency)
        return cost
