"""The rehearsal deployment of progress reports: knows the scripts, and reports as planted.

It finds scenario and checkpoint by the messages it is shown, its repetition by the declared
seed. It says nothing about any language model.
"""

import json
import re
from dataclasses import replace
from functools import cache
from typing import NamedTuple

from draligned.progress.prompts import marker, prompts, question
from draligned.progress.scenarios import SETS, Scenario, load_scenarios
from draligned.rehearsal.draws import Draws
from draligned.rehearsal.rollouts import answer_as_rollout, scene_of
from draligned.rehearsal.stage_profile import (
    CLEAN,
    DIVERGENCE,
    LOST,
    MALFORMED,
    OMISSION,
    Cell,
    StageProfile,
    fate,
    intrudes,
    stage_profile,
)
from draligned.rehearsal.wire import Answer, Asked, Call, text_of
from draligned.schema.design import Lang
from draligned.schema.errors import InputError
from draligned.schema.progress import Encoding, Stage

_POINTS = {
    (0, "user"): "small_talk", (1, "tool"): "wait", (2, "tool"): "ready", (2, "user"): "call",
    (3, "tool"): "step", (4, "tool"): "done", (4, "user"): "post_done",
}  # fmt: skip
_STAGES = {
    "wait": Stage.NEEDS_INFO, "ready": Stage.READY, "step": Stage.POST_OBS,
    "done": Stage.COMPLETED,
}  # fmt: skip
_SPOKEN = {
    "zh": {
        "wait": "查到了。{asked}", "ready": "{confirm}", "call": "好的，我马上处理。",
        "step": "{between}", "done": "{report}", "post_done": "不客气。", "small_talk": "您好！",
    },
    "en": {
        "wait": "Found it. {asked}", "ready": "{confirm}", "call": "Right, I will see to it.",
        "step": "{between}", "done": "{report}", "post_done": "You are welcome.",
        "small_talk": "Hello!",
    },
}  # fmt: skip


QUESTION, REQUEST, CHECK = "question", "report_request", "report_check"
_SHARES = {QUESTION: "knows", REQUEST: "recovers", CHECK: "repairs"}
"""Fields of the profile that say how often the truth is told."""


class Shown(NamedTuple):
    """What a request shows of its cell."""

    scenario: Scenario
    number: int
    lang: Lang
    point: str
    arm: str
    duty: str
    encoding: Encoding


def answer_as_progress(asked: Asked) -> Answer:
    """A reply at a checkpoint, or to the probe of a precheck. Raises `InputError`."""
    if set(asked.tools) == {"ping"}:
        return Answer(calls=(Call(name="ping", arguments=json.dumps({"word": str(asked.seed)})),))
    scene = scene_of(asked)
    if scene is not None:
        return answer_as_rollout(scene)
    shown, follow = _shown(asked), _follow_up(asked)
    profile = stage_profile(asked.model, asked.overrides)
    draws = Draws("stage", asked.model, asked.seed, asked.raw)
    if follow is not None:
        said = _followed(shown, follow, profile, draws)
    else:
        said = _said(asked, shown, profile, draws)
    if draws.chance(profile.reasons, "reasons"):
        return replace(said, reasoning="(rehearsal: planted reasoning)")
    return said


def _follow_up(asked: Asked) -> str | None:
    """Which follow-up the last message is: `report_request`, `report_check`, `question`."""
    last = asked.messages[-1] if asked.messages else {}
    return _followings().get(text_of(last)) if last.get("role") == "user" else None


@cache
def _followings() -> dict[str, str]:
    langs: tuple[Lang, ...] = ("zh", "en")
    found = {question(lang): QUESTION for lang in langs}
    for lang in langs:
        found[prompts(lang).report_request] = REQUEST
        found[prompts(lang).report_check] = CHECK
    return found


def _followed(shown: Shown, follow: str, profile: StageProfile, draws: Draws) -> Answer:
    """What a deployment says when asked again: the truth, or what it planted in its place."""
    truth = _STAGES[shown.point]
    known = draws.chance(getattr(profile, _SHARES[follow]), follow)
    wrong = draws.pick([stage for stage in Stage if stage is not truth], "follow-up")
    stage = truth if known else wrong
    if follow == QUESTION:
        return Answer(text=stage.wire)
    if follow == REQUEST and not known:
        return Answer(text=_speech(shown))
    return Answer(text=f"{_speech(shown)}\n{_report(shown, stage)}")


def _said(asked: Asked, shown: Shown, profile: StageProfile, draws: Draws) -> Answer:
    cell = Cell(
        point=shown.point, scenario=shown.number, repetition=max(asked.seed, 1),
        encoding=0 if shown.encoding == "xml" else 1,
    )  # fmt: skip
    if shown.point not in _STAGES or shown.duty == "none":
        return _undue(asked, shown, profile, cell, draws)
    return _due(asked, shown, fate(asked.model, profile, cell, shown.arm, draws), draws)


def _undue(asked: Asked, shown: Shown, profile: StageProfile, cell: Cell, draws: Draws) -> Answer:
    intrusion = intrudes(asked.model, profile, cell, shown.arm, draws)
    if shown.point == "call" and not intrusion and draws.chance(profile.call, "call"):
        return _call(asked, shown)
    text = _speech(shown)
    if shown.duty != "none" and intrusion:
        text = f"{text}\n{_report(shown, Stage.COMPLETED)}"
    return Answer(text=text)


def _due(asked: Asked, shown: Shown, what: str, draws: Draws) -> Answer:
    if what == LOST:
        raise InputError("planted refusal of the provider")
    if what == DIVERGENCE and asked.tools:
        return _call(asked, shown)
    truth = _STAGES[shown.point]
    if shown.duty == "deferred_terminal" and truth is not Stage.COMPLETED:
        return Answer(text=_speech(shown))
    if what in (OMISSION, DIVERGENCE):
        return Answer(text=_speech(shown))
    if what == CLEAN:
        return Answer(text=f"{_speech(shown)}\n{_report(shown, truth)}")
    if what == MALFORMED:
        return Answer(text=f"{_report(shown, truth)}\n{_speech(shown)}")
    others = [stage for stage in Stage if stage is not truth]
    wrong = _wrong(shown, draws.pick(others, "wrong"), truth)
    return Answer(text=f"{_speech(shown)}\n{wrong}")


def _call(asked: Asked, shown: Shown) -> Answer:
    scenario = shown.scenario
    wanted = scenario.two if shown.point == "step" else scenario.one
    use = wanted if wanted.tool in asked.tools else scenario.lookup
    return Answer(calls=(Call(name=use.tool, arguments=json.dumps(use.args, ensure_ascii=False)),))


def _speech(shown: Shown) -> str:
    script = shown.scenario.script
    return _SPOKEN[shown.lang][shown.point].format(
        asked=shown.scenario.missing.asked, confirm=script.confirm, between=script.between,
        report=script.report,
    )  # fmt: skip


def _report(shown: Shown, stage: Stage) -> str:
    if shown.duty == "deferred_terminal":
        return marker("done", "xml", "sig")
    if shown.duty == "status_sentence":
        done = stage is Stage.COMPLETED
        return prompts(shown.lang).sentences["finished" if done else "unfinished"]
    constants = {"static": "active", "inert": "qzx"}
    return marker(constants.get(shown.arm, stage.wire), shown.encoding)


def _wrong(shown: Shown, other: Stage, truth: Stage) -> str:
    if shown.duty == "deferred_terminal":
        return marker("begun", "xml", "sig")
    if shown.duty == "status_sentence":
        return _report(shown, Stage.COMPLETED if truth is not Stage.COMPLETED else Stage.READY)
    return marker(other.wire, shown.encoding)


def _shown(asked: Asked) -> Shown:
    systems = asked.texts("system")
    first = next(iter(asked.texts("user")), "")
    found = _by_request().get(first) or _by_role(systems[0] if systems else "")
    if found is None:
        raise InputError("the messages belong to no scenario of this package")
    scenario, number, lang = found
    rest = [m["role"] for m in asked.messages if m["role"] != "system"]
    follow = _follow_up(asked)
    if follow is not None:
        rest = rest[:-1] if follow == QUESTION else rest[:-2]
    point = _POINTS.get((rest.count("tool"), rest[-1])) if rest else None
    if point is None:
        raise InputError("the messages end at no checkpoint")
    arm, duty, encoding = _asked_for(systems)
    return Shown(scenario, number, lang, point, arm, duty, encoding)


def _asked_for(systems: list[str]) -> tuple[str, str, Encoding]:
    """Arm, duty and encoding, from the texts of the system messages."""
    text = systems[0]
    encoding: Encoding = "json" if re.search(r'\{"stage"', text) else "xml"
    if "<sig>" in text:
        return "baseline", "deferred_terminal", "xml"
    if any(s in text for lang in ("zh", "en") for s in prompts(lang).sentences.values()):
        return "baseline", "status_sentence", "xml"
    if "stage" not in text:
        return "baseline", "none", "xml"
    if "qzx" in text:
        return "inert", "machine_report", encoding
    if "active" in text:
        return "static", "machine_report", encoding
    return ("baseline" if len(systems) == 1 else "hinted"), "machine_report", encoding


Known = tuple[Scenario, int, Lang]


@cache
def _known() -> tuple[Known, ...]:
    found: list[Known] = []
    for which in SETS:
        for lang in ("zh", "en"):
            try:
                loaded = load_scenarios(which, lang)
            except InputError:
                continue
            found += [(s, n, lang) for n, s in enumerate(loaded)]
    return tuple(found)


@cache
def _by_request() -> dict[str, Known]:
    return {entry[0].script.request: entry for entry in _known()}


def _by_role(system: str) -> Known | None:
    """For small talk, which asks for nothing yet."""
    return next((e for e in _known() if system.startswith(e[0].role)), None)
