"""Results files that are broken, odd, or hold what must not be repeated."""

import json
from pathlib import Path
from typing import Any

import pytest

from draligned.progress.tau2.results import read_results
from draligned.progress.tau2.usage import requested, tokens_of
from draligned.schema.errors import InputError
from draligned.schema.tau2 import DutyRun, TauArgs, TauMessage
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
        (changed(simulations=[{"id": SECRET}]), "simulations.0.task_id: missing"),
        (changed(simulations=[run("t", [says("x", SECRET)])]), "simulations.0.messages.0.role"),
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


def test_numbers_that_no_table_can_hold(tmp_path: Path) -> None:
    said = refusal(written(tmp_path, swapped('"trial": 0', f'"trial": {"9" * 5000}')))
    assert "number too long" in said
    said = refusal(written(tmp_path, swapped('"trial": 0', f'"trial": {"9" * 30}')))
    assert "simulations.0.trial" in said
    found = read_results(written(tmp_path, swapped('"reward": 1.0', '"reward": 1e999')))
    assert found.results.simulations[0].reward is None


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
