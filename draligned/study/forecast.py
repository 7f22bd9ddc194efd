"""What a command would do and might cost, from what earlier calls of the study used."""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace

from draligned.schema.chat import AttemptRecord
from draligned.schema.config import ModelConfig
from draligned.study.spend import SpendRow, spend_rows


@dataclass(frozen=True, kw_only=True)
class Forecast:
    """A table to print, and remarks."""

    header: tuple[str, ...]
    rows: tuple[tuple[object, ...], ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Asked:
    """So much of one model's work is open; `done` of the same kind has been done before.

    `used` is what those done took, where that is known by itself: the work of one harness says
    nothing of another's.
    """

    model_name: str
    model: ModelConfig
    open: int
    done: int
    harness: str | None = None
    used: SpendRow | None = None
    beside: str | None = None
    """The set beside the panel that the work belongs to, in words."""


HEADER = ("model", "open", "tokens in", "tokens out", "cost")


def used_by(ledger: Iterable[AttemptRecord], owners: Collection[str]) -> SpendRow | None:
    """What the calls of `owners` (run ids) took together; none if they made none."""
    rows = spend_rows(a for a in ledger if a.key.owner in owners)
    return rows[0] if len(rows) == 1 else None


def used_alone(asked: Sequence[Asked], spent: Iterable[SpendRow], purpose: str) -> list[Asked]:
    """`asked` with the use of each model.

    The ledger knows models by the name sent to the provider: where two of `asked` share
    one, whose use was whose is unknown.
    """
    asked_as = Counter(a.model.model for a in asked)
    used = {r.model: r for r in spent if r.purpose == purpose and asked_as[r.model] == 1}
    return [replace(a, used=used.get(a.model.model)) for a in asked]


def forecast(asked: Sequence[Asked], purpose: str) -> Forecast:
    """Project the mean use of what is done onto what is open; unknown stays unknown."""
    several = len({a.harness for a in asked}) > 1
    rows = tuple(_row(a, _named(a, several)) for a in asked)
    notes = []
    if any(a.open and row[2] is None for a, row in zip(asked, rows, strict=True)):
        some = "--pilot 1" if purpose == "agent" else "--limit 10"
        notes.append(f"Tokens are unknown until some of this model's work is done: try {some}.")
    if any(a.open and row[4] is None for a, row in zip(asked, rows, strict=True)):
        notes.append("A cost is unknown while tokens or a price in study.toml are unknown.")
    return Forecast(header=HEADER, rows=rows, notes=tuple(notes))


def _named(asked: Asked, several: bool) -> str:
    name = f"{asked.model_name} in {asked.harness}" if several else asked.model_name
    return name if asked.beside is None else f"{name}: {asked.beside}"


def _row(asked: Asked, name: str) -> tuple[object, ...]:
    used = asked.used
    if not asked.open:
        return (name, 0, 0, 0, _cost(asked.model, 0, 0))
    if used is None or not asked.done:
        return (name, asked.open, None, None, None)
    share = asked.open / asked.done
    tokens_in, tokens_out = used.input_tokens * share, used.output_tokens * share
    return (name, asked.open, round(tokens_in), round(tokens_out), _cost(
        asked.model, tokens_in, tokens_out
    ))  # fmt: skip


def _cost(model: ModelConfig, tokens_in: float, tokens_out: float) -> str | None:
    if model.price_in is None or model.price_out is None:
        return None
    cost = (tokens_in * model.price_in + tokens_out * model.price_out) / 1e6
    return f"{cost:.2f} {model.currency}"
