"""`run --progress-duty` and what it leaves, on the command line."""

import draligned
from tests.cli.conftest import Copy
from tests.cli.console import call


def test_the_duty_is_planned_run_shown_and_checked(study: Copy) -> None:
    root = str(study("draft"))
    asked = ("run", root, "--harness", "coupled", "--progress-duty", "--pilot", "1")
    planned = call(*asked, "--dry-run")
    assert planned.code == 0
    assert "stage tags are asked for: coupled+duty" in planned.out + planned.err
    assert not draligned.open(root).plan().blocks
    assert call(*asked).code == 0
    assert "coupled+duty" in call("status", root).out
    shown = [call("show", c.run_id, root).out for c in draligned.open(root).cells()]
    assert any("turn 1: claims nothing_acquired; the log shows" in out for out in shown)
    assert call("run", root, "--harness", "coupled+duty", "--pilot", "1").code == 0
    assert {b.harness.name for b in draligned.open(root).plan().blocks} == {"coupled+duty"}


def test_a_wrong_name_is_one_line(study: Copy) -> None:
    said = call("run", str(study("draft")), "--harness", "couple", "--progress-duty")
    assert said.code == 2
    assert "did you mean 'coupled'" in said.err


def test_harness_commands_take_the_duty() -> None:
    shown = call("harness", "show", "coupled+duty").out
    assert "coupled+duty" in shown
    assert "a stage tag in every turn" in shown
    assert "progress duty           none" in call("harness", "show", "coupled").out
