"""The order of trial."""

from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from draligned.constructors.build import construct
from draligned.constructors.select import Uses, order_tasks, order_users, path_limits
from draligned.constructors.source import Source
from draligned.schema.config import ConstructConfig
from draligned.schema.design import Detail, Persona, TaskRecord
from tests.constructors.samples import RESIDENCE, TASK, residence_card


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


def test_a_preferred_user_comes_before_one_that_was_used_less() -> None:
    uses = Uses((), 3, 3)
    uses.users.update({"a": 2, "c": 1})
    assert order_users(TASKS[0], uses, "stratified", 5, "a".__eq__) == ("a", "b", "c")
    assert order_users(TASKS[0], uses, "file_order", 5, "c".__eq__) == ("a", "b", "c")


def test_a_card_balances_where_its_value_was_the_counterfactual_more_often() -> None:
    card = residence_card()
    turned = card.model_copy(update={"p": card.q, "q": card.p})
    uses = Uses((), 9, 9)
    assert not uses.balances(card)
    uses.add(card)
    assert uses.balances(turned)
    assert not uses.balances(card)
    uses.add(turned)
    assert not uses.balances(turned)
    assert not uses.balances(turned.model_copy(update={"kind": "another"}))


async def test_who_records_the_other_value_is_taken_before_who_records_the_same() -> None:
    """Four users, three tasks: once 杭州 was recorded, the one who lives in 深圳 comes next."""
    tasks = tuple(
        TASK.model_copy(update={"task_id": str(n), "users": ("a", "b", "c", "d")}) for n in "123"
    )
    cities = {"a": "杭州", "b": "杭州", "c": "杭州", "d": "深圳"}
    home = tuple(
        Persona(user_id=u, lang="zh", details=(Detail(path=RESIDENCE, text=c),))
        for u, c in cities.items()
    )
    source = Source(lang="zh", label="made by hand", tasks=tasks, personas=home)
    for seed in range(8):
        made = await construct(source, ConstructConfig(tasks=2), seed=seed)
        assert {c.p.value for c in made.design.cards} == {"杭州", "深圳"}, seed


def test_path_limits() -> None:
    assert path_limits("stratified", 24, 8) == (4, 8)
    assert path_limits("stratified", 8, 8) == (2, 8)
    assert path_limits("stratified", 60, 8) == (8,)
    assert path_limits("file_order", 24, 8) == (8,)
