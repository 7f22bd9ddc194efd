"""The harness commands: what they print, and their exit codes."""

from pathlib import Path

import pytest

from tests.cli.console import call


def test_list_is_a_table_of_the_family() -> None:
    said = call("harness", "list")
    assert said.code == 0
    names = [line.split()[0] for line in said.out.splitlines()]
    assert names == ["name", "coupled", "H-W", "H-D", "initial", "handoff-aw", "handoff-wf",
                     "handoff-both"]  # fmt: skip


def test_show_prints_a_spec_and_its_graph() -> None:
    said = call("harness", "show", "H-D")
    assert said.code == 0
    assert "context delegation" in said.out
    assert "decide -.-> close_delegation" in said.out


def test_check_names_every_rule() -> None:
    said = call("harness", "check", "handoff-wf")
    assert said.code == 0, said
    assert "passed   pair_check" in said.out
    assert said.out.splitlines()[-1] == "24 passed"
    assert said.err == ""


def test_a_broken_file_fails_by_the_rules_name(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    text = call("harness", "template").out
    path.write_text(text.replace("# handoff_aw = ", "handoff_aw = ").replace("coupled", "handoff"))
    said = call("harness", "check", str(path))
    assert said.code == 1
    assert "FAILED   boundaries" in said.out
    assert "unknown  pair_check" in said.out
    assert "cannot be checked here: a rule above failed" in said.out
    path.write_text(f"topolgy = 'x'\n{text}")
    said = call("harness", "check", str(path))
    assert said.code == 1
    assert "unknown key `topolgy`; did you mean `topology`?" in said.out


def test_what_cannot_be_checked_is_no_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    async def none(files: object) -> object:
        raise OSError("no namespaces")

    monkeypatch.setattr("draligned.harnesses.sandbox.client.open_workspace", none)
    said = call("harness", "check", "H-W")
    assert said.code == 3
    assert "cannot be checked here: no sandbox (no namespaces)" in said.out
    assert said.out.splitlines()[-1] == "13 passed, 11 unknown"


def test_a_template_passes_the_check(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(call("harness", "template").out, encoding="utf-8")
    said = call("harness", "check", str(path))
    assert said.code == 0, said


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["check"], "name one harness, or give --all"),
        (["check", "coupled", "--all"], "name one harness, or give --all"),
        (["check", "copled"], "did you mean 'coupled'?"),
        (["show", "x.toml"], "the harness file x.toml cannot be read"),
    ],
)
def test_mistakes_are_one_line_and_exit_code_two(words: list[str], line: str) -> None:
    said = call("harness", *words)
    assert said.code == 2
    assert line in said.err
    assert len(said.err.splitlines()) == 1


@pytest.mark.slow
def test_all_built_in_harnesses_pass() -> None:
    said = call("harness", "check", "--all")
    assert said.code == 0, said
