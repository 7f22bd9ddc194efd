import io
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from draligned.measure.tables import TABLES, build_tables
from draligned.schema import frames
from draligned.schema.config import MeasureConfig
from draligned.schema.frames import MeasureInputs
from draligned.simulate.labels import simulate
from draligned.simulate.plan import PAPER

SMALL = replace(PAPER, name="small", tasks=6, models=2)
CONFIG = MeasureConfig(draws=100)
MAIN = {
    "requests",
    "documents",
    "matrix",
    "pairs",
    "estimates",
    "tasks",
    "draft_final",
    "flow_runs",
}


def parquet(frame: pd.DataFrame) -> bytes:
    buffer = io.BytesIO()
    frame.to_parquet(buffer, index=False)
    return buffer.getvalue()


def shuffled(inputs: MeasureInputs, seed: int) -> MeasureInputs:
    tables: dict[str, Any] = {
        name: frame.sample(frac=1, random_state=seed) for name, frame in inputs.frames().items()
    }
    return replace(inputs, **tables)


def test_bytes_do_not_depend_on_the_order_of_rows() -> None:
    inputs = simulate(SMALL, 1)
    before = build_tables(inputs, CONFIG, ("D_A",))
    after = build_tables(shuffled(inputs, 5), CONFIG, ("D_A",))
    assert {n: parquet(t) for n, t in before.items()} == {n: parquet(t) for n, t in after.items()}


def test_tables_keep_their_layout_and_hold_no_nan() -> None:
    built = build_tables(simulate(SMALL, 2), CONFIG, ())
    assert list(built) == [table.name for table in TABLES]
    for table in TABLES:
        frame = built[table.name]
        assert [(name, str(frame[name].dtype)) for name in frame] == list(table.columns)
        for name in frame:
            values = frame[name].dropna().to_numpy(dtype=object)
            assert not any(isinstance(v, float) and not np.isfinite(v) for v in values)


def test_no_rows_at_all_give_empty_tables_of_the_same_layout() -> None:
    nothing = MeasureInputs(
        runs=frames.empty(frames.RUNS),
        request_reads=frames.empty(frames.REQUEST_READS),
        documents=frames.empty(frames.DOCUMENTS),
        document_reads=frames.empty(frames.DOCUMENT_READS),
        items=frames.empty(frames.ITEMS),
    )
    built = build_tables(nothing, CONFIG, ())
    for table in TABLES:
        assert built[table.name].empty
        assert [str(kind) for kind in built[table.name].dtypes] == [k for _, k in table.columns]


def test_runs_nobody_has_read_are_planned_and_unknown(study: Any) -> None:
    study.run("1", "P", state="open", outcome=None)
    study.run("1", "Q", state="open", outcome=None)
    built = build_tables(study.inputs(), CONFIG, (), evaluators=("ev",))
    assert built["pairs"]["a_reason_p"].tolist() == ["run_open"]
    values = built["estimates"].query("population == 'readable'")
    assert set(values["status"]) == {"unknown"}
    assert values["value"].isna().all()


def test_worked_pair_in_every_table(worked_pair: Any) -> None:
    built = build_tables(worked_pair.inputs(), CONFIG, ("D_A", "D_F"))
    assert set(built["requests"]["label"]) == {"NEITHER"}
    assert built["documents"]["state"].tolist() == ["OWN_ONLY", "NONE"]
    operators = built["operators"]
    rows = operators[(operators["model"] == "all") & (operators["population"] == "readable")]
    values = rows.set_index("operator")[["value", "range_lo", "range_hi"]].T.to_dict("list")
    assert values == {
        "requests_mean": [0.0, -2.0, 2.0],
        "requests_sign_of_or": [0.0, -1.0, 1.0],
        "finals_sign_of_or": [1.0, -1.0, 1.0],
        "finals_mean": [1.0, -2.0, 2.0],
    }


def test_the_four_operators_are_told_apart(study: Any) -> None:
    study.run("1", "P", ["P", "P", "Q", "N"], ("PPN", "PN"))
    study.run("1", "Q", ["N"], "N")
    rows = build_tables(study.inputs(), CONFIG, (), only=["operators"])["operators"]
    rows = rows[(rows["model"] == "all") & (rows["population"] == "common_readable")]
    values = rows.set_index("operator")["value"].astype(float).round(6).to_dict()
    assert values == {
        "requests_mean": 0.25,
        "requests_sign_of_or": 0.0,
        "finals_sign_of_or": 1.0,
        "finals_mean": round((2 / 3 + 1 / 2) / 2, 6),
    }


def test_a_factor_the_run_was_not_assigned_is_read_but_not_paired(worked_pair: Any) -> None:
    for row in list(worked_pair.request_reads):
        worked_pair.request_reads.append(row | {"factor_id": "second"})
    built = build_tables(worked_pair.inputs(), CONFIG, ())
    second = built["requests"].query("factor_id == 'second'")
    assert len(second) == 16
    assert second["arm"].isna().all()
    assert len(built["pairs"]) == 1


def test_orientation_of_the_first_read_changes_nothing() -> None:
    drawn, always = (
        build_tables(simulate(SMALL, 4, kind), CONFIG, (), only=["estimates"])["estimates"]
        for kind in ("hash", "always_p")
    )
    pd.testing.assert_frame_equal(drawn, always)


@pytest.mark.parametrize("state", ["failed", "censored", "open"])
def test_what_was_not_observed_is_no_count_of_zero(study: Any, state: str) -> None:
    study.run("1", "P", state=state)
    study.run("1", "Q", observes_a="none")
    study.run("2", "P")
    found = build_tables(study.inputs(), CONFIG, (), evaluators=("ev",))
    counts = ["n_requests", "n_identified", "n_unknown"]
    rows = found["matrix"].set_index("run_id")
    for run in ("1-P-m-0", "1-Q-m-0"):
        assert rows.loc[run, counts].isna().all()
    assert rows.loc["2-P-m-0", counts].tolist() == [0, 0, 0]
    assert rows["n_drafts"].isna().tolist() == [True, False, False]
    first, second = (found["pairs"].query("task_id == @task").iloc[0] for task in "12")
    assert first[[f"{name}_{side}" for name in counts for side in "pq"]].isna().all()
    assert second[[f"{name}_p" for name in counts]].tolist() == [0, 0, 0]
    assert second[[f"{name}_q" for name in counts]].isna().all()


def test_every_row_of_a_development_harness_is_stamped(study: Any) -> None:
    apart: dict[str, Any] = {"harness": "handoff-aw", "development": True, "replicate": 1}
    for arm in "PQ":
        study.run("1", arm, [arm], arm, [arm])
        study.run("1", arm, [arm], arm, [arm], **apart)
    study.evaluators = ("ev", "two")
    for row in list(study.request_reads):
        study.request_reads.append(row | {"evaluator": "two"})
    built = build_tables(study.inputs(), CONFIG, ("D_A",))
    for name, frame in built.items():
        stamps = frame.groupby("harness")["development"].agg(["all", "any"])
        stamped = {str(harness): tuple(row) for harness, row in stamps.T.items()}
        right = {"coupled": (False, False), "handoff-aw": (True, True)}
        assert stamped.items() <= right.items(), name
        assert name not in MAIN or stamped == right, name
