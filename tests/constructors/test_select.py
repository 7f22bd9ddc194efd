"""The order of trial."""

from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from draligned.constructors.select import Uses, order_tasks, order_users, path_limits
from draligned.schema.design import TaskRecord


def task(number: int, domain: str) -> TaskRecord:
    users = ("a", "b", "c")
    return TaskRecord(task_id=str(number), domain=domain, lang="zh", text="t", users=users)


TASKS = [task(n, "ABC"[n % 3]) for n in range(9)]


@settings(deadline=None)
@given(st.integers(), st.randoms())
def test_each_round_takes_one_task_of_each_domain_whatever_the_file_order(
    seed: int, rng: object
) -> None:
    got = order_tasks(TASKS, "stratified", seed)
    assert [Counter(t.domain for t in got[i : i + 3]) for i in (0, 3, 6)] == [Counter("ABC")] * 3
    shuffled = list(TASKS)
    rng.shuffle(shuffled)  # type: ignore[attr-defined]
    assert order_tasks(shuffled, "stratified", seed) == got


def test_file_order_is_the_files() -> None:
    assert order_tasks(TASKS, "file_order", 1) == tuple(TASKS)
    assert order_users(TASKS[0], Uses((), 1, 1), "file_order", 1) == ("a", "b", "c")


def test_the_least_used_user_comes_first() -> None:
    uses = Uses((), 2, 2)
    uses.users.update({"a": 1, "c": 2})
    assert order_users(TASKS[0], uses, "stratified", 5) == ("b", "a", "c")


def test_path_limits() -> None:
    assert path_limits("stratified", 24, 8) == (4, 8)
    assert path_limits("stratified", 8, 8) == (2, 8)
    assert path_limits("stratified", 60, 8) == (8,)
    assert path_limits("file_order", 24, 8) == (8,)
