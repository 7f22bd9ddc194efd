"""construct, card and design commands on hand-written cards."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Copy
from tests.cli.console import call, snapshot
from tests.constructors.samples import own_kind


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A card of a kind that no rule knows."""
    path = tmp_path / "cards.json"
    path.write_text(json.dumps([own_kind()]), encoding="utf-8")
    return path


def test_a_card_that_did_not_get_in_is_told_in_full_and_fails(study: Copy, file: Path) -> None:
    root = study("draft")
    said = call("construct", str(root), "--cards", str(file))
    assert said.code == 1
    line, step, end = said.err.splitlines()[-3:]
    assert "not in the design: your card" in line
    assert "(task 1, User1, tea_or_coffee): needs_review: " in line
    assert line.endswith("no rules for the kind tea_or_coffee")
    assert "draligned card accept" in step
    assert end == "the draft was written, with 1 cards, without 1 of your own cards"


def test_accepting_a_card_on_the_command_line(study: Copy, file: Path) -> None:
    root = study("draft")
    call("construct", str(root), "--cards", str(file))
    listed = call("card", "list", str(root)).out
    line = next(x for x in listed.splitlines() if "tea_or_coffee" in x)
    assert "no rules for the kind tea_or_coffee" in line
    factor = line.split()[0]
    assert "I drink tea." in call("show", factor, str(root)).out
    assert "--why" in call("card", "accept", factor, str(root)).err
    assert call("card", "accept", factor, str(root), "--why", "sound").code == 0
    assert "accepted by human review: sound" in call("card", "list", str(root)).out
    assert call("construct", str(root), "--cards", str(file)).code == 0


def test_an_amendment_that_fails_writes_nothing(study: Copy, file: Path) -> None:
    root = study("ran")
    before = snapshot(root)
    said = call("design", "amend", str(root), "--cards", str(file))
    assert said.code == 2
    assert "none of the cards is accepted, nothing was written" in said.err
    assert "--accept-why" in said.err
    assert snapshot(root) == before
    said = call("design", "amend", str(root), "--cards", str(file), "--accept-why", "sound")
    assert (said.code, "amended: 2 cards over" in said.out) == (0, True)


def test_decisions_are_filtered_and_whole(study: Copy, file: Path) -> None:
    root = study("draft")
    own = {**own_kind(), "kind": "x" * 120}
    file.write_text(json.dumps([own]), encoding="utf-8")
    call("construct", str(root), "--cards", str(file))
    out = call("design", "decisions", str(root), "--outcome", "needs_review").out
    assert len(out.splitlines()) == 2
    assert out.count("x" * 120) == 2
    assert "…" not in out
    every = call("design", "decisions", str(root)).out.splitlines()
    one = call("design", "decisions", str(root), "--task", "1").out.splitlines()
    assert 2 < len(one) < len(every)
    said = call("design", "decisions", str(root), "--outcome", "nope")
    assert said.code == 2
    assert "there are accepted, needs_review" in said.err


def test_fewer_two_factor_tasks_than_asked_for_are_told(tmp_path: Path) -> None:
    some = call("construct", str(tmp_path / "some"), "--tasks", "4", "--two-factor", "8").out
    assert "2 two-factor tasks beside them." in some
    assert "8 two-factor tasks were asked for: no other task" in some
    all_of_them = call("construct", str(tmp_path / "all"), "--tasks", "4", "--two-factor", "2").out
    assert "were asked for: no other task" not in all_of_them
