"""What a correction leaves out is unreadable with its own reason, never gone and never zero."""

from dataclasses import replace
from typing import Any

import pandas as pd

from draligned.measure.exclusions import Excluded, exclude
from draligned.measure.tables import build_tables
from draligned.schema.config import MeasureConfig
from draligned.schema.frames import VISITS, InputSet, MeasureInputs

NAMES = ("requests", "documents", "matrix", "pairs", "estimates", "readability", "long")


def small(study: Any) -> MeasureInputs:
    study.run("1", "P", ["P", "N"], "PN")
    study.run("1", "Q", ["Q"], "QQ")
    study.run("2", "P", ["N"], "PP")
    study.run("2", "Q", ["N"], "NN")
    made: MeasureInputs = study.inputs()
    return made


def tables(inputs: MeasureInputs, excluded: Excluded) -> dict[str, pd.DataFrame]:
    config = MeasureConfig(draws=100)
    return build_tables(exclude(inputs, excluded), config, ("D_A",), only=NAMES)


def test_a_run_that_is_left_out_stays_planned(study: Any) -> None:
    inputs = small(study)
    whole, rest = (tables(inputs, e) for e in (Excluded(), Excluded(runs=frozenset(["1-P-m-0"]))))
    matrix = rest["matrix"].set_index("run_id")
    assert matrix.loc["1-P-m-0", "run_state"] == "excluded"
    assert matrix.loc["1-P-m-0", ["acq_reason", "final_reason"]].tolist() == ["run_excluded"] * 2
    assert pd.isna(matrix.loc["1-P-m-0", "n_requests"])
    pairs = rest["pairs"].set_index("task_id")
    assert pairs.loc["1", ["a_status", "f_status"]].tolist() == ["unreadable_p"] * 2
    same = whole["pairs"].set_index("task_id").loc["2"]
    pd.testing.assert_series_equal(pairs.loc["2"], same)
    assert "1-P-m-0" not in set(rest["requests"]["run_id"]) | set(rest["documents"]["run_id"])
    readable = rest["estimates"].set_index(["model", "estimand", "population"])
    assert readable.loc[("all", "D_F", "readable"), ["n_readable", "n_planned"]].tolist() == [1, 2]
    assert "run_excluded" in set(rest["readability"]["reason"].dropna())


def test_a_factor_that_is_left_out_takes_all_its_runs(study: Any) -> None:
    rest = tables(small(study), Excluded(factors=frozenset(["f2"])))
    states = rest["matrix"].groupby("factor_id")["run_state"].unique().map(list).to_dict()
    assert states == {"f1": ["done"], "f2": ["excluded"]}


def test_a_factor_that_is_left_out_takes_what_its_runs_visited(study: Any) -> None:
    inputs = small(study)
    rows = [(run, 1, None, None) for run in inputs.runs["run_id"]]
    inputs = replace(inputs, visits=pd.DataFrame(rows, columns=list(VISITS), dtype=object))
    rest = exclude(inputs, Excluded(factors=frozenset(["f2"])))
    assert set(rest.visits["run_id"]) == {"1-P-m-0", "1-Q-m-0"}


def test_a_failed_run_keeps_its_own_reason(study: Any) -> None:
    study.run("1", "P", state="failed", outcome="provider_error")
    study.run("1", "Q", ["N"], "NN")
    rest = tables(study.inputs(), Excluded(runs=frozenset(["1-P-m-0"])))
    assert rest["matrix"].set_index("run_id").loc["1-P-m-0", "acq_reason"] == "run_failed"


def test_reads_that_are_left_out_are_void_and_their_units_unknown(study: Any) -> None:
    inputs = small(study)
    (sha,) = inputs.documents.loc[inputs.documents["run_id"] == "2-P-m-0", "text_sha256"]
    excluded = Excluded(
        requests=frozenset([("1-P-m-0", "f1", 1)]), texts=frozenset([(sha, "f2")])
    )  # fmt: skip
    rest = tables(inputs, excluded)
    requests = rest["requests"].set_index(["run_id", "request_no"])
    assert requests.loc[("1-P-m-0", 1), ["label", "reason"]].tolist() == ["UNKNOWN", "void_read"]
    assert requests.loc[("1-P-m-0", 2), "label"] == "NEITHER"
    documents = rest["documents"].set_index("run_id")
    assert documents.loc["2-P-m-0", ["presence", "reason"]].tolist() == ["UNKNOWN", "void_read"]
    assert documents.loc["2-Q-m-0", "status"] == "accepted"
    assert documents.loc["1-P-m-0", "status"] == "accepted"


def test_sets_beside_the_panel_leave_it_out_too(study: Any) -> None:
    inputs = small(study)
    both = replace(inputs, sets={InputSet.AA: inputs})
    rest = exclude(both, Excluded(runs=frozenset(["1-P-m-0"])))
    for part in (rest, rest.sets[InputSet.AA]):
        states = part.runs.set_index("run_id")["state"]
        assert states.to_dict() == {
            "1-P-m-0": "excluded", "1-Q-m-0": "done", "2-P-m-0": "done", "2-Q-m-0": "done",
        }  # fmt: skip


def test_a_masked_text_has_packets_of_its_own(study: Any) -> None:
    inputs = small(study)
    both = replace(inputs, sets={InputSet.MASKED: inputs})
    texts = frozenset(
        zip(inputs.documents["text_sha256"], inputs.documents["factor_id"], strict=True)
    )
    rest = exclude(both, Excluded(masked=texts))
    assert set(rest.document_reads["status"]) == {"ok"}
    assert set(rest.sets[InputSet.MASKED].document_reads["status"]) == {"void"}


def test_nothing_left_out_changes_nothing(study: Any) -> None:
    inputs = small(study)
    assert exclude(inputs, Excluded()) is inputs
    other = exclude(inputs, Excluded(runs=frozenset(["nobody"])))
    for name, frame in inputs.frames().items():
        pd.testing.assert_frame_equal(getattr(other, name), frame, check_dtype=False)
