"""Who is asked in a lane: a bundle of model and parameters, and of how it switches reasoning."""

from collections.abc import Iterable, Mapping
from typing import Any

from draligned.api.context import Context
from draligned.models.factory import is_rehearsal, resolve_model
from draligned.progress import lanes
from draligned.progress.ask import NEEDED
from draligned.progress.manipulation import SWITCH
from draligned.schema.config import ModelConfig
from draligned.schema.errors import ConfigError
from draligned.schema.ids import model_key
from draligned.schema.progress import Lane, StageDesign

_PLAIN = ""
_REHEARSED: Mapping[str, dict[str, Any]] = {"on": {"rehearsal": {"reasons": 1.0}}, "off": {}}
"""How rehearsal deployments switch reasoning where study.toml does not say."""


def lane_of(context: Context, known: StageDesign, deployment: str) -> Lane:
    """The lane of a deployment in a design: as it is, or as it would be begun.

    Raises `ConfigError` where the same bundle has a lane under another name.
    """
    config = resolve_model(context.config, deployment)
    params = config.params
    if _levels(known) != [_PLAIN]:
        params = {**params, SWITCH: _switch(config, is_rehearsal(context.config, config))}
    return bundle_lane(context, known.name, deployment, config, params)


def bundle_lane(
    context: Context, design: str, deployment: str, config: ModelConfig, params: dict[str, Any]
) -> Lane:
    """The lane of a bundle of model, provider and `params`; else as `lane_of`."""
    key = model_key(config.model, config.provider, params)
    found = lanes.find_lane(context.folder.store, design, key)
    if found is not None and found.deployment != deployment:
        raise _same(deployment, found.deployment)
    return found or Lane(
        design=design, deployment=deployment, model_key=key, requested_model=config.model,
        provider=config.provider, params=params, aliases=config.aliases,
        rehearsal=is_rehearsal(context.config, config), probes=(), needed=NEEDED,
    )  # fmt: skip


def require_one_name(asked: Iterable[Lane]) -> None:
    """Raises `ConfigError` where two names of one command stand for the same bundle."""
    known: dict[tuple[str, str], str] = {}
    for lane in asked:
        first = known.setdefault((lane.design, lane.model_key), lane.deployment)
        if first != lane.deployment:
            raise _same(lane.deployment, first)


def _same(name: str, known: str) -> ConfigError:
    return ConfigError(
        f"model `{name}` is the same as `{known}`: one provider, model "
        f"and parameters; keep the name `{known}`"
    )


def names_of(known: StageDesign, lane: Lane) -> dict[str, str]:
    """The name of the model to ask, by level of the reasoning switch; "" where there is none."""
    levels = _levels(known)
    if levels == [_PLAIN]:
        return {_PLAIN: lane.deployment}
    return {level: f"{lane.deployment} ({SWITCH} {level})" for level in levels}


def configs_of(context: Context, known: StageDesign, lane: Lane) -> dict[str, ModelConfig]:
    """The models that a lane asks, by name: one, or one a level of the switch.

    Raises `ConfigError` where study.toml does not say how to switch.
    """
    config = resolve_model(context.config, lane.deployment)
    names = names_of(known, lane)
    if _PLAIN in names:
        return {lane.deployment: config}
    levels = _switch(config, lane.rehearsal)
    missing = [level for level in names if level not in levels]
    if missing:
        raise ConfigError(
            f"design {known.name} switches reasoning: give models.{lane.deployment}.thinking "
            f"in study.toml the parameters for {' and '.join(missing)}"
        )
    return {
        name: config.model_copy(update={"params": {**config.params, **levels[level]}})
        for level, name in names.items()
    }


def _switch(config: ModelConfig, rehearsal: bool) -> dict[str, dict[str, Any]]:
    given = {str(level): params for level, params in config.thinking.items()}
    return {**(_REHEARSED if rehearsal else {}), **given}


def _levels(known: StageDesign) -> list[str]:
    return sorted({s.factors.get(SWITCH, _PLAIN) for s in known.stimuli})
