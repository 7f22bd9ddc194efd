"""Recognition: one value stated, or a reason."""

import pytest

from draligned.bench_data.kinds import kind_named
from draligned.constructors.values import recognise


def said(kind: str, text: str) -> str | None:
    found = kind_named(kind, "zh")
    assert found is not None
    got = recognise(found, text)
    assert got.value is not None or got.reason
    if got.value is not None:
        assert got.quote in text
    return got.value


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        ("residence", "杭州，住在公司附近", "杭州"),
        ("residence", "浙江大学计算机学院", None),
        ("residence", "就读于北京大学", None),
        ("residence", "上海和杭州两地", None),
        ("pet", "养了一只橘猫", "猫"),
        ("pet", "无，但考虑养一只猫", None),
        ("pet", "一只橘猫和一只柯基", None),
        ("pet", "养了一只鹦鹉", None),
        ("exercise_place", "健身房和附近的公园", None),
        ("exercise_place", "小区旁边的健身房", "健身房"),
        ("lodging", "偏好舒适的酒店，偶尔选择民宿", None),
        ("personality", "对陌生人较为内向，对熟人健谈", None),
        ("personality", "沉稳内敛", "内向"),
        ("debt", "有房贷，无其他债务", "背着房贷"),
        ("debt", "无贷款，仅有少量信用卡债务", None),
        ("child_age", "妻子是一名小学教师，有一个5岁的女儿", "学龄前"),
        ("child_age", "有两个孩子，分别为8岁和5岁", None),
        ("chronotype", "晚上学习，清晨运动", None),
    ],
)
def test_texts_with_known_answers(kind: str, text: str, value: str | None) -> None:
    assert said(kind, text) == value
