"""Constructor and reviewer on material by hand."""

import json
from typing import Any

import pytest

from draligned.bench_data.kinds import kind_named
from draligned.rehearsal.reviewer import endpoint_words

from .doubles import ask


def told(model: str, material: dict[str, Any], **fields: Any) -> dict[str, Any]:
    user = "Here:\n" + json.dumps(material, ensure_ascii=False)
    reply = json.loads(ask(model, [{"role": "user", "content": user}], **fields)["content"])
    assert isinstance(reply, dict)
    return reply


def row(name: str) -> dict[str, Any]:
    """A row of the relevance table as the constructor is sent it."""
    kind = kind_named(name, "zh")
    assert kind is not None
    values = [
        {
            "name": v.name,
            "pair": v.pair,
            "sentence": kind.endpoint(v.name).sentence,
            "words": list(v.public),
            "option": f"选{v.name}",
        }
        for v in kind.values
    ]
    return {
        "kind": name,
        "title": kind.title,
        "decision": "d",
        "question": "q",
        "guidance": "g",
        "values": values,
    }


MATERIAL = {
    "task": "请给我一份提升沟通能力的计划。",
    "domain": "Career",
    "leaves": [
        {"path": "基础属性/年龄", "text": "30"},
        {"path": "教育/学历", "text": "毕业于深圳大学"},
        {"path": "长期空间特征/常住地", "text": "现居杭州，毕业于深圳大学"},
        {"path": "家庭/宠物", "text": "一只猫"},
    ],
    "relevance": [row("pet"), row("residence")],
}


def test_the_first_leaf_that_bears_a_card() -> None:
    card = told("rehearsal-constructor", MATERIAL)
    assert card["field_path"] == "长期空间特征/常住地"
    assert card["evidence_quote"] == "杭州"
    assert (card["p_sentence"], card["q_sentence"]) == ("我目前常住杭州。", "我目前常住深圳。")
    assert (card["p_words"], card["q_words"]) == (["杭州"], ["深圳"])
    assert (card["order_p"], card["order_q"]) == (["选杭州", "选深圳"], ["选深圳", "选杭州"])


def test_what_the_task_has_fixed_is_passed_over() -> None:
    fixed = {**MATERIAL, "task": "我住在杭州，请给我一份计划。"}
    assert told("rehearsal-constructor", fixed)["field_path"] == "家庭/宠物"


@pytest.mark.parametrize("gone", ["leaves", "relevance"])
def test_without_material_there_is_no_card(gone: str) -> None:
    assert told("rehearsal-constructor", {**MATERIAL, gone: []}) == {"field_path": ""}


PACKET = {
    "task": "请给我一份计划。",
    "background": [{"path": "年龄", "text": "30"}],
    "endpoint_1": "我目前常住深圳。",
    "endpoint_2": "我目前常住杭州。",
    "decision": "d",
    "options": ["a", "b"],
}


@pytest.mark.parametrize(
    ("change", "problems"),
    [
        ({}, []),
        ({"background": [{"path": "文化", "text": "熟悉杭州方言"}]}, ["contradiction"]),
        ({"background": [{"path": "学历", "text": "毕业于深圳大学"}]}, []),
        ({"task": "请为杭州的我做计划。"}, ["task_forced"]),
        ({"endpoint_1": "我应该常住深圳。"}, ["answer_revealing"]),
        (
            {"endpoint_1": "我目前常住深圳，是老师。", "endpoint_2": "我目前常住杭州，是医生。"},
            ["multiple_factors"],
        ),
    ],
)
def test_problems_by_hand(change: dict[str, Any], problems: list[str]) -> None:
    assert told("rehearsal-reviewer", {**PACKET, **change})["problems"] == problems


def test_a_planted_false_alarm() -> None:
    alarm = told("rehearsal-reviewer", PACKET, rehearsal={"false_alarm": 1})
    assert len(alarm["problems"]) == 1
    assert alarm == told("rehearsal-reviewer", PACKET, rehearsal={"false_alarm": 1})


def test_words_of_unknown_endpoints_are_where_they_differ() -> None:
    assert endpoint_words("I eat apples daily.", "I eat pears daily.", "en") == (
        ("apple",),
        ("pear",),
    )
