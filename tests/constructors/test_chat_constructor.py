"""The chat constructor: what is asked, and that its replies are checked like any card."""

import json
from pathlib import Path
from typing import Any

import pytest

from draligned.constructors.chat_constructor import propose
from draligned.constructors.fields import Tried
from draligned.schema.chat import ChatRequest
from draligned.schema.labels import CardOutcome

from .doubles import Scripted
from .samples import RESIDENCE, TASK, persona

GOLDEN = Path(__file__).parent / "golden"
REPLY = {
    "field_path": RESIDENCE,
    "kind": "residence",
    "evidence_quote": "杭州，租住",
    "p_sentence": "我住在杭州。",
    "q_sentence": "我住在深圳。",
    "p_words": ["杭州"],
    "q_words": ["深圳"],
    "decision": "线下活动放在哪里",
    "order_p": ["杭州的活动", "深圳的活动"],
    "order_q": ["深圳的活动", "杭州的活动"],
    "axis_question": "线下活动应优先放在哪座城市？",
    "axis_guidance": "点名某城的活动算该端。",
}


async def ask(reply: str | None, closed: str = "") -> tuple[Tried, ChatRequest]:
    model = Scripted(lambda _: reply)
    tried = await propose(model, TASK, persona(), lambda path: path != closed, seed=5)
    return tried, model.asked[0]


def changed(**change: Any) -> str:
    return json.dumps({**REPLY, **change}, ensure_ascii=False)


async def test_a_sound_reply_becomes_an_accepted_card_with_our_background() -> None:
    tried, _ = await ask("想了一下。</think>\n```json\n" + changed() + "\n```")
    assert tried.decision.outcome is CardOutcome.ACCEPTED
    card = tried.card
    assert card is not None
    assert (card.source, card.p.value, card.q.value) == ("chat", "杭州", "深圳")
    assert [r.path.rpartition("/")[2] for r in card.removed_from_both] == ["空间影响"]


async def test_the_request_is_the_golden_one_and_holds_no_name() -> None:
    _, request = await ask(changed(), closed="基础属性/身份特征/职业")
    system, user = (m.text or "" for m in request.messages)
    assert system == (GOLDEN / "constructor_zh.txt").read_text("utf-8")
    body = json.loads(user)
    assert list(body) == ["task", "domain", "leaves", "relevance"]
    paths = [leaf["path"] for leaf in body["leaves"]]
    assert paths[:2] == ["基础属性/身份特征/教育背景/研究生", RESIDENCE]
    assert "林一" not in user
    row = next(r for r in body["relevance"] if r["kind"] == "residence")
    assert row["fields"] == [RESIDENCE]
    assert row["values"][0]["sentence"] == "我目前常住杭州。"
    assert request.json_mode
    assert request.seed is not None


@pytest.mark.parametrize(
    ("reply", "outcome", "says"),
    [
        (None, CardOutcome.NO_ELIGIBLE_FIELD, "cannot be read: empty reply"),
        ("对不起", CardOutcome.NO_ELIGIBLE_FIELD, "cannot be read: not one JSON object"),
        ("[1]", CardOutcome.NO_ELIGIBLE_FIELD, "not one JSON object"),
        ('{"field_path": NaN}', CardOutcome.NO_ELIGIBLE_FIELD, "not one JSON object"),
        ('{"field_path": ""}', CardOutcome.NO_ELIGIBLE_FIELD, "found no eligible field"),
        (
            '{"field_path": "x"}',
            CardOutcome.NO_ELIGIBLE_FIELD,
            "wrong, missing or overlong keys: kind",
        ),
        (changed(kind="handwriting"), CardOutcome.NO_RELEVANCE, "no row for handwriting × Career"),
        (changed(evidence_quote="杭洲"), CardOutcome.REJECTED_QUOTE, "“杭洲” is not in"),
        (changed(field_path="没有"), CardOutcome.REJECTED_QUOTE, "no field 没有"),
        (changed(order_q=REPLY["order_p"]), CardOutcome.REJECTED_ORDERS_MATCH, "the same"),
        (changed(q_sentence="我住在月球。"), CardOutcome.REJECTED_IMPLAUSIBLE, "月球"),
        (changed(p_sentence="我住在杭州。\n"), CardOutcome.NO_ELIGIBLE_FIELD, "ends with a blank"),
        (changed(p_sentence="我住在\n杭州。"), CardOutcome.NO_ELIGIBLE_FIELD, "line break"),
        (changed(q_words=["杭州"]), CardOutcome.NEEDS_REVIEW, "both endpoints have the word"),
        (
            changed(q_sentence="我住在深圳，刚结婚。"),
            CardOutcome.REJECTED_MULTIPLE_FACTORS,
            "a second fact",
        ),
    ],
)
async def test_every_bad_reply_has_a_named_reason(
    reply: str | None, outcome: CardOutcome, says: str
) -> None:
    tried, _ = await ask(reply)
    assert tried.decision.outcome is outcome
    assert says in tried.decision.reason


@pytest.mark.parametrize(
    "change",
    [
        {"p_sentence": "我住在杭州。" * 60, "q_sentence": "我住在深圳。" * 60},
        {"order_p": [f"{n}" for n in range(51)]},
        {"order_q": ["好" * 2_001, "乙"]},
        {"axis_guidance": "好" * 100_000},
    ],
)
async def test_what_is_longer_than_a_card_has_use_for_is_no_card(change: dict[str, Any]) -> None:
    tried, _ = await ask(changed(**change))
    assert (tried.decision.outcome, tried.card) == (CardOutcome.NO_ELIGIBLE_FIELD, None)
