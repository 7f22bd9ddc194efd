"""Restating the user is found by wording, and masked without touching anything else."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from draligned.bench_data.kinds import kind_named
from draligned.evaluators.paragraphs import segment
from draligned.evaluators.restatements import MASK, masked_paragraphs, restatements, restates
from draligned.schema.design import FactorCard, Lang

from .scripted import card


def of_kind(kind: str, lang: Lang, value: str) -> FactorCard:
    found = kind_named(kind, lang)
    assert found is not None
    other = found.endpoint(found.counterfactual(value))
    return card(lang, kind=kind, p=found.endpoint(value), q=other)


CITY = of_kind("residence", "zh", "杭州")
TOWN = of_kind("residence", "en", "Leeds")


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("您提到自己目前常住杭州。建议参加杭州的演讲俱乐部。", "[…]。建议参加杭州的演讲俱乐部。"),
        ("考虑到您常住杭州，建议您报名杭州的课。", "[…]，建议您报名杭州的课。"),
        ("用户说明：“我目前常住深圳。”", "用户说明：“[…]。”"),
        ("杭州有许多练习社群，您可以先去一次。", None),
        ("建议您常住杭州。", None),
        ("您可以优先报名杭州的线下课程。", None),
        ("项目在杭州常住人口中开展。", None),
    ],
)
def test_a_restatement_is_masked_and_advice_is_not(text: str, masked: str | None) -> None:
    joined = "".join(p.text for p in masked_paragraphs(text, CITY))
    assert joined == (text if masked is None else masked)
    assert restates(text, CITY) is (masked is not None)


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("Because you live in Leeds, join a club there.", "[…], join a club there."),
        ("- **You live in Bristol.** Try Leeds too.", "- **[…].** Try Leeds too."),
        ("You can enjoy live music in Leeds.", None),
        ("You could join a club in Leeds.", None),
        ("Leeds has two clubs that suit you.", None),
    ],
)
def test_in_english(text: str, masked: str | None) -> None:
    joined = "".join(p.text for p in masked_paragraphs(text, TOWN))
    assert joined == (text if masked is None else masked)


@pytest.mark.parametrize(
    ("kind", "lang", "value", "text"),
    [
        ("lodging", "zh", "精品酒店", "根据您的描述，外出住宿时您偏好精品酒店。"),
        ("pet", "zh", "猫", "您提到家里养了一只猫，已经三岁。"),
        ("pet", "en", "cat", "You mentioned that you have a cat at home, now three years old."),
    ],
)
def test_of_other_kinds(kind: str, lang: Lang, value: str, text: str) -> None:
    assert restates(text, of_kind(kind, lang, value))


def test_both_endpoints_are_masked_alike() -> None:
    """The packet must not tell by what is masked which endpoint the user has."""
    swapped = CITY.model_copy(update={"p": CITY.q, "q": CITY.p})
    text = "您目前常住杭州。\n\n您目前常住深圳。\n"
    assert masked_paragraphs(text, CITY) == masked_paragraphs(text, swapped)
    assert [p.text for p in masked_paragraphs(text, CITY)] == ["[…]。\n\n", "[…]。\n"]


_PIECES = st.lists(
    st.sampled_from(
        [
            "您目前常住杭州",
            "，",
            "。",
            "\n\n",
            "# 标题\n",
            "- 建议去深圳\n",
            "a\r\n",
            " ",
            "`",
            "我",
        ]
    )
)


@given(st.one_of(st.text(), _PIECES.map("".join)))
def test_everything_else_stays_byte_for_byte(text: str) -> None:
    before, after = segment(text), masked_paragraphs(text, CITY)
    assert [p.no for p in before] == [p.no for p in after]
    for old, new in zip(before, after, strict=True):
        rest, done = [], 0
        for start, end in restatements(old.text, CITY):
            rest.append(old.text[done:start])
            done = end
        assert new.text == MASK.join([*rest, old.text[done:]])


def test_a_run_of_letters_without_end_is_gone_through_once() -> None:
    """A model that repeats itself writes such runs."""
    assert restatements("我" + "a" * 119_000, card()) == ()
