"""What an agent meets: nothing that it cannot know is demanded; inputs are equal where they are
said to be (SI-86, SI-87, SI-89)."""

from typing import get_args

import pytest

from draligned.progress.rollout.arms import ARMS
from draligned.progress.rollout.world import World, texts, world
from draligned.progress.scenarios import Scenario, load_scenarios
from draligned.schema.design import Lang

LANGS: tuple[Lang, ...] = get_args(Lang)
SCENARIOS = [(lang, s) for lang in LANGS for s in load_scenarios("main", lang)]


@pytest.mark.parametrize(
    ("lang", "scenario"), SCENARIOS, ids=lambda v: getattr(v, "scenario_id", v)
)
def test_every_identifier_that_is_demanded_was_said_or_returned(
    lang: Lang, scenario: Scenario
) -> None:
    """So that nothing has to be resolved from the session (SI-87)."""
    here = world(scenario, ARMS["A"], lang)
    heard = [here.turns[0]]
    for use in (scenario.lookup, scenario.check, scenario.one, scenario.two):
        if use is scenario.check:
            heard.append(here.turns[1])
        unknown = {k: v for k, v in use.args.items() if not any(v in h for h in heard)}
        assert not unknown, use.tool
        heard += use.result.values()


@pytest.mark.parametrize("lang", LANGS)
def test_arms_differ_in_what_they_say_they_differ(lang: Lang) -> None:
    for scenario in load_scenarios("main", lang):
        b1, b2, a, matched = (
            world(scenario, ARMS[n], lang) for n in ("B1", "B2", "A", "A-matched")
        )
        assert b1.turns == b2.turns
        assert b1.tools == b2.tools == a.tools == matched.tools
        assert b1.system == f"{b2.system}\n\n{b1.reporting}"
        assert b2.system == a.system == matched.system
        assert b1.turns[1] != a.turns[1] == matched.turns[1] == scenario.missing.answer
        assert b1.turns[1].startswith(scenario.missing.answer)
        assert len({w.key for w in (b1, b2, a, matched)}) == 4
        assert (b1.inputs.user, b1.inputs.tools) == (b2.inputs.user, b2.inputs.tools)
        assert b1.inputs.instructions != b2.inputs.instructions
        assert (b1.inputs.reporting is None, b2.inputs.reporting) == (False, None)


@pytest.mark.parametrize("lang", LANGS)
def test_only_the_matched_re_prompt_gives_the_leave(lang: Lang) -> None:
    """SI-90: the two differ by the authorisation; both are user-level and say what they are."""
    known = texts(lang)
    opening = {"zh": "[系统] ", "en": "[System] "}[lang]
    assert all(text.startswith(opening) for text in known.reprompt.values())
    leave = {"zh": "默认", "en": "defaults"}[lang]
    assert leave in known.authorisation
    assert [leave in known.reprompt[kind] for kind in ("unmatched", "matched")] == [False, True]


def test_a_tool_that_ends_the_session_is_offered_in_one_arm_alone() -> None:
    offered = {name: len(world(SCENARIOS[0][1], arm, "zh").tools) - 4 for name, arm in ARMS.items()}
    assert offered == {name: int(name == "B3") for name in ARMS}


def test_names_of_tools_are_no_scenario_s_own() -> None:
    names = {use.name for _, s in SCENARIOS for use in s.tools}
    assert names.isdisjoint({texts(lang).finish.tool for lang in LANGS})


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("system", "another role"), ("turns", ("another request", "another answer")),
        ("reprompt", "go on!"), ("tools", ()), ("reporting", "another duty"),
    ],
)  # fmt: skip
def test_every_text_is_part_of_a_world_s_identity(field: str, value: object) -> None:
    here = world(SCENARIOS[0][1], ARMS["A"], "zh")
    other = World.model_validate({**here.model_dump(), field: value})
    assert other.key != here.key
    assert World.model_validate(here.model_dump()).key == here.key
