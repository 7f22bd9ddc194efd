from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from draligned.schema.errors import ConfigError, InputError
from draligned.simulate.asked import Wanted, question_of
from draligned.simulate.components import Components, component_blocks
from draligned.simulate.drawn import generator
from draligned.simulate.expected import expected_d
from draligned.simulate.panels import RANGE, ChannelName, panel_of
from draligned.simulate.parameters import Reader, Shape, alike
from draligned.simulate.pilot import components
from draligned.simulate.power import EFFECTS, READABILITY, Question, planted, power_table
from draligned.simulate.power_words import words_in
from draligned.simulate.trials import Trials, run_trials

ASKED = Question(readability=READABILITY, effects={"A": (0.0, 0.2), "F": (0.0, 0.8)})
FEW = Trials(studies=60, draws=300)
PILOT: dict[ChannelName, Components] = {
    channel: Components(
        channel=channel, user=0.005, task=0.02, model=0.01, rest=rest, readability=0.7, mean=0.1,
        n_pairs=40, n_tasks=8,
    )
    for channel, rest in (("A", 0.03), ("F", 0.3))
}  # fmt: skip


@pytest.mark.parametrize("channel", ["A", "F"])
@pytest.mark.parametrize("effect", [0.0, 0.1, 0.8, -0.3, 1.0])
def test_the_effect_asked_for_is_planted(channel: ChannelName, effect: float) -> None:
    assert expected_d(planted(ASKED, channel, effect), channel) == pytest.approx(effect, abs=1e-9)


@pytest.mark.parametrize("missing", ["random", "state"])
def test_as_many_pairs_are_readable_as_asked_for(missing: str) -> None:
    asked = replace(ASKED, missing=missing, readability={"A": 0.6, "F": 0.5})  # type: ignore[arg-type]
    for channel in ("A", "F"):
        trials = replace(FEW, channels=(channel,))
        made = run_trials(planted(asked, channel, 0.15), trials)  # type: ignore[arg-type]
        share = asked.readability[channel]  # type: ignore[index]
        assert made["readable"].mean() == pytest.approx(share, abs=0.04)


def test_power_grows_with_the_effect_and_is_small_without_one() -> None:
    found = power_table(ASKED, FEW).set_index(["estimand", "planted"])
    assert len(found) == 4
    for channel, effect in (("D_A", 0.2), ("D_F", 0.8)):
        nothing, something = found.loc[(channel, 0.0)], found.loc[(channel, effect)]
        assert nothing["interval"] <= 0.15
        assert something["interval"] >= 0.85
        assert something["mean"] == pytest.approx(effect, abs=0.03)


def test_more_tasks_and_more_runs_narrow_the_interval() -> None:
    small = replace(ASKED, models=2, effects={"A": (0.1,)})
    wide = power_table(small, FEW)["half_width"].iloc[0]
    for more in (replace(small, tasks=48), replace(small, replicates=3), replace(small, models=6)):
        assert power_table(more, FEW)["half_width"].iloc[0] < 0.95 * wide


def test_a_pilots_variances_are_in_the_studies() -> None:
    shape = Shape(tasks=200, models=4)
    for channel, parts in PILOT.items():
        source = component_blocks(parts, shape, 0.1, generator("p"), "random")
        values, truth = next(source(0, 20))
        assert truth == 0.1
        assert values.d.mean() == pytest.approx(0.1, abs=0.02)
        assert np.abs(values.d).max() <= RANGE[channel]
        whole = parts.user + parts.task + parts.model * 3 / 4 + parts.rest
        assert values.d.var() == pytest.approx(whole, rel=0.1)
        assert values.readable.mean() == pytest.approx(0.7, abs=0.02)
    asked = replace(ASKED, pilot=PILOT, replicates=2, missing="state", effects={"F": (0.4,)})
    assert power_table(asked, FEW)["interval"].iloc[0] > 0.5


def pairs_of(parts: Components, shape: Shape, seed: int) -> pd.DataFrame:
    """A `pairs` table drawn from components."""
    source = component_blocks(parts, shape, 0.1, generator("q", seed), "random")
    values, _ = next(source(0, 1))
    names = panel_of(shape).columns.frame[["task_id", "user_id", "model"]]
    status = np.where(values.readable[0], "readable", "unreadable_p")
    return names.assign(a_status=status, d_a=values.d[0])


def test_components_of_a_pilot_are_found_again() -> None:
    parts = Components(
        channel="A", user=0.04, task=0.05, model=0.02, rest=0.06, readability=0.8, mean=0.1,
        n_pairs=1, n_tasks=1,
    )  # fmt: skip
    shape = Shape(tasks=40, models=12)
    found = [components(pairs_of(parts, shape, seed), "A") for seed in range(40)]
    for name in ("user", "task", "model", "rest"):
        mean = np.mean([getattr(one, name) for one in found])
        assert mean == pytest.approx(getattr(parts, name), rel=0.2), name
    assert np.mean([one.readability for one in found]) == pytest.approx(0.8, abs=0.02)


def test_components_by_hand() -> None:
    """Two tasks of two users, two models, no rest: tasks differ by 1, models not at all."""
    pairs = pd.DataFrame(
        {
            "task_id": ["1", "1", "2", "2"], "user_id": ["u", "u", "v", "v"],
            "model": ["a", "b", "a", "b"], "a_status": "readable", "d_a": [0.0, 0.0, 1.0, 1.0],
        }
    )  # fmt: skip
    found = components(pairs, "A")
    values = [found.task, found.user, found.model, found.rest]
    assert values == pytest.approx([0.5, 0.0, 0.0, 0.0])
    with pytest.raises(InputError, match="two are needed"):
        components(pairs[:2], "A")


def wanted(**changes: object) -> Wanted:
    base = Wanted(tasks=24, models=5, replicates=1, readability={}, effects={})
    return replace(base, **changes)  # type: ignore[arg-type]


def test_what_is_not_asked_for_is_the_papers_or_the_pilots() -> None:
    plain = question_of(wanted(), None)
    assert plain.readability == dict(READABILITY)
    assert plain.effects == EFFECTS
    assert plain.tasks_per_user == 2
    assert question_of(wanted(users=24), PILOT).tasks_per_user == 1
    assert question_of(wanted(), PILOT).readability == {"A": 0.7, "F": 0.7}
    asked = wanted(effects={"A": (0.3,), "F": ()}, readability={"A": 0.5})
    assert question_of(asked, PILOT).effects == {"A": (0.0, 0.3)}
    assert question_of(asked, PILOT).readability == {"A": 0.5, "F": 0.7}


@pytest.mark.parametrize(
    ("changes", "pilot", "said"),
    [
        ({"missing": "sometimes"}, None, "random or state"),
        ({"users": 25}, None, "no more users than tasks"),
        ({"effects": {"A": (2.5,)}}, None, "within ±2"),
        ({"effects": {"F": (float("nan"),)}}, None, "within ±1"),
        ({"reader": Reader(abstain=alike(0.15), noise=0.1)}, PILOT, "leave out"),
    ],
)
def test_what_cannot_be_simulated_is_said(
    changes: dict[str, object], pilot: dict[ChannelName, Components] | None, said: str
) -> None:
    with pytest.raises(ConfigError, match=said):
        question_of(wanted(**changes), pilot)


def test_words_name_the_smallest_effect_that_is_seen() -> None:
    found = pd.DataFrame(
        {"estimand": ["D_A"] * 3 + ["D_F"] * 2, "planted": [0.0, 0.1, 0.2, 0.0, 0.1],
         "interval": [0.05, 0.81, 0.99, 0.04, 0.3]}
    )  # fmt: skip
    lines = list(words_in("en").notes(found, 400))
    assert lines[:2] == [
        "D_A: 0.1 is told from zero in 81 % of studies",
        "D_F: none of these effects is told from zero in 80 % of studies",
    ]
    assert len(list(words_in("zh").notes(found, 400))) == len(lines)
    assert "no evidence about any language model" in lines[-1]
    with pytest.raises(ConfigError, match="zh or en"):
        words_in("fr")
