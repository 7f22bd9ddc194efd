"""Construction as a whole: selection, record, counts, amendment, hand-written cards."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from draligned.constructors.build import Judged, amend, construct
from draligned.constructors.conditions import pair_check
from draligned.constructors.construction import Construction
from draligned.constructors.fields import Tried, try_fields
from draligned.constructors.handmade import card_template, parse_cards
from draligned.constructors.human import accepted_by_human, decision_of, rejected_by_human
from draligned.constructors.source import Source, load_source
from draligned.schema.chat import ChatRequest
from draligned.schema.config import ConstructConfig
from draligned.schema.design import Design, FactorCard
from draligned.schema.errors import ConfigError, DesignError
from draligned.schema.labels import CardOutcome

from .doubles import Scripted
from .samples import own_kind

OK = '{"problems": [], "reason": "ok"}'


async def bundled(tasks: int = 8, seed: int = 3, **settings: object) -> Construction:
    config = ConstructConfig.model_validate({"tasks": tasks, **settings})
    return await construct(load_source(None, "zh"), config, seed=seed)


def check_design(design: Design) -> None:
    """Everything that must hold of any draft."""
    assert len(design.conditions) == 2 * len(design.cards)
    for n, card in enumerate(design.cards):
        p, q = design.conditions[2 * n : 2 * n + 2]
        pair_check(p, q, card)
        assert card.outcome is CardOutcome.ACCEPTED
        assert all(f.verdict == "ok" for f in card.findings)
        assert len(card.findings) == 5
        assert card.task_id in [t.task_id for t in design.tasks]


async def test_a_draft_is_whole_and_repeats_exactly() -> None:
    made = await bundled()
    check_design(made.design)
    assert made.to_json() == (await bundled()).to_json()
    assert Construction.from_json(made.to_json()) == made
    assert [(e.name, e.channel, e.population) for e in made.design.estimands] == [
        ("D_A", "A", "readable"),
        ("D_F", "F", "readable"),
    ]


async def test_every_field_passed_over_has_a_reason() -> None:
    source = load_source(None, "zh")
    made = await bundled()
    assert all(d.reason for d in made.decisions)
    for card in made.design.cards:
        ours = [d for d in made.decisions if (d.task_id, d.user_id) == (card.task_id, card.user_id)]
        told = [d.field_path for d in ours]
        profile = source.persona(card.user_id)
        assert profile is not None
        assert list(dict.fromkeys(told)) == list(dict.fromkeys(d.path for d in profile.details))


async def test_counts_add_up() -> None:
    made = await bundled()
    fields = [d for d in made.decisions if d.field_path]
    assert sum(r.n for r in made.counts if r.unit == "field") == len(fields)
    accepted = [r for r in made.counts if r.unit == "task" and r.outcome == "accepted"]
    assert sum(r.n for r in accepted) == len(made.design.cards)
    assert {r.kind for r in accepted} == {c.kind for c in made.design.cards}


async def test_fewer_tasks_than_asked_for_are_not_padded() -> None:
    made = await bundled(tasks=99)
    assert (made.wanted, len(made.design.cards), made.tried) == (99, 8, 8)


async def test_tasks_after_enough_are_recorded_as_not_needed() -> None:
    made = await bundled(tasks=2)
    rest = [d for d in made.decisions if d.reason == "enough tasks before this one"]
    assert (len(made.design.cards), len(rest)) == (2, 6)


async def test_file_order_takes_the_first_task_and_the_first_user() -> None:
    made = await bundled(tasks=2, selection="file_order")
    assert [(c.task_id, c.user_id) for c in made.design.cards] == [("1", "User1"), ("2", "User1")]


async def test_limits_are_kept() -> None:
    made = await bundled(max_per_user=1)
    assert max(Counter(c.user_id for c in made.design.cards).values()) == 1
    assert any(d.reason.startswith("the user is used often") for d in made.decisions)
    made = await bundled(max_per_path=1)
    assert max(Counter(c.field_path for c in made.design.cards).values()) == 1


async def test_language_must_be_the_sources() -> None:
    with pytest.raises(ConfigError, match="lang = en"):
        await construct(load_source(None, "zh"), ConstructConfig(lang="en"), seed=1)


async def test_no_card_at_all_is_an_error() -> None:
    source = load_source(None, "zh")
    nobody = source.model_copy(update={"personas": ()})
    with pytest.raises(DesignError, match="no task has an accepted card"):
        await construct(nobody, ConstructConfig(), seed=1)


async def test_amending_leaves_old_cards_and_conditions_as_they_are() -> None:
    source = load_source(None, "zh")
    old = (await bundled(tasks=3)).design
    grown = (await amend(old, source, ConstructConfig(tasks=2), seed=3)).design
    assert grown.cards[:3] == old.cards
    assert grown.conditions[:6] == old.conditions
    assert len(grown.cards) == len({c.task_id for c in grown.cards}) == 5
    check_design(grown)
    assert len(grown.notes["amendments"]) == 1
    with pytest.raises(DesignError, match="other files"):
        await amend(
            old.model_copy(update={"source": "x"}), source, ConstructConfig(tasks=1), seed=3
        )


async def test_hand_written_cards_come_first_and_count() -> None:
    source = load_source(None, "zh")
    (card,) = parse_cards(card_template("zh"), source, name="cards.toml")
    made = await construct(source, ConstructConfig(tasks=3), seed=5, cards=[card])
    assert card in made.design.cards
    assert len(made.design.cards) == 3
    assert made.decisions[0].reason == "hand-written; passed both reviews"
    spoilt = card.model_copy(update={"outcome": CardOutcome.NEEDS_REVIEW})
    again = await construct(source, ConstructConfig(tasks=3), seed=5, cards=[spoilt])
    assert spoilt not in again.design.cards
    assert spoilt in again.set_aside


async def test_a_card_that_models_refuse_is_passed_over_for_the_next_field() -> None:
    source = load_source(None, "zh")
    first = source.tasks[0].model_copy(update={"text": "想提升领导力，请安排课程与人脉活动。"})
    source = source.model_copy(update={"tasks": (first, *source.tasks[1:])})

    def refuse_residence(request: ChatRequest) -> str:
        told = request.messages[1].text or ""
        return '{"problems": ["contradiction"], "reason": "x"}' if "我目前常住" in told else OK

    models = [Scripted(refuse_residence, name=n) for n in ("r1", "r2")]
    made = await construct(source, ConstructConfig(tasks=8), seed=3, reviewers=models)
    kinds = {c.task_id: c.kind for c in made.design.cards}
    assert kinds["1"] == "personality"
    assert "7" not in kinds
    refused = [c for c in made.set_aside if c.kind == "residence"]
    assert {c.outcome for c in refused} == {CardOutcome.REJECTED_CONTRADICTION}
    assert made.design.notes["screening"] == "rules and models"


async def test_a_chat_constructor_is_asked_once_for_each_user_tried() -> None:
    model = Scripted(lambda _: '{"field_path": ""}')
    source = load_source(None, "zh")
    with pytest.raises(DesignError):
        await construct(source, ConstructConfig(tasks=2), seed=3, proposer=model)
    assert len(model.asked) == len({r.key.owner for r in model.asked}) == 24


def golden_tries(source: Source) -> list[Tried]:
    task, user = source.task("8"), source.persona("User11")
    assert task is not None
    assert user is not None
    return list(try_fields(task, user, lambda _: True))


@pytest.mark.real_data
def test_golden_task_8_and_user_11(pdr_bench: Path) -> None:
    tries = golden_tries(load_source(pdr_bench, "zh"))
    at = next(n for n, t in enumerate(tries) if t.decision.outcome == "accepted")
    card = tries[at].card
    assert card is not None
    assert card.field_path == "基础属性/长期空间特征/常住地"
    assert (card.evidence_quote, card.p.value, card.q.value) == ("杭州", "杭州", "深圳")
    assert [r.path for r in card.removed_from_both] == [
        "基础属性/身份特征/文化背景",
        "基础属性/长期空间特征/空间影响",
    ]
    assert any("浙江大学" in d.text for d in card.background)
    before = {t.decision.field_path.rpartition("/")[2]: t.decision.outcome for t in tries[:at]}
    assert before["职业"] == before["本科"] == before["研究生"] == CardOutcome.NO_RELEVANCE
    assert all(t.decision.outcome is CardOutcome.NOT_NEEDED for t in tries[at + 1 :])


@pytest.mark.real_data
async def test_24_tasks_of_the_published_data(pdr_bench: Path) -> None:
    source = load_source(pdr_bench, "zh")
    made = await construct(source, ConstructConfig(tasks=24), seed=20260929)
    check_design(made.design)
    cards = made.design.cards
    assert len({c.task_id for c in cards}) == len(cards) == 24
    assert len({c.domain for c in cards}) == 10
    assert max(Counter(c.user_id for c in cards).values()) <= 2
    paths = Counter(c.field_path for c in cards)
    assert len(paths) >= 6
    assert max(paths.values()) <= 8
    for card in cards:
        profile = source.persona(card.user_id)
        assert profile is not None
        texts = [d.text for d in profile.details if d.path == card.field_path]
        assert any(card.evidence_quote in t for t in texts)
        names = [d.text for d in profile.details if d.path.endswith("/姓名")]
        own = [c.turns[0] for c in made.design.conditions if c.user_id == card.user_id]
        assert not any(n in turn for n in names for turn in own)


def english(**change: object) -> FactorCard:
    text = json.dumps([{**own_kind(), **change}])
    return parse_cards(text, load_source(None, "en"), name="c.json")[0]


async def drafted(**more: Any) -> Construction:
    config = ConstructConfig(lang="en", tasks=2)
    return await construct(load_source(None, "en"), config, seed=3, **more)


async def amended(old: Design, tasks: int = 1, **more: Any) -> Construction:
    config = ConstructConfig(lang="en", tasks=tasks)
    return await amend(old, load_source(None, "en"), config, seed=3, **more)


async def test_a_factor_in_the_design_cannot_be_added_again() -> None:
    sound = accepted_by_human(english(), "sound")
    old = (await drafted(cards=[sound])).design
    assert sound in old.cards
    with pytest.raises(DesignError, match=f"factor {sound.factor_id} .* is already in the design"):
        await amended(old, cards=[english()])


async def test_cards_alone_search_nothing() -> None:
    old = (await drafted()).design
    with pytest.raises(DesignError, match=r"nothing was written; card .*needs_review.*Next: --acc"):
        await amended(old, cards=[english()], searching=False)
    judged = Judged(accept_why="sound")
    grown = await amended(old, cards=[english()], searching=False, judged=judged)
    assert [c.kind for c in grown.design.cards[len(old.cards) :]] == ["tea_or_coffee"]
    assert grown.design.notes["human_review"] is True
    assert {d.kind for d in grown.decisions} == {"tea_or_coffee"}


async def test_tasks_asked_for_include_those_of_the_cards() -> None:
    old = (await drafted()).design
    grown = await amended(old, tasks=2, cards=[english()], judged=Judged(accept_why="sound"))
    assert len(grown.design.cards) in (4, 5)
    new = {c.task_id for c in grown.design.cards} - {c.task_id for c in old.cards}
    assert len(new) == 2


async def test_when_every_task_is_in_use_that_is_said() -> None:
    full = (await amended((await drafted()).design, tasks=2)).design
    with pytest.raises(
        DesignError, match=r"all 4 tasks of the set \(bundled en\) are in the design"
    ):
        await amended(full)


async def test_fruitless_construction_names_what_stood_in_the_way() -> None:
    source = load_source(None, "zh").model_copy(update={"personas": ()})
    why = r"card; task \d: there is no profile of this user \(3\); .*; and 3 tasks more$"
    with pytest.raises(DesignError, match=why):
        await construct(source, ConstructConfig(), seed=1)


async def test_what_a_person_rejected_is_not_drawn_up_again() -> None:
    first = await drafted()
    gone = rejected_by_human(first.design.cards[0], "not this one")
    again = await drafted(judged=Judged(rejected=(gone,)))
    assert gone.factor_id not in {c.factor_id for c in again.design.cards}
    lines = [d for d in again.decisions if d.outcome is CardOutcome.REJECTED_BY_USER]
    assert [d.reason for d in lines] == ["not this one"]
    assert len(again.design.cards) == 2
    elsewhere = gone.model_copy(update={"task_id": "no such task"})
    kept = await drafted(judged=Judged(rejected=(elsewhere,)))
    assert kept.design.cards == first.design.cards
    assert kept.decisions == (*first.decisions, decision_of(elsewhere))


async def test_what_a_person_accepted_stays_unless_the_card_is_another() -> None:
    sound = accepted_by_human(english(), "sound")
    judged = Judged(accepted=(sound,))
    made = await drafted(judged=judged)
    assert sound in made.design.cards
    assert (len(made.design.cards), made.design.notes["human_review"]) == (2, True)
    same = await drafted(judged=judged, cards=[english()])
    assert sound in same.design.cards
    other = english(decision="what to pour")
    assert other.factor_id == sound.factor_id
    changed = await drafted(judged=judged, cards=[other])
    assert sound.factor_id not in {c.factor_id for c in changed.design.cards}
    assert changed.refused_by_hand == (other,)


async def test_a_hand_written_card_that_was_rejected_stays_so() -> None:
    gone = rejected_by_human(accepted_by_human(english(), "sound"), "no longer")
    made = await drafted(judged=Judged(rejected=(gone,)), cards=[english()])
    (aside,) = made.refused_by_hand
    assert (aside.outcome, aside.findings[-1].reason) == (gone.outcome, "no longer")
    assert made.kept_aside[0].task.task_id == "1"
    assert sum(d.outcome is CardOutcome.REJECTED_BY_USER for d in made.decisions) == 1
