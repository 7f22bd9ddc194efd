"""The neutral arm: P's message with nothing told, and nothing else changed."""

import pytest

from draligned.bench_data.lexicon import find
from draligned.bench_data.neutral import NOTHING_TOLD, tells_nothing
from draligned.constructors.conditions import (
    TEMPLATES,
    build_condition,
    clarified,
    neutral_check,
    neutral_of,
    pair_of,
    prompt,
)
from draligned.constructors.draft import neutral_arm
from draligned.schema.design import Condition, Neutral
from draligned.schema.errors import DesignError
from draligned.schema.labels import RunSet, Side
from tests.constructors.samples import TASK, residence_card


def _told(condition: Condition, text: str) -> Neutral:
    return Neutral(
        factor_id=residence_card().factor_id,
        condition=condition.model_copy(update={"turns": (text,)}),
    )


def test_only_the_slot_differs_from_p() -> None:
    card = residence_card()
    p, q = pair_of(TASK, card)
    neutral = neutral_of(TASK, card).condition
    head = p.turns[0].removesuffix(card.p.sentence)
    assert neutral.turns == (head + NOTHING_TOLD["zh"],)
    assert neutral.turns[0].removesuffix(NOTHING_TOLD["zh"]) == q.turns[0].removesuffix(
        card.q.sentence
    )
    assert neutral.system == p.system
    assert (neutral.assigned, neutral.run_set) == ((), RunSet.NEUTRAL)
    assert (p.run_set, q.run_set) == (RunSet.PANEL, RunSet.PANEL)


def test_the_sentence_tells_no_fact() -> None:
    for lang, sentence in NOTHING_TOLD.items():
        assert find(sentence, lang) is None
        assert tells_nothing(sentence)
        assert not sentence.endswith("\n")
    assert not tells_nothing(residence_card().p.sentence)


def test_after_a_scripted_question_nothing_is_told_either() -> None:
    split = clarified(neutral_of(TASK, residence_card()).condition)
    label = TEMPLATES["zh"].rpartition("\n\n")[2].partition("{")[0]
    assert split.turns[1] == label + NOTHING_TOLD["zh"]
    assert split.system == prompt("system_initial", "zh")
    told = clarified(pair_of(TASK, residence_card())[0])
    assert split.turns[0] == told.turns[0]


@pytest.mark.parametrize("change", ["task", "background", "after", "fact"])
def test_any_other_difference_is_refused(change: str) -> None:
    card = residence_card()
    p = build_condition(TASK, (card,), (Side.P,))
    text = neutral_of(TASK, card).condition.turns[0]
    wrong = {
        "task": text.replace(TASK.text, TASK.text + "！"),
        "background": text.replace("软件工程师", "厨师"),
        "after": text + "\n",
        "fact": p.turns[0],
    }[change]
    assert wrong != text
    with pytest.raises(DesignError):
        neutral_check(p, _told(neutral_of(TASK, card).condition, wrong), card)


def test_a_neutral_condition_assigns_nothing() -> None:
    card = residence_card()
    p = build_condition(TASK, (card,), (Side.P,))
    told = p.model_copy(update={"turns": neutral_of(TASK, card).condition.turns})
    with pytest.raises(DesignError, match="told a fact"):
        neutral_check(p, Neutral(factor_id=card.factor_id, condition=told), card)


def test_one_message_stands_for_one_factor() -> None:
    card = residence_card()
    again = card.model_copy(update={"axis": card.axis.model_copy(update={"question": "？"})})
    assert len(neutral_arm([(TASK, card), (TASK, again)])) == 1
    before = neutral_arm([(TASK, card)])
    assert neutral_arm([(TASK, again)], before) == ()
