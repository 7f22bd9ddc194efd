"""Kinds are tried, not looked up; without one that works nothing runs."""

import re

import pytest

from draligned.harnesses.sandbox import find, kinds, view
from draligned.harnesses.sandbox.find import available, problem, require
from draligned.harnesses.sandbox.kinds import Kind
from draligned.schema.errors import ConfigError

from .kinds import needed


@pytest.fixture(autouse=True)
def untried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each test tries anew, and the environment names no kind."""
    monkeypatch.delenv(find.VARIABLE, raising=False)
    monkeypatch.setattr(find, "problem", problem.__wrapped__)


def answer(monkeypatch: pytest.MonkeyPatch, **reasons: str | None) -> None:
    """Put made-up trials in place of real ones."""
    monkeypatch.setattr(find, "problem", lambda kind: reasons[kind.value])


def test_nothing_available_is_one_clear_line(monkeypatch: pytest.MonkeyPatch) -> None:
    answer(monkeypatch, bubblewrap="bwrap is not installed", namespaces="unshare: not permitted")
    assert available() == ()
    with pytest.raises(ConfigError) as caught:
        require()
    line = str(caught.value)
    assert "\n" not in line
    assert "bubblewrap: bwrap is not installed" in line
    assert "namespaces: unshare: not permitted" in line
    assert "apt-get install bubblewrap" in line


def test_the_best_that_works_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    answer(monkeypatch, bubblewrap=None, namespaces=None)
    assert available() == (Kind.BUBBLEWRAP, Kind.NAMESPACES)
    assert require() is Kind.BUBBLEWRAP
    answer(monkeypatch, bubblewrap="no", namespaces=None)
    assert require() is Kind.NAMESPACES


def test_the_environment_may_pick_one(monkeypatch: pytest.MonkeyPatch) -> None:
    answer(monkeypatch, bubblewrap=None, namespaces=None)
    monkeypatch.setenv(find.VARIABLE, "namespaces")
    assert require() is Kind.NAMESPACES
    answer(monkeypatch, bubblewrap=None, namespaces="not permitted")
    with pytest.raises(ConfigError, match=r"asks for namespaces, which does not work.*permitted"):
        require()
    monkeypatch.setenv(find.VARIABLE, "docker")
    with pytest.raises(ConfigError, match="'docker'; it may be one of: bubblewrap, namespaces"):
        require()


def test_another_system_is_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(find.sys, "platform", "darwin")
    monkeypatch.setattr(find.platform, "system", lambda: "Darwin")
    with pytest.raises(ConfigError, match="sandboxes need Linux, and this is Darwin"):
        require()


def test_another_processor_is_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(find.platform, "machine", lambda: "riscv64")
    with pytest.raises(ConfigError, match="riscv64"):
        require()


@pytest.mark.parametrize(
    ("argv", "reason"),
    [
        (["/no/bwrap"], "is not installed"),
        (["/bin/sh", "-c", "echo 'setting up: not permitted' >&2; exit 1"], "not permitted"),
        (["/bin/true"], "JSONDecodeError|Broken|reset"),
    ],
)
def test_a_trial_that_fails_says_why(
    argv: list[str], reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(kinds.COMMANDS, Kind.BUBBLEWRAP, lambda *_: argv)
    why = find.problem(Kind.BUBBLEWRAP)
    assert why is not None
    assert re.search(reason, why)


@pytest.mark.parametrize("kind", list(Kind))
def test_a_trial_fails_where_the_sandbox_leaks(kind: Kind, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the host's files shown inside, the trial must not pass."""
    needed(kind)
    seen = view.view()
    leak = seen._replace(binds=(*seen.binds, ("/etc", "/etc")))
    monkeypatch.setattr(view, "view", lambda: leak)
    why = find.problem(kind)
    assert why is not None
    assert "the host shows" in why
