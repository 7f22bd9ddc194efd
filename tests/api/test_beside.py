"""Runs beside the panel, from study.toml to tables, by rehearsal models: evidence of no other."""

import json
import shutil
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import draligned
from draligned.api import Study
from draligned.rehearsal.profiles import agent_profile
from draligned.rehearsal.truth import planted_truth, untold
from draligned.schema.frames import InputSet
from draligned.schema.labels import RunSet, Side
from draligned.study.freeze import DESIGN

TOML = """\
[construction]
tasks = {tasks}
two_factor = {two_factor}

[controls]
aa_share = {share}
neutral_share = {share}
placebo_share = 0
masked_share = 0
sentinel_share = 0

[measure]
draws = 200
"""


def settings(root: Path, share: float, tasks: int = 4, two_factor: int = 2, more: str = "") -> None:
    text = TOML.format(share=share, tasks=tasks, two_factor=two_factor)
    (root / "study.toml").write_text(text + more, encoding="utf-8")


def finished(study: Study) -> Study:
    assert study.run().left_open == 0
    assert study.evaluate().left_open == 0
    study.measure()
    return study


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> Study:
    """Four tasks, all of them with an A/A and a neutral run, two with two factors."""
    root = tmp_path_factory.mktemp("beside")
    settings(root, 1)
    study = draligned.open(root)
    study.construct()
    return finished(study)


def by_model(table: pd.DataFrame, **where: str) -> pd.DataFrame:
    for name, word in where.items():
        table = table[table[name] == word]
    return table


def test_the_panel_does_not_see_what_stands_beside_it(done: Study, tmp_path: Path) -> None:
    settings(tmp_path, 0, two_factor=0)
    alone = draligned.open(tmp_path)
    alone.construct()
    finished(alone)
    for name in ("estimates", "pairs", "matrix", "requests", "documents", "tasks", "agreement"):
        pd.testing.assert_frame_equal(done.table(name), alone.table(name))
    for name in ("aa_estimates", "neutral_estimates", "two_factor_estimates", "coexpression"):
        assert alone.table(name).empty


def test_sets_are_counted_apart(done: Study) -> None:
    blocks = {(b.model, b.run_set): (b.planned, b.done) for b in done.status().blocks}
    for model in ("rehearsal-a", "rehearsal-b"):
        assert blocks[model, RunSet.PANEL] == (8, 8)
        assert blocks[model, RunSet.AA] == blocks[model, RunSet.NEUTRAL] == (4, 4)
        assert blocks[model, RunSet.TWO_FACTOR] == (8, 8)
    inventory = done.table("inventory")
    assert set(inventory["run_set"].dropna()) == {s.value for s in RunSet}
    assert len(done.observed()) == 16


def test_inputs_hold_a_set_for_each(done: Study) -> None:
    sets = done.readings().inputs().sets
    assert set(sets) == {
        InputSet.AA, InputSet.NEUTRAL, InputSet.TWO_FACTOR_PRIMARY,
        InputSet.TWO_FACTOR_COMPLEMENTARY,
    }  # fmt: skip
    aa = sets[InputSet.AA].runs
    assert sorted(aa["replicate"]) == [0] * 8 + [1] * 8
    assert set(aa.loc[aa["replicate"] == 0, "arm"]) == {"Q"}
    assert set(sets[InputSet.NEUTRAL].runs["arm"]) == {"P"}
    for name, side in (("primary", "P"), ("complementary", "Q")):
        own = sets[InputSet(f"two_factor_{name}")]
        assert set(own.second["side"]) == {side}
        assert set(own.request_reads["factor_id"]) == {
            *own.second["factor_id"], *own.runs["factor_id"],
        }  # fmt: skip


def test_who_is_told_nothing_leans_nowhere(done: Study) -> None:
    rows = by_model(done.table("neutral_estimates"), comparison="neutral", model="all")
    assert rows["value"].tolist() == [0.0, 0.0]
    assert rows["estimand"].tolist() == ["m_neutral", "x_neutral"]
    neutral = done.readings().inputs().sets[InputSet.NEUTRAL]
    assert set(neutral.request_reads["label"].dropna()) <= {"NEITHER", "UNKNOWN"}
    assert set(neutral.items["direction"]) <= {"NEITHER", "UNKNOWN"}


def test_the_message_of_a_neutral_run_is_what_the_agent_saw(done: Study) -> None:
    for cell in (c for c in done.cells() if c.run_set is RunSet.NEUTRAL):
        (opened,) = [e.body for e in done.events(cell.run_id) if e.body.kind == "opened"]
        (told,) = [n for n in done.design().neutral if n.factor_id == cell.factor_id]
        assert [m.text for m in opened.messages if m.role == "user"] == [*told.condition.turns]


def test_two_facts_meet_in_finals_and_not_in_requests(done: Study) -> None:
    """A rehearsal agent leans one request to one fact, and its final to each told one."""
    rows = by_model(done.table("coexpression"), model="all").set_index(["comparison", "unit"])
    for comparison in ("primary", "complementary"):
        assert rows.loc[(comparison, "request"), "n_own_both"] == 0
        assert rows.loc[(comparison, "request"), "n_both_identified"] > 10
        assert rows.loc[(comparison, "final"), "n_own_both"] > 0


def test_everything_can_be_shown_and_written_up(done: Study) -> None:
    design = done.design()
    neutral = design.neutral[0]
    assert "told no fact" in "\n".join(done.show(neutral.condition.condition_id))
    assert "told no fact" in "\n".join(done.show(neutral.factor_id))
    assert done.show(design.second_cards[0].factor_id)
    for run_set in RunSet:
        cell = next(c for c in done.cells() if c.run_set is run_set)
        assert cell.run_id in done.show(cell.run_id)[0]
    for lang, words in (("en", ("A/A", "neutral arm")), ("zh", ("A/A 对照", "中性条件"))):
        page = done.report(lang=lang).read_text("utf-8")
        assert all(word in page for word in words)


def test_a_dry_run_prices_the_sets_apart(done: Study, tmp_path: Path) -> None:
    shutil.copytree(done.folder.root, tmp_path / "copy")
    shutil.rmtree(tmp_path / "copy" / "runs")
    study = draligned.open(tmp_path / "copy")
    rows = {row[0]: row[1] for row in study.forecast_runs(study.plan_runs()).rows}
    assert rows == {
        **{f"rehearsal-{m}": 8 for m in "ab"},
        **{f"rehearsal-{m}: {what}": 4 for m in "ab" for what in ("A/A", "neutral arm")},
        **{f"rehearsal-{m}: two-factor": 8 for m in "ab"},
    }


def test_a_pilot_takes_the_controls_of_its_pairs_along(tmp_path: Path) -> None:
    settings(tmp_path, 1, two_factor=0)
    study = draligned.open(tmp_path)
    study.construct()
    cells = study.cells(study.plan_runs(pilot=1, models=["rehearsal-a"]))
    assert [c.run_set.value for c in cells] == ["panel", "panel", "aa", "neutral"]
    assert len({c.pair for c in cells}) == 1


def test_what_was_chosen_is_kept_whatever_the_share_becomes(tmp_path: Path) -> None:
    settings(tmp_path, 0.25, two_factor=0)
    study = draligned.open(tmp_path)
    study.construct()
    finished(study)
    (aa,) = {b.aa for b in study.plan().blocks if b.model_name == "rehearsal-a"}
    settings(tmp_path, 0, two_factor=0)
    again = draligned.open(tmp_path)
    assert again.run().done == 0
    assert len(aa) == 1
    assert next(b.aa for b in again.plan().blocks if b.model_name == "rehearsal-a") == aa
    again.measure()
    settings(tmp_path, 0.5, two_factor=0)
    assert draligned.open(tmp_path).run().done == 4


def test_an_amended_design_keeps_its_controls_and_gets_more(tmp_path: Path) -> None:
    settings(tmp_path, 0.25, two_factor=0)
    study = draligned.open(tmp_path)
    study.construct()
    study.run()
    before = {c.run_id for c in study.cells()}
    study.amend(tasks=4)
    study.run()
    after = {c.run_id: c.run_set for c in study.cells()}
    assert before <= set(after)
    assert list(after.values()).count(RunSet.AA) == list(after.values()).count(RunSet.NEUTRAL) == 4


def test_a_study_from_before_there_were_controls_goes_on(tmp_path: Path) -> None:
    settings(tmp_path, 0, two_factor=0)
    study = draligned.open(tmp_path)
    study.construct()
    old = json.loads((tmp_path / DESIGN).read_text("utf-8"))
    del old["neutral"]
    (tmp_path / DESIGN).write_text(json.dumps(old, ensure_ascii=False), encoding="utf-8")
    finished(draligned.open(tmp_path))
    plan = json.loads((tmp_path / "plan.json").read_text("utf-8"))
    for block in plan["blocks"]:
        del block["aa"], block["neutral"]
    (tmp_path / "plan.json").write_text(json.dumps(plan), encoding="utf-8")
    settings(tmp_path, 0.1, two_factor=0)
    later = draligned.open(tmp_path)
    pairs = later.table("pairs")
    later.measure()
    pd.testing.assert_frame_equal(pairs, later.table("pairs"))
    assert later.run().done == 2
    assert {c.run_set for c in later.cells()} == {RunSet.PANEL, RunSet.AA}
    finished(later)
    pd.testing.assert_frame_equal(pairs, later.table("pairs"))


def test_rejecting_a_fact_takes_the_one_told_beside_it(tmp_path: Path) -> None:
    settings(tmp_path, 0)
    study = draligned.open(tmp_path)
    study.construct()
    design = study.design()
    told = next(c for c in design.conditions if c.run_set is RunSet.TWO_FACTOR)
    first, second = (a.factor_id for a in told.assigned)
    study.reject_card(first)
    left = {c.factor_id for c in study.design().cards}
    assert not left & {first, second}
    assert first not in {n.factor_id for n in study.design().neutral}
    study.freeze()


def test_a_pair_and_its_controls_share_recorded_answers(done: Study) -> None:
    pairs: dict[tuple[str, ...], set[RunSet]] = {}
    for cell in done.cells():
        pairs.setdefault(cell.pair, set()).add(cell.run_set)
    panel = [s for s in pairs.values() if RunSet.PANEL in s]
    assert panel == [{RunSet.PANEL, RunSet.AA, RunSet.NEUTRAL}] * 8


@pytest.mark.slow
def test_planted_truth_of_the_neutral_arm_is_no_lean(tmp_path: Path) -> None:
    """P against nothing told is the P side alone; D over all bundled tasks, five repetitions."""
    model = """
[models.m{n}]
provider = "rehearsal"
model = "rehearsal-agent-a"
params = {{ user = "{n}" }}
"""
    names = [f"m{n}" for n in range(6)]
    run = f"\n[run]\nmodels = {json.dumps(names)}\n"
    settings(tmp_path, 1, tasks=8, two_factor=0,
             more=run + "".join(model.format(n=n) for n in range(6)))  # fmt: skip
    study = draligned.open(tmp_path)
    study.construct()
    finished(study)
    profile = agent_profile("rehearsal-agent-a", {})
    truths: dict[str, Any] = {
        "p_neutral": planted_truth(profile, untold(profile)),
        "neutral_q": planted_truth(untold(profile), profile),
        "p_q": planted_truth(profile),
    }
    rows = by_model(study.table("neutral_estimates"), model="all", population="readable")
    for comparison, truth in truths.items():
        own = rows[rows["comparison"] == comparison].set_index("estimand")
        assert own.loc["D_A", "value"] == pytest.approx(truth.d_a, abs=0.06)
        assert own.loc["D_F", "value"] == pytest.approx(truth.d_f, abs=0.17)
    aa = by_model(study.table("aa_estimates"), model="all", population="readable")
    aa = aa.set_index("estimand")
    assert aa.loc["D_A", "value"] == pytest.approx(0.0, abs=0.08)
    assert aa.loc["D_F", "value"] == pytest.approx(0.0, abs=0.25)
    assert all(c.arm is Side.P for c in study.cells() if c.run_set is RunSet.AA)
