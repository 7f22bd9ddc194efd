"""The notebook on progress reports runs from an empty folder, offline."""

from typing import Any

import pytest

from .running import NOTEBOOKS, code_cells, is_picture, outputs, run, table

NOTEBOOK = NOTEBOOKS / "04_progress_reports.ipynb"


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The notebook after it was run on a new study."""
    return run(NOTEBOOK, tmp_path_factory.mktemp("reports"))


def test_no_cell_warns_or_fails(done: Any) -> None:
    for cell_id in code_cells(done):
        outputs(done, cell_id)


def test_designs_are_listed_with_their_evidence(done: Any) -> None:
    designs = table(done, "designs").set_index("design")
    assert designs.loc["stage", "calls"] == 7_200
    assert designs.loc["bundle", "evidence"] == "Controlled intervention"


def test_shares_stand_inside_the_recommended_interval(done: Any) -> None:
    shares = table(done, "shares")
    assert set(shares["recommended"]) == {"effective"}
    assert (shares["low"] <= shares["share"]).all()
    assert (shares["share"] <= shares["high"]).all()
    assert (shares["k"] / shares["n"]).round(3).equals(shares["share"])
    assert is_picture(done, "plot")


def test_the_example_claims_to_be_done_while_it_is_not(done: Any) -> None:
    said = outputs(done, "one-reply")["text/plain"]
    assert said.endswith("claimed: completed")
    assert "layer: wrong_value" in said


@pytest.mark.parametrize(
    ("cell_id", "words"),
    [
        ("run", ("deployment", "admitted", "rehearsal-hasty")),
        ("layers", ("clean", "omission", "malformed", "wrong_value")),
        ("confusion", ("COMPLETED", "NEEDS_INFO", "no report")),
        ("contrast", ("withdrawn - present", "recommended", "Controlled intervention")),
        ("rollouts", ("B1", "premature", "ok", "rehearsal-hasty")),
    ],
)
def test_tables_are_shown(done: Any, cell_id: str, words: tuple[str, ...]) -> None:
    text = outputs(done, cell_id)["text/plain"]
    assert [word for word in words if word not in text] == []


def test_every_rollout_is_counted_once(done: Any) -> None:
    rows = table(done, "rollouts")
    numbers = rows[rows.columns[2:]].apply(lambda c: c.astype(float)).sum(axis=1)
    assert set(numbers) == {24}
