"""Two hundred episodes through a provider that fails at random, and readers that do so too."""

import json
from collections import Counter
from pathlib import Path

import pytest

from draligned.schema.base import unit_draw
from draligned.schema.endings import Outcome
from draligned.study.attempts import MAX_ATTEMPTS
from draligned.study.ledger import read_ledger

from .agents import BROKEN_CALLS, END, ENDS, HEALED, REPORT, SOUND_CALLS, USAGES
from .checks import attempts, check_all, check_read, kinds, no_strange_numbers, reads_of
from .evaluators import READERS
from .loopback import Answer, Asked, Loopback, Said, says, sound
from .stage import drafted

SEED = 20261003
AGENTS = tuple(f"random-{n}" for n in range(13))


def pick(options: dict[str, object], *parts: object) -> str:
    names = sorted(options)
    return names[int(unit_draw(SEED, *parts) * len(names))]


def agent(name: str) -> Answer:
    """Says something usual, or one of all the hostile things; what it says depends on its seed,
    on the messages and on how often it was asked for the same."""
    tries: Counter[str] = Counter()

    def answer(asked: Asked) -> Said | None:
        said = [name, asked.turn, asked.body["messages"][1]["content"]]
        key = json.dumps(said)
        tries[key] += 1
        if unit_draw(SEED, "for good", *said) < 0.16:
            return ENDS[pick(dict(ENDS), "end", *said)].answer(asked)
        draw = unit_draw(SEED, "what", *said, tries[key])
        if draw < 0.12:
            return HEALED[pick(dict(HEALED), "heal", *said, tries[key])]
        if draw < 0.20:
            return says("又", BROKEN_CALLS[pick(dict(BROKEN_CALLS), "call", *said)])
        if draw < 0.32:
            return says(None, SOUND_CALLS[pick(dict(SOUND_CALLS), "sound", *said)])
        usage = USAGES[pick(dict(USAGES), "usage", *said)]
        return _usual(asked.turn, draw, usage)

    return answer


def _usual(turn: int, draw: float, usage: object) -> Said:
    if turn < 3:
        return says(None, sound("search", f"演讲 {turn}", "c"), usage=usage)
    if draw < 0.7:
        return says(None, sound("write_report", f"草稿 {turn}", "d"), usage=usage)
    return says(None, REPORT, usage=usage) if draw < 0.85 else END


def reader() -> Answer:
    """Each packet is answered in the way of some hostile reader, drawn by its content."""

    def answer(asked: Asked) -> Said | None:
        heard = [asked.body["messages"][-1]["content"], asked.body.get("seed")]
        return READERS[pick(dict(READERS), "read", *heard)].answer(asked)

    return answer


@pytest.mark.slow
def test_sums_add_up_and_logs_verify(tmp_path: Path, loop: Loopback) -> None:
    answers = {name: agent(name) for name in AGENTS}
    study = drafted(
        tmp_path / "study", loop, answers, {"random-reader": reader()}, tasks=8, tries=4
    )
    before = len(loop.seen)
    summary = study.run(study.plan_runs(models=list(AGENTS)), concurrency=8)
    assert summary.left_open == 0, summary.reasons
    assert len(study.cells()) == 208

    outcomes = check_all(study)
    assert sum(outcomes.values()) == len(attempts(study)) <= 208 * MAX_ATTEMPTS
    assert set(outcomes) <= {o.value for o in Outcome} - {"harness_error", "cancelled"}
    assert len(outcomes) >= 8
    states = Counter(s.state for s in study.readings().states.values())
    ends = Counter(s.end.outcome.value for s in study.readings().states.values() if s.end)
    assert sum(ends.values()) == sum(states.values()) == 208

    tries = read_ledger(study.folder.store)
    assert len(tries) == len(loop.seen) - before
    assert sum(t.outcome == "ok" for t in tries) == kinds(study)["model_turn"]

    assert study.evaluate(evaluators=["random-reader"], concurrency=8).left_open == 0
    reads = reads_of(study, "random-reader")
    assert len(reads) == len(study.readings().work(study.plan().evaluators))
    for record in reads:
        check_read(record)
    study.measure()
    no_strange_numbers(study)
    requests = study.table("requests")
    executed = sum(len(r.requests) for r in study.observed())
    assert len(requests) == executed
    assert requests["label"].notna().all()
