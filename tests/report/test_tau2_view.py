"""The section on tau2-bench, from planted tags."""

from dataclasses import replace

import pytest

from draligned.progress.statistics import Settings
from draligned.progress.tau2.frame import Scored
from draligned.progress.tau2.tables import build
from draligned.report.stage_data import StageData, Tau2Part
from draligned.report.stage_page import render_stage_report
from draligned.report.tau2_view import TABLES, tau2_view
from draligned.report.texts import load_texts
from draligned.schema.design import Lang
from tests.progress.tau2.planted import Row, by_bins, checkpoint, frame, marked, runs_of
from tests.report.html import parse, text

NAME = "</script>{{ 7*7 }} model"


def rows(name: str) -> list[Row]:
    bins = [marked("mid_task", k, n) for k, n in ((3, 9), (1, 4), (0, 4), (2, 4), (1, 9))]
    made = list(by_bins(name, bins, marked("mid_task", 1, 1)))
    made += [
        checkpoint(f"run-{i}", 10, "before_acting", said, deployment=name)
        for i, said in enumerate(marked("before_acting", 5, 6))
    ]
    made += [
        checkpoint(f"run-{i}", 1_500, "completed", said, deployment=name, unseen=i == 0)
        for i, said in enumerate(marked("completed", 2, 4))
    ]
    return made


def part(*names: str, rehearsal: bool = False) -> Tau2Part:
    import pandas as pd

    found = [row for name in names for row in rows(name)]
    calls = pd.DataFrame([
        {"deployment": n, "results_sha256": "0", "requested": "not requested", "calls": 3,
         "known": 2, "nonzero": 1, "median": 5.0, "median_present": 10.0} for n in names
    ])  # fmt: skip
    lost = runs_of(found[:1], run_id="lost", status="unreadable_run", checkpoints=None)
    runs = pd.concat([runs_of(found), lost], ignore_index=True)
    made = build(Scored(runs=runs, checkpoints=frame(found), calls=calls), Settings(draws=20))
    return Tau2Part(name="first", files=1, version="toy", rehearsal=rehearsal, tables=made)


def page(lang: Lang, *parts: Tau2Part) -> str:
    return render_stage_report(
        StageData(name="s", lang=lang, version="1", seed=1, draws=20, designs=(), tau2=parts)
    )


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_the_section_stands_alone(lang: Lang) -> None:
    texts = load_texts(lang)
    shown = page(lang, part("b", "a"))
    said = text(parse(shown))
    for key in ("question", "boundary", "lanes", "completion", "base_rates"):
        assert texts(f"tau2.{key}") in said
    assert '<a href="#tau2">' in shown
    view = tau2_view(part("b", "a"), texts)
    assert [f.deployment for f in view.lines] == ["a", "b"]
    assert {name for name, _ in view.grids} == set(TABLES) - {"no_user"}


def test_numbers_are_those_of_the_tables() -> None:
    view = tau2_view(part("a"), load_texts("en"))
    strict = dict(zip(view.stages.head, view.stages.rows[0], strict=True))
    assert list(strict)[:2] == ["deployment", "before acting"], "what all rows share is left out"
    assert strict["before acting"] == "5/6"
    assert strict["mid-task"] == "8/31"
    assert [strict[f"mid {n}"] for n in range(1, 6)] == [
        "3/9", "1/4", "0/4", "2/4", "1/9",
    ]  # fmt: skip
    assert (strict["completed"], strict["if not looked at"]) == ("2/4", "1/1")


def test_runs_in_no_number_stand_with_their_reason() -> None:
    for lang, reason in (("en", "cannot be read"), ("zh", "无法读取")):
        grids = dict(tau2_view(part("a"), load_texts(lang)).grids)  # type: ignore[arg-type]
        (row,) = grids["left_out"].rows
        runs = part("a").tables["lanes"]["runs"].sum()
        assert row[-3:] == (reason, "1", str(runs))
        head = grids["wrong"].head
        usual = {row[head.index(load_texts(lang).word("t2_head", "usual"))]  # type: ignore[arg-type]
                 for row in grids["wrong"].rows}  # fmt: skip
        assert usual == {load_texts(lang)("stage.yes")}  # type: ignore[arg-type]


def test_a_score_that_was_kept_by_an_older_version_is_shown() -> None:
    made = part("a")
    older = {n: t.drop(columns="usual", errors="ignore") for n, t in made.tables.items()}
    older.pop("left_out")
    grids = dict(tau2_view(replace(made, tables=older), load_texts("en")).grids)
    assert "left_out" not in grids
    assert grids["wrong"].rows


def test_tenths_of_the_way_have_counts_and_no_interval() -> None:
    made = part("a")
    view = tau2_view(made, load_texts("en"))
    (figure,) = view.tenths
    table = made.tables["positions"]
    strict = table[table["parser"] == "strict"]
    for row in strict.itertuples():
        assert f"tenth {row.bin}: {row.correct} of {row.total} correct" in figure.drawn
    assert figure.drawn.count('class="value"') == len(strict) > 5
    assert 'class="interval"' not in figure.drawn
    assert 'class="interval"' in view.lines[0].drawn


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_every_code_has_a_word(lang: Lang) -> None:
    view = tau2_view(part("a"), load_texts(lang))
    for _, grid in [*view.grids, ("", view.stages)]:
        cells = {cell for row in (grid.head, *grid.rows) for cell in row}
        assert not [cell for cell in cells if "_" in cell]
        if lang == "zh":
            assert not cells & {"strict", "stale", "all", "tag", "main", "completed", "unseen"}


def test_names_are_data() -> None:
    shown = page("en", part(NAME))
    assert "{{ 7*7 }}" in text(parse(shown))
    assert "</script>{{" not in shown


def test_a_rehearsal_says_so() -> None:
    texts = load_texts("en")
    assert texts("stage.rehearsal") in page("en", part("a", rehearsal=True))
    assert texts("stage.rehearsal") not in page("en", part("a"))


def test_a_page_without_scores_has_no_section() -> None:
    assert 'id="tau2"' not in page("en")
