"""The section on rollouts: counts as in the tables, both languages, whatever names there are."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

import draligned
from draligned.api.stage_reporting import stage_data
from draligned.report.rollout_view import rollout_view
from draligned.report.stage_data import RolloutPart, StageData
from draligned.report.stage_page import render_stage_report
from draligned.report.texts import load_texts
from draligned.schema.design import Lang

HOSTILE = '<script>alert(1)</script>{{ 7*7 }}"\u202e&amp;'


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> StageData:
    """Two deployments under three gates, one repetition; one of them short of trajectories."""
    root = tmp_path_factory.mktemp("page")
    (root / "study.toml").write_text("[measure]\ndraws = 200\n", encoding="utf-8")
    study = draligned.open(root)
    study.rollouts.run(["B1,B2,A"], ["rehearsal", "table20-g"], repetitions=1)
    study.rollouts.run(["B1"], ["rehearsal-steady"], repetitions=1, limit=3)
    return stage_data(study.progress, study.rollouts, "en")


def part(data: StageData) -> RolloutPart:
    assert data.rollout is not None
    return data.rollout


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_the_page_has_a_section_alone_or_beside_designs(data: StageData, lang: Lang) -> None:
    page = render_stage_report(replace(data, lang=lang))
    assert page.count('id="rollout"') == 1
    assert 'id="map"' not in page
    assert "<script" not in page
    texts = load_texts(lang)
    for key in ("boundary", "survivors", "inputs", "outcomes_note"):
        assert texts(f"rollout.{key}") in page
    assert texts("stage.rehearsal") in page
    assert page == render_stage_report(replace(data, lang=lang))


def test_numbers_are_those_of_the_tables(data: StageData) -> None:
    view = rollout_view(part(data), load_texts("en"))
    assert view.gates is not None
    assert view.deployments is not None
    table = part(data).tables["gates"].set_index("arm")
    assert [row[1] for row in view.gates.rows] == [
        "B1 marker", "B2 no tool call", "A runtime, unmatched",
    ]  # fmt: skip
    for row, arm in zip(view.gates.rows, ("B1", "B2", "A"), strict=True):
        assert row[2].startswith(f"{table.loc[arm, 'ok']} (")
        assert row[-1] == str(table.loc[arm, "n"]) == "24"
    impossible = [[row[3], row[4]] for row in view.gates.rows[1:]]
    assert impossible == [["–", "–"]] * 2
    assert "–" not in view.gates.rows[0]
    assert len(view.deployments.rows) == 6


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_what_sessions_ended_by_adds_up_to_the_outcomes(data: StageData, lang: Lang) -> None:
    texts = load_texts(lang)
    view = rollout_view(part(data), texts)
    assert view.causes is not None
    assert view.causes_by is not None
    table = part(data).tables["gates"].set_index("arm")
    dead, stall = (texts.word("r_outcome", o) for o in ("dead_end", "stall"))
    rows = {(row[0], row[1]): row for row in view.causes.rows}
    b1, b2 = (texts.word("r_arm", arm) for arm in ("B1", "B2"))
    assert rows[b1, dead][-1] == str(table.loc["B1", "dead_end"])
    assert rows[b2, stall][-1] == str(table.loc["B2", "stall"])
    assert rows[b1, dead][2].endswith("(100.0 %)")
    assert rows[b1, dead][4] == rows[b2, stall][2] == "–"
    assert view.causes.head[2] == texts.word("r_cause", "unmarked")
    by = [int(row[3]) for row in view.causes_by.rows if row[0] == b1 and row[2] == dead]
    assert sum(by) == table.loc["B1", "dead_end"]
    assert texts("rollout.causes_note") in render_stage_report(replace(data, lang=lang))


def test_what_does_not_count_stands_in_how_it_stands_alone(data: StageData) -> None:
    view = rollout_view(part(data), load_texts("en"))
    (short,) = (r for r in view.standing.rows if r[0] == "rehearsal-steady")
    assert short[3:5] == ("12", "3")
    assert short[-2:] == ("no", "incomplete: under 95 % of the planned trajectories have ended")
    assert view.deployments is not None
    assert all("steady" not in row[1] for row in view.deployments.rows)


def renamed(tables: Mapping[str, pd.DataFrame]) -> dict[str, pd.DataFrame]:
    return {n: t.replace({"deployment": {"rehearsal": HOSTILE}}) for n, t in tables.items()}


def test_names_are_data(data: StageData) -> None:
    own = part(data)
    lines = tuple(
        replace(s, deployment=HOSTILE, reason="<b>no</b>" if s.reason else "") for s in own.lines
    )
    page = render_stage_report(
        replace(data, rollout=RolloutPart(lines=lines, tables=renamed(own.tables)))
    )
    assert "<script" not in page
    assert "<b>no" not in page
    assert "\u202e" not in page
    assert "{{ 7*7 }}" in page


def test_without_a_counting_line_there_is_no_number(data: StageData) -> None:
    bare = RolloutPart(lines=part(data).lines, tables={})
    page = render_stage_report(replace(data, rollout=bare))
    assert load_texts("en")("rollout.silence") in page
    assert "<svg" not in page


def test_a_study_without_rollouts_has_no_section(data: StageData, tmp_path: Path) -> None:
    study = draligned.open(tmp_path)
    assert stage_data(study.progress, study.rollouts, "en").rollout is None
