"""Requests are about subproblems by public words alone."""

import pandas as pd
import pytest

from draligned.bench_data.subproblems import bundled_maps
from draligned.evaluators.subproblems import subproblems_of, visits
from draligned.schema.design import Design, TaskMap

from .scripted import run

ZH = {m.task_id: m for m in bundled_maps("zh")}
EN = {m.task_id: m for m in bundled_maps("en")}


@pytest.mark.parametrize(
    ("request_", "task", "keys"),
    [
        ("当众演讲 方法", ZH["1"], ("speaking",)),
        ("沟通 课程", ZH["1"], ("communication", "courses")),
        ("杭州 西湖", ZH["1"], ()),
        ("", ZH["1"], ()),
        ("Python 入门教程", ZH["6"], ("programming", "materials")),
        ("Lisbon trams", EN["2"], ("sights", "transport")),
        ("notebook", EN["2"], ()),
        ("ticket for the Coast", EN["2"], ("sights", "booking")),
        ("https://speaking.example/a/leadership-course", EN["1"], ("leadership", "courses")),
        ("https://example.org/1/%E5%BD%93%E4%BC%97%E8%A1%A8%E8%BE%BE", ZH["1"], ("speaking",)),
        ("https://example.org/%FF%FE", ZH["1"], ()),
    ],
)
def test_words_decide(request_: str, task: TaskMap, keys: tuple[str, ...]) -> None:
    assert subproblems_of(request_, task) == keys


def test_words_of_the_endpoints_count_for_nothing() -> None:
    """P asks for 精品酒店, Q for 青旅: only one of them holds a word of the list."""
    both = frozenset(("精品酒店", "青旅"))
    assert subproblems_of("精品酒店", ZH["3"]) == ("lodging",)
    for own in both:
        assert subproblems_of(f"大理 {own} 价格", ZH["3"], both) == ("places", "tickets")


def design(*maps: TaskMap) -> Design:
    return Design(
        lang="zh", seed=1, source="test", tasks=(), cards=(), conditions=(), estimands=(),
        subproblems=maps,
    )  # fmt: skip


def test_a_request_is_shared_equally_and_an_unknown_one_is_a_row() -> None:
    table = visits([run(("沟通 课程 演讲", "随便看看"))], design(ZH["1"]))
    assert table.loc[table.request_no == 1, "subproblem"].tolist() == [
        "communication", "courses", "speaking",
    ]  # fmt: skip
    assert table.loc[table.request_no == 1, "weight"].sum() == pytest.approx(1.0)
    unknown = table[table.request_no == 2]
    assert unknown["subproblem"].tolist() == [None]
    assert unknown["weight"].tolist() == [None]


def test_tasks_without_a_list_have_no_rows() -> None:
    assert visits([run(("沟通",))], design(ZH["2"])).empty


def test_order_of_runs_does_not_matter() -> None:
    runs = [run(("沟通", "课程"), run_id=f"{n:016}") for n in (2, 1)]
    pd.testing.assert_frame_equal(
        visits(runs, design(ZH["1"])), visits(runs[::-1], design(ZH["1"]))
    )
