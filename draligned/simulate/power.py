"""How large a study must be: how often an effect of a given size is told from zero.

Studies are drawn from planted parameters, or from a pilot's variance components, and measured by
measure itself. They are no evidence about any language model.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from draligned.measure.intervals import RECOMMENDED
from draligned.measure.pairs import Pairing
from draligned.simulate.behaviour import OWN, signs
from draligned.simulate.components import Components, component_blocks
from draligned.simulate.coverage import coverage, excluded_zero
from draligned.simulate.drawn import draw, generator
from draligned.simulate.panels import ChannelName, panel_of
from draligned.simulate.parameters import ByState, Leaning, Reader, Scenario, Shape, alike
from draligned.simulate.scenarios import PAPER, USERS, Missing
from draligned.simulate.trials import Progress, Trials, measure_trials, run_trials

CHANNELS: tuple[ChannelName, ...] = ("A", "F")
EFFECTS: Mapping[ChannelName, tuple[float, ...]] = {
    "A": (0.0, 0.05, 0.1, 0.15, 0.2),
    "F": (0.0, 0.1, 0.2, 0.4, 0.8),
}
PLANNED = "im"
ENOUGH = 0.8
"""Power that is usually asked for."""

_STATE_RATIO = 3.3
"""By state, a unit that does not lean to its own endpoint is so much more often unreadable."""
_PROBES = 40


USUAL = Reader(abstain=alike(0.15))
"""How requests are read where nothing else is asked for."""


@dataclass(frozen=True, kw_only=True)
class Question:
    """A study that is being thought of."""

    tasks: int = 24
    models: int = 5
    replicates: int = 1
    tasks_per_user: int = 2
    readability: Mapping[ChannelName, float]
    """Share of planned pairs that will be readable, by channel."""
    missing: Missing = "random"
    reader: Reader = USUAL
    """Of both channels; a final's abstention follows from its readability."""
    effects: Mapping[ChannelName, tuple[float, ...]]
    pilot: Mapping[ChannelName, Components] | None = None
    """Variance components to draw pairs from, in place of runs that are made up."""

    @property
    def shape(self) -> Shape:
        """As planned."""
        return Shape(
            tasks=self.tasks,
            models=self.models,
            replicates=self.replicates,
            tasks_per_user=self.tasks_per_user,
        )


READABILITY: Mapping[ChannelName, float] = {"A": 0.79, "F": 0.63}
"""The paper's."""


def power_table(
    question: Question, trials: Trials, progress: Progress | None = None
) -> pd.DataFrame:
    """One row per channel × effect. `planted` D, `mean` of D̂ over readable pairs, mean number of
    readable `pairs`, mean `half_width` of the recommended interval, the share of these that hold
    `planted` (`covered`), and the shares of studies in which it excludes zero (`interval`), the
    task sign-flip test rejects at 5 % (`test`) and the
    interval of all planned pairs excludes zero (`planned_interval`), whatever was not read."""
    cases = [(c, effect) for c in CHANNELS for effect in question.effects.get(c, ())]
    rows = []
    for number, (channel, effect) in enumerate(cases, start=1):
        made = _trials(question, channel, effect, trials)
        rows.append({"estimand": f"D_{channel}", "planted": effect} | _row(made))
        if progress is not None:
            progress("effects tried", number, len(cases))
    return pd.DataFrame(rows)


def _trials(
    question: Question, channel: ChannelName, effect: float, trials: Trials
) -> pd.DataFrame:
    name = f"power {channel} {effect}"
    if question.pilot is not None:
        parts = question.pilot[channel]
        source = component_blocks(
            replace(parts, readability=question.readability[channel]),
            question.shape, effect, generator(name, trials.seed), question.missing,
        )  # fmt: skip
        panel = panel_of(question.shape, question.replicates)
        return measure_trials(source, panel, trials, name)
    pairing: Pairing = "first" if question.replicates == 1 else "all_cross"
    own = replace(trials, pairing=pairing, channels=(channel,))
    return run_trials(replace(planted(question, channel, effect), name=name), own)


def _row(made: pd.DataFrame) -> dict[str, float]:
    readable = made[made["population"] == "readable"]
    whole = made[made["population"] == "planned"]
    seen = excluded_zero(readable, RECOMMENDED).iloc[0]
    planned = excluded_zero(whole, PLANNED)["interval"].iloc[0]
    covered = coverage(readable).set_index("method")["share"]
    return {
        "mean": float(pd.to_numeric(readable["value"]).mean()),
        "pairs": float(seen["pairs"]),
        "half_width": float(seen["half_width"]),
        "covered": float(covered[RECOMMENDED]),
        "interval": float(seen["interval"]),
        "test": float(seen["test"]),
        "planned_interval": float(planned),
    }


def planted(question: Question, channel: ChannelName, effect: float) -> Scenario:
    """A scenario in which the channel's expected d is `effect`, as readable as asked for."""
    requests = replace(USERS.requests, own_task=8.0)
    finals = replace(USERS.finals, own_task=8.0)
    leaning = leading(requests if channel == "A" else finals, channel, effect)
    base = replace(PAPER, shape=question.shape)
    scenario = replace(base, requests=leaning) if channel == "A" else replace(base, finals=leaning)
    unread = 1 - float(np.sqrt(question.readability[channel]))
    if channel == "A":
        silent = _split(unread, _own_share(scenario), question.missing)
        return replace(scenario, silent=silent, request_reader=question.reader)
    abstain = _split(unread, leaning.rate * leaning.own, question.missing)
    return replace(scenario, final_reader=replace(question.reader, abstain=abstain))


def leading(leaning: Leaning, channel: ChannelName, effect: float) -> Leaning:
    """The leaning with the given expected d: by its own share, and where that cannot do it by its
    rate too."""
    if abs(effect) > (2.0 if channel == "A" else 1.0):
        raise ValueError(f"D_{channel} cannot be {effect}")
    kept = 1.0
    for concentration in (leaning.user, leaning.task, leaning.cell):
        kept *= 1.0 if concentration is None else concentration / (concentration + 1)
    rate, size = leaning.rate, abs(effect)
    most = 2 * rate if channel == "A" else rate * (1 + (1 - rate) * kept)
    if size > most:
        rate, most = _rate(channel, size, kept), size
    lead = effect / most
    return replace(leaning, rate=rate, own=(1 + lead) / 2, own_model=0.0)


def _rate(channel: ChannelName, size: float, kept: float) -> float:
    """The rate r at which own units alone give d: 2 r, or r + kept · r (1 − r)."""
    if channel == "A" or kept == 0:
        return size / 2 if channel == "A" else size
    return float((1 + kept - np.sqrt((1 + kept) ** 2 - 4 * kept * size)) / (2 * kept))


def _own_share(scenario: Scenario) -> float:
    """Share of runs whose requests lean to their own endpoint, by drawing some."""
    drawn = draw(scenario, _PROBES, generator("probe"))
    return float((signs(drawn.run, drawn.requests, len(drawn.runs)) == OWN).mean())


def _split(unread: float, own: float, missing: Missing) -> ByState:
    """Probabilities of being unreadable whose mean is `unread`."""
    if missing == "random":
        return alike(unread)
    low = unread / (own + _STATE_RATIO * (1 - own))
    high = min(1.0, _STATE_RATIO * low)
    return ByState(none=high, other=high, own=low, both=high)
