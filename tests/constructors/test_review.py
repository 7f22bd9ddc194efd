"""The review is a check by rules: it accepts sound cards and names what is wrong with others.

The rules were written with the odd-numbered tasks of PDR-Bench at hand; the
mutations run on the even-numbered ones, and on the bundled set.
"""

import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from draligned.bench_data.kinds import kind_named, kinds
from draligned.constructors.fields import try_fields
from draligned.constructors.packet import packet_of
from draligned.constructors.review import (
    checked,
    outcome_of,
    review_by_rules,
    unclear_axis,
    ungrounded,
)
from draligned.constructors.source import Source, load_source
from draligned.schema.design import Axis, Endpoint, FactorCard, Finding, Lang, TaskRecord
from draligned.schema.labels import CardOutcome, Problem

from .mutations import ALL
from .samples import TASK, persona, residence_card


def ended(words: tuple[str, ...], sentence: str = "我目前常住杭州。") -> Endpoint:
    """An endpoint with these words."""
    return Endpoint(value="", sentence=sentence, words=words)


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_every_bundled_endpoint_holds_its_own_words_and_no_others(lang: Lang) -> None:
    for kind in kinds(lang):
        for value in kind.values:
            p, q = kind.endpoint(value.name), kind.endpoint(value.pair)
            card = residence_card().model_copy(update={"kind": kind.name, "lang": lang})
            assert unclear_axis(card.model_copy(update={"p": p, "q": q})) == ()


def every_card(source: Source, even_only: bool) -> Iterator[tuple[FactorCard, TaskRecord]]:
    """Every card that can be accepted: all fields of all users of all tasks."""
    for task in source.tasks:
        if even_only and int(task.task_id) % 2:
            continue
        for user in task.users:
            profile = source.persona(user)
            assert profile is not None
            used: set[str] = set()
            while True:
                tries = try_fields(task, profile, lambda path, used=used: path not in used)
                card = next((t.card for t in tries if t.decision.outcome == "accepted"), None)
                if card is None:
                    break
                used.add(card.field_path)
                yield card, task


def fates(cards: list[tuple[FactorCard, TaskRecord]]) -> Counter[tuple[Problem, str]]:
    """How often each mutation was rejected naming its problem, or not."""
    out: Counter[tuple[Problem, str]] = Counter()
    for card, task in cards:
        for problem, spoil in ALL.items():
            findings = review_by_rules(*spoil(card, task))
            named = {f.problem for f in findings if f.verdict == "fatal"}
            out[problem, "hit" if problem in named else f"{card.kind}: {outcome_of(findings)}"] += 1
    return out


def _all_hit(cards: list[tuple[FactorCard, TaskRecord]]) -> None:
    assert all(outcome_of(review_by_rules(c, t)) is CardOutcome.ACCEPTED for c, t in cards)
    assert fates(cards) == {(problem, "hit"): len(cards) for problem in ALL}


@pytest.mark.parametrize(("lang", "least"), [("zh", 24), ("en", 12)])
def test_bundled_cards_pass_and_their_mutations_are_named(lang: Lang, least: int) -> None:
    cards = list(every_card(load_source(None, lang), even_only=False))
    assert len(cards) >= least
    _all_hit(cards)


@pytest.mark.real_data
def test_even_numbered_tasks_pass_and_their_mutations_are_named(pdr_bench: Path) -> None:
    cards = list(every_card(load_source(pdr_bench, "zh"), even_only=True))
    assert len(cards) >= 100
    assert len({c.kind for c, _ in cards}) >= 10
    _all_hit(cards)


def test_the_packet_is_anonymous() -> None:
    card = residence_card()
    swapped = card.model_copy(
        update={"p": card.q, "q": card.p, "order_p": card.order_q, "order_q": card.order_p}
    )
    packet = packet_of(card, TASK)
    assert packet == packet_of(swapped, TASK)
    open_parts = {"endpoint_1", "endpoint_2", "options"}
    assert card.evidence_quote not in packet.model_dump_json(exclude=open_parts)
    assert review_by_rules(card, TASK) == review_by_rules(swapped, TASK)


def test_the_order_of_the_background_does_not_matter() -> None:
    card = checked(residence_card(), TASK, persona())
    assert card.outcome is CardOutcome.ACCEPTED
    background = list(card.background)
    random.Random(1).shuffle(background)
    again = card.model_copy(update={"background": tuple(background)})
    assert checked(again, TASK, persona()).outcome is CardOutcome.ACCEPTED


def test_what_no_rule_decides_is_for_people() -> None:
    card = residence_card()
    nowhere = Endpoint(value="雾湾", sentence="我目前常住雾湾。", words=("雾湾",))
    unknown = card.model_copy(update={"q": nowhere})
    got = checked(unknown, TASK, persona())
    assert got.outcome is CardOutcome.NEEDS_REVIEW
    assert [f.verdict for f in got.findings if f.verdict != "ok"] == ["undecided"]
    strange = card.model_copy(update={"kind": "handwriting"})
    assert checked(strange, TASK, persona()).outcome is CardOutcome.NEEDS_REVIEW


@pytest.mark.parametrize(
    ("change", "outcome"),
    [
        ({"evidence_quote": "深圳"}, CardOutcome.REJECTED_QUOTE),
        ({"evidence_quote": ""}, CardOutcome.REJECTED_QUOTE),
        ({"field_path": "没有/这条"}, CardOutcome.REJECTED_QUOTE),
        ({"order_q": residence_card().order_p}, CardOutcome.REJECTED_ORDERS_MATCH),
    ],
)
def test_grounding_and_order_come_first(change: dict[str, object], outcome: CardOutcome) -> None:
    card = residence_card().model_copy(update=change)
    assert checked(card, TASK, persona()).outcome is outcome


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"order_q": ("甲", "乙")}, "different options"),
        ({"order_q": (residence_card().order_q[0],)}, "different options"),
        ({"order_q": (*residence_card().order_q, residence_card().order_q[0])}, "stands twice"),
        ({"order_p": ("", "甲"), "order_q": ("甲", "")}, "is blank"),
        ({"decision": " "}, "not named"),
        ({"axis": Axis(question="", guidance="点名某城的算该端。")}, "no question"),
        ({"axis": Axis(question="先看哪座城市？", guidance="\u200b")}, "no guidance"),
        ({"p": ended(("",))}, "a blank one"),
        ({"p": ended(())}, "no public words"),
        ({"p": ended(("西湖",))}, "holds none of its public words"),
        ({"q": ended(("深圳",), "我目前常住深圳杭州路。")}, "a word of the other endpoint"),
    ],
)
def test_what_readers_or_reviewers_could_not_use_is_for_people(
    change: dict[str, object], said: str
) -> None:
    card = checked(residence_card().model_copy(update=change), TASK, persona())
    assert card.outcome is CardOutcome.NEEDS_REVIEW
    assert any(said in f.reason for f in card.findings if f.verdict == "undecided")


def test_orders_that_differ_in_blanks_alone_are_the_same() -> None:
    card = residence_card()
    same = card.model_copy(update={"order_q": tuple(f" {o}" for o in card.order_p)})
    assert checked(same, TASK, persona()).outcome is CardOutcome.REJECTED_ORDERS_MATCH


def test_a_quote_that_states_the_other_endpoint_is_no_ground() -> None:
    card = residence_card()
    turned = card.model_copy(update={"p": card.q, "q": card.p})
    fault = ungrounded(turned, persona())
    assert fault is not None
    assert "the quote says 杭州" in fault.reason


def test_words_that_readers_cannot_tell_apart_are_for_people() -> None:
    card = residence_card()
    blurred = card.model_copy(update={"q": card.q.model_copy(update={"words": ("杭州湾",)})})
    assert checked(blurred, TASK, persona()).outcome is CardOutcome.NEEDS_REVIEW
    leaning = card.model_copy(
        update={"axis": card.axis.model_copy(update={"question": "是否优先考虑杭州？"})}
    )
    assert checked(leaning, TASK, persona()).outcome is CardOutcome.NEEDS_REVIEW


@pytest.mark.parametrize(
    ("guidance", "said"),
    [
        ("杭州算 ALPHA，深圳算 BETA。", "ALPHA"),
        ("点名杭州或深圳的算该端；slot1为先。", "slot1"),
        ("点名原来的端点算该端。", "原来的端点"),
        ("The counterfactual counts less.", "counterfactual"),
        ("Alphabetical order and slots in a calendar do not matter.", None),
        ("点名杭州或深圳的算该端，都不点名的算 NEITHER。", None),
    ],
)
def test_an_axis_that_tells_a_slot_or_a_side_is_for_people(guidance: str, said: str | None) -> None:
    card = residence_card()
    told = card.model_copy(update={"axis": card.axis.model_copy(update={"guidance": guidance})})
    reasons = [f.reason for f in unclear_axis(told)]
    assert reasons == ([] if said is None else [reasons[0]])
    assert said is None or f"“{said}”" in reasons[0]


@pytest.mark.parametrize(
    ("guidance", "clear"),
    [
        ("Located advice of any category counts.", True),
        ("Cats count for that end.", False),
        ("DOGS and cats count for their ends.", True),
        ("Canine equipment counts for that end.", False),
    ],
)
def test_an_axis_names_an_endpoint_by_whole_words(guidance: str, clear: bool) -> None:
    pet = kind_named("pet", "en")
    assert pet is not None
    card = residence_card().model_copy(update={"p": pet.endpoint("cat"), "q": pet.endpoint("dog")})
    axis = Axis(question="Which supplies come first?", guidance=guidance)
    assert (unclear_axis(card.model_copy(update={"axis": axis})) == ()) is clear


def test_a_fatal_finding_outweighs_an_open_one() -> None:
    def finding(problem: Problem | None, verdict: str) -> Finding:
        return Finding.model_validate(
            {"reviewer": "r", "problem": problem, "verdict": verdict, "reason": ""}
        )

    open_point = finding(Problem.IMPLAUSIBLE, "undecided")
    fatal = finding(Problem.TASK_FORCED, "fatal")
    assert outcome_of([open_point, fatal]) is CardOutcome.REJECTED_TASK_FORCED
    assert outcome_of([open_point]) is CardOutcome.NEEDS_REVIEW
    assert outcome_of([]) is CardOutcome.ACCEPTED
