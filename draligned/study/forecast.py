"""What a command would do and might cost, from what earlier calls of the study used."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from draligned.schema.config import ModelConfig
from draligned.study.spend import SpendRow


@dataclass(frozen=True, kw_only=True)
class Forecast:
    """A table to print, and remarks."""

    header: tuple[str, ...]
    rows: tuple[tuple[object, ...], ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Asked:
    """So much of one model's work is open; `done` of the same kind has been done before."""

    model_name: str
    model: ModelConfig
    open: int
    done: int


HEADER = ("model", "open", "tokens in", "tokens out", "cost")


def forecast(asked: Sequence[Asked], spent: Iterable[SpendRow], purpose: str) -> Forecast:
    """Project the mean use of what is done onto what is open; unknown stays unknown.

    The ledger knows models by the name sent to the provider: where two of `asked` share
    one, whose use was whose is unknown.
    """
    asked_as = Counter(a.model.model for a in asked)
    used = {r.model: r for r in spent if r.purpose == purpose and asked_as[r.model] == 1}
    rows = tuple(_row(a, used.get(a.model.model)) for a in asked)
    notes = []
    if any(a.open and row[2] is None for a, row in zip(asked, rows, strict=True)):
        some = "--pilot 1" if purpose == "agent" else "--limit 10"
        notes.append(f"Tokens are unknown until some of this model's work is done: try {some}.")
    if any(a.open and row[4] is None for a, row in zip(asked, rows, strict=True)):
        notes.append("A cost is unknown while tokens or a price in study.toml are unknown.")
    return Forecast(header=HEADER, rows=rows, notes=tuple(notes))


def _row(asked: Asked, used: SpendRow | None) -> tuple[object, ...]:
    if not asked.open:
        return (asked.model_name, 0, 0, 0, _cost(asked.model, 0, 0))
    if used is None or not asked.done:
        return (asked.model_name, asked.open, None, None, None)
    share = asked.open / asked.done
    tokens_in, tokens_out = used.input_tokens * share, used.output_tokens * share
    return (asked.model_name, asked.open, round(tokens_in), round(tokens_out), _cost(
        asked.model, tokens_in, tokens_out
    ))  # fmt: skip


def _cost(model: ModelConfig, tokens_in: float, tokens_out: float) -> str | None:
    if model.price_in is None or model.price_out is None:
        return None
    cost = (tokens_in * model.price_in + tokens_out * model.price_out) / 1e6
    return f"{cost:.2f} {model.currency}"
