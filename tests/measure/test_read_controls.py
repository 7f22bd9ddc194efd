from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

from draligned.measure import tables
from draligned.schema import frames
from draligned.schema.config import MeasureConfig
from draligned.schema.frames import MeasureInputs

CONFIG = MeasureConfig(draws=200)
NAMES = ["read_flips", "order_effects", "read_transitions"]
SLOTS = ("ALPHA_ONLY", "BETA_ONLY", "NEITHER")


def retested(study: Any, letters: dict[tuple[str, int], str]) -> MeasureInputs:
    """The study with retests of some requests: what each says, in absolute letters."""
    again = []
    for row in study.request_reads:
        letter = letters.get((row["run_id"], row["request_no"]))
        if row["read"] == "first" and letter is not None:
            label = {"P": "ALPHA_ONLY", "Q": "BETA_ONLY", "N": "NEITHER", "U": "UNKNOWN"}[letter]
            again.append(row | {"read": "retest", "label": label})
    study.request_reads += again
    made: MeasureInputs = study.inputs()
    return made


def built(inputs: MeasureInputs) -> dict[str, pd.DataFrame]:
    return {
        name: table[table["model"] == "all"]
        for name, table in tables.build_tables(inputs, CONFIG, (), only=NAMES).items()
    }


def row(table: pd.DataFrame, **chosen: str) -> Any:
    for name, value in chosen.items():
        table = table[table[name] == value]
    assert len(table) == 1
    return table.iloc[0]


def test_counts_by_hand(new_study: Callable[..., Any]) -> None:
    made = new_study()
    run = made.run("1", "P", ["P", ("P", "Q"), ("P", "N"), ("N", "U"), ("P", "V")])
    made.run("2", "P", ["N", "N"])
    tables_of = built(retested(made, {(run, 1): "Q", (run, 2): "P", (run, 3): "U"}))
    flips = tables_of["read_flips"]
    counts = ["n_units", "n_read", "n_labelled", "n_changed", "n_opposite", "n_one_abstains"]
    all_units = row(flips, comparison="order_flip", units="all")
    assert all_units[[*counts, "n_tasks"]].tolist() == [7, 6, 5, 2, 1, 1, 2]
    assert all_units["changed_share"] == pytest.approx(0.4)
    again = row(flips, comparison="order_flip", units="retested")
    assert again[[*counts, "n_tasks"]].tolist() == [3, 3, 3, 2, 1, 0, 1]
    retest = row(flips, comparison="retest")
    assert retest[[*counts, "n_tasks"]].tolist() == [3, 3, 2, 1, 1, 1, 1]
    assert (retest["status"], retest["reason"]) == ("ok", "one_task")
    assert pd.isna(retest["changed_task_lo"])
    effect = row(tables_of["order_effects"])
    assert effect[["n_units", "n_flipped", "n_retest_changed"]].tolist() == [2, 1, 1]
    assert effect["excess"] == pytest.approx(0.0)


def test_slot_terms_are_those_of_the_first_read(new_study: Callable[..., Any]) -> None:
    made = new_study(first="Q")
    made.run("1", "P", [("Q", "P"), "Q", ("P", "Q")])
    found = built(made.inputs())
    moves = found["read_transitions"]
    moves = moves[moves["terms"] == "slot"].set_index(["from_label", "to_label"])["n"].to_dict()
    assert moves == {
        ("ALPHA_ONLY", "BETA_ONLY"): 1, ("ALPHA_ONLY", "ALPHA_ONLY"): 1,
        ("BETA_ONLY", "ALPHA_ONLY"): 1,
    }  # fmt: skip
    effect = row(found["order_effects"])
    assert effect[["n_mirrored", "n_to_alpha", "n_to_beta"]].tolist() == [3, 1, 1]
    assert effect["slot_lean"] == pytest.approx(0.0)
    assert (effect["status"], effect["reason"], pd.isna(effect["excess"])) == (
        "ok", "one_task", True,
    )  # fmt: skip


def test_documents_are_compared_by_the_direction_of_their_main_advice(
    new_study: Callable[..., Any],
) -> None:
    """The final is the last draft's text: it was read once, and counts once."""
    made = new_study()
    made.run("1", "P", drafts=["PN", ("P", "Q")], final=("P", "Q"))
    made.run("1", "Q", final=("P", "."))
    retest = [r | {"read": "retest"} for r in made.document_reads.values() if r["read"] == "first"]
    for number, read in enumerate(retest):
        made.document_reads["retest", number] = read
    made.items += [i | {"read": "retest"} for i in made.items if i["read"] == "first"]
    flips = built(made.inputs())["read_flips"]
    counts = ["n_units", "n_read", "n_labelled", "n_changed", "n_opposite", "n_one_abstains"]
    assert row(flips, comparison="order_flip", units="all")[counts].tolist() == [3, 3, 2, 1, 1, 1]
    assert row(flips, comparison="retest")[counts].tolist() == [3, 3, 3, 0, 0, 0]


def test_nothing_read_has_no_share(new_study: Callable[..., Any]) -> None:
    made = new_study()
    made.run("1", "P", ["M"], "M")
    for table in ("read_flips", "order_effects"):
        found = built(made.inputs())[table]
        assert set(found["status"]) == {"unknown"}
        assert set(found["reason"]) == {"empty"}


def planted(kind: str, seed: int) -> MeasureInputs:
    """12 tasks × 40 requests, all retested; a third says P, Q and neither each. `order`: ALPHA is
    said of a fifth of the requests, whatever they say. `noise`: a fifth of reads is a guess."""
    rng = np.random.Generator(np.random.PCG64(seed))
    rows, runs = [], []
    for task in range(12):
        run = {
            "run_id": f"r{task}", "task_id": str(task), "user_id": "u", "factor_id": f"f{task}",
            "arm": "P", "model": "m", "harness": "h", "environment": "e", "replicate": 0,
            "state": "done", "outcome": "submitted", "observes_a": "full", "observes_w": "full",
            "observes_f": "full", "development": False, "submits_saved": False,
            "delegation_offered": False, "delegations": 0, "requests": 40,
            "requests_delegated": 0, "last_request_seq": None,
        }  # fmt: skip
        runs.append(run)
        for number in range(1, 41):
            lean = "PQN"[int(rng.integers(3))]
            biased = rng.random() < 0.2
            for read, alpha in (("first", "P"), ("mirror", "Q"), ("retest", "P")):
                label = "NEITHER" if lean == "N" else "ALPHA_ONLY" if lean == alpha else "BETA_ONLY"
                if kind == "order" and biased:
                    label = "ALPHA_ONLY"
                if kind == "noise" and rng.random() < 0.2:
                    label = SLOTS[int(rng.integers(3))]
                rows.append(
                    (f"r{task}", f"f{task}", number, "search", "ok", None, "ev", read, alpha,
                     "valid", label, None)
                )  # fmt: skip
    return MeasureInputs(
        runs=pd.DataFrame(runs, columns=list(frames.RUNS)),
        request_reads=pd.DataFrame(rows, columns=list(frames.REQUEST_READS)),
        documents=frames.empty(frames.DOCUMENTS),
        document_reads=frames.empty(frames.DOCUMENT_READS),
        items=frames.empty(frames.ITEMS),
    )


def test_an_order_biased_evaluator_is_seen_in_flips_and_not_in_retests() -> None:
    found = built(planted("order", 1))
    flip = row(found["read_flips"], comparison="order_flip", units="retested")
    assert flip["changed_lo"] > 0.1
    assert row(found["read_flips"], comparison="retest")["n_changed"] == 0
    effect = row(found["order_effects"])
    assert effect["excess_task_lo"] > 0.1
    assert effect["slot_lean_task_lo"] > 0.1
    assert effect["n_to_alpha"] > 0 == effect["n_to_beta"]


def test_a_noisy_evaluator_is_seen_in_retests_as_much_as_in_flips() -> None:
    found = built(planted("noise", 2))
    assert row(found["read_flips"], comparison="retest")["changed_lo"] > 0.1
    effect = row(found["order_effects"])
    assert effect["excess_task_lo"] < 0 < effect["excess_task_hi"]
    assert effect["slot_lean_task_lo"] < 0 < effect["slot_lean_task_hi"]
