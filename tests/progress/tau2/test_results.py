"""Results files that are broken, odd, or hold what must not be repeated."""

import json
from pathlib import Path
from typing import Any

import pytest

from draligned.progress.tau2.results import read_results
from draligned.progress.tau2.usage import requested, tokens_of
from draligned.schema.errors import InputError
from draligned.schema.tau2 import DutyRun, TauArgs, TauMessage, TauUnread
from tests.progress.tau2 import toy
from tests.progress.tau2.made import GREETING, SECRET, Message, results, run, says

WHOLE = results("telecom", toy.embedded(toy.REPAIR), [run(toy.REPAIR.id, [GREETING])])


def written(folder: Path, held: Any) -> Path:
    path = folder / "results.json"
    path.write_text(held if isinstance(held, str) else json.dumps(held), encoding="utf-8")
    return path


def refusal(path: Path) -> str:
    with pytest.raises(InputError) as caught:
        read_results(path)
    said = str(caught.value)
    assert "\n" not in said
    assert SECRET not in said
    return said


def test_a_whole_file_and_its_folder(tmp_path: Path) -> None:
    path = written(tmp_path, WHOLE)
    found = read_results(path)
    assert found == read_results(tmp_path)
    assert found.results.simulations[0].task_id == toy.REPAIR.id
    assert found.duty is None
    assert SECRET not in repr(found)


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9, 0.999])
def test_a_file_that_was_cut_off_is_refused_in_one_line(tmp_path: Path, share: float) -> None:
    whole = json.dumps(WHOLE)
    said = refusal(written(tmp_path, whole[: int(len(whole) * share)]))
    assert "is cut off" in said or "is not JSON" in said


def changed(**parts: Any) -> Message:
    return {**WHOLE, **parts}


@pytest.mark.parametrize(
    ("held", "words"),
    [
        ("", "is cut off"),
        ("[]", "holds no object"),
        ("{}", "info: missing"),
        ("nonsense", "is not JSON"),
        ("[" * 100_000, "is"),
        (changed(tasks=None), "tasks: tuple type"),
        (changed(simulations=5), "simulations: tuple type"),
        (changed(info={**WHOLE["info"], "environment_info": SECRET}), "info.environment_info"),
    ],
)
def test_what_is_no_results_file(tmp_path: Path, held: Any, words: str) -> None:
    assert words in refusal(written(tmp_path, held))


def test_bytes_that_are_no_text(tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    path.write_bytes(b'{"a": "\xff\xfe"}')
    assert "UTF-8" in refusal(path)
    assert "cannot be read" in refusal(tmp_path / "absent.json")


def test_a_number_that_is_none_is_unknown(tmp_path: Path) -> None:
    held = json.dumps(changed(simulations=[run("t", [], reward_info={"reward": 0.5})]))
    found = read_results(written(tmp_path, held.replace("0.5", "NaN")))
    assert found.results.simulations[0].reward is None


def test_voice_runs_have_a_file_each(tmp_path: Path) -> None:
    parts = tmp_path / "simulations"
    parts.mkdir()
    for name in ("b", "a"):
        (parts / f"{name}.json").write_text(json.dumps(run(name, [])))
    found = read_results(written(tmp_path, changed(simulations=[])))
    assert [r.task_id for r in found.results.simulations] == ["a", "b"]


def test_what_was_asked_stands_beside_the_results(tmp_path: Path) -> None:
    duty = DutyRun(
        name="n", arm="tag", block="b", block_sha256="0", domain="telecom", agent_llm="a",
        user_llm="u", trials=1, max_steps=9, seed=1, split="base", tau2="toy",
    )  # fmt: skip
    path = written(tmp_path, WHOLE)
    (tmp_path / "duty.json").write_text(duty.to_json())
    assert read_results(path).duty == duty
    (tmp_path / "other.json").write_text(json.dumps(WHOLE))
    assert read_results(tmp_path / "other.json").duty is None, "of another file"
    (tmp_path / "duty.json").write_text("{}")
    assert "duty.json" in refusal(path)


def swapped(old: str, new: str) -> str:
    whole = json.dumps(WHOLE)
    assert old in whole
    return whole.replace(old, new)


@pytest.mark.parametrize(
    ("held", "why"),
    [
        (None, "it: model type"), (SECRET, "it: model type"), ([], "it: model type"),
        ({"id": SECRET}, "task_id: missing, and 1 more"),
        ({"id": "x", "task_id": "t"}, "messages: missing"),
        (run("t", [says("x", SECRET)]), "messages.0.role: literal error"),
        ({**run("t", []), "messages": [says("x"), None]}, "messages.1: model type"),
        (run("t", [{"role": "assistant", "content": {"text": SECRET}}]),
         "messages.0.content: string type"),
        (run("t", [{"role": "assistant", "tool_calls": [{"name": "f", "arguments": SECRET}]}]),
         "messages.0.tool_calls.0.arguments: dict type"),
        ({**run("t", []), "messages": {SECRET: 1}}, "messages: tuple type"),
    ],
)  # fmt: skip
def test_a_simulation_that_cannot_be_read_is_unknown_and_the_others_are_read(
    tmp_path: Path, held: Any, why: str
) -> None:
    whole = run(toy.REPAIR.id, [GREETING])
    found = read_results(written(tmp_path, changed(simulations=[held, whole]))).results
    bad, good = found.simulations
    assert isinstance(bad, TauUnread)
    assert bad.why == why
    assert not isinstance(good, TauUnread)
    assert bad.task_id in ("t", "unknown")
    assert SECRET not in repr(bad.model_copy(update={"id": ""}))


def test_what_can_be_told_of_an_unread_simulation_is_kept(tmp_path: Path) -> None:
    held = run("t", [says("x", "nobody")], trial=3, reward_info={"reward": 0.5})
    (bad,) = read_results(written(tmp_path, changed(simulations=[held]))).results.simulations
    assert (bad.id, bad.task_id, bad.trial, bad.reward) == ("run-t-3", "t", 3, 0.5)
    assert (bad.termination_reason, bad.messages) == ("user_stop", ())


@pytest.mark.parametrize("more", [
    {"trial": "first"}, {"trial": 10**30}, {"trial": 1.5}, {"reward_info": []},
    {"reward_info": {"reward": "high"}}, {"reward_info": {}}, {"termination_reason": {}},
    {"id": 7}, {"unknown": SECRET},
])  # fmt: skip
def test_what_is_told_beside_a_conversation_costs_it_nothing(
    tmp_path: Path, more: dict[str, Any]
) -> None:
    held = {**run("t", [GREETING, says("x", usage="none", raw_data=[1], turn_idx="x")]), **more}
    (found,) = read_results(written(tmp_path, changed(simulations=[held]))).results.simulations
    assert not isinstance(found, TauUnread)
    assert len(found.messages) == 2
    assert found.messages[1].usage is None
    ((key, _),) = more.items()
    told = {"trial": found.trial, "reward_info": found.reward,
            "termination_reason": found.termination_reason}  # fmt: skip
    assert told.get(key) is None


@pytest.mark.parametrize("number", ["NaN", "-Infinity", "1e999", "9" * 5000])
def test_a_call_with_a_number_that_is_none_makes_its_run_unknown(
    tmp_path: Path, number: str
) -> None:
    call = {"id": "1", "name": "pay", "arguments": {"amount": [77.25]}}
    runs = [run("t", [says("x", tool_calls=[call])]), run("u", [GREETING])]
    held = json.dumps(changed(simulations=runs)).replace("77.25", number)
    bad, good = read_results(written(tmp_path, held)).results.simulations
    assert isinstance(bad, TauUnread)
    assert bad.why == "messages.0.tool_calls.0.arguments: value error"
    assert not isinstance(good, TauUnread)


def test_a_task_that_is_no_object_is_not_there(tmp_path: Path) -> None:
    held = changed(tasks=[None, SECRET, *WHOLE["tasks"]])
    assert read_results(written(tmp_path, held)).results.tasks == tuple(WHOLE["tasks"])


def test_a_torn_file_of_a_voice_run_is_unknown_alone(tmp_path: Path) -> None:
    parts = tmp_path / "simulations"
    parts.mkdir()
    (parts / "a.json").write_text(json.dumps(run("a", []))[:60])
    (parts / "b.json").write_text(json.dumps(run("b", [])))
    index = written(tmp_path, changed(simulations=[]))
    found = read_results(index)
    bad, good = found.results.simulations
    assert isinstance(bad, TauUnread)
    assert (bad.id, bad.task_id) == ("a", "unknown")
    assert bad.why.startswith("simulations/a.json is cut off")
    assert good.task_id == "b"
    (parts / "b.json").write_text(json.dumps(run("c", [])))
    assert read_results(index).sha256 != found.sha256, "what belongs to a file is part of it"


def test_numbers_that_no_table_can_hold(tmp_path: Path) -> None:
    for digits in (30, 5_000):
        held = swapped('"trial": 0', f'"trial": {"9" * digits}')
        (found,) = read_results(written(tmp_path, held)).results.simulations
        assert found.trial is None
        assert not isinstance(found, TauUnread)
    whole = read_results(written(tmp_path, swapped('"reward": 1.0', '"reward": 1e999')))
    assert whole.results.simulations[0].reward is None


def test_names_with_half_of_a_letter_can_be_stored(tmp_path: Path) -> None:
    held = swapped('"id": "run-', '"id": "\\ud800run-').replace("openai/m", "m\\udfff")
    found = read_results(written(tmp_path, held)).results
    names = found.simulations[0].id + (found.info.agent_info.llm or "")
    assert names.encode().count("\ufffd".encode()) == 2


def test_settings_of_another_shape_do_not_cost_the_file(tmp_path: Path) -> None:
    side = {"llm": "m", "llm_args": {"reasoning_effort": {"effort": "high", "api_key": SECRET},
                                     "temperature": "warm"}}  # fmt: skip
    held = {**WHOLE, "info": {**WHOLE["info"], "agent_info": side}}
    found = read_results(written(tmp_path, held)).results.info.agent_info.llm_args
    assert requested(found) == "effort high"


@pytest.mark.parametrize(
    ("setting", "told"),
    [
        ({"type": "enabled", "budget_tokens": 9}, "thinking enabled"), (True, "thinking given"),
        ({"type": {"api_key": SECRET}}, "thinking given"), (SECRET, "thinking given"),
    ],
)  # fmt: skip
def test_a_setting_is_told_where_it_is_a_plain_word(setting: Any, told: str) -> None:
    assert requested(TauArgs(thinking=setting)) == told


def test_tokens_beyond_counting_are_unknown() -> None:
    for number in (10**400, -1):
        told = {"completion_tokens_details": {"reasoning_tokens": number}}
        assert tokens_of(TauMessage(role="assistant", usage=told)) is None
