"""simulate power: what it prints, and what it refuses."""

from pathlib import Path

import pandas as pd
import pytest

from draligned.cli import simulate
from tests.cli.conftest import Copy
from tests.cli.console import Said, call


def power(*words: str, studies: str = "20") -> Said:
    return call("simulate", "power", "--studies", studies, *words)


def test_a_study_is_sized() -> None:
    said = power("--tasks", "12", "--effect-a", "0.25", studies="40")
    assert said.code == 0, said
    rows = [line.split() for line in said.out.splitlines() if line.startswith("D_A  ")]
    assert [row[1] for row in rows] == ["0.000", "0.250"]
    assert float(rows[0][6]) <= 0.2 < 0.6 < float(rows[1][6])
    assert min(float(row[5]) for row in rows) > 0.8
    assert "no evidence about any language model" in said.out
    assert "effects tried: 2/2" in said.err
    assert "40 studies for each effect: 12 tasks of 6 users × 5 models" in said.err
    assert said.out == power("--tasks", "12", "--effect-a", "0.25", studies="40").out
    assert said.out != power("--tasks", "12", "--effect-a", "0.25", "--seed", "1", studies="40").out


def test_it_speaks_chinese() -> None:
    said = power("--tasks", "4", "--models", "1", "--effect-f", "0.5", "--lang", "zh")
    assert said.code == 0
    assert "不构成关于任何语言模型的证据" in said.out
    assert "真实 D" in said.out


def test_a_pilot_gives_its_variances(study: Copy) -> None:
    two = study("read")
    said = power("--pilot", str(two), "--effect-a", "0.2")
    assert said.code == 2
    assert "tasks with readable pairs for D_A are 1: two are needed" in said.err


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (("--tasks", "1"), "--tasks"),
        (("--effect-a", "2.1"), "D_A lies within ±2"),
        (("--effect-f", "nan"), "D_F lies within ±1"),
        (("--missing", "never"), "it is random or state"),
        (("--users", "99"), "no more users than tasks (24)"),
        (("--lang", "de"), "it is zh or en"),
        (("--harness", "H-W"), "add --pilot STUDY"),
        (("--studies", "3"), "--studies"),
        (("--pilot", "nowhere"), "no folder nowhere"),
    ],
)
def test_mistakes_are_one_line_that_helps(words: tuple[str, ...], hint: str) -> None:
    said = call("simulate", "power", *words)
    assert said.code == 2
    assert said.err.count("\n") == 1
    assert hint in said.err


def test_defaults_are_said_in_the_help_of_options_that_a_pilot_would_fill() -> None:
    from draligned.simulate.power import READABILITY

    said = call("simulate", "power", "--help").out
    assert simulate.DRAWS >= 1_000
    for value in READABILITY.values():
        assert f"[{value:g}]" in " ".join(said.split())


def test_tables_of_a_simulated_study_are_written_as_csv(tmp_path: Path) -> None:
    folder = tmp_path / "trial"
    words = ("--tasks", "6", "--models", "1", "--d-f", "0.5", "--requests", "3")
    said = call("simulate", "tables", str(folder), *words)
    assert said.code == 0, said
    assert "no evidence about any language model" in said.out
    planted = pd.read_csv(folder / "planted.csv", index_col="estimand")["planted"]
    assert planted.to_dict() == {"D_A": 0.15, "D_F": 0.5}
    pairs = pd.read_csv(folder / "pairs.csv")
    assert len(pairs) == 6
    assert set(pairs["environment"]) == {"simulated"}
    estimates = pd.read_csv(folder / "estimates.csv")
    assert {"D_A", "D_F"} <= set(estimates["estimand"])
    again = call("simulate", "tables", str(folder), *words)
    assert again.code == 2
    assert "is there already" in again.err


def test_tables_refuse_what_cannot_be(tmp_path: Path) -> None:
    said = call("simulate", "tables", str(tmp_path / "new"), "--d-a", "3")
    assert said.code == 2
    assert "D_A lies within ±2: 3 cannot be" in said.err
    assert not (tmp_path / "new").exists()
