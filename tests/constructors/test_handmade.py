"""Hand-written cards: read, completed from the table, checked, and errors in one line."""

import json
from pathlib import Path

import pytest

from draligned.constructors.handmade import card_template, parse_cards, read_cards
from draligned.constructors.source import load_source
from draligned.schema.design import FactorCard
from draligned.schema.errors import ConfigError
from draligned.schema.labels import CardOutcome

from .samples import own_kind

BASE = {
    "task_id": "1",
    "user_id": "User1",
    "kind": "residence",
    "field_path": "基础属性/长期空间特征/常住地",
    "evidence_quote": "杭州",
    "p": {"sentence": "我住在杭州。"},
    "q": {"sentence": "我住在深圳。"},
}


def outcome(**change: object) -> CardOutcome:
    source = load_source(None, "zh")
    (card,) = parse_cards(json.dumps([{**BASE, **change}]), source, name="cards.json")
    return card.outcome


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_the_template_is_an_accepted_card(tmp_path: Path, lang: str) -> None:
    path = tmp_path / "cards.toml"
    path.write_text(card_template(lang), "utf-8")  # type: ignore[arg-type]
    (card,) = read_cards(path, load_source(None, lang))  # type: ignore[arg-type]
    assert card.outcome is CardOutcome.ACCEPTED
    assert card.source == "hand"
    assert card.removed_from_both


def test_what_is_left_out_comes_from_the_table_and_the_kind() -> None:
    source = load_source(None, "zh")
    (card,) = parse_cards(json.dumps({"card": [BASE]}), source, name="c.json")
    assert (card.p.words, card.q.value) == (("杭州",), "深圳")
    assert card.order_p == tuple(reversed(card.order_q))
    assert card.outcome is CardOutcome.ACCEPTED


@pytest.mark.parametrize(
    ("change", "want"),
    [
        ({"evidence_quote": "深圳"}, CardOutcome.REJECTED_QUOTE),
        ({"q": {"sentence": "我住在月球。"}}, CardOutcome.REJECTED_IMPLAUSIBLE),
        ({"q": {"sentence": "我住在深圳，建议就近。"}}, CardOutcome.REJECTED_ANSWER_REVEALING),
        ({"q": {"sentence": "我住在深圳，今年四十岁。"}}, CardOutcome.REJECTED_MULTIPLE_FACTORS),
        ({"background": [{"path": "a", "text": "住在深圳"}]}, CardOutcome.REJECTED_CONTRADICTION),
        ({"background": [{"path": "a", "text": "爱下棋"}]}, CardOutcome.NEEDS_REVIEW),
        ({"background": []}, CardOutcome.ACCEPTED),
        ({"task_id": 1}, CardOutcome.ACCEPTED),
    ],
)
def test_checked_like_generated_ones(change: dict[str, object], want: CardOutcome) -> None:
    assert outcome(**change) is want


@pytest.mark.parametrize(
    ("text", "name", "says"),
    [
        ("[[card]", "c.toml", "c.toml cannot be read"),
        ("{", "c.json", "c.json cannot be read"),
        ("[]", "c.json", "holds no card"),
        ('{"cards": []}', "c.json", "unknown key `cards`"),
        ("x = 1", "c.toml", "unknown key `x`"),
        ("[1]", "c.json", "expected a list of cards"),
        (json.dumps([{**BASE, "oops": 1}]), "c.json", "card 1: `oops`"),
        (json.dumps([{k: v for k, v in BASE.items() if k != "p"}]), "c.json", "card 1: `p`"),
        (json.dumps([{**BASE, "task_id": "99"}]), "c.json", "task 99 with User1 is not in"),
        (json.dumps([{**BASE, "user_id": "User3"}]), "c.json", "task 1 with User3 is not in"),
        (json.dumps([BASE, BASE]), "c.json", "card 2: the same factor"),
        (json.dumps([{**BASE, "kind": "handwriting"}]), "c.json", "are needed"),
    ],
)
def test_mistakes_are_told_in_one_line(text: str, name: str, says: str) -> None:
    with pytest.raises(ConfigError, match=says) as caught:
        parse_cards(text, load_source(None, "zh"), name=name)
    assert "\n" not in str(caught.value)


def test_a_missing_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="No such file"):
        read_cards(tmp_path / "none.toml", load_source(None, "zh"))


def parse_own(**change: object) -> FactorCard:
    item = {k: v for k, v in {**own_kind(), **change}.items() if v is not None}
    return parse_cards(json.dumps([item]), load_source(None, "en"), name="c.json")[0]


def test_all_that_is_missing_is_said_at_once() -> None:
    bare = {"kind": "tea_or_coffee", "task_id": "1", "q": {}, "p": {"sentence": "x"}, "oops": 1}
    with pytest.raises(ConfigError) as caught:
        parse_cards(json.dumps([bare]), load_source(None, "en"), name="c.json")
    assert str(caught.value) == (
        "c.json, card 1: `user_id`, `field_path`, `evidence_quote` and `q.sentence` are missing; "
        "`oops`: Extra inputs are not permitted; "
        "`p.words` and `q.words` are needed: there are no rules for the kind tea_or_coffee; "
        "`decision`, `order_p`, `order_q` and `axis` are needed: the relevance table has no row "
        "for tea_or_coffee × Career"
    )


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"decision": None}, "`decision` is needed"),
        ({"decision": ""}, "`decision` is needed"),
        ({"p": {"sentence": "I drink tea."}}, "`p.words` is needed"),
        ({"p": {"sentence": "I drink tea.", "words": [" "]}}, "`p.words` is needed"),
        ({"evidence_quote": None}, "`evidence_quote` is missing"),
        ({"axis": {"question": "x"}}, "`axis.guidance` is missing"),
    ],
)
def test_one_key_is_and_several_are(change: dict[str, object], says: str) -> None:
    with pytest.raises(ConfigError, match=says):
        parse_own(**change)


def test_half_of_the_orders_is_not_dropped_unsaid() -> None:
    text = json.dumps([{**BASE, "order_p": ["a", "b"]}])
    with pytest.raises(ConfigError, match="give both or neither"):
        parse_cards(text, load_source(None, "zh"), name="c.json")


def test_words_of_a_kind_of_ones_own_clear_the_background() -> None:
    card = parse_own(q={"sentence": "I drink coffee.", "words": ["coffee", "NORWICH"]})
    assert card.outcome is CardOutcome.NEEDS_REVIEW
    told = "".join(d.text for d in card.background)
    assert "Norwich" not in told
    assert {r.reason for r in card.removed_from_both} == {"names an endpoint: “NORWICH”"}
    assert any("Team lead" in d.text for d in card.background)


def test_a_background_of_ones_own_may_not_name_the_words() -> None:
    card = parse_own(background=[{"path": "Diet", "text": "Loves Teas of all sorts"}])
    assert card.outcome is CardOutcome.REJECTED_CONTRADICTION
    assert "Diet names an endpoint: “tea”" in card.findings[-1].reason


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_the_template_says_what_a_kind_of_ones_own_needs(lang: str) -> None:
    text = card_template(lang)  # type: ignore[arg-type]
    own = text.rpartition("#\n#")[2]
    for part in ("words", "decision", "order_p", "order_q", "axis", "needs_review", "reviewers"):
        assert part in own
    for command in ("card accept", "card list", "show"):
        assert f"draligned {command}" in own
