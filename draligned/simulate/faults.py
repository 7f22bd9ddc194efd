"""Evaluators with one planted fault each, as the tables of flips and retests show them."""

import pandas as pd

from draligned.measure.tables import build_tables
from draligned.schema.config import MeasureConfig
from draligned.simulate.drawn import draw, generator
from draligned.simulate.label_tables import Evaluator, Making, label_tables
from draligned.simulate.parameters import Reader
from draligned.simulate.scenarios import PAPER, shaped

FAULTS = {
    "none": Reader(),
    "slot bias 10 %": Reader(slot_bias=0.1),
    "noise 10 %": Reader(noise=0.1),
    "both": Reader(slot_bias=0.1, noise=0.1),
}


def order_and_noise(seed: int = 0, retest_share: float = 1.0) -> pd.DataFrame:
    """One row per evaluator × kind of unit: share of `flips` and of `retests` that differ over the
    same units, the `excess` of flips with its interval over tasks (`low`, `high`), `slot_lean`."""
    drawn = draw(shaped(PAPER, 24), 1, generator("order and noise", seed))
    evaluators = [Evaluator(name=name, requests=r, finals=r) for name, r in FAULTS.items()]
    made = label_tables(
        drawn,
        Making(
            seed=seed, evaluators=evaluators, harnesses=["simulated"], retest_share=retest_share
        ),
    )
    tables = build_tables(made, MeasureConfig(draws=2_000), (), only=("order_effects",))
    effects = tables["order_effects"]
    whole = effects[(effects["model"] == "all").to_numpy(dtype=bool)]
    return pd.DataFrame(
        {
            "evaluator": whole["evaluator"],
            "kind": whole["kind"],
            "flips": whole["n_flipped"] / whole["n_units"],
            "retests": whole["n_retest_changed"] / whole["n_units"],
            "excess": whole["excess"],
            "low": whole["excess_task_lo"],
            "high": whole["excess_task_hi"],
            "slot_lean": whole["slot_lean"],
        }
    ).reset_index(drop=True)
