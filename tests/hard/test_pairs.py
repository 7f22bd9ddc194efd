"""P and Q of a pair: what was sent, when, and what is the same (DR-17, DR-45; HARD_CASES 23)."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

import draligned
from draligned.api import Study
from draligned.constructors.conditions import TEMPLATES
from draligned.harnesses.pairs import launch_order
from draligned.schema.ids import seed_of
from draligned.study.launches import LaunchRecord

from .agents import AGENTS
from .checks import transcript
from .loopback import Loopback, says, script, sound
from .stage import drafted, runs


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory, loop: Loopback) -> Study:
    """Two tasks and one agent that behaves alike in both arms."""
    agent = script(
        says("一", sound("search", "演讲", "a"), sound("read", "https://nowhere.invalid/", "b")),
        says(None, sound("write_report", "草稿", "c"), sound("search", "演讲", "a")),
        says(None, sound("submit_report", "终稿", "d")),
        says("完成"),
    )
    study = drafted(tmp_path_factory.mktemp("pair") / "study", loop, {"twin": agent}, tasks=2)
    assert study.run(study.plan_runs(models=["twin"]), concurrency=8).left_open == 0
    return study


def arms(study: Study) -> list[tuple[Any, Any]]:
    """Cells of each pair, P first."""
    found: dict[Any, dict[str, Any]] = {}
    for cell in study.cells():
        found.setdefault(cell.pair, {})[cell.arm.value] = cell
    return [(p["P"], p["Q"]) for p in found.values()]


def opened(study: Study, cell: Any) -> Any:
    return study.events(cell.run_id)[0].body


def test_first_messages_differ_in_the_last_sentence_alone(pair: Study) -> None:
    cards = {c.factor_id: c for c in pair.design().cards}
    for p, q in arms(pair):
        card = cards[p.factor_id]
        (system_p, user_p), (system_q, user_q) = (opened(pair, c).messages for c in (p, q))
        assert system_p == system_q
        assert user_p.text != user_q.text
        assert user_p.text.endswith(card.p.sentence)
        assert user_q.text.endswith(card.q.sentence)
        common = user_p.text.removesuffix(card.p.sentence)
        assert common == user_q.text.removesuffix(card.q.sentence)
        assert common.endswith(TEMPLATES["zh"].removesuffix("{endpoint}")[-7:])


def launches(study: Study) -> list[LaunchRecord]:
    store = study.folder.store
    lines = b"".join(store.get(key) or b"" for key in store.list("launches")).splitlines()
    return [LaunchRecord.from_json(line) for line in lines]


def test_both_are_launched_together_in_the_order_drawn(pair: Study) -> None:
    logged = {r.run_id: r for r in launches(pair)}
    for p, q in arms(pair):
        one, two = logged[p.run_id], logged[q.run_id]
        assert one.pair_id == two.pair_id
        assert {one.place, two.place} == {1, 2}
        assert one.started_with == two.started_with == 2
        begun = {c.run_id: pair.events(c.run_id)[0].mono for c in (p, q)}
        assert abs(begun[p.run_id] - begun[q.run_id]) < 1.0
        first, second = launch_order([p, q])
        assert logged[first.run_id].place == 1
        assert begun[first.run_id] <= begun[second.run_id]


def sent_by(loop: Loopback, run_id: str) -> list[list[dict[str, Any]]]:
    """The messages of each request that the provider saw of a run."""
    mine = [a for a in loop.asked("twin") if _user(a.body) == run_id]
    return [a.body["messages"] for a in sorted(mine, key=lambda a: a.turn)]


def _user(body: dict[str, Any]) -> str:
    return str(body["messages"][1]["content"])


def test_later_turns_are_byte_equal_on_the_wire(pair: Study, loop: Loopback) -> None:
    for p, q in arms(pair):
        of_p = sent_by(loop, opened(pair, p).messages[1].text)
        of_q = sent_by(loop, opened(pair, q).messages[1].text)
        assert len(of_p) == len(of_q) == 4
        for one, two in zip(of_p, of_q, strict=True):
            assert json.dumps(one[2:]) == json.dumps(two[2:])
            assert one[0] == two[0]
        assert seed_of(p.run_id) != seed_of(q.run_id)


def test_the_log_gives_back_what_was_sent(pair: Study, loop: Loopback) -> None:
    for cell in (c for both in arms(pair) for c in both):
        last = sent_by(loop, opened(pair, cell).messages[1].text)[-1]
        said = transcript(pair, cell.run_id)
        assert [(m.role, m.text) for m in said[:-1]] == [(m["role"], m["content"]) for m in last]


def test_hostile_agents_too_are_answered_alike_in_both_arms(hostile: Study) -> None:
    """The same script in both arms: the same transcript after the first two messages."""
    by_model: dict[str, list[list[str]]] = {}
    for run in runs(hostile):
        said = [m.to_json() for m in transcript(hostile, run.run_id)[2:]]
        by_model.setdefault(run.model, []).append(said)
    assert set(by_model) == set(AGENTS)
    for name, (p, q) in by_model.items():
        assert p == q, name


def test_runs_cut_anywhere_come_to_the_same_end(hostile: Study, tmp_path: Path) -> None:
    """Hostile episodes whose logs were cut at some record, the next one torn, go on."""
    root = tmp_path / "study"
    shutil.copytree(hostile.folder.root, root)
    whole = {r.run_id: r for r in runs(hostile) if r.model.startswith("sound_")}
    for number, run_id in enumerate(whole):
        _cut(root / "runs" / run_id / "a1", 1 + number % 16)
    again = draligned.open(root)
    models = sorted({r.model for r in whole.values()})
    assert again.run(again.plan_runs(models=models), concurrency=8).left_open == 0
    for run in runs(again):
        if run.run_id in whole:
            assert run.bodies == whole[run.run_id].bodies, run.model


def _cut(attempt: Path, kept: int) -> None:
    (attempt / "seal.json").unlink()
    lines = (attempt / "events.jsonl").read_bytes().splitlines(keepends=True)
    torn = lines[kept][:-20] if kept < len(lines) else b""
    (attempt / "events.jsonl").write_bytes(b"".join(lines[:kept]) + torn)
