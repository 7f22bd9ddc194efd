"""Each finder finds its case, and not what is only like it."""

from dataclasses import replace
from typing import Any

import pandas as pd
import pytest

from draligned.measure.tables import build_tables
from draligned.schema.config import MeasureConfig
from draligned.schema.frames import SECOND, InputSet, MeasureInputs


def cases(inputs: MeasureInputs) -> pd.DataFrame:
    return build_tables(inputs, MeasureConfig(draws=100), (), only=["cases"])["cases"]


def runs_of(found: pd.DataFrame, case: str) -> list[str]:
    return found.loc[found["case"] == case, "run_id"].tolist()


def test_every_row_is_stamped_as_selected(study: Any) -> None:
    study.run("1", "P", ["P", "N", "P"], "N", ["P"])
    found = cases(study.inputs())
    assert len(found) == 2
    assert set(found["selection"]) == {"selected, not sampled"}


@pytest.mark.parametrize(
    ("draft", "final", "hit"),
    [("P", "N", True), ("B", "N", False), ("Q", "N", False), ("P", "U", False), ("P", "P", False)],
)
def test_an_own_draft_and_a_final_of_none(study: Any, draft: str, final: str, hit: bool) -> None:
    run = study.run("1", "P", final=final, drafts=["N", draft])
    found = runs_of(cases(study.inputs()), "own_draft_none_final")
    assert found == ([run] if hit else [])


def test_it_is_the_last_draft_and_never_a_submitted_file(study: Any) -> None:
    study.run("1", "P", final="N", drafts=["P", "NN"])
    study.run("2", "P", final="N", drafts=["P"], harness="H-W", submits_saved=True)
    assert runs_of(cases(study.inputs()), "own_draft_none_final") == []


def background(study: Any, text: str, *reads: str, side: str = "P") -> None:
    """A background item toward a side in the reads named."""
    for read in reads:
        head = next(r for r in study.document_reads.values()
                    if r["text_sha256"] == text and r["read"] == read)  # fmt: skip
        old = next(i for i in study.items if i["text_sha256"] == text and i["read"] == read)
        word = "SLOT1" if head["alpha"] == side else "SLOT2"
        study.items.append(old | {"item_no": 9, "role": "BACKGROUND", "direction": word})


@pytest.mark.parametrize(
    ("arm", "reads", "kept"),
    [("P", ("first", "mirror"), True), ("P", ("first",), False), ("P", (), False),
     ("Q", ("first", "mirror"), False)],
)  # fmt: skip
def test_a_fact_kept_only_as_background(
    study: Any, arm: str, reads: tuple[str, ...], kept: bool
) -> None:
    study.run("1", arm, final="N", drafts=[arm])
    background(study, "text f1 N", *reads)
    assert cases(study.inputs())["outside_main"].tolist() == [kept]


def test_reads_that_find_unlike_sides_in_the_background_agree_on_none(study: Any) -> None:
    study.run("1", "P", final="N", drafts=["P"])
    background(study, "text f1 N", "first")
    background(study, "text f1 N", "mirror", side="Q")
    assert cases(study.inputs())["outside_main"].tolist() == [False]


@pytest.mark.parametrize(
    ("requests", "final", "numbers"),
    [
        (["N", "Q", "B"], "P", "2,3"),
        (["P", "N"], "P", None),
        (["U", "Q"], "B", None),
        (["V", "U"], "P", None),
    ],
)
def test_a_request_the_other_way_and_an_own_final(
    study: Any, requests: list[str], final: str, numbers: str | None
) -> None:
    run = study.run("1", "P", requests, final)
    found = cases(study.inputs()).query("case == 'other_request_own_final'")
    assert found[["run_id", "request_nos"]].values.tolist() == ([[run, numbers]] if numbers else [])


def test_strict_and_uncertain_reentry(study: Any) -> None:
    strict = study.run("1", "P", ["P", "N", "P", "U", "P"])
    unsure = study.run("2", "Q", ["Q", "U", "Q"])
    study.run("3", "P", ["P", "P"])
    found = cases(study.inputs()).query("case in ('strict_reentry', 'uncertain_reentry')")
    names = ["case", "run_id", "certainty", "request_nos", "requests_path"]
    assert found[names].values.tolist() == [
        ["strict_reentry", strict, "certain", "3", "ONO?O"],
        ["uncertain_reentry", unsure, "uncertain", "3", "O?O"],
    ]


def test_unlike_paths_to_one_direction(study: Any) -> None:
    """Four runs of one condition: three without a draft; one run ends elsewhere."""
    for model, requests in (("a", ["N"]), ("b", ["P"]), ("c", [])):
        study.run("1", "P", requests, "P", model=model)
    study.run("1", "P", ["N"], "PN", ["Q"], model="d")
    study.run("1", "P", ["N"], "N", model="e")
    study.run("2", "P", ["N"], "P", model="a")
    study.run("2", "P", ["N", "N"], "P", model="b")
    found = cases(study.inputs()).query("case == 'paths_to_one_direction'")
    assert found["model"].tolist() == ["a", "b", "c", "d"]
    assert found["group_id"].nunique() == 1
    assert set(found["n_group"]) == {4}
    assert set(found["n_paths"]) == {4}
    assert found["documents_path"].tolist() == ["|O", "|O", "|O", "X|O"]


def two_facts(study: Any, requests: list[tuple[str, str]], final: tuple[str, str]) -> MeasureInputs:
    """A set whose run was told P of fact 1 and Q of fact 2, read on both."""
    inner = type(study)()
    run = inner.run("1", "P", [first for first, _ in requests], final[0])
    for number, (_, second) in enumerate(requests, start=1):
        inner.request(run, "second", number, second)
    inner.document(run, "second", "final", 1, final[1])
    told = pd.DataFrame([(run, "second", "Q")], columns=list(SECOND))
    beside = replace(inner.inputs(), second=told)
    return replace(study.inputs(), sets={InputSet.TWO_FACTOR_PRIMARY: beside})


@pytest.mark.parametrize(
    ("requests", "final", "certainty"),
    [
        ([("P", "N"), ("N", "Q")], ("P", "Q"), "certain"),
        ([("P", "U"), ("N", "Q")], ("P", "Q"), "uncertain"),
        ([("N", "U")], ("B", "Q"), "certain"),
        ([("P", "Q")], ("P", "Q"), None),
        ([("P", "P")], ("P", "Q"), "certain"),
        ([("P", "N")], ("P", "P"), None),
        ([("P", "N")], ("P", "U"), None),
        ([], ("P", "Q"), None),
    ],
)
def test_two_facts_in_the_final_and_never_together_in_a_request(
    study: Any, requests: list[tuple[str, str]], final: tuple[str, str], certainty: str | None
) -> None:
    found = cases(two_facts(study, requests, final))
    found = found[found["case"] == "both_factors_only_in_final"]
    names = ["input_set", "factor_id", "certainty"]
    expected = [["two_factor_primary", "f1", certainty]] if certainty else []
    assert found[names].values.tolist() == expected
