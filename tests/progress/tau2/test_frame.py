"""Runs and checkpoints of whole files, on the stand-in for the benchmark."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from draligned.progress.statistics import Settings
from draligned.progress.tau2.frame import Scored, family_of, left_out, score_files
from draligned.progress.tau2.results import ResultsFile, read_results
from draligned.progress.tau2.tables import build
from draligned.schema.errors import ConfigError, InputError
from tests.progress.tau2 import toy
from tests.progress.tau2.made import SECRET, Message, Played, results, run, says

TAG = "\n<stage>{}</stage>"
REPAIR = toy.REPAIR.id


def file(folder: Path, runs: Sequence[Message], *tasks: toy.Task, **more: Any) -> ResultsFile:
    """A results file read back."""
    held = results(more.pop("domain", toy.PHONE), toy.embedded(*tasks or (toy.REPAIR,)), runs)
    held["info"].update(more)
    path = folder / f"{len(list(folder.iterdir()))}.json"
    path.write_text(json.dumps(held))
    return read_results(path)


def repair(*said: str, cue: str = "And now?") -> list[Message]:
    """A repair in four messages: before, between, done and unseen, done and looked at."""
    talk = Played(toy.benchmark().graded(toy.PHONE, toy.embedded(toy.REPAIR)[0]))
    talk.say(said[0])
    talk.call(("user", "toggle_airplane_mode", {}))
    talk.say(said[1])
    talk.call(("assistant", "pay", {}))
    talk.say(said[2], cue)
    talk.call(("user", "check_status_bar", {}))
    talk.say(said[3])
    return talk.messages


RIGHT = [f"Well.{TAG.format(s)}" for s in ("READY", "POST_OBS", "POST_OBS", "COMPLETED")]


def scored(*files: ResultsFile) -> Scored:
    return score_files([("m", f) for f in files], toy.benchmark())


def tables(found: Scored) -> dict[str, pd.DataFrame]:
    return build(found, Settings(draws=20))


def test_truth_and_tag_of_every_checkpoint(tmp_path: Path) -> None:
    found = scored(file(tmp_path, [run(REPAIR, repair(*RIGHT, cue="It works now, thanks"))]))
    rows = found.checkpoints
    assert list(rows["state"]) == ["before_acting", "mid_task", "completed", "completed"]
    assert list(rows["strict_outcome"]) == ["correct", "correct", "stale", "correct"]
    assert list(rows["unseen"]) == [False, False, True, False]
    assert list(rows["after_cue"]) == [False, False, False, True]
    assert list(rows["family"].unique()) == ["mms"]
    assert list(found.runs["checkpoints"]) == [4]


def test_a_truth_ahead_of_what_can_be_known_stands_apart(tmp_path: Path) -> None:
    made = tables(scored(file(tmp_path, [run(REPAIR, repair(*RIGHT))])))
    cells = made["completion"].query("parser == 'strict'").set_index("subgroup")
    assert cells.loc["unseen", ["completed_reported", "done_or_post_obs"]].tolist() == [0, 1]
    assert cells.loc["seen", ["completed_reported", "done_or_post_obs"]].tolist() == [1, 1]
    stages = made["stages"].query("parser == 'strict' and reading == 'latched'").set_index("bin")
    assert stages.loc["completed", ["correct", "total"]].tolist() == [1, 2]
    assert stages.loc["completed_unseen", ["correct", "total"]].tolist() == [0, 1]


def test_envelopes_several_tags_and_tags_that_are_not_last(tmp_path: Path) -> None:
    said = [
        json.dumps({"message": RIGHT[0]}), RIGHT[1] + RIGHT[1], f"{RIGHT[2]}\nBye.",
        f"Hello.{TAG.format('DONE')}",
    ]  # fmt: skip
    rows = scored(file(tmp_path, [run(REPAIR, repair(*said))])).checkpoints
    assert list(rows["strict_problem"]) == ["bad_form", "not_unique", "not_last", "unknown_value"]
    assert list(rows["stripped_outcome"]) == ["correct", "malformed", "malformed", "malformed"]
    assert list(rows["envelope_key"].fillna("")) == ["message", "", "", ""]
    assert rows["tag_present"].all()


def test_the_text_of_a_turn_with_calls_is_no_checkpoint(tmp_path: Path) -> None:
    messages = repair(*RIGHT)
    place = next(i for i, m in enumerate(messages) if m.get("tool_calls"))
    messages[place] = {**messages[place], "content": RIGHT[0]}
    assert len(scored(file(tmp_path, [run(REPAIR, messages)])).checkpoints) == 4


def test_runs_that_cannot_be_scored_keep_their_row_and_reason(tmp_path: Path) -> None:
    messages = repair(*RIGHT)
    wrong = [{**m, "content": "Error: no"} if m["role"] == "tool" else m for m in messages]
    found = scored(
        file(
            tmp_path,
            [
                run(REPAIR, messages, trial=0), run("[x]unknown", messages),
                run(REPAIR, wrong, trial=1), run(REPAIR, messages[:2], trial=2),
                run(REPAIR, messages[:6], trial=3, termination_reason="max_steps"),
            ],
        )
    )  # fmt: skip
    by_trial = found.runs.set_index(["task_id", "trial"])["status"]
    assert by_trial[(REPAIR, 0)] == "ok"
    assert by_trial[("[x]unknown", 0)] == "unknown_task"
    assert by_trial[(REPAIR, 1)] == "replay_mismatch"
    assert by_trial[(REPAIR, 2)] == "no_checkpoint"
    assert by_trial[(REPAIR, 3)] == "ok"
    assert set(found.checkpoints["trial"]) == {0, 3}
    (known,) = tables(found)["lanes"].query("population == 'main'").to_dict("records")
    assert (known["runs"], known["scored"]) == (5, 2)
    assert (known["left_out_unknown_task"], known["left_out_replay_mismatch"]) == (1, 1)


def test_a_run_that_cannot_be_read_is_counted_and_in_no_number(tmp_path: Path) -> None:
    bad = run(REPAIR, [*repair(*RIGHT), says("x", SECRET)], trial=1, reward_info={"reward": 1.0})
    found = scored(
        file(tmp_path, [run(REPAIR, repair(*RIGHT), reward_info={"reward": 1.0}), bad, None, bad])
    )
    assert list(found.runs["status"].value_counts().sort_index().items()) == [
        ("ok", 1), ("unreadable_run", 3),
    ]  # fmt: skip
    assert left_out(found) == {"unreadable_run": 3}
    unread = found.runs[found.runs["status"] != "ok"]
    assert set(unread["detail"].str.rpartition("read: ")[2]) == {
        f"messages.{len(bad['messages']) - 1}.role: literal error", "it: model type",
    }  # fmt: skip
    assert unread[["messages", "checkpoints"]].isna().all(axis=None)
    assert set(unread["simulator"]) == set(unread["cache"]) == {"unknown"}
    assert len(found.checkpoints) == 4
    made = tables(found)
    (lane,) = made["lanes"].to_dict("records")
    assert (lane["runs"], lane["scored"], lane["left_out_unreadable_run"]) == (4, 1, 3)
    (apart,) = made["left_out"].to_dict("records")
    assert (apart["status"], apart["runs"], apart["of"]) == ("unreadable_run", 3, 4)
    rewards = made["rewards"].set_index("status")["rewarded_but_wrong"]
    assert bool(rewards["ok"]) is True
    assert rewards["unreadable_run"].isna().all()
    for table in made.values():
        assert SECRET not in table.to_csv()
        table.to_parquet()


def test_who_usually_reports_is_told_beside_wrong_values(tmp_path: Path) -> None:
    wrong = [f"Well.{TAG.format('COMPLETED')}"] * 2
    files = [file(tmp_path, [run(REPAIR, repair(*wrong, *said))]) for said in
             (["Well."] * 2, wrong)]  # fmt: skip
    both = score_files(list(zip(("half", "all"), files, strict=True)), toy.benchmark())
    made = build(both, Settings(draws=20))
    assert dict(zip(made["lanes"]["deployment"], made["lanes"]["usual"], strict=True)) == {
        "all": True, "half": False,
    }  # fmt: skip
    told = made["wrong"].groupby("deployment")["usual"].agg(set)
    assert (told["all"], told["half"]) == ({True}, {False})


def test_a_task_of_another_shape_and_an_environment_that_fails(tmp_path: Path) -> None:
    odd = file(tmp_path, [run("odd", repair(*RIGHT)), run(REPAIR, repair(*RIGHT))])
    task = {"id": "odd", "evaluation_criteria": {"reward_basis": [SECRET]}}
    broken = toy.REPAIR.model_copy(
        update={"initial_state": toy.Start(initialization_actions=[toy.Action(name="no_tool")])}
    )
    tasks = (task, *toy.embedded(broken))
    held = replace(odd, results=odd.results.model_copy(update={"tasks": tasks}))
    found = scored(held).runs
    assert set(found["status"]) == {"unreadable_task"}
    assert SECRET not in found.to_csv()


def test_an_environment_that_fails_on_the_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object) -> str:
        raise RuntimeError(SECRET)

    made = file(tmp_path, [run(REPAIR, repair(*RIGHT))])
    monkeypatch.setattr(toy.Environment, "get_response", fails)
    found = scored(made).runs
    assert list(found["status"]) == ["replay_failed"]
    assert list(found["detail"]) == ["the environment fails: RuntimeError"]


def test_a_file_without_tags_gives_base_rates(tmp_path: Path) -> None:
    said = ["Well."] * 4
    made = tables(scored(file(tmp_path, [run(REPAIR, repair(*said))])))
    rates = made["base_rates"].query("reading == 'latched'").set_index("state")["share"]
    assert dict(rates) == {"before_acting": 0.25, "completed": 0.5, "mid_task": 0.25}
    assert list(made["lanes"]["arm"]) == ["none"]
    assert list(made["lanes"]["follow_share"]) == [0]
    assert made["stages"].empty
    assert made["completion"].empty


def test_tags_that_the_customer_did_not_see(tmp_path: Path) -> None:
    messages = [
        {**m, "content": "Well.", "raw_data": {"stage_tag": m["content"].partition("\n")[2]}}
        if m["role"] == "assistant" and TAG[1:7] in (m.get("content") or "") else m
        for m in repair(*RIGHT)
    ]  # fmt: skip
    found = scored(file(tmp_path, [run(REPAIR, messages)]))
    assert list(found.checkpoints["strict_outcome"]) == ["correct", "correct", "stale", "correct"]
    assert set(found.checkpoints["arm"]) == {"hidden"}


def test_tasks_that_are_done_from_the_start_stand_apart(tmp_path: Path) -> None:
    talk = [says("Hi"), says("x", "user"), says(f"Well.{TAG.format('READY')}")]
    runs = [run(toy.NOTHING.id, talk), run(toy.EXCHANGE.id, talk)]
    found = scored(file(tmp_path, runs, toy.NOTHING, toy.EXCHANGE, domain=toy.SHOP))
    made = tables(found)["stages"].query("parser == 'strict' and reading == 'latched'")
    totals = made.set_index(["population", "bin"])["correct"]
    assert totals[("main", "before_acting")] == 1
    assert totals[("degenerate", "completed")] == 0
    assert ("main", "completed") not in totals.index


def test_without_a_customer_there_is_no_checkpoint(tmp_path: Path) -> None:
    solo = {"agent_info": {"implementation": "llm_agent_solo", "llm": "m"}}
    ended = {"termination_reason": "agent_stop", "reward_info": {"reward": 0.0}}
    found = scored(file(tmp_path, [run(REPAIR, repair(*RIGHT), **ended)], **solo))
    assert list(found.runs["status"]) == ["no_user"]
    (row,) = tables(found)["no_user"].to_dict("records")
    assert (row["runs"], row["ended_by_agent"], row["of_these_unrewarded"]) == (1, 1, 1)


def test_reward_and_tags_are_told_apart(tmp_path: Path) -> None:
    runs = [
        run(REPAIR, repair(*RIGHT), trial=0), run(REPAIR, repair(*RIGHT[:3], RIGHT[3]), trial=1,
                                                  reward_info={"reward": 0.0}),
        run(REPAIR, repair(*RIGHT[:2], RIGHT[3], RIGHT[3]), trial=2),
    ]  # fmt: skip
    found = tables(scored(file(tmp_path, runs)))["rewards"].set_index("trial")
    assert list(found["wrong_strict_completed"]) == [1, 1, 0]
    assert list(found["rewarded_but_wrong"]) == [True, False, False]


def test_reasoning_tokens_are_unknown_where_nothing_tells_them(tmp_path: Path) -> None:
    messages = repair(*RIGHT)
    told = [
        {**m, "raw_data": {"usage": {"completion_tokens_details": {"reasoning_tokens": 40 * i}}}}
        if m["role"] == "assistant" and i < 8 else m
        for i, m in enumerate(messages)
    ]  # fmt: skip
    silent, loud = file(tmp_path, [run(REPAIR, messages)]), file(tmp_path, [run(REPAIR, told)])
    found = tables(scored(silent, loud))["reasoning"].set_index("results_sha256")
    assert pd.isna(found.loc[silent.sha256, "share"])
    assert found.loc[loud.sha256, "known"] < found.loc[loud.sha256, "calls"]
    assert found.loc[loud.sha256, "share"] == 1
    assert set(found["requested"]) == {"not requested"}


def test_the_model_that_answered_is_the_simulator(tmp_path: Path) -> None:
    messages = [
        {**m, "raw_data": {"model": "other"}} if m["role"] == "user" else m for m in repair(*RIGHT)
    ]
    found = scored(file(tmp_path, [run(REPAIR, messages), run(REPAIR, repair(*RIGHT), trial=1)]))
    assert list(found.runs["simulator"]) == ["other", "openai/u"]


def test_two_files_of_a_deployment_are_pooled_and_none_counts_twice(tmp_path: Path) -> None:
    one = file(tmp_path, [run(REPAIR, repair(*RIGHT))])
    other = file(tmp_path, [run(REPAIR, repair(*RIGHT), trial=1)])
    made = tables(scored(one, other))["lanes"]
    assert list(made["runs"]) == [2]
    with pytest.raises(InputError, match="twice"):
        scored(one, one)


def test_a_domain_that_is_not_installed(tmp_path: Path) -> None:
    odd = file(tmp_path, [run(REPAIR, repair(*RIGHT))], domain="bakery")
    with pytest.raises(ConfigError, match="no domain 'bakery'"):
        scored(odd)


def test_no_table_repeats_a_key_or_what_was_said(tmp_path: Path) -> None:
    messages = [*repair(*RIGHT), says(f"My key is {SECRET}", "user")]
    made = tables(scored(file(tmp_path, [run(REPAIR, messages)])))
    for table in made.values():
        assert SECRET not in table.to_csv()


def test_an_empty_file_gives_empty_tables(tmp_path: Path) -> None:
    made = tables(scored(file(tmp_path, [])))
    assert all(table.empty for name, table in made.items() if name != "reasoning")


@pytest.mark.parametrize(
    ("task_id", "family"),
    [
        ("[mms_issue]a|b[PERSONA:None]", "mms"), ("[mobile_data_issue]a", "mobile_data"),
        ("[service_issue]x", "service"), ("12", "retail"),
    ],
)  # fmt: skip
def test_families(task_id: str, family: str) -> None:
    assert family_of(task_id, "retail") == family


def test_a_run_that_is_there_twice_counts_once(tmp_path: Path) -> None:
    once = run(REPAIR, repair(*RIGHT))
    other = run(REPAIR, repair(*RIGHT[:3], "Bye."))  # the same id, another conversation
    found = scored(file(tmp_path, [once, once, other]), file(tmp_path, [once]))
    assert sorted(found.runs["status"]) == ["duplicate", "duplicate", "ok", "ok"]
    made = tables(found)
    assert made["lanes"]["left_out_duplicate"].tolist() == [2]
    runs = made["trajectories"].query("parser == 'strict' and group == 'all'")
    assert runs.empty, "one mid-task checkpoint each"
    assert sorted(made["rewards"]["wrong_strict_completed"].dropna()) == [1, 2]


def test_runs_without_names_are_runs_of_their_own(tmp_path: Path) -> None:
    named = [run(REPAIR, repair(*RIGHT)), run(REPAIR, repair(*["Bye."] * 4))]
    bare = [{k: v for k, v in one.items() if k not in ("id", "trial")} for one in named]
    found = scored(file(tmp_path, bare))
    assert found.runs["run_id"].nunique() == 2
    assert sorted(tables(found)["rewards"]["wrong_strict_completed"]) == [1, 2]


def test_the_first_of_two_tasks_with_one_id_counts(tmp_path: Path) -> None:
    empty = toy.Task(id=REPAIR)
    found = scored(file(tmp_path, [run(REPAIR, repair(*RIGHT))], toy.REPAIR, empty))
    assert list(found.runs["degenerate"]) == [False]


def test_names_of_any_kind_can_be_stored(tmp_path: Path) -> None:
    task = toy.REPAIR.model_copy(update={"id": "t\ufffd"})
    held = results(toy.PHONE, toy.embedded(task), [run(task.id, repair(*RIGHT))], llm="x")
    path = tmp_path / "odd.json"
    path.write_text(json.dumps(held).replace("\\ufffd", "\\ud800"))
    found = scored(read_results(path))
    assert list(found.runs["status"]) == ["ok"]
    for table in tables(found).values():
        table.to_parquet()
