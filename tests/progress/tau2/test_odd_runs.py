"""Runs that are odd and can be read: what is a tag in them, and how long they may be."""

from pathlib import Path

from draligned.progress.tau2.frame import score_files
from tests.progress.tau2 import toy
from tests.progress.tau2.made import Played, run, says
from tests.progress.tau2.test_frame import REPAIR, RIGHT, TAG, file, repair, scored


def test_names_of_runs_are_unlike_whatever_their_ids_are(tmp_path: Path) -> None:
    talk = repair(*RIGHT)
    runs = [run(REPAIR, [*talk, says(str(n), "user")], id=name)
            for n, name in enumerate(["a", "a#3", "a#2", "a", "", "#4", "a"])]  # fmt: skip
    found = scored(file(tmp_path, runs))
    assert found.runs["run_id"].nunique() == len(runs)
    assert set(found.runs["status"]) == {"ok"}


def test_empty_lists_of_calls_are_none(tmp_path: Path) -> None:
    """As a writer leaves them that knows no null."""
    messages = [{**m, "tool_calls": m.get("tool_calls") or []} for m in repair(*RIGHT)]
    assert len(scored(file(tmp_path, [run(REPAIR, messages)])).checkpoints) == 4


def test_tags_where_no_customer_reads_them_are_none(tmp_path: Path) -> None:
    """In arguments of calls, in results, beside calls, of the customer, and in null content."""
    tag = TAG.format("COMPLETED")
    call = {"id": "x", "name": "lookup", "arguments": {"note": RIGHT[0], "stage": tag}}
    messages = [
        *repair(*RIGHT)[:3],
        {"role": "assistant", "content": f"Wait.{tag}", "tool_calls": [call]},
        {"role": "tool", "id": "x", "content": tag}, {"role": "assistant", "content": None},
        says(f"Is it done?{tag}", "user"), says("Not yet."),
    ]  # fmt: skip
    found = scored(file(tmp_path, [run(REPAIR, messages)])).checkpoints
    assert list(found["strict_outcome"]) == ["correct", "absent"]


def test_tags_that_only_look_like_it(tmp_path: Path) -> None:
    """Full width and invisible signs are a malformed tag; other alphabets are none."""
    said = [
        "Well.\n＜stage＞READY＜/stage＞", "Well.\n<st\u200bage>READY</stage>",
        "Well.\n<\u0455tage>READY</\u0455tage>", "Well.\n<stage>READY</stage>\u200b",
    ]  # fmt: skip
    rows = scored(file(tmp_path, [run(REPAIR, repair(*said))])).checkpoints
    assert list(rows["strict_outcome"]) == ["malformed", "malformed", "absent", "malformed"]


def test_a_run_of_thousands_of_messages(tmp_path: Path) -> None:
    """One pass, and looks at the databases only where something was written."""
    talk = Played(toy.benchmark().graded(toy.PHONE, toy.embedded(toy.HAND_OFF)[0]))
    for n in range(1_500):
        talk.call(("user", "toggle_airplane_mode" if n % 50 == 0 else "check_status_bar", {}))
        talk.say(RIGHT[1])
    looked, done = 0, 0

    class Counted(toy.Environment):
        def get_db_hash(self) -> str:
            nonlocal looked
            looked += 1
            return super().get_db_hash()

        def run_env_assertion(self, assertion: str, raise_assertion_error: bool) -> bool:
            nonlocal done
            done += 1
            return super().run_env_assertion(assertion, raise_assertion_error)

    counted = toy.benchmark(Counted)
    made = file(tmp_path, [run(toy.HAND_OFF.id, talk.messages)], toy.HAND_OFF)
    found = score_files([("m", made)], counted)
    assert (len(found.checkpoints), list(found.runs["status"])) == (1_500, ["ok"])
    assert looked < 40
    assert done < 40
