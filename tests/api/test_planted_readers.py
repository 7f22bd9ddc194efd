"""Readers with one planted fault, through a whole study: what order flips and retests say."""

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import draligned

SETTINGS = """\
[construction]
tasks = 4

[controls]
aa_share = 0
neutral_share = 0
placebo_share = 0
masked_share = 0
sentinel_share = 0

[models.biased]
provider = "rehearsal"
model = "rehearsal-reader-biased"
params = { rehearsal = { abstain = 0.0, flip = 0.0, order_bias = 1.0 } }

[models.noisy]
provider = "rehearsal"
model = "rehearsal-reader-noisy"
params = { rehearsal = { abstain = 0.0, flip = 0.4, order_bias = 0.0 } }

[evaluate]
evaluators = ["biased", "noisy"]
retest_share = 1.0

[measure]
draws = 200
"""


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> dict[str, pd.DataFrame]:
    root: Path = tmp_path_factory.mktemp("planted")
    (root / "study.toml").write_text(SETTINGS, encoding="utf-8")
    study = draligned.open(root)
    study.construct()
    study.run()
    study.evaluate()
    study.measure()
    return {name: study.table(name) for name in ("read_flips", "order_effects", "read_transitions")}


def row(table: pd.DataFrame, evaluator: str, **chosen: str) -> Any:
    rows = table[(table["evaluator"] == evaluator) & (table["model"] == "all")]
    for name, value in chosen.items():
        rows = rows[rows[name] == value]
    assert len(rows) == 1
    return rows.iloc[0]


@pytest.mark.parametrize("kind", ["request", "document"])
def test_an_order_bias_shows_in_flips_alone(tables: dict[str, pd.DataFrame], kind: str) -> None:
    flip = row(tables["read_flips"], "biased", kind=kind, comparison="order_flip", units="retested")
    retest = row(tables["read_flips"], "biased", kind=kind, comparison="retest")
    assert flip["n_changed"] > 0 == retest["n_changed"]
    effect = row(tables["order_effects"], "biased", kind=kind)
    assert effect["slot_lean_task_lo"] > 0
    assert effect["n_to_alpha"] > 0 == effect["n_to_beta"]


@pytest.mark.parametrize("kind", ["request", "document"])
def test_noise_shows_in_retests_as_well(tables: dict[str, pd.DataFrame], kind: str) -> None:
    retest = row(tables["read_flips"], "noisy", kind=kind, comparison="retest")
    assert retest["n_changed"] > 0
    effect = row(tables["order_effects"], "noisy", kind=kind)
    assert effect["excess_task_lo"] < 0.1 < retest["changed_hi"]
    assert abs(effect["slot_lean"]) < 0.1


def test_a_biased_reader_goes_from_alpha_to_beta(tables: dict[str, pd.DataFrame]) -> None:
    moves = tables["read_transitions"]
    mine = moves[(moves["evaluator"] == "biased") & (moves["model"] == "all")]
    slots = mine[(mine["terms"] == "slot") & (mine["comparison"] == "order_flip")]
    found = set(zip(slots["from_label"], slots["to_label"], strict=True))
    assert ("ALPHA_ONLY", "BETA_ONLY") in found
    assert not found & {("BETA_ONLY", "ALPHA_ONLY"), ("ALPHA_ONLY", "ALPHA_ONLY")}
