"""Tables behind the estimates."""

from dataclasses import replace

from draligned.report.data import ReportData
from draligned.report.tasks import risk_set_of, tasks_of
from draligned.report.texts import load_texts

from .made import data_of
from .world import READER, World

EN = load_texts("en")


def test_tasks_stand_in_the_designs_order(small: ReportData) -> None:
    turned = small.design.model_copy(update={"tasks": small.design.tasks[::-1]})
    found = tasks_of(replace(small, design=turned), READER, EN)
    assert [(r.task_id, r.estimand) for r in found] == [
        (task, estimand) for task in "321" for estimand in ("D_A", "D_F")
    ]


def test_a_task_that_could_not_be_read_has_bounds_and_no_value() -> None:
    data = data_of(World(tasks=1, models=("m",), failed=("1/m/P",)))
    _, d_f = tasks_of(data, READER, EN)
    assert d_f.value == "no value: nothing is readable (n = 0)"
    assert (d_f.readable.replace("\u00a0", " "), d_f.coarse) == ("0/1 (0.0 %)", "[−1.000, +1.000]")
    assert d_f.sharp == "[0.000, +1.000]", "x_Q is −1, so x_P − x_Q is not negative"


def test_each_harness_and_evaluator_has_its_own_rows() -> None:
    world = World(tasks=1, models=("m",), harnesses=("H-W", "coupled"), evaluators=(READER, "o"))
    data = data_of(world)
    assert [r.harness for r in tasks_of(data, READER, EN)] == ["H-W", "H-W", "coupled", "coupled"]
    assert {(r["harness"], r["n"]) for r in risk_set_of(data, READER)} == {
        ("H-W", 2), ("coupled", 2),
    }  # fmt: skip
