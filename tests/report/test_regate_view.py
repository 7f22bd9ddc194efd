"""The section on gates after the fact: counts as in the table, both languages, names as data."""

from dataclasses import replace
from pathlib import Path

import pytest

import draligned
from draligned.api import Study
from draligned.api.stage_reporting import stage_data
from draligned.progress.regate import REASONS, REPLAYED, Verdict
from draligned.report.regate_view import VERDICTS, regate_view
from draligned.report.stage_data import StageData
from draligned.report.stage_page import render_stage_report
from draligned.report.texts import load_texts
from draligned.schema.design import Lang

HOSTILE = '<script>alert(1)</script>{{ 7*7 }}"\u202e&amp;'


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Study:
    """Two arms of one deployment, replayed under two gates; a third arm was run after that."""
    root = tmp_path_factory.mktemp("page")
    (root / "study.toml").write_text("[measure]\ndraws = 100\n", encoding="utf-8")
    found = draligned.open(root)
    found.rollouts.run(["B1,A"], ["rehearsal"], repetitions=1)
    found.regate(["marker,no_tool_call"])
    found.rollouts.run(["B2"], ["rehearsal"], repetitions=1)
    return found


@pytest.fixture(scope="module")
def data(study: Study) -> StageData:
    return stage_data(study.progress, study.rollouts, "en")


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_the_section_says_what_it_cannot_show(data: StageData, lang: Lang) -> None:
    page = render_stage_report(replace(data, lang=lang))
    texts = load_texts(lang)
    assert page.count('id="regate"') == 1
    for key in ("boundary", "bars_note", "question"):
        assert texts(f"regate.{key}") in page
    assert page == render_stage_report(replace(data, lang=lang))


def test_numbers_are_those_of_the_table_made_anew(data: StageData) -> None:
    """Under the gates that were asked for, over what is recorded now: three arms, not two."""
    assert data.regate is not None
    view = regate_view(data.regate, load_texts("en"))
    (rollouts,) = view.sources
    assert [row[0] for row in rollouts.table.rows] == [
        "B1 marker", "B1 marker", "B2 no tool call", "B2 no tool call", "A runtime, unmatched",
        "A runtime, unmatched",
    ]  # fmt: skip
    table = data.regate.set_index(["under", "gate"])
    for row, arm in zip(rollouts.table.rows[::2], ("B1", "B2", "A"), strict=True):
        own = table.loc[(arm, "marker")]
        assert row[1:4] == ("rehearsal", "marker", "12")
        assert row[4:9] == tuple(str(own[verdict]) for verdict in VERDICTS)
        assert sum(map(int, row[4:9])) == 12
    b1, b2, _ = (str(figure.drawn) for figure in rollouts.bars)
    assert "marker *" in b2
    assert "marker *" not in b1
    assert view.size == "Records: 36; gates asked of each: 2."


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_closed_sets_have_words(lang: Lang) -> None:
    words = load_texts(lang).entries
    for verdict in Verdict:
        assert all(f"{group}.{verdict.value}" in words for group in ("g_verdict", "g_told"))
        assert f"g_short.{verdict.value}" in words
    assert all(f"g_gate.{gate}" in words for gate in REPLAYED)
    assert all(
        f"g_{kind}.{code}" in words for code in REASONS for kind in ("reason", "reason_told")
    )


def test_names_are_data(data: StageData) -> None:
    assert data.regate is not None
    renamed = data.regate.replace({"deployment": {"rehearsal": HOSTILE}, "under": {"A": HOSTILE}})
    page = render_stage_report(replace(data, regate=renamed))
    assert "<script" not in page
    assert "\u202e" not in page
    assert "{{ 7*7 }}" in page


def test_without_a_replay_there_is_no_section(tmp_path: Path) -> None:
    study = draligned.open(tmp_path)
    assert stage_data(study.progress, study.rollouts, "en").regate is None
    assert not study.regated_rehearsal


def test_a_replay_alone_makes_a_page_that_names_rehearsals(data: StageData) -> None:
    alone = replace(data, rollout=None)
    assert alone.rehearsal
    assert load_texts("en")("stage.rehearsal") in render_stage_report(alone)
