"""User ids for the sandboxes that root starts."""

from pathlib import Path

import pytest

from draligned.harnesses.sandbox import users


def mapped(monkeypatch: pytest.MonkeyPatch, text: str, user: int = 0) -> None:
    monkeypatch.setattr(Path, "read_text", lambda *_, **__: text)
    monkeypatch.setattr(users.os, "geteuid", lambda: user)


def test_an_ordinary_user_keeps_its_id(monkeypatch: pytest.MonkeyPatch) -> None:
    mapped(monkeypatch, "0 0 4294967295\n", user=1000)
    assert users.next_user() is None


def test_sandboxes_that_live_together_have_ids_of_their_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    mapped(monkeypatch, "         0          0 4294967295\n")
    found = [users.next_user() for _ in range(users.SLOTS)]
    assert len(set(found)) == users.SLOTS
    assert all(user is not None and users.FIRST <= user < 1 << 31 for user in found)


def test_within_a_container_the_ids_are_those_it_has(monkeypatch: pytest.MonkeyPatch) -> None:
    mapped(monkeypatch, "0 1000 1\n1 100000 65536\n")
    found = [users.next_user() for _ in range(users.SLOTS)]
    assert len(set(found)) == users.SLOTS
    assert all(user is not None and 1 < user < 65537 for user in found)


def test_a_root_of_one_id_has_none_to_give(monkeypatch: pytest.MonkeyPatch) -> None:
    mapped(monkeypatch, "0 1000 1\n")
    assert users.next_user() is None
