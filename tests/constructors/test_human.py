"""What a person decides about a card."""

import json

import pytest

from draligned.constructors.handmade import parse_cards
from draligned.constructors.human import (
    accepted_by_human,
    decision_of,
    human_accepted,
    left_open,
    next_step,
    rejected_by_human,
    said_of,
    told,
)
from draligned.constructors.source import load_source
from draligned.schema.design import FactorCard, Finding
from draligned.schema.errors import DesignError
from draligned.schema.labels import CardOutcome, Problem

from .samples import own_kind


def card(**change: object) -> FactorCard:
    text = json.dumps([{**own_kind(), **change}])
    return parse_cards(text, load_source(None, "en"), name="c.json")[0]


def test_what_rules_leave_open_a_person_may_accept_with_a_reason() -> None:
    open_card = card()
    assert open_card.outcome is CardOutcome.NEEDS_REVIEW
    done = accepted_by_human(open_card, " seen and sound ")
    assert done.outcome is CardOutcome.ACCEPTED
    assert done.findings[:-1] == open_card.findings
    assert done.findings[-1] == Finding(
        reviewer="human", problem=None, verdict="ok", reason="seen and sound"
    )
    assert done.factor_id == open_card.factor_id
    assert human_accepted([open_card, done]) == (done,)
    assert decision_of(done).reason == "hand-written; accepted by human review: seen and sound"
    with pytest.raises(DesignError, match="say why"):
        accepted_by_human(open_card, "  ")
    with pytest.raises(DesignError, match="accepted already"):
        accepted_by_human(done, "again")


@pytest.mark.parametrize(
    "change",
    [
        {"evidence_quote": "Rome"},
        {"order_q": own_kind()["order_p"]},
        {"q": {"sentence": "You should drink coffee.", "words": ["coffee"]}},
    ],
)
def test_a_fatal_problem_cannot_be_accepted(change: dict[str, object]) -> None:
    bad = card(**change)
    assert not left_open(bad)
    with pytest.raises(DesignError, match=bad.outcome.value):
        accepted_by_human(bad, "I like it")
    assert "mend the card" in next_step(bad)


def test_a_model_that_finds_it_fatal_is_not_overruled() -> None:
    found = Finding(reviewer="m", problem=Problem.IMPLAUSIBLE, verdict="fatal", reason="no")
    mixed = card()
    mixed = mixed.model_copy(update={"findings": (*mixed.findings, found)})
    assert mixed.outcome is CardOutcome.NEEDS_REVIEW
    with pytest.raises(DesignError, match="needs_review"):
        accepted_by_human(mixed, "I like it")


def test_turned_down_and_taken_back() -> None:
    gone = rejected_by_human(accepted_by_human(card(), "good"), "on second thoughts")
    assert (gone.outcome, said_of(gone)) == (CardOutcome.REJECTED_BY_USER, "on second thoughts")
    assert [f.reviewer for f in gone.findings].count("human") == 1
    assert gone.factor_id in next_step(gone)
    assert said_of(accepted_by_human(gone, "third")) == "accepted by human review: third"
    assert said_of(rejected_by_human(card(), "")) == "no reason given"


def test_told_names_the_card_its_outcome_and_the_whole_reason_once() -> None:
    line = told(card())
    assert line.count("no rules for the kind tea_or_coffee") == 1
    for part in ("task 1, User1, tea_or_coffee", "needs_review", card().factor_id):
        assert part in line
    assert "--accept-why" in next_step(card(), frozen=True)
    assert "card accept" not in next_step(card(), kept=False).replace("accepted", "")
