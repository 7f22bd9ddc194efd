"""The rehearsal deployment in a validating rollout: acts and reports as planted.

It finds scenario and repetition as in progress reports, and how it is asked by what an agent can
see: B2 and A begin alike, so they are told apart by the user's answer, and the two re-prompts by
themselves. It says nothing about any language model.
"""

import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from importlib.resources import files
from typing import Literal

from pydantic import Field

from draligned.progress.prompts import marker
from draligned.progress.rollout.world import RolloutTexts, texts
from draligned.progress.scenarios import Scenario, ToolUse, load_scenarios
from draligned.rehearsal.draws import digest
from draligned.rehearsal.wire import Answer, Asked, Call
from draligned.schema.base import Record
from draligned.schema.design import Lang
from draligned.schema.errors import InputError
from draligned.schema.progress import Stage
from draligned.schema.strictjson import dumps

Way = Literal["marker", "finish", "plain", "unmatched", "matched"]
SCENARIOS, REPETITIONS = 12, 6
STALL = "stall"
_LOST = ("dead_end", "premature", "transport")
"""Fates that leave no report behind which the session goes on."""


class RolloutProfile(Record):
    """Planted counts of 72 by way of being asked."""

    clean: int = Field(ge=0)
    slips: int = Field(default=0, ge=0)
    """So many first give the store the user's words in place of the value."""
    marker: dict[str, int]
    plain: dict[str, int]
    unmatched: dict[str, int]
    matched: dict[str, int]
    finish: dict[str, int] = {}

    def of(self, way: Way) -> Mapping[str, int]:
        """The counts of a way; without counts of its own a session with a tool goes as plain."""
        found: dict[str, int] = getattr(self, way)
        return found or self.plain


@cache
def rollout_presets() -> dict[str, RolloutProfile]:
    """The shipped deployments by model name."""
    raw = tomllib.loads(files(__package__).joinpath("rollouts.toml").read_text("utf-8"))
    return {name: RolloutProfile.model_validate(fields) for name, fields in raw.items()}


@dataclass(frozen=True, kw_only=True)
class Scene:
    """What a request shows of its trajectory."""

    asked: Asked
    scenario: Scenario
    number: int
    lang: Lang

    @property
    def words(self) -> RolloutTexts:
        """The rollout's own texts."""
        return texts(self.lang)

    @cached_property
    def heard(self) -> list[str]:
        """The turns in the user's place."""
        return self.asked.texts("user")

    @property
    def reports(self) -> bool:
        """Whether reports are asked for."""
        return "<stage>" in self.asked.texts("system")[0]

    @property
    def answered(self) -> bool:
        """Whether the user has answered."""
        return len(self.heard) > 1

    @cached_property
    def way(self) -> Way | None:
        """How it is asked; none while that cannot be told."""
        if self.reports:
            return "marker"
        if self.words.finish.tool in self.asked.tools:
            return "finish"
        if not self.answered:
            return None
        if self.words.authorisation in self.heard[1]:
            return "plain"
        if len(self.heard) == 2:
            return None
        return "matched" if self.heard[2] == self.words.reprompt["matched"] else "unmatched"

    @cached_property
    def called(self) -> set[str]:
        """Tools called so far."""
        calls = [c for m in self.asked.messages for c in m.get("tool_calls") or ()]
        return {str(c["function"]["name"]) for c in calls}

    @property
    def refused(self) -> bool:
        """Whether the store has refused anything."""
        return any('"error"' in text for text in self.asked.texts("tool"))

    def executed(self, use: ToolUse) -> bool:
        """Whether the store has shown what `use` comes to."""
        wanted = dumps({"status": "ok", **use.result})
        return use.tool in self.called and wanted in self.asked.texts("tool")

    @cached_property
    def rank(self) -> int:
        """Place of its cell among the 72, by hash."""
        place = (self.number % SCENARIOS) * REPETITIONS + (
            max(self.asked.seed, 1) - 1
        ) % REPETITIONS
        return _ranks(self.asked.model, self.way or "plain")[place]

    @cached_property
    def fate(self) -> str:
        """What is planted for it."""
        if self.way is None:
            return STALL
        planned, rank = self.profile.of(self.way), self.rank
        for what, number in planned.items():
            if rank < number:
                return what
            rank -= number
        return STALL

    @property
    def profile(self) -> RolloutProfile:
        """Of the model asked."""
        known = rollout_presets()
        return known.get(self.asked.model, known["rehearsal-progress"])


def scene_of(asked: Asked) -> Scene | None:
    """The scene, if the request belongs to a rollout: its system message says so."""
    system = next(iter(asked.texts("system")), "")
    for lang in _LANGS:
        if texts(lang).closing in system:
            found = _by_request(lang).get(next(iter(asked.texts("user")), ""))
            if found is None:
                raise InputError("the messages belong to no scenario of this package")
            return Scene(asked=asked, scenario=found[0], number=found[1], lang=lang)
    return None


_LANGS: tuple[Lang, ...] = ("zh", "en")


@cache
def _by_request(lang: Lang) -> dict[str, tuple[Scenario, int]]:
    known = enumerate(load_scenarios("main", lang))
    return {scenario.script.request: (scenario, number) for number, scenario in known}


def answer_as_rollout(scene: Scene) -> Answer:
    """The next turn. Raises `InputError` where a loss is planted."""
    if scene.fate == "transport":
        raise InputError("planted refusal of the provider")
    if scene.scenario.lookup.tool not in scene.called:
        return _call(scene.scenario.lookup)
    return _later(scene) if scene.answered else _first_words(scene)


def _first_words(scene: Scene) -> Answer:
    """Asks for what is missing: the first report, where reports are asked for."""
    if scene.fate == "premature":
        return _ends(scene, scene.scenario.script.report)
    asked = scene.scenario.missing.asked
    if not scene.reports or scene.fate == "dead_end":
        return Answer(text=asked)
    clean = _place_of_speaker(scene) < scene.profile.clean
    return _says(scene, asked, Stage.NEEDS_INFO if clean else Stage.READY)


def _place_of_speaker(scene: Scene) -> int:
    """Rank among the cells whose first report lets the session go on."""
    passed, place = 0, scene.rank
    for what, number in scene.profile.of("marker").items():
        passed += number
        if what in _LOST and passed <= scene.rank:
            place -= number
    return place


def _later(scene: Scene) -> Answer:
    if scene.fate == "turn_cap":
        return _call(scene.scenario.lookup)
    if scene.fate == STALL:
        return _says(scene, scene.scenario.script.confirm, Stage.READY)
    for use in (scene.scenario.check, scene.scenario.one, scene.scenario.two):
        if use is scene.scenario.one and scene.rank < scene.profile.slips and not scene.refused:
            missing = scene.scenario.missing
            return _call(
                use.model_copy(update={"args": {**use.args, missing.field: missing.answer}})
            )
        if not scene.executed(use):
            return _call(use)
    return _ends(scene, scene.scenario.script.report)


def _ends(scene: Scene, text: str) -> Answer:
    if scene.way == "finish" and scene.words.finish.tool not in scene.called:
        return Answer(calls=(Call(name=scene.words.finish.tool, arguments="{}"),))
    return _says(scene, text, Stage.COMPLETED)


def _says(scene: Scene, text: str, stage: Stage) -> Answer:
    if not scene.reports:
        return Answer(text=text)
    return Answer(text=f"{text}\n{marker(stage.wire, 'xml')}")


def _call(use: ToolUse) -> Answer:
    return Answer(calls=(Call(name=use.tool, arguments=json.dumps(use.args, ensure_ascii=False)),))


@lru_cache(maxsize=64)
def _ranks(model: str, way: str) -> tuple[int, ...]:
    """Order by hash of the cells of a way."""
    order = sorted(
        range(SCENARIOS * REPETITIONS), key=lambda n: digest("rollout", model, way, n)
    )  # fmt: skip
    ranks = [0] * len(order)
    for rank, place in enumerate(order):
        ranks[place] = rank
    return tuple(ranks)
