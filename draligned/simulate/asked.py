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


def question_of(wanted: Wanted, pilot: Pilot | None, *, beside_zero: bool = True) -> Question:
    """The question; with the effect 0 beside those asked for, false alarms are seen.

    Raises `ConfigError` for what cannot be simulated, in a line that says what can.
    """
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
        effects=_effects(wanted, beside_zero=beside_zero),
        pilot=pilot,
    )


def _readability(channel: ChannelName, wanted: Wanted, pilot: Pilot | None) -> float:
    asked = wanted.readability.get(channel)
    if asked is not None:
        return asked
    return READABILITY[channel] if pilot is None else pilot[channel].readability


def _effects(wanted: Wanted, *, beside_zero: bool) -> Mapping[ChannelName, tuple[float, ...]]:
    """The effects asked for; the usual ones where none was."""
    asked = {c: wanted.effects.get(c, ()) for c in CHANNELS}
    for channel, values in asked.items():
        top = RANGE[channel]
        for value in values:
            if not isfinite(value) or abs(value) > top:
                raise ConfigError(f"D_{channel} lies within ±{top:g}: {value:g} cannot be")
    if not any(asked.values()):
        return EFFECTS
    zero = {0.0} if beside_zero else set()
    return {c: tuple(sorted(zero | {*values})) for c, values in asked.items() if values}
