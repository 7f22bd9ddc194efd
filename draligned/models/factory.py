"""Models by their names in study.toml; the rehearsal models are built in."""

import difflib
from collections.abc import Iterable
from typing import Any, Protocol, runtime_checkable

from draligned.models.client import OpenAIChatModel, Purpose, Recorder
from draligned.models.limits import Limiter
from draligned.models.protocol import ChatModel
from draligned.models.spend import SpendGuard
from draligned.schema.config import ModelConfig, ProviderConfig, StudyConfig
from draligned.schema.errors import ConfigError


@runtime_checkable
class Closable(Protocol):
    """A model that holds connections."""

    async def aclose(self) -> None:
        """Close them."""
        ...


REHEARSAL_PROVIDER = "rehearsal"


def _built_in(model: str) -> ModelConfig:
    return ModelConfig(provider=REHEARSAL_PROVIDER, model=model, price_in=0.0, price_out=0.0)


BUILT_IN: dict[str, ModelConfig] = {
    "rehearsal-a": _built_in("rehearsal-agent-a"),
    "rehearsal-b": _built_in("rehearsal-agent-b"),
    "rehearsal-reader": _built_in("rehearsal-reader"),
    "rehearsal-reader-b": _built_in("rehearsal-reader-b"),
    "rehearsal-constructor": _built_in("rehearsal-constructor"),
    "rehearsal-reviewer": _built_in("rehearsal-reviewer"),
    "rehearsal-reviewer-b": _built_in("rehearsal-reviewer-b"),
    "rehearsal": _built_in("rehearsal-progress"),
    "rehearsal-steady": _built_in("rehearsal-progress-steady"),
    "rehearsal-hasty": _built_in("rehearsal-progress-hasty"),
    **{f"table2-{c}": _built_in(f"rehearsal-progress-table2-{c}") for c in "abcdefg"},
    **{f"table20-{c}": _built_in(f"rehearsal-progress-table20-{c}") for c in "abcdefgh"},
}
"""Models that need no entry in study.toml. They cost nothing and are no evidence about
any language model."""


_SCRIPTED = ("table2-", "table20-")
"""Rehearsal models for repeating published tables: never what a wrong name was meant for."""


def resolve_model(config: StudyConfig, name: str) -> ModelConfig:
    """The settings of a model. Raises `ConfigError` with a suggestion for an unknown name."""
    found = config.models.get(name) or BUILT_IN.get(name)
    if found is None:
        raise ConfigError(_unknown("model", name, [*config.models, *BUILT_IN], "models"))
    return found


def resolve_provider(config: StudyConfig, name: str) -> ProviderConfig:
    """The settings of a provider. Raises `ConfigError` with a suggestion."""
    found = config.providers.get(name)
    if found is None and name == REHEARSAL_PROVIDER:
        return ProviderConfig(kind="rehearsal")
    if found is None:
        raise ConfigError(_unknown("provider", name, list(config.providers), "providers"))
    return found


def _unknown(what: str, name: str, known: list[str], table: str) -> str:
    close = difflib.get_close_matches(name, known, n=1)
    shown = sorted(n for n in set(known) if not n.startswith(_SCRIPTED))
    hint = f"did you mean {close[0]!r}?" if close else f"known: {', '.join(shown)}"
    return f"unknown {what} {name!r}: {hint} (or add [{table}.{name}] to study.toml)"


def is_rehearsal(config: StudyConfig, model: ModelConfig) -> bool:
    """Whether a model is a rehearsal model, so that outputs can say so.

    `model` as it was asked for, in the plan: what its name in study.toml has come to mean
    changes nothing about what was run. A served rehearsal app is known by its models' names,
    a provider that study.toml no longer knows by its own.
    """
    provider = config.providers.get(model.provider)
    kind = model.provider if provider is None else provider.kind
    return kind == REHEARSAL_PROVIDER or model.model.startswith(f"{REHEARSAL_PROVIDER}-")


def build_limiters(config: StudyConfig) -> dict[str, Limiter]:
    """One limiter a provider, to be shared by all its models."""
    names = {*config.providers, REHEARSAL_PROVIDER}
    return {n: Limiter.of(resolve_provider(config, n)) for n in sorted(names)}


def build_models(
    config: StudyConfig,
    names: Iterable[str],
    *,
    purpose: Purpose,
    record: Recorder,
    app: Any | None = None,
    spend: SpendGuard | None = None,
    limiters: dict[str, Limiter] | None = None,
) -> dict[str, ChatModel]:
    """The models asked for, by name.

    `app` is the rehearsal app that answers in process; pass the same `limiters` to
    several calls to share a provider's limits among purposes. Raises `ConfigError` for
    unknown names, reserved parameters, or prices that `--max-cost` lacks.
    """
    shared = build_limiters(config) if limiters is None else limiters
    guard = spend or SpendGuard()
    wanted = {n: resolve_model(config, n) for n in dict.fromkeys(names)}
    guard.require_prices(wanted)
    return {
        name: OpenAIChatModel(
            name,
            model,
            model.provider,
            resolve_provider(config, model.provider),
            record=record,
            purpose=purpose,
            limiter=shared.get(model.provider),
            app=app,
            spend=guard,
        )
        for name, model in wanted.items()
    }


async def close_models(models: Iterable[ChatModel]) -> None:
    """Close the connections of those models that have any."""
    for model in models:
        if isinstance(model, Closable):
            await model.aclose()
