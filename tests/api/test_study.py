"""Study: what construct, run, evaluate and measure do to one folder, offline."""

import json
import re
from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import draligned
from draligned.api import Study
from draligned.api.harness import template
from draligned.api.reporting import report_data
from draligned.evaluators.protocol import Protocol, load_protocol
from draligned.measure.trajectories import Asked
from draligned.schema.errors import ConfigError, DesignError, InputError, InventoryError
from draligned.schema.events import RequestExecuted, ToolResult
from draligned.schema.trajectory import Trajectory
from draligned.study.attempts import events_key
from draligned.study.launches import pilot_of
from draligned.study.log import read_events

QUICK = """\
[construction]
tasks = 2

[controls]
aa_share = 0
neutral_share = 0
placebo_share = 0
masked_share = 0
sentinel_share = 0

[measure]
draws = 200
"""


@pytest.fixture
def study(tmp_path: Path) -> Study:
    """A draft of two tasks."""
    (tmp_path / "study.toml").write_text(QUICK, encoding="utf-8")
    made = draligned.open(tmp_path)
    made.construct()
    return made


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> Study:
    """Two tasks, run, read and measured."""
    root = tmp_path_factory.mktemp("done")
    (root / "study.toml").write_text(QUICK, encoding="utf-8")
    made = draligned.open(root)
    made.construct()
    made.run()
    made.evaluate()
    made.measure()
    return made


def test_opening_an_empty_folder_writes_nothing(tmp_path: Path) -> None:
    opened = draligned.open(tmp_path / "new")
    assert not opened.has_design()
    assert opened.plan().blocks == ()
    assert not (tmp_path / "new").exists()


def test_construct_writes_a_commented_study_toml_once(tmp_path: Path) -> None:
    draligned.open(tmp_path).construct(tasks=1)
    text = (tmp_path / "study.toml").read_text("utf-8")
    assert text.startswith("#")
    (tmp_path / "study.toml").write_text(QUICK, encoding="utf-8")
    draligned.open(tmp_path).construct(tasks=1)
    assert (tmp_path / "study.toml").read_text("utf-8") == QUICK


def test_every_stage_says_what_comes_first(tmp_path: Path, study: Study) -> None:
    with pytest.raises(DesignError, match="draligned construct"):
        draligned.open(tmp_path / "none").run()
    with pytest.raises(DesignError, match="draligned run"):
        study.measure()
    with pytest.raises(InputError, match="draligned measure"):
        study.table("pairs")


def test_a_dry_look_writes_nothing(study: Study) -> None:
    before = _files(study)
    asked = study.plan_runs(pilot=1)
    assert len(study.cells(asked)) == 4
    assert [row[1] for row in study.forecast_runs(asked).rows] == [2, 2]
    with pytest.raises(DesignError, match="draligned run"):
        study.forecast_reads()
    assert _files(study) == before


def test_a_pilot_runs_whole_pairs_and_the_rest_comes_later(study: Study) -> None:
    summary = study.run(study.plan_runs(pilot=1))
    assert (summary.done, summary.left_open) == (4, 0)
    seen = {(r.model_name, r.task_id, r.assigned[0].side.value) for r in study.observed()}
    assert len(seen) == 4
    assert len({task for _, task, _ in seen}) == 1
    assert study.run().done == 4
    assert study.run().done == 0


def test_the_first_run_freezes_the_design(study: Study) -> None:
    assert study.locks() == []
    study.run(limit=1)
    assert len(study.locks()) == 1
    with pytest.raises(DesignError, match="frozen"):
        study.construct()
    with pytest.raises(DesignError, match="frozen"):
        study.reject_card(study.design().cards[0].factor_id)


def test_reads_are_made_once(done: Study) -> None:
    before = len(done.spend())
    assert done.evaluate().done == 0
    assert done.run().done == 0
    assert len(done.spend()) == before


def test_one_orientation_gives_no_label(study: Study) -> None:
    study.run()
    study.evaluate(mirrored=False)
    study.measure()
    assert set(study.table("requests")["reason"]) <= {"single_read", "abstained"}
    assert set(study.table("requests")["status"]) == {"unknown"}
    study.evaluate(mirrored=True)
    study.measure()
    assert "identified" in set(study.table("requests")["status"])


def test_a_second_evaluator_may_come_later(done: Study) -> None:
    done.evaluate(evaluators=["rehearsal-reader-b"])
    done.measure()
    assert set(done.table("pairs")["evaluator"]) == {"rehearsal-reader", "rehearsal-reader-b"}


def test_one_orientation_of_a_second_evaluator_is_a_single_read(study: Study) -> None:
    study.run()
    study.evaluate(mirrored=True)
    study.evaluate(mirrored=False, evaluators=["rehearsal-reader-b"])
    study.measure()
    requests = study.table("requests")
    second = requests[requests["evaluator"] == "rehearsal-reader-b"]
    assert set(second["reason"]) == {"single_read"}
    assert set(requests.loc[second.index.symmetric_difference(requests.index), "status"]) >= {
        "identified"
    }


def test_a_later_evaluator_reads_by_the_protocol_of_those_before(
    study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    study.run(study.plan_runs(pilot=1))
    study.evaluate(mirrored=True)

    def newer(*_: object) -> Protocol:
        old = load_protocol("zh")
        return old.model_copy(update={"requests": old.document})

    monkeypatch.setattr("draligned.api.evaluating.load_protocol", newer)
    study.evaluate(mirrored=True, evaluators=["rehearsal-reader-b"])
    study.measure(partial=True)
    locks = {p.read_bytes() for p in study.folder.root.glob("reads/*/protocol.lock")}
    assert locks == {load_protocol("zh").to_json().encode()}


def test_another_language_of_reading_than_the_locked_one_is_refused(study: Study) -> None:
    study.run(study.plan_runs(pilot=1))
    study.evaluate(mirrored=True)
    toml = study.folder.root / "study.toml"
    toml.write_text(f'{QUICK}\n[evaluate]\nlang = "en"\n', encoding="utf-8")
    with pytest.raises(ConfigError, match="read with lang 'zh'"):
        draligned.open(study.folder.root).evaluate(evaluators=["rehearsal-reader-b"])


def test_replicates_are_added_and_done_runs_stay(study: Study) -> None:
    study.run()
    first = {r.run_id for r in study.observed()}
    assert study.run(study.plan_runs(replicates=2)).done == len(first)
    assert first < {r.run_id for r in study.observed()}
    assert len(study.cells()) == 2 * len(first)


def test_a_limit_takes_whole_pairs_before_the_next_replicate(study: Study) -> None:
    planned = study.cells(study.plan_runs(replicates=2))
    assert all(p.pair == q.pair for p, q in zip(planned[::2], planned[1::2], strict=True))
    study.run(study.plan_runs(replicates=2), limit=2)
    (launched,) = study.folder.root.glob("launches/*.jsonl")
    lines = launched.read_text("utf-8").splitlines()
    assert [json.loads(line)["started_with"] for line in lines] == [2, 2]


def test_a_study_stays_a_rehearsal_whatever_its_models_are_called_later(study: Study) -> None:
    study.run(study.plan_runs(pilot=1))
    toml = study.folder.root / "study.toml"
    renamed = (
        '[providers.mine]\nbase_url = "https://api.example.com/v1"\n'
        '[models.rehearsal-a]\nprovider = "mine"\nmodel = "x"\n'
        '[models.rehearsal-b]\nprovider = "mine"\nmodel = "y"\n'
    )
    toml.write_text(QUICK + renamed, encoding="utf-8")
    assert draligned.open(study.folder.root).status().rehearsal


def test_tokens_stop_the_work_with_cells_open(study: Study) -> None:
    summary = study.run(max_tokens=3000)
    assert summary.stopped is not None
    assert summary.left_open > 0
    with pytest.raises(InventoryError, match="still open"):
        study.measure()
    assert study.run().left_open == 0


def test_unknown_names_come_with_a_suggestion(study: Study) -> None:
    with pytest.raises(ConfigError, match="did you mean 'rehearsal-a'"):
        study.run(study.plan_runs(models=["rehersal-a"]))
    with pytest.raises(ConfigError, match="did you mean 'coupled'"):
        study.plan_runs(harnesses=["couple"])
    with pytest.raises(ConfigError, match="rehearsal-reader"):
        study.evaluate(evaluators=["rehearsal-read"])
    assert study.locks() == []


def test_an_amendment_between_the_arms_of_a_pair_changes_no_fence(study: Study) -> None:
    asked = study.plan_runs(pilot=1, models=["rehearsal-a"])
    study.run(asked, limit=1)
    study.amend(tasks=1)
    study.run(asked)
    one, two = (fences(study, run.run_id) for run in study.observed())
    common = one.keys() & two.keys()
    assert common
    assert {no: one[no] for no in common} == {no: two[no] for no in common}


def fences(study: Study, run_id: str) -> dict[int, str]:
    """The mark of the fence around what each request of a run was answered."""
    bodies = [e.body for e in read_events(study.folder.store, events_key(run_id, 1))]
    shown = {
        one.request_no: study.folder.blobs.get(two.text_sha256)
        for one, two in pairwise(bodies)
        if isinstance(one, RequestExecuted) and isinstance(two, ToolResult)
    }
    marks = {no: re.search(r"^<<<[a-z]+ (\w+)$", text, re.M) for no, text in shown.items()}
    return {no: mark[1] for no, mark in marks.items() if mark}


def test_a_harness_file_in_study_toml_stands_beside_it(
    study: Study, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = study.folder.root
    (root / "study.toml").write_text(f'{QUICK}\n[run]\nharnesses = ["mine.toml"]\n', "utf-8")
    (root / "mine.toml").write_text(template(), "utf-8")
    monkeypatch.chdir(tmp_path_factory.mktemp("elsewhere"))
    opened = draligned.open(root)
    assert {b.harness.name for b in opened.plan_runs().blocks} == {"my-harness"}
    with pytest.raises(ConfigError, match=r"mine\.toml cannot be read"):
        opened.plan_runs(harnesses=["mine.toml"])


def test_a_wrong_lang_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="zh or en"):
        draligned.open(tmp_path).construct(lang="fr")


async def test_it_works_inside_a_running_event_loop(study: Study) -> None:
    assert study.run(limit=1).done == 1


def _files(study: Study) -> dict[Path, bytes]:
    return {p: p.read_bytes() for p in study.folder.root.rglob("*") if p.is_file()}


def test_a_pair_is_shown_from_its_own_runs_alone(
    done: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is shown of a pair is what the whole panel gives, and no other run is read for it."""
    from draligned.api import trajectories

    row = done.table("pairs").iloc[0]
    runs = {row["run_id_p"], row["run_id_q"]}
    whole = trajectories.all_trajectories(done.readings())
    asked: list[str] = []
    read = trajectories.read_trajectories

    def counted(wanted: Iterable[Asked], *args: Any, **options: Any) -> tuple[Trajectory, ...]:
        found = list(wanted)
        asked.extend(run.run_id for run, _ in found)
        return read(found, *args, **options)

    monkeypatch.setattr(trajectories, "read_trajectories", counted)
    shown = done.trajectory(row["pair_id"])
    assert set(asked) == runs < {run_id for run_id, _ in whole}
    assert shown.pair.p == whole[row["run_id_p"], row["factor_id"]]
    assert shown.pair.q == whole[row["run_id_q"], row["factor_id"]]


def test_a_pilot_stays_one_until_more_is_asked_for(study: Study) -> None:
    store = study.folder.store
    assert pilot_of(store) is None
    study.run(study.plan_runs(pilot=1))
    assert pilot_of(store) == 1
    data = report_data(study, study.readings(), partial=True)
    assert (data.pilot, data.partial) == (1, True)
    study.run(limit=2)
    assert pilot_of(store) is None
    assert report_data(study, study.readings(), partial=True).pilot is None


def test_the_report_knows_who_read_in_one_orientation(study: Study) -> None:
    study.run(limit=2)
    study.evaluate(mirrored=False)
    (evaluator,) = report_data(study, study.readings(), partial=True).evaluators
    assert not evaluator.mirrored
