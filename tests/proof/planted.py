"""Studies of 24 tasks × 2 models whose truth is known: what is planted, and what is found.

The models play scripted plans: nothing here is evidence about any language model.
"""

import json
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import draligned
from draligned.api import Study
from draligned.rehearsal.profiles import agent_profile
from draligned.rehearsal.reader_profile import reader_profile
from draligned.rehearsal.truth import PlantedTruth, planted_truth

from .replicas import write_folder
from .studies import finish

READER = "rehearsal-reader"
Override = Mapping[str, Any]
PLANS: dict[str, tuple[str, Override]] = {
    "a": ("rehearsal-agent-a", {}),
    "b": ("rehearsal-agent-b", {}),
    "null": (
        "rehearsal-agent-a",
        {"request": {"own": 0.08, "other": 0.08}, "final": {"own": 0.3, "other": 0.3}},
    ),
    "reversed": (
        "rehearsal-agent-b",
        {"request": {"own": 0.03, "other": 0.15}, "final": {"own": 0.1, "other": 0.6}},
    ),
}
"""The two shipped profiles, no difference at all, and behaviour against the endpoint."""
SETTINGS = """\
[construction]
tasks = 24
max_per_user = 24
max_per_path = 24

[measure]
draws = {draws}

[run]
models = ["one", "two"]
"""
MODEL = """
[models.{name}]
provider = "rehearsal"
model = "{model}"
params = {{ user = "{seed}", rehearsal = {override} }}
"""


@dataclass(frozen=True)
class Check:
    """One planted value and the interval that was reported for it."""

    plan: str
    seed: int
    what: str
    planted: float
    low: float
    high: float

    @property
    def hit(self) -> bool:
        """Whether the interval covers what was planted."""
        return self.low - 1e-9 <= self.planted <= self.high + 1e-9


def draft(root: Path) -> Path:
    """A draft of 24 tasks, to be copied for every plan and seed."""
    folder = write_folder(root / "published")
    study = root / "drafted"
    study.mkdir()
    (study / "study.toml").write_text(SETTINGS.format(draws=2000), encoding="utf-8")
    draligned.open(study).construct(pdr_bench=folder)
    return study


def study_of(plan: str, seed: int, drafted: Path, root: Path) -> Study:
    """The study of a plan: two models that play it, each with draws of its own."""
    shutil.copytree(drafted, root)
    model, override = PLANS[plan]
    models = (
        MODEL.format(name=name, model=model, seed=f"{seed} {name}", override=_toml(override))
        for name in ("one", "two")
    )
    with (root / "study.toml").open("a", encoding="utf-8") as file:
        file.writelines(models)
    return finish(draligned.open(root))


def truth_of(plan: str) -> PlantedTruth:
    """What the plan implies, in closed form."""
    model, override = PLANS[plan]
    profile = agent_profile(model, override)
    return planted_truth(profile, reader=reader_profile(READER, {}))


def checks(plan: str, seed: int, study: Study) -> list[Check]:
    """Planted D_A, D_F and readability, with the reported intervals over both models.

    Differences are held against the union interval, which keeps its coverage at 24 tasks.
    """
    truth, found = truth_of(plan), study.table("estimates")
    found = found[(found["model"] == "all")].set_index(["estimand", "population"])
    wanted = [
        ("D_A", "readable", truth.d_a, "ci_union"),
        ("D_F", "readable", truth.d_f, "ci_union"),
        ("readability_A", "planned", truth.readable_a, "ci"),
        ("readability_F", "planned", truth.readable_f, "ci"),
    ]
    out = []
    for name, population, value, interval in wanted:
        row = found.loc[(name, population)]
        low, high = float(row[f"{interval}_lo"]), float(row[f"{interval}_hi"])
        out.append(Check(plan, seed, name, value, low, high))
    return out


def _toml(value: Any) -> str:
    """A value as inline TOML."""
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{k} = {_toml(v)}" for k, v in value.items()) + " }"
    return json.dumps(value)
