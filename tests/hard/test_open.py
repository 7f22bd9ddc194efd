"""What leaves a cell open, and goes on later as if nothing had been: HARD_CASES 4, 5, 12."""

from itertools import count
from pathlib import Path

import pytest

from draligned.api import Study
from draligned.store.local import LocalStore
from draligned.study.ledger import read_ledger
from draligned.study.log import EventLog

from .agents import END, REPORT, SEARCH
from .checks import check_all, kinds
from .loopback import Answer, Asked, Loopback, Said, says, script
from .stage import drafted, runs

STEADY = script(SEARCH, says(None, REPORT), END)
LIMITED = Said(429, b"slow down", {"Retry-After": "99999"})


def failing_at(turn: int, bad: Said) -> Answer:
    return lambda asked: bad if asked.turn == turn else STEADY(asked)


def started(root: Path, loop: Loopback, name: str, answer: Answer) -> Study:
    return drafted(root / "study", loop, {name: answer})


@pytest.mark.parametrize(
    ("bad", "says_so"),
    [
        (LIMITED, "rate limit"),
        (Said(429, b"", {"Retry-After": "Wed, 21 Oct 2099 07:28:00 GMT"}), "rate limit"),
        (Said(402, b'{"error": {"message": "no credit"}}'), "rate limit"),
        (Said(429, b'{"error": {"code": "insufficient_quota"}}'), "rate limit"),
    ],
)
@pytest.mark.parametrize("turn", [0, 1])
def test_a_wait_over_the_cap_leaves_the_cell_open_and_resumable(
    tmp_path: Path, loop: Loopback, bad: Said, says_so: str, turn: int
) -> None:
    study = started(tmp_path, loop, "waits", failing_at(turn, bad))
    asked = study.plan_runs(models=["waits"])
    summary = study.run(asked)
    assert summary.left_open == 2
    assert any(says_so in reason for reason in summary.reasons), summary.reasons
    assert "ended" not in kinds(study)
    assert len([t for t in read_ledger(study.folder.store) if t.outcome != "ok"]) == 2
    loop.answers["waits"] = STEADY
    assert study.run(asked).left_open == 0
    assert check_all(study) == {"submitted": 2}
    for run in runs(study):
        assert [b.kind for b in run.bodies].count("opened") == 1
        assert [b.sequence for b in run.bodies if b.kind == "call_started"] == [1, 2, 3]


@pytest.mark.parametrize("status", [401, 403, 404])
def test_a_refusal_that_concerns_the_account_uses_up_no_cell(
    tmp_path: Path, loop: Loopback, status: int
) -> None:
    study = started(tmp_path, loop, "barred", failing_at(0, Said(status, b"<html>no")))
    asked = study.plan_runs(models=["barred"])
    summary = study.run(asked)
    assert summary.left_open == 2
    assert any(str(status) in reason for reason in summary.reasons), summary.reasons
    loop.answers["barred"] = STEADY
    assert study.run(asked).left_open == 0
    assert check_all(study) == {"submitted": 2}


@pytest.mark.parametrize("wants", ["echo", "drop"])
def test_reasoning_is_sent_back_as_the_switch_says(
    tmp_path: Path, loop: Loopback, wants: str
) -> None:
    """A provider that insists on its reasoning, and one that refuses it."""

    def strict(asked: Asked) -> Said | None:
        mine = [m for m in asked.body["messages"] if m["role"] == "assistant"]
        if any(("reasoning_content" in m) != (wants == "echo") for m in mine):
            return Said(400, b'{"error": {"message": "reasoning_content is wrong here"}}')
        said = (SEARCH, says(None, REPORT), END)[asked.turn]
        return said._replace(
            body=said.body.replace(b'"role"', b'"reasoning_content": "hm", "role"')
        )

    study = started(tmp_path, loop, f"thinks-{wants}", strict)
    path = study.folder.root / "study.toml"
    switch = f'[providers.loop]\nreasoning_content = "{wants}"'
    path.write_text(path.read_text("utf-8").replace("[providers.loop]", switch), "utf-8")
    study = Study(study.folder.root)
    assert study.run(study.plan_runs(models=[f"thinks-{wants}"])).left_open == 0
    assert check_all(study) == {"submitted": 2}
    for run in runs(study):
        assert [b.message.reasoning for b in run.bodies if b.kind == "model_turn"] == ["hm"] * 3


def test_clocks_decide_nothing(tmp_path: Path, hostile: Study) -> None:
    """The same events under clocks that run backwards are the same events, in order."""
    ticks = count()

    def backwards() -> tuple[str, float]:
        n = next(ticks)
        return f"2026-03-29T0{9 - n % 9}:00:00", 1e6 - n

    bodies = runs(hostile)[0].bodies
    log = EventLog(LocalStore(tmp_path), "runs/x/a1/events.jsonl", clock=backwards)
    for body in bodies:
        log.append(body)
    again = EventLog(LocalStore(tmp_path), "runs/x/a1/events.jsonl")
    assert tuple(e.body for e in again.found) == bodies
    assert [e.seq for e in again.found] == list(range(len(bodies)))
