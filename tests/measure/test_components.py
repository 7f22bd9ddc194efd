"""Moment estimators against analysis of variance by hand, and against planted variances."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from draligned.measure.components import Component, components


def by_level(found: list[Component]) -> dict[str, Component]:
    return {"+".join(component.levels): component for component in found}


def crossed(tasks: int, models: int, repeats: int, seed: int = 0) -> tuple[np.ndarray, ...]:
    rng = np.random.Generator(np.random.PCG64(seed))
    task, model, run = (
        grid.ravel() for grid in np.meshgrid(range(tasks), range(models), range(repeats))
    )
    effects = rng.normal(0, 2, tasks)[task] + rng.normal(0, 1, models)[model]
    cell = task * models + model
    values = effects + rng.normal(0, 0.7, tasks * models)[cell] + rng.normal(0, 0.5, len(task))
    return values, task, model, cell, run


def test_two_way_design_with_repeats_is_anova() -> None:
    """Balanced a × b × n: mean squares and their expectations, by hand."""
    a, b, n = 7, 4, 3
    values, task, model, cell, _ = crossed(a, b, n)
    grid = np.zeros((a, b, n))
    place = np.zeros((a, b), dtype=int)
    for value, i, j in zip(values, task, model, strict=True):
        grid[i, j, place[i, j]] = value
        place[i, j] += 1
    mean, row, column = grid.mean(), grid.mean(axis=(1, 2)), grid.mean(axis=(0, 2))
    inside = grid.mean(axis=2)
    ms_task = b * n * ((row - mean) ** 2).sum() / (a - 1)
    ms_model = a * n * ((column - mean) ** 2).sum() / (b - 1)
    cross = inside - row[:, None] - column[None, :] + mean
    ms_cell = n * (cross**2).sum() / ((a - 1) * (b - 1))
    ms_run = ((grid - inside[:, :, None]) ** 2).sum() / (a * b * (n - 1))
    levels = {"task": task, "model": model, "task_model": cell, "run": np.arange(len(values))}
    found = by_level(components(values, levels))
    assert found["run"].variance == pytest.approx(ms_run)
    assert found["task_model"].variance == pytest.approx((ms_cell - ms_run) / n)
    assert found["task"].variance == pytest.approx((ms_task - ms_cell) / (b * n))
    assert found["model"].variance == pytest.approx((ms_model - ms_cell) / (a * n))


def test_one_way_unbalanced_residual_is_the_pooled_variance() -> None:
    task = np.array([0, 0, 0, 1, 1, 2, 2, 2, 2])
    values = np.array([1.0, 2.0, 4.0, 0.0, 3.0, 5.0, 5.0, 6.0, 8.0])
    found = by_level(components(values, {"task": task, "run": np.arange(9)}))
    couples = [(i, j) for i in range(9) for j in range(i) if task[i] == task[j]]
    inside = np.mean([0.5 * (values[i] - values[j]) ** 2 for i, j in couples])
    between = np.mean(
        [
            0.5 * (values[i] - values[j]) ** 2
            for i in range(9)
            for j in range(i)
            if task[i] != task[j]
        ]
    )
    assert found["run"].variance == pytest.approx(inside)
    assert found["task"].variance == pytest.approx(between - inside)
    assert found["task"].couples == 26
    assert found["run"].couples == 36


def test_more_equations_than_levels_are_weighed_by_their_couples() -> None:
    """Unbalanced and crossed, every couple an equation of its own: ordinary least squares over
    couples is least squares over patterns with their numbers as weights."""
    rng = np.random.Generator(np.random.PCG64(9))
    task, model = rng.integers(0, 5, size=16), rng.integers(0, 3, size=16)
    user, values = rng.integers(0, 4, size=16), rng.normal(size=16)
    couples = [(i, j) for i in range(16) for j in range(i)]
    cell = task * 3 + model
    levels = {"task": task, "user": user, "model": model, "task_model": cell}
    levels["run"] = np.arange(16)
    design = [[float(code[i] != code[j]) for code in levels.values()] for i, j in couples]
    halves = [0.5 * (values[i] - values[j]) ** 2 for i, j in couples]
    expected = np.linalg.lstsq(np.array(design), np.array(halves), rcond=None)[0]
    found = by_level(components(values, levels))
    assert [found[name].variance for name in levels] == pytest.approx(expected.tolist())


def test_levels_that_always_differ_together_have_only_a_sum() -> None:
    values, task, model, cell, _ = crossed(6, 3, 1)
    levels = {
        "task": task, "user": task + 10, "model": model, "environment": np.zeros_like(task),
        "task_model": cell, "run": np.arange(18),
    }  # fmt: skip
    found = by_level(components(values, levels))
    assert found["task+user"].variance is not None
    assert found["task_model+run"].variance is not None
    for name in ("task", "user", "task_model", "run"):
        assert (found[name].variance, found[name].reason) == (None, "not_separable")
    assert (found["environment"].reason, found["environment"].couples) == ("one_value", 0)


def test_users_with_two_tasks_are_told_from_tasks() -> None:
    rng = np.random.Generator(np.random.PCG64(4))
    task = np.arange(400)
    user = task // 2
    values = rng.normal(0, 1.5, 200)[user] + rng.normal(0, 0.5, 400)
    found = by_level(components(values, {"task": task, "user": user}))
    assert found["user"].variance == pytest.approx(2.25, rel=0.2)
    assert found["task"].variance == pytest.approx(0.25, rel=0.2)


def test_what_the_equations_do_not_tell_is_not_made_up() -> None:
    """Any two observations differ in exactly two of three levels: sums of two are known, and a
    fourth level that differs in none of the patterns alone is not."""
    levels = {
        "a": np.array([0, 0, 1, 1]), "b": np.array([0, 1, 0, 1]), "c": np.array([0, 1, 1, 0]),
        "run": np.arange(4),
    }  # fmt: skip
    found = components(np.array([0.0, 1.0, 2.0, 4.0]), levels)
    assert {c.reason for c in found} == {"not_identified"}
    assert all(c.variance is None for c in found)


@pytest.mark.parametrize("size", [0, 1])
def test_too_few_observations(size: int) -> None:
    found = components(np.zeros(size), {"task": np.arange(size), "run": np.arange(size)})
    assert {c.reason for c in found} == {"one_value"}


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 1000), st.floats(-5, 5), st.floats(0.1, 3))
def test_shift_changes_nothing_and_scale_squares(seed: int, shift: float, scale: float) -> None:
    values, task, model, cell, _ = crossed(4, 3, 2, seed)
    levels = {"task": task, "model": model, "task_model": cell, "run": np.arange(24)}
    plain = by_level(components(values, levels))
    moved = by_level(components(values * scale + shift, levels))
    for name, component in plain.items():
        assert component.variance is not None
        assert moved[name].variance == pytest.approx(component.variance * scale**2, abs=1e-8)
