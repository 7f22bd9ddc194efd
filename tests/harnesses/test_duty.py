"""Harnesses with the progress duty: harnesses of their own that ask for a stage tag."""

from pathlib import Path

import pytest

from draligned.bench_data.duty import duty_block, duty_sha
from draligned.gates.marker_text import read_marker
from draligned.harnesses.compiled import rules_of
from draligned.harnesses.conformance.spec_rules import require_sound
from draligned.harnesses.duty import split_duty, with_duty
from draligned.harnesses.opening import first_messages, stage_messages
from draligned.harnesses.registry import HARNESSES
from draligned.harnesses.specfile import load_spec, template
from draligned.harnesses.stages import stages
from draligned.schema.design import Lang
from draligned.schema.errors import ConfigError
from draligned.schema.events import DelegationOpened, HandedOver
from draligned.schema.progress import WORK_VALUES

from .doubles import SCRIPTED, Side, World, call, condition, made, says, script

NAMES = sorted(HARNESSES)


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_the_block_shows_every_tag_as_the_parser_reads_it(lang: Lang) -> None:
    block = duty_block(lang)
    lines = [line for line in block.splitlines() if line.startswith("<stage>")]
    shown = [line[: line.index("</stage>") + len("</stage>")] for line in lines]
    assert [read_marker(line, WORK_VALUES, "xml").value for line in shown] == list(WORK_VALUES)


def test_the_block_is_part_of_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    before = with_duty(HARNESSES["H-W"])
    assert len(duty_sha()) == 16
    monkeypatch.setattr("draligned.harnesses.fixed.duty_sha", lambda: "another")
    assert with_duty(HARNESSES["H-W"]).key != before.key


PLAIN_KEYS = {
    "coupled": "283d0f1681303fc4", "H-W": "6d6f1dcf2b68ec74", "H-D": "9d816172c18c3d7b",
    "initial": "28618f85be76af00",
}  # fmt: skip


def test_harnesses_without_it_are_what_they_were() -> None:
    assert {name: HARNESSES[name].key for name in PLAIN_KEYS} == PLAIN_KEYS


@pytest.mark.parametrize("name", NAMES)
def test_it_is_a_harness_of_its_own(name: str) -> None:
    plain, duty = HARNESSES[name], load_spec(f"{name}+duty")
    assert duty.name == f"{name}+duty"
    assert duty.key != plain.key
    assert duty.progress_duty
    assert not plain.progress_duty
    assert require_sound(duty) is duty
    assert with_duty(plain) == duty == with_duty(duty)
    changed = {"name", "instrumentation", "texts"}
    assert plain.model_dump(exclude=changed) == duty.model_dump(exclude=changed)


def test_a_file_takes_the_duty_too(tmp_path: Path) -> None:
    (tmp_path / "own.toml").write_text(template(), encoding="utf-8")
    plain, duty = load_spec("own.toml", tmp_path), load_spec("own.toml+duty", tmp_path)
    assert duty == with_duty(plain)
    (tmp_path / "bad.toml").write_text(
        template().replace(f'"{plain.name}"', f'"{plain.name}+duty"'), encoding="utf-8"
    )
    with pytest.raises(ConfigError, match="a name ends in"):
        load_spec("bad.toml", tmp_path)
    with pytest.raises(ConfigError, match="did you mean 'H-W'"):
        load_spec("h-w+duty")
    assert split_duty("H-W") == ("H-W", False)


@pytest.mark.parametrize("name", NAMES)
def test_every_stage_is_asked_last_and_nothing_else_changes(name: str) -> None:
    duty, plain = rules_of(load_spec(f"{name}+duty")), rules_of(HARNESSES[name])
    cond = condition(turns=SCRIPTED[Side.P] if duty.spec.scripted_turns else None)
    assert first_messages(cond, duty)[0] == stage_messages(cond, duty, 0, handed=None)[0]
    for index in range(len(stages(duty.spec))):
        asked = stage_messages(cond, duty, index, handed="x")
        before = stage_messages(cond, plain, index, handed="x")
        assert asked[0].text == f"{before[0].text}\n\n{duty_block('zh')}"
        assert asked[1] == before[1]


async def test_a_sub_context_is_not_asked(tmp_path: Path) -> None:
    world = World(tmp_path, spec=load_spec("H-D+duty"))
    await world.run(script(
        says("<stage>nothing_acquired</stage>", made("delegate", "d", task="找")),
        says("资料"), says("完\n<stage>nothing_acquired</stage>"),
    ))  # fmt: skip
    (opened,) = [b for b in world.bodies() if isinstance(b, DelegationOpened)]
    assert "<stage>" not in "".join(m.text or "" for m in opened.messages)


async def test_a_next_stage_is_asked_again(tmp_path: Path) -> None:
    world = World(tmp_path, spec=load_spec("handoff-aw+duty"))
    await world.run(script(says("a", call("search", "q", "a")), says("资料"), says("完")))
    (over,) = [b for b in world.bodies() if isinstance(b, HandedOver)]
    assert (over.messages[0].text or "").endswith(duty_block("zh"))
