"""docs/harnesses.md says what the code does: every harness, outcome, state and limit."""

import re
from pathlib import Path

from draligned.harnesses.decide import BARREN_TURNS, SAME_TURNS
from draligned.harnesses.registry import HARNESSES
from draligned.harnesses.toolbox import TOOLS
from draligned.schema.endings import EndedBy, EpisodeEnd, Outcome
from draligned.schema.harness import EpisodeBudget
from draligned.study.attempts import run_state

TEXT = (Path(__file__).parents[2] / "docs" / "harnesses.md").read_text("utf-8")
ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in TEXT.splitlines()
    if line.startswith("| ")
]


def test_every_outcome_with_its_state() -> None:
    told = {row[0].strip("`"): row[3] for row in ROWS if len(row) == 4 and row[0][:1] == "`"}
    ends = {
        outcome: EpisodeEnd(
            ended_by=EndedBy.RUNTIME, outcome=outcome, final_sha256=None, work_done_by_state=False
        )
        for outcome in Outcome
    }
    states = {outcome.value: run_state(end) for outcome, end in ends.items()}
    assert {name: told.get(name) for name in states} == states


def test_every_harness_and_its_tools() -> None:
    names = {name for row in ROWS for name in re.findall(r"`([\w-]+)`", row[0])}
    assert set(HARNESSES) <= names
    for name in ("coupled", "H-W"):
        (row,) = (row for row in ROWS if row[0] == f"`{name}`")
        assert row[1].split(", ") == [TOOLS[tool].name for tool in HARNESSES[name].tool_order]


def test_the_limits() -> None:
    limits = EpisodeBudget()
    numbers = (limits.decisions, limits.tools, limits.acquisition, limits.output_tokens)
    said = re.search(r"^(\d+) decisions, (\d+) .*?, (\d+) requests and ([\d,]+) ", TEXT, re.M)
    assert said
    assert tuple(int(n.replace(",", "")) for n in said.groups()) == numbers
    assert (BARREN_TURNS, f"{SAME_TURNS} equal ones" in TEXT) == (5, True)
