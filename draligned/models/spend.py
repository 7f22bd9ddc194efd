"""What was spent, and the limits a user sets on it (`--max-cost`, `--max-tokens`).

A limit stops calls before they are sent. Calls already in flight are finished, so
a limit can be passed by what those cost.
"""

from dataclasses import dataclass, field

from draligned.schema.chat import Usage
from draligned.schema.config import ModelConfig
from draligned.schema.errors import ConfigError, SpendLimit

_PER = 1_000_000


def cost_of(usage: Usage, config: ModelConfig) -> float | None:
    """Cost of a call in the price's currency; None where a price is unknown."""
    if config.price_in is None or config.price_out is None:
        return None
    return (usage.input_tokens * config.price_in + usage.output_tokens * config.price_out) / _PER


@dataclass(kw_only=True)
class SpendGuard:
    """Totals of tokens and cost over all models, checked before every call."""

    max_cost: float | None = None
    max_tokens: int | None = None
    tokens: int = 0
    cost: dict[str, float] = field(default_factory=dict)
    """Cost by currency, of calls whose price is known."""
    unpriced_tokens: int = 0
    """Tokens of calls whose price is unknown: their cost is unknown, not zero."""

    def require_prices(self, models: dict[str, ModelConfig]) -> None:
        """Raise `ConfigError` where `max_cost` cannot be kept: a price or one currency lacks."""
        if self.max_cost is None:
            return
        for name, config in models.items():
            for price in ("price_in", "price_out"):
                if getattr(config, price) is None:
                    raise ConfigError(
                        f"--max-cost needs models.{name}.{price} (per million tokens) in study.toml"
                    )
        paid = {c.currency for c in models.values() if c.price_in or c.price_out}
        if len(paid) > 1:
            raise ConfigError(
                f"--max-cost needs one currency, but the models use {', '.join(sorted(paid))}"
            )

    def check(self, name: str, config: ModelConfig) -> None:
        """Raise `SpendLimit` where a limit is reached, `ConfigError` where a price lacks."""
        if self.max_tokens is not None and self.tokens >= self.max_tokens:
            raise SpendLimit(f"{self.tokens} tokens used, the limit is {self.max_tokens}")
        if self.max_cost is not None:
            self.require_prices({name: config})
            spent = self.cost.get(config.currency, 0.0)
            if spent >= self.max_cost:
                raise SpendLimit(
                    f"{spent:.4f} {config.currency} spent, the limit is {self.max_cost:g}"
                )

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
            self.cost[config.currency] = self.cost.get(config.currency, 0.0) + cost
        return cost
