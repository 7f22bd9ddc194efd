"""Texts of the arms: what is known of the originals, and what is required."""

import pytest

from draligned.progress.prompts import (
    fingerprints,
    last_message,
    marker,
    prompts,
    protocol,
    recorded,
    required,
)
from draligned.progress.scenarios import load_scenarios
from draligned.progress.stimuli import stimulus
from draligned.schema.base import sha256_text
from draligned.schema.design import Lang
from draligned.schema.progress import Arm, Encoding, Gold, Point, Stage

ORIGINALS = {
    "action": "47cdbf2810251959",
    "needs_information": "97e72c4774a3ca71",
    "ready_for_action": "af3b8051a3f7bc82",
    "post_observation_continue": "b977f3d9a8ade950",
    "completed": "4239c8490fb5b24b",
}


@pytest.mark.parametrize(("value", "prefix"), ORIGINALS.items())
def test_the_gold_hint_is_the_papers_own(value: str, prefix: str) -> None:
    """SI-14, SI-17: the five printed prefixes."""
    hint = prompts("zh").gold_hint.replace("{value}", value)
    assert sha256_text(hint).startswith(prefix)


def test_the_hint_at_a_call_is_action() -> None:
    truth = Gold(duty=False, stage=Stage.READY)
    hint = last_message(Arm.GOLD, Point.CALL, "machine_report", truth, "zh")
    assert hint is not None
    assert "action" in hint
    assert "ready" not in hint


@pytest.mark.parametrize("encoding", ["xml", "json"])
@pytest.mark.parametrize("lang", ["zh", "en"])
def test_the_protocol_shows_each_value_once_in_its_encoding(lang: str, encoding: Encoding) -> None:
    text = protocol(Arm.BASELINE, encoding, "machine_report", lang)  # type: ignore[arg-type]
    assert all(text.count(marker(s.wire, encoding)) == 1 for s in Stage)
    assert "{constant}" not in protocol(Arm.INERT, encoding, "machine_report", "zh")


def test_what_is_required_follows_the_arm_and_truth_does_not() -> None:
    """SI-4: L* is the constant in the static arm, Z* stays what it is."""
    scenario = load_scenarios("main", "zh")[0]
    made = {arm: stimulus(scenario, Point.STEP, lang="zh", arm=arm) for arm in Arm}
    assert {s.gold.stage for s in made.values()} == {Stage.POST_OBS}
    values = {arm: s.required.value for arm, s in made.items()}
    assert values[Arm.BASELINE] == values[Arm.GOLD] == values[Arm.REMINDER]
    assert values[Arm.STATIC] == values[Arm.REMINDER_STATIC] == "active"
    assert values[Arm.INERT] == "qzx"


def test_a_deferred_duty_is_due_at_the_end_alone() -> None:
    """SI-54."""
    middle, end = Gold(duty=True, stage=Stage.POST_OBS), Gold(duty=True, stage=Stage.COMPLETED)
    assert not required(Arm.BASELINE, "deferred_terminal", middle, "zh").duty
    assert required(Arm.BASELINE, "deferred_terminal", end, "zh").value == "done"


@pytest.mark.parametrize("arm", [Arm.REMINDER, Arm.REMINDER_STATIC])
@pytest.mark.parametrize("lang", ["zh", "en"])
def test_a_reminder_is_of_the_duty_at_hand(arm: Arm, lang: Lang) -> None:
    """SI-53, SI-54: that of the stage marker asks for a marker in every spoken reply, which would
    break a duty that is not due yet."""
    middle = Gold(duty=True, stage=Stage.POST_OBS)
    said = {
        duty: last_message(arm, Point.STEP, duty, middle, lang)
        for duty in ("machine_report", "deferred_terminal", "status_sentence")
    }  # fmt: skip
    texts = prompts(lang)
    assert said["machine_report"] == texts.reminder
    assert len(set(said.values())) == 3
    unfinished = {"zh": "尚未完成", "en": "while it is not"}[lang]
    assert unfinished in str(said["deferred_terminal"])
    assert {"zh": "标记", "en": "marker"}[lang] not in str(said["status_sentence"])


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_every_text_is_the_one_on_record(lang: Lang) -> None:
    """SI-14: a text that changes is seen; one original is known, all else is rendered."""
    known = recorded(lang)
    assert {name: r.prefix for name, r in known.items()} == fingerprints(lang)
    originals = [name for name, r in known.items() if r.kind == "original"]
    assert originals == (["gold_hint"] if lang == "zh" else [])
