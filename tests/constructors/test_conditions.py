"""P and Q differ in the endpoint slot only; data passes through templates unchanged."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from draligned.constructors.conditions import (
    background_text,
    build_condition,
    clarified,
    pair_check,
    pair_of,
    prompt,
    render,
    two_factor_conditions,
)
from draligned.schema.design import Detail, Removed
from draligned.schema.errors import DesignError
from draligned.schema.labels import Side

from .samples import TASK, residence_card

GOLDEN = Path(__file__).parent / "golden"


def test_the_message_is_the_golden_one() -> None:
    p, q = pair_of(TASK, residence_card())
    assert p.turns[0] == (GOLDEN / "message_p.txt").read_text("utf-8")
    assert q.turns[0] == p.turns[0].removesuffix("杭州。") + "深圳。"
    assert p.turns[0].count("\n- ") == 4


def test_byte_diff_is_the_endpoint_and_nothing_else() -> None:
    p, q = pair_of(TASK, residence_card())
    a, b = p.turns[0].encode(), q.turns[0].encode()
    assert a.removesuffix("我目前常住杭州。".encode()) == b.removesuffix(
        "我目前常住深圳。".encode()
    )
    assert p.system == q.system
    assert (p.task_id, p.user_id, p.lang) == (q.task_id, q.user_id, q.lang)
    assert p.condition_id != q.condition_id


def test_braces_in_data_pass_through() -> None:
    p, _ = pair_of(TASK, residence_card())
    assert "{task} {0.__class__} ${HOME} %s" in p.turns[0]


@settings(deadline=None)
@given(st.dictionaries(st.sampled_from(["a", "b"]), st.text(), min_size=2, max_size=2))
def test_rendering_is_one_pass(slots: dict[str, str]) -> None:
    assert render("<{a}|{b}>", slots) == f"<{slots['a']}|{slots['b']}>"


def test_an_unknown_slot_in_a_template_is_refused() -> None:
    with pytest.raises(DesignError, match="unknown slot: c"):
        render("{a}{c}", {"a": ""})


def test_a_detail_cannot_open_a_section_of_its_own() -> None:
    text = background_text((Detail(path="a", text="x\n\n用户情况：\n我目前常住南京。"),), "zh")
    assert text == "- a：x 用户情况： 我目前常住南京。"
    assert background_text((), "zh") == "（无）"
    assert background_text((), "en") == "(none)"


def test_pair_check_sees_a_change_outside_the_slot() -> None:
    card = residence_card()
    p, q = pair_of(TASK, card)
    for wrong in (
        q.model_copy(update={"system": q.system + " "}),
        q.model_copy(update={"turns": (q.turns[0].replace("软件", "硬件"),)}),
        q.model_copy(update={"turns": (q.turns[0] + " ",)}),
        q.model_copy(update={"turns": p.turns}),
        q.model_copy(update={"turns": (*q.turns, "再见")}),
    ):
        with pytest.raises(DesignError):
            pair_check(p, wrong, card)


def test_pair_check_sees_a_removed_detail_that_is_still_there() -> None:
    card = residence_card()
    p, q = pair_of(TASK, card)
    kept = card.background[0]
    lie = card.model_copy(
        update={"removed_from_both": (Removed(path=kept.path, text=kept.text, reason="r"),)}
    )
    with pytest.raises(DesignError, match="still there"):
        pair_check(p, q, lie)


def test_two_factors_make_four_profiles_with_both_endpoints_last() -> None:
    first = residence_card()
    other = first.model_copy(
        update={
            "field_path": first.background[0].path,
            "p": first.p.model_copy(update={"sentence": "我的性格偏内向。"}),
            "q": first.q.model_copy(update={"sentence": "我的性格偏外向。"}),
        }
    )
    four = two_factor_conditions(TASK, first, other)
    assert [c.turns[0].rpartition("\n")[2] for c in four] == [
        "我目前常住杭州。我的性格偏内向。",
        "我目前常住深圳。我的性格偏内向。",
        "我目前常住杭州。我的性格偏外向。",
        "我目前常住深圳。我的性格偏外向。",
    ]
    assert not any(first.background[0].text in c.turns[0] for c in four)
    with pytest.raises(DesignError, match="two fields"):
        two_factor_conditions(TASK, first, first)


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_the_system_prompt_says_that_no_reply_will_come_and_names_no_number(lang: str) -> None:
    text = prompt("system", lang)  # type: ignore[arg-type]
    assert {"zh": "不会再有任何用户回复", "en": "no further user replies will come"}[lang] in text
    assert not any(c.isdigit() for c in text)
    assert text == (GOLDEN / f"system_{lang}.txt").read_text("utf-8")


def test_a_clarified_pair_differs_in_the_scripted_turn_only() -> None:
    p, q = (clarified(c) for c in pair_of(TASK, residence_card()))
    assert p.turns[0] == q.turns[0]
    assert (p.turns[1], q.turns[1]) == (
        "用户情况：\n我目前常住杭州。",
        "用户情况：\n我目前常住深圳。",
    )
    pair_check(p, q, residence_card())
    with pytest.raises(DesignError, match="already"):
        clarified(p)


def test_a_condition_carries_its_side_and_prompt() -> None:
    card = residence_card()
    condition = build_condition(TASK, (card,), (Side.Q,))
    assert [(a.factor_id, a.side) for a in condition.assigned] == [(card.factor_id, Side.Q)]
    assert condition.system == prompt("system", "zh")
