"""Which texts are compared, by hand."""

from dataclasses import replace
from typing import Any

import pandas as pd
import pytest

from draligned.measure.checks import checked
from draligned.measure.draft_pairs import draft_pairs, text_couples
from draligned.measure.edits import edits
from draligned.schema.frames import EDITS, InputSet, MeasureInputs


def rows(inputs: MeasureInputs) -> list[list[str]]:
    found = draft_pairs(checked(inputs))
    names = ["scope", "start", "run_id", "other_run_id", "from_sha256", "to_sha256"]
    return sorted(found[names].values.tolist())


def test_first_and_last_draft_with_the_final(study: Any) -> None:
    run = study.run("1", "P", final="P", drafts=["N", "B", "Q"])
    assert rows(study.inputs()) == [
        ["within_run", "first_draft", run, run, "text f1 N", "text f1 P"],
        ["within_run", "last_draft", run, run, "text f1 Q", "text f1 P"],
    ]


def test_a_single_draft_is_the_first_and_the_last(study: Any) -> None:
    study.run("1", "P", final="P", drafts=["N"])
    assert [row[1] for row in rows(study.inputs())] == ["first_draft", "last_draft"]


@pytest.mark.parametrize(
    "changes",
    [
        {"harness": "H-W", "submits_saved": True},
        {"state": "failed"},
        {"observes_w": "partial"},
        {"observes_w": None},
        {"observes_f": "none"},
    ],
)
def test_runs_that_cannot_be_compared(study: Any, changes: dict[str, Any]) -> None:
    study.run("1", "P", final="P", drafts=["N"], **changes)
    assert rows(study.inputs()) == []


def test_no_draft_or_no_final_makes_no_comparison(study: Any) -> None:
    study.run("1", "P", final="P")
    study.run("1", "Q", drafts=["N"])
    assert rows(study.inputs()) == []


def test_the_last_draft_is_the_last_one_before_the_final(study: Any) -> None:
    run = study.run("1", "P", final="P", drafts=["N", "Q"])
    study.documents[1]["seq"] = 900
    found = [row for row in rows(study.inputs()) if row[1] == "last_draft"]
    assert found == [["within_run", "last_draft", run, run, "text f1 N", "text f1 P"]]


def test_repeats_of_a_condition_are_the_baseline(study: Any) -> None:
    """Drafts with the other run's final, both ways; finals once."""
    first = study.run("1", "P", final="P", drafts=["N"])
    second = study.run("1", "P", final="B", drafts=["Q"], replicate=1)
    study.run("1", "P", final="PN", drafts=["N"], model="other")
    study.run("1", "Q", final="Q", drafts=["N"], replicate=1)
    study.run("2", "P", final="P", drafts=["N"])
    found = [row[1:] for row in rows(study.inputs()) if row[0] == "across_runs"]
    assert found == [
        ["final", first, second, "text f1 P", "text f1 B"],
        ["first_draft", first, second, "text f1 N", "text f1 B"],
        ["first_draft", second, first, "text f1 Q", "text f1 P"],
        ["last_draft", first, second, "text f1 N", "text f1 B"],
        ["last_draft", second, first, "text f1 Q", "text f1 P"],
    ]


def test_environments_are_not_repeats_of_one_another(study: Any) -> None:
    study.run("1", "P", final="P", drafts=["N"])
    study.run("1", "P", final="B", drafts=["N"], replicate=1, environment="other")
    assert {row[0] for row in rows(study.inputs())} == {"within_run"}


def with_control(study: Any, control: Any) -> MeasureInputs:
    return replace(study.inputs(), sets={InputSet.AA: control.inputs()})


def test_an_a_a_run_is_a_repeat_although_it_stands_in_as_the_other_arm(study: Any) -> None:
    control = type(study)()
    first = study.run("1", "P", final="P", drafts=["N"])
    study.run("1", "Q", final="Q", drafts=["N"])
    control.run("1", "P", final="P", drafts=["N"])
    twin = control.run("1", "Q", final="B", drafts=["B"])
    for row in [*control.runs, *control.documents]:
        row["run_id"] = {twin: "twin"}.get(row["run_id"], row["run_id"])
    found = [row[1:4] for row in rows(with_control(study, control)) if row[0] == "across_runs"]
    assert found == [
        ["final", first, "twin"],
        ["first_draft", first, "twin"],
        ["first_draft", "twin", first],
        ["last_draft", first, "twin"],
        ["last_draft", "twin", first],
    ]


TEXTS = {"text f1 N": "住在杭州", "text f1 P": "住在深圳", "text f1 B": "😀", "text f1 Q": "😀😀"}


def test_texts_become_distances(study: Any) -> None:
    study.run("1", "P", final="P", drafts=["N"])
    found = edits(study.inputs(), TEXTS.get)
    assert tuple(found.columns) == EDITS
    assert found.to_dict("records") == [
        {
            "from_sha256": "text f1 N", "to_sha256": "text f1 P", "status": "ok", "reason": None,
            "n_tokens_from": 3, "n_tokens_to": 3, "distance": pytest.approx(2 / 3),
            "n_sentences": 1, "n_verbatim": 0,
        }
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("final", "texts", "reason"),
    [("Q", {}, "no_content_tokens"), ("P", {"text f1 P": None}, "text_missing")],
)
def test_what_has_no_distance_says_why(
    study: Any, final: str, texts: dict[str, None], reason: str
) -> None:
    study.run("1", "P", final=final, drafts=["B"])
    found = edits(study.inputs(), {**TEXTS, **texts}.get).iloc[0]
    assert (found["status"], found["reason"], found["distance"]) == ("unknown", reason, None)


def test_each_text_is_asked_for_once_and_one_text_is_not_compared_with_itself(study: Any) -> None:
    for replicate in range(3):
        study.run("1", "P", final="P", drafts=["N", "P"], replicate=replicate)
    asked: list[str] = []
    found = edits(study.inputs(), lambda sha: (asked.append(sha), TEXTS[sha])[1])
    assert sorted(asked) == ["text f1 N", "text f1 P"]
    assert found[["from_sha256", "to_sha256"]].values.tolist() == [["text f1 N", "text f1 P"]]


def test_no_runs_no_couples() -> None:
    nothing = {name: pd.DataFrame(columns=list(columns)) for name, columns in _COLUMNS.items()}
    assert text_couples(checked(MeasureInputs(**nothing))) == []


def _columns() -> dict[str, tuple[str, ...]]:
    from draligned.schema import frames

    return {
        "runs": frames.RUNS, "request_reads": frames.REQUEST_READS, "documents": frames.DOCUMENTS,
        "document_reads": frames.DOCUMENT_READS, "items": frames.ITEMS,
    }  # fmt: skip


_COLUMNS = _columns()
