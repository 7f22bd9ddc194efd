"""What leaves both arms, and why."""

import pytest

from draligned.constructors.removal import anonymous, named_in, split_background

from .samples import RESIDENCE, kind, persona, residence_card


def test_the_details_that_name_an_endpoint_leave_with_a_reason() -> None:
    card = residence_card(("行为特征/周期性移动", "每季度去深圳出差"))
    assert [(r.path.rpartition("/")[2], r.reason) for r in card.removed_from_both] == [
        ("空间影响", "names an endpoint: “杭州”"),
        ("周期性移动", "names an endpoint: “深圳”"),
    ]


def test_a_university_is_no_residence_but_a_flat_near_it_is() -> None:
    near = ("基础属性/长期空间特征/生活环境", "租住在浙江杭州大学附近")
    card = residence_card(near)
    assert any("浙江大学" in d.text for d in card.background)
    assert near[0] in [r.path for r in card.removed_from_both]


def test_another_city_as_home_contradicts_but_the_hometown_stays() -> None:
    card = residence_card(("行为特征/其他", "目前居住在南京，每周回家"))
    kept = [d.path for d in card.background]
    assert "基础属性/长期空间特征/老家" in kept
    assert [r.reason for r in card.removed_from_both if r.path == "行为特征/其他"] == [
        "states the same fact with another value: “目前居住在南京”"
    ]


def test_field_and_name_are_in_neither_arm() -> None:
    card = residence_card()
    assert RESIDENCE not in [d.path for d in card.background]
    assert not any("林一" in d.text for d in card.background)
    assert not any("姓名" in d.path for d in card.background)
    assert any("用户常去图书馆" in d.text for d in card.background)


def test_a_name_of_one_character_is_not_replaced_everywhere() -> None:
    named = persona().model_copy(update={"details": persona().details[1:]})
    assert anonymous(named) == named.details


def test_related_paths_leave_whatever_they_say() -> None:
    p = persona(("行为特征/线下长期行为/作息规律", "很规律"))
    parts = split_background(p, "环境/时间/时段偏好", kind("chronotype"), ("清晨", "夜晚"))
    assert [r.path for r in parts.removed] == ["行为特征/线下长期行为/作息规律"]


def test_without_rules_for_a_kind_the_given_words_decide() -> None:
    p = persona(("行为特征/其他", "爱画水彩"))
    parts = split_background(p, RESIDENCE, None, ("水彩", "油画"))
    assert [(r.path, r.reason) for r in parts.removed] == [
        ("行为特征/其他", "names an endpoint: “水彩”")
    ]


@pytest.mark.parametrize(
    ("text", "words", "want"),
    [
        ("Two Teas a day", ["tea"], "tea"),
        ("Team lead, eats steak", ["tea"], None),
        ("Vegetarianism since 2001", ["vegetarian"], "vegetarian"),
        ("非素食者", ["素食"], "素食"),
        ("a.b", ["a+b", "", " "], None),
    ],
)
def test_words_of_a_kind_without_rules(text: str, words: list[str], want: str | None) -> None:
    assert named_in(text, words) == want
