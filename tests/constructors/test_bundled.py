"""The bundled tasks come out as planned: kind and pair of every task."""

import pytest

from draligned.constructors.build import construct
from draligned.constructors.source import load_source
from draligned.schema.config import ConstructConfig

ZH = {
    "1": ("Career", "residence", {"杭州", "深圳"}),
    "2": ("Health", "exercise_place", {"健身房", "户外"}),
    "3": ("Travel", "lodging", {"青年旅舍", "精品酒店"}),
    "4": ("Finance", "risk", {"稳健", "进取"}),
    "5": ("Shopping", "pet", {"猫", "狗"}),
    "6": ("Education", "chronotype", {"清晨", "夜晚"}),
    "7": ("Parenting", "residence", {"成都", "青岛"}),
    "8": ("Creative", "personality", {"内向", "外向"}),
}
EN = {
    "1": ("Career", "residence", {"Leeds", "Bristol"}),
    "2": ("Travel", "lodging", {"hostels", "boutique hotels"}),
    "3": ("Finance", "risk", {"cautious", "adventurous"}),
    "4": ("Health", "exercise_place", {"at a gym", "outdoors"}),
}


@pytest.mark.parametrize("seed", [20260929, 1, 2, 3])
async def test_the_eight_chinese_tasks(seed: int) -> None:
    made = await construct(load_source(None, "zh"), ConstructConfig(), seed=seed)
    got = {c.task_id: (c.domain, c.kind, {c.p.value, c.q.value}) for c in made.design.cards}
    assert got == ZH
    assert made.tried == 8


async def test_the_four_english_tasks() -> None:
    made = await construct(load_source(None, "en"), ConstructConfig(lang="en"), seed=7)
    got = {c.task_id: (c.domain, c.kind, {c.p.value, c.q.value}) for c in made.design.cards}
    assert got == EN


@pytest.mark.parametrize(("lang", "tasks", "personas"), [("zh", 8, 6), ("en", 4, 4)])
def test_three_users_a_task_and_a_dozen_leaves_a_persona(
    lang: str, tasks: int, personas: int
) -> None:
    source = load_source(None, lang)  # type: ignore[arg-type]
    assert (len(source.tasks), len(source.personas)) == (tasks, personas)
    assert all(len(t.users) == 3 and source.persona(u) for t in source.tasks for u in t.users)
    assert all(len(p.details) >= 10 for p in source.personas)
