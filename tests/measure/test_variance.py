from typing import Any

import pandas as pd
import pytest

from draligned.measure.tables import build_tables
from draligned.schema.config import MeasureConfig


def rows(study: Any) -> pd.DataFrame:
    config = MeasureConfig(draws=100)
    built = build_tables(study.inputs(), config, (), only=["variance_components"])
    return built["variance_components"].set_index(["channel", "level"])


def planted(study: Any, replicates: int) -> None:
    """d_A of a pair is the share of its P requests that lean to P: task / 4, ± 0 over repeats."""
    for task in range(4):
        for model in ("a", "b"):
            for replicate in range(replicates):
                leaning = ["P"] * task + ["N"] * (4 - task)
                name = {"model": model, "replicate": replicate}
                study.run(str(task), "P", leaning, "P", user=f"u{task // 2}", **name)
                study.run(str(task), "Q", ["N"], "N", user=f"u{task // 2}", **name)


def test_components_of_a_planted_study(study: Any) -> None:
    """Only tasks differ: 0, ¼, ½, ¾, and users are pairs of tasks. By least squares over the
    patterns: couples of one user differ by ¼ (½·1/16), of two by ¼, ½, ½, ¾ on average."""
    planted(study, replicates=2)
    found = rows(study)
    assert found.loc[("A", "model"), "raw"] == pytest.approx(0.0, abs=1e-12)
    assert found.loc[("A", "run"), "raw"] == pytest.approx(0.0, abs=1e-12)
    assert found.loc[("A", "task"), "raw"] == pytest.approx(1 / 32)
    between = (1 / 4 + 1 / 4 + 1 / 16 + 9 / 16) / 8
    assert found.loc[("A", "user"), "raw"] == pytest.approx(between - 1 / 32)
    assert found.loc[("A", "user"), "share"] + found.loc[("A", "task"), "share"] == 1
    assert found.loc[("A", "environment"), "reason"] == "one_value"
    assert found.loc[("A", "task"), "n_pairs"] == 16
    assert found.loc[("F", "task"), "raw"] == 0.0


def test_without_repeats_the_run_is_unknown_with_a_reason(study: Any) -> None:
    planted(study, replicates=1)
    found = rows(study)
    for level in ("run", "task_model"):
        row = found.loc[("A", level)]
        assert (row["status"], row["reason"]) == ("unknown", "not_separable")
        assert pd.isna(row["variance"])
    assert found.loc[("A", "task_model+run"), "status"] == "ok"


def test_read_component_is_half_the_squared_difference_of_single_reads(study: Any) -> None:
    study.run("1", "P", [("P", "N"), "N"], ("P", "P"))
    study.run("1", "Q", ["N"], ("N", "P"))
    study.run("2", "P", [("U", "P"), "N"], "P")
    study.run("2", "Q", ["N"], None)
    found = rows(study)
    requests = found.loc[("A", "read")]
    assert requests["n_pairs"] == 2
    assert requests["raw"] == pytest.approx(((0.5 - 0.0) ** 2 + (0.0 - 0.5) ** 2) / 4)
    finals = found.loc[("F", "read")]
    assert (finals["n_pairs"], finals["raw"]) == (1, 0.5)
    assert pd.isna(finals["share"])


def test_no_mirrored_reads_no_read_component(study: Any) -> None:
    study.run("1", "P", [("P", "-")], ("P", "-"))
    study.run("1", "Q", [("N", "-")], ("N", "-"))
    found = rows(study)
    assert found.loc[("A", "read"), "reason"] == "no_replication"
    assert set(found["status"]) == {"unknown"}
    assert found.loc[("A", "task"), "reason"] == "no_replication"


def test_repeats_are_matched_by_replicate(study: Any) -> None:
    study.run("1", "P", ["P"], "P", replicate=0)
    study.run("1", "Q", ["N"], "N", replicate=0)
    study.run("1", "P", ["N"], "P", replicate=1)
    found = rows(study)
    assert found.loc[("A", "run"), "n_pairs"] == 1
