"""From what a user asks of `simulate power` to the studies that answer it."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite
from typing import cast, get_args

from draligned.schema.errors import ConfigError
from draligned.simulate.components import Components
from draligned.simulate.panels import RANGE, ChannelName
from draligned.simulate.parameters import Reader
from draligned.simulate.power import CHANNELS, EFFECTS, READABILITY, USUAL, Question
from draligned.simulate.scenarios import Missing

Pilot = Mapping[ChannelName, Components]


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """What was asked for; what is absent is taken from the pilot, else from the paper."""

    tasks: int
    models: int
    replicates: int
    users: int | None = None
    readability: Mapping[ChannelName, float | None]
    missing: str = "random"
    reader: Reader = USUAL
    effects: Mapping[ChannelName, tuple[float, ...]]


def question_of(wanted: Wanted, pilot: Pilot | None) -> Question:
    """Raises `ConfigError` for what cannot be simulated, in a line that says what can."""
    if wanted.missing not in get_args(Missing):
        raise ConfigError(f"--missing {wanted.missing!r}: it is random or state")
    if pilot is not None and wanted.reader != USUAL:
        raise ConfigError(
            "a pilot's variances hold its evaluator's faults already: leave out --abstain, "
            "--error, --noise and --slot-bias, or --pilot"
        )
    users = wanted.users or -(-wanted.tasks // 2)
    if users > wanted.tasks:
        raise ConfigError(f"--users {users}: there are no more users than tasks ({wanted.tasks})")
    return Question(
        tasks=wanted.tasks,
        models=wanted.models,
        replicates=wanted.replicates,
        tasks_per_user=-(-wanted.tasks // users),
        readability={c: _readability(c, wanted, pilot) for c in CHANNELS},
        missing=cast(Missing, wanted.missing),
        reader=wanted.reader,
        effects=_effects(wanted),
        pilot=pilot,
    )


def _readability(channel: ChannelName, wanted: Wanted, pilot: Pilot | None) -> float:
    asked = wanted.readability.get(channel)
    if asked is not None:
        return asked
    return READABILITY[channel] if pilot is None else pilot[channel].readability


def _effects(wanted: Wanted) -> Mapping[ChannelName, tuple[float, ...]]:
    """The effects asked for, with 0 beside them; the usual ones where none was."""
    asked = {c: wanted.effects.get(c, ()) for c in CHANNELS}
    for channel, values in asked.items():
        top = RANGE[channel]
        for value in values:
            if not isfinite(value) or abs(value) > top:
                raise ConfigError(
                    f"--effect-{channel.lower()} {value:g}: D_{channel} lies within ±{top:g}"
                )
    if not any(asked.values()):
        return EFFECTS
    return {c: tuple(sorted({0.0, *values})) for c, values in asked.items() if values}
