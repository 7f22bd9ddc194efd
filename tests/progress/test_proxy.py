"""The lexical proxy: scripted replies pass at their own checkpoint, evasions do not."""

from typing import Any

import pytest

from draligned.progress.proxy import task_passed
from draligned.progress.scenarios import Scenario, load_scenarios
from draligned.progress.stimuli import stimulus
from draligned.schema.chat import ToolCall
from draligned.schema.progress import Point, Position, ReplyStatus, StageReply, Stimulus

ALL: list[Any] = [
    pytest.param(s, lang, id=f"{lang} {s.scenario_id}")
    for which, lang in (("main", "zh"), ("main", "en"), ("helpdesk", "zh"))
    for s in load_scenarios(which, lang)  # type: ignore[arg-type]
]


def judged(asked: Stimulus, text: str | None, *calls: ToolCall) -> bool | None:
    position = Position(
        design="d", deployment="m", model_key="k", stimulus_id=asked.stimulus_id, repetition=1
    )
    reply = StageReply(position=position, status=ReplyStatus.OK, text=text, tool_calls=calls)
    return task_passed(asked, reply)


@pytest.mark.parametrize(("scenario", "lang"), ALL)
def test_the_script_itself_passes(scenario: Scenario, lang: Any) -> None:
    """SI-56: what the scripted assistant says is useful at its own checkpoint."""
    said = {
        Point.WAIT: scenario.missing.asked, Point.READY: scenario.script.confirm,
        Point.STEP: scenario.script.between, Point.DONE: scenario.script.report,
    }  # fmt: skip
    for point, text in said.items():
        assert judged(stimulus(scenario, point, lang=lang), text), point
        evasion = "好的，收到。" if lang == "zh" else "All right, understood."
        assert judged(stimulus(scenario, point, lang=lang), evasion) is False, point


def test_what_is_not_spoken_is_not_judged() -> None:
    asked = stimulus(load_scenarios("main", "zh")[0], Point.WAIT, lang="zh")
    call = ToolCall(call_id="c", name="find_meeting", arguments="{}")
    assert judged(asked, None) is None
    assert judged(asked, "请问改到几点？", call) is None
    assert judged(asked, "时间还没有定。") is False
    control = stimulus(load_scenarios("main", "zh")[0], Point.POST_DONE, lang="zh")
    assert judged(control, "不客气。") is None
