import numpy as np
import pytest

from draligned.measure import robust
from draligned.measure.robust import Readable

VALUES = np.array([1.0, 0.0, 0.5, -1.0, 1.0, 1.0])
TASKS = np.array([0, 0, 1, 2, 2, 4])
USERS = np.array([0, 1, 1, 0, 2, 2])
PAIRS = Readable(values=VALUES, tasks=TASKS, n_tasks=5, clusters={"user": USERS})


def task_equal(keep: np.ndarray) -> float:
    tasks = sorted(set(TASKS[keep]))
    return float(np.mean([VALUES[keep & (task == TASKS)].mean() for task in tasks]))


def test_leave_one_task() -> None:
    left = [task_equal(task != TASKS) for task in (0, 1, 2, 4)]
    assert robust.leave_one_out(PAIRS, TASKS) == pytest.approx((min(left), max(left)))


def test_leave_one_user() -> None:
    left = [task_equal(user != USERS) for user in (0, 1, 2)]
    assert robust.leave_one_out(PAIRS, USERS) == pytest.approx((min(left), max(left)))


def test_one_cluster_gives_no_range() -> None:
    one = Readable(
        values=np.array([1.0, 0.0]), tasks=np.array([3, 3]), n_tasks=5,
        clusters={"user": np.array([0, 0])},
    )  # fmt: skip
    assert robust.leave_one_out(one, one.tasks) is None
    assert robust.leave_one_out(one, one.clusters["user"]) is None
    assert robust.two_way(one, 0.5) is None


def test_two_way_with_a_user_per_task_is_the_task_sandwich() -> None:
    """Then V(user) = V(task × user), and the interval is 1.96 standard errors of task means."""
    means = np.array([1.0, 0.0, 0.5, 0.25])
    pairs = Readable(values=means, tasks=np.arange(4), n_tasks=4, clusters={"user": np.arange(4)})
    half = 1.959964 * means.std(ddof=1) / 2
    mean = means.mean()
    assert robust.two_way(pairs, mean) == pytest.approx((mean - half, mean + half), abs=1e-6)


def crossed() -> Readable:
    """Four tasks × three users, values with an effect of each."""
    tasks, users = (grid.ravel() for grid in np.meshgrid(range(4), range(3), indexing="ij"))
    effects = np.array([0.0, 0.5, -0.5, 1.0])[tasks] + np.array([0.3, 0.0, -0.6])[users]
    return Readable(values=effects, tasks=tasks, n_tasks=4, clusters={"user": users})


@pytest.mark.parametrize(("pairs", "takes_the_sum"), [(PAIRS, False), (crossed(), True)])
def test_two_way_sums_three_sandwiches(pairs: Readable, takes_the_sum: bool) -> None:
    sizes = np.bincount(pairs.tasks)
    estimate = float(np.mean([pairs.values[pairs.tasks == t].mean() for t in set(pairs.tasks)]))
    score = (pairs.values - estimate) / (sizes[pairs.tasks] * (sizes > 0).sum())

    def variance(keys: list[object]) -> float:
        groups = set(keys)
        sums = [sum(s for s, k in zip(score, keys, strict=True) if k == g) for g in groups]
        return sum(s * s for s in sums) * len(groups) / (len(groups) - 1)

    tasks, users = list(pairs.tasks), list(pairs.clusters["user"])
    by_task, by_user = variance(tasks), variance(users)
    both = by_task + by_user - variance(list(zip(tasks, users, strict=True)))
    assert (both > max(by_task, by_user)) == takes_the_sum
    half = 1.959964 * np.sqrt(max(both, by_task, by_user))
    expected = (estimate - half, estimate + half)
    assert robust.two_way(pairs, estimate) == pytest.approx(expected, abs=1e-6)
