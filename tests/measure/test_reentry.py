"""Re-entry in hand-written runs."""

from typing import Any

import pandas as pd
import pytest

from draligned.measure.tables import build_tables
from draligned.schema.config import MeasureConfig
from draligned.schema.frames import MeasureInputs

NAMES = ("reentry", "reentry_cases", "flow_runs")


def tables(inputs: MeasureInputs) -> dict[str, pd.DataFrame]:
    return build_tables(inputs, MeasureConfig(draws=100), (), only=NAMES)


def only(frame: pd.DataFrame, unit: str = "request", model: str = "all") -> pd.Series:
    chosen = frame.query("unit == @unit and model == @model")
    assert len(chosen) == 1
    return chosen.iloc[0]


@pytest.fixture
def told(study: Any) -> dict[str, pd.DataFrame]:
    """Strict: P P·N·P, and B·Q·P. Uncertain: Q·U·Q, and Q·N U·Q."""
    study.run("1", "P", ["P", "N", "P"])
    study.run("1", "Q", ["Q", "U", "Q", "N", "U", "Q"])
    study.run("2", "P", ["B", "Q", "P", "P"])
    study.run("2", "Q", ["N", "N", "Q"])
    study.run("3", "P")
    study.run("3", "Q", state="censored")
    return tables(study.inputs())


def test_strict_and_uncertain_stand_apart(told: dict[str, pd.DataFrame]) -> None:
    found = only(told["reentry"])
    names = ["n_runs", "n_strict", "n_uncertain", "n_uncertain_left", "n_runs_strict"]
    assert found[names].tolist() == [4, 2, 2, 1, 2]
    assert found["n_runs_uncertain_only"] == 1
    assert found["run_share"] == 0.5


def test_the_expectation_stands_beside_it(told: dict[str, pd.DataFrame]) -> None:
    """Run 1-P: 1/3 (O N O of three orders). Run 2-P: three own and one other, a gap in the two
    inner places of four: 1/2. Run 1-Q: 3 own, 1 none, 2 unknown: 2·3·(1/5 − 1/6) = 1/5. Run 2-Q
    has one own: 0."""
    found = only(told["reentry"])
    assert found["expected_strict"] == pytest.approx(1 / 3 + 1 / 2 + 1 / 5)
    assert found["expected_uncertain"] == pytest.approx(2 * 2 / 5)
    chances = [1 / 3, 1 / 2, 1 / 5]
    assert found["expected_runs"] == pytest.approx(sum(chances))
    two = 1 / 3 * 1 / 2 * 4 / 5 + 1 / 3 * 1 / 2 * 1 / 5 + 1 / 3 * 1 / 2 * 1 / 5 + 2 / 3 * 1 / 2 / 5
    all_three = 1 / 3 * 1 / 2 * 1 / 5
    assert found["p_more"] == pytest.approx(two)
    assert found["p_fewer"] == pytest.approx(1 - all_three)


def test_cases_name_their_requests(told: dict[str, pd.DataFrame]) -> None:
    names = ["run_id", "place", "from_no", "to_no", "case", "gap", "n_absent", "n_unknown"]
    assert told["reentry_cases"][names].values.tolist() == [
        ["1-P-m-0", 1, 1, 3, "strict", "N", 1, 0],
        ["1-Q-m-0", 1, 1, 3, "uncertain", "?", 0, 1],
        ["1-Q-m-0", 2, 3, 6, "uncertain", "N?", 1, 1],
        ["2-P-m-0", 1, 1, 3, "strict", "X", 1, 0],
    ]


def test_paths_and_reasons(told: dict[str, pd.DataFrame]) -> None:
    found = told["flow_runs"].query("unit == 'request'").set_index("run_id")
    assert found["path"].dropna().to_dict() == {
        "1-P-m-0": "ONO", "1-Q-m-0": "O?ON?O", "2-P-m-0": "BXOO", "2-Q-m-0": "NNO",
    }  # fmt: skip
    assert found["reason"].dropna().to_dict() == {
        "3-P-m-0": "no_requests",
        "3-Q-m-0": "run_censored",
    }
    assert found.loc["3-Q-m-0", ["n_units", "n_reentry", "reentry_expected"]].isna().all()


def test_documents_have_paths_of_their_own(study: Any) -> None:
    study.run("1", "P", ["N"], "P", ["P", "N"])
    study.run("1", "Q", ["N"], None, ["Q"])
    study.run("2", "P", ["N"], "U")
    study.run("2", "Q", ["N"])
    study.run("3", "P", final="P", drafts=["N", "P"], harness="H-W", submits_saved=True)
    found = tables(study.inputs())
    paths = found["flow_runs"].query("unit == 'document'").set_index("run_id")
    assert paths["path"].dropna().to_dict() == {
        "1-P-m-0": "ON|O", "1-Q-m-0": "O", "2-P-m-0": "|?", "3-P-m-0": "NO",
    }  # fmt: skip
    assert paths.loc["2-Q-m-0", "reason"] == "no_document"
    documents = found["reentry"].query("unit == 'document' and harness == 'coupled'")
    assert documents["n_strict"].tolist() == [1, 1]


def test_nothing_is_concluded_from_a_run_seen_in_part(study: Any) -> None:
    study.run("1", "P", ["P", "N", "P"], observes_a="partial")
    found = tables(study.inputs())
    line = only(found["reentry"])
    assert (line["status"], line["reason"]) == ("unknown", "no_run_observed_in_full")
    assert line[["n_runs", "n_runs_in_part", "n_strict", "n_in_part"]].tolist() == [0, 1, 0, 1]
    assert line[["run_share", "expected_strict", "p_more"]].isna().all()
    path = only(found["flow_runs"].assign(model="all"))
    assert (path["status"], path["reason"], path["path"]) == ("ok", "observed_in_part", "ONO")


def test_an_unobserved_channel_is_not_a_path_of_nothing(study: Any) -> None:
    study.run("1", "P", ["N"], observes_a="none", observes_w="none")
    found = tables(study.inputs())["flow_runs"]
    assert found["status"].tolist() == ["unknown"] * 2
    assert found["reason"].tolist() == ["not_observed"] * 2


def test_exchanging_arms_changes_no_count(study: Any) -> None:
    """The same run under Q, told with endpoints exchanged, has the same path."""
    swap = str.maketrans("PQ", "QP")
    path = "PNQBUPNQP"
    study.run("1", "P", list(path))
    study.run("1", "Q", list(path.translate(swap)))
    found = tables(study.inputs())["flow_runs"].query("unit == 'request'")
    assert found["path"].nunique() == 1
    assert found["n_reentry"].tolist() == [2, 2]
