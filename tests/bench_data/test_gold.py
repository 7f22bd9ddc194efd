"""The gold set holds what qualification asks of it."""

from collections import Counter

import pytest
from pydantic import ValidationError

from draligned.bench_data.gold import GoldDocument, GoldSet, Mark, Trap, gold_set
from draligned.schema.design import Lang
from draligned.schema.labels import Action, Actor, Presence, Role, Side, Strength

LANGS: tuple[Lang, ...] = ("zh", "en")
HAN = range(0x4E00, 0xA000)


def items(gold: GoldSet) -> list[tuple[Trap, Presence]]:
    """Trap and label of every request and document."""
    requests = [(r.trap, r.label) for p in gold.packets for r in p.requests]
    return [*requests, *((d.trap, d.label) for d in gold.documents)]


@pytest.mark.parametrize("lang", LANGS)
def test_every_label_and_trap_is_there_often_enough_to_be_judged(lang: Lang) -> None:
    gold = gold_set(lang)
    assert gold.n_items == len(items(gold)) >= 60
    assert set(Counter(r.label for p in gold.packets for r in p.requests)) == set(Presence)
    assert set(Counter(d.label for d in gold.documents)) == set(Presence)
    traps = Counter(trap for trap, _ in items(gold))
    assert set(traps) == set(Trap)
    assert min(traps.values()) >= 3, traps


@pytest.mark.parametrize("lang", LANGS)
def test_neither_end_is_the_usual_answer(lang: Lang) -> None:
    labels = Counter(label for _, label in items(gold_set(lang)))
    assert abs(labels[Presence.P_ONLY] - labels[Presence.Q_ONLY]) <= 5
    documents = Counter(d.label for d in gold_set(lang).documents if d.trap is Trap.CONFLICT)
    assert documents == {Presence.P_ONLY: 10, Presence.Q_ONLY: 10}


@pytest.mark.parametrize("lang", LANGS)
def test_marks_ask_for_every_kind_of_item(lang: Lang) -> None:
    marks = [mark for d in gold_set(lang).documents for mark in d.marks]
    said = {value for m in marks for value in (*m.actor, *m.role, *m.action, *m.strength)}
    assert {Actor.AGENT, Actor.USER_RESTATEMENT, Actor.THIRD_PARTY} <= said
    assert {Role.MAIN, Role.SECONDARY} <= said
    assert {Action.RECOMMEND, Action.REJECT, Action.CONDITION} <= said
    assert {Strength.FIRM, Strength.HEDGED, Strength.OPTION} <= said


@pytest.mark.parametrize("lang", LANGS)
def test_conflicts_stand_in_both_orders_with_the_same_words(lang: Lang) -> None:
    conflicts = [d for d in gold_set(lang).documents if d.trap is Trap.CONFLICT]
    one = {frozenset(d.text.strip().split("\n\n")) for d in conflicts if d.order == "acted_first"}
    two = {
        frozenset(d.text.strip().split("\n\n")) for d in conflicts if d.order == "restated_first"
    }
    assert one == two
    assert len(one) == len(conflicts) / 2 == 10
    for document in conflicts:
        first = document.text.split("\n\n")[0]
        restated = next(m.says for m in document.marks if m.actor == (Actor.USER_RESTATEMENT,))
        assert (first == restated) is (document.order == "restated_first")


@pytest.mark.parametrize("lang", LANGS)
def test_conflicts_name_one_end_in_the_restatement_and_the_other_in_the_action(lang: Lang) -> None:
    for document in gold_set(lang).documents:
        if document.trap is not Trap.CONFLICT:
            continue
        restatement, action = (m.says.casefold() for m in document.marks)
        acted, told = document.axis.p, document.axis.q
        if document.label is Presence.Q_ONLY:
            acted, told = told, acted
        assert any(w.casefold() in action for w in acted.words)
        assert not any(w.casefold() in action for w in told.words)
        assert any(w.casefold() in restatement for w in told.words)
        assert not any(w.casefold() in restatement for w in acted.words)


def test_each_language_is_written_in_itself() -> None:
    for lang in LANGS:
        texts = [d.text for d in gold_set(lang).documents]
        texts += [r.text for p in gold_set(lang).packets for r in p.requests if r.tool == "search"]
        for text in texts:
            letters = [c for c in text if c.isalpha()]
            han = sum(ord(c) in HAN for c in letters)
            assert not letters or (han > len(letters) / 2 if lang == "zh" else han == 0), text


def test_identity_is_content() -> None:
    gold = gold_set("zh")
    ids = [p.gold_id for p in gold.packets] + [d.gold_id for d in gold.documents]
    assert len(set(ids)) == len(ids)
    changed = gold.documents[0].model_copy(update={"label": Presence.BOTH})
    assert changed.gold_id != gold.documents[0].gold_id


def test_a_mark_takes_one_value_or_several_and_no_other_word() -> None:
    assert Mark.model_validate({"says": "x", "actor": "AGENT"}).actor == (Actor.AGENT,)
    both = Mark.model_validate({"says": "x", "strength": ["HEDGED", "OPTION"]}).strength
    assert both == (Strength.HEDGED, Strength.OPTION)
    with pytest.raises(ValidationError):
        Mark.model_validate({"says": "x", "actor": "NOBODY"})


def test_the_sides_of_an_axis_have_other_words() -> None:
    for lang in LANGS:
        for packet in gold_set(lang).packets:
            ends = {Side.P: packet.axis.p, Side.Q: packet.axis.q}
            assert not set(ends[Side.P].words) & set(ends[Side.Q].words)


def test_sentinels_are_of_both_kinds_in_both_languages() -> None:
    for lang in LANGS:
        gold = gold_set(lang)
        assert sum(p.sentinel for p in gold.packets) == 2
        marked: list[GoldDocument] = [d for d in gold.documents if d.sentinel]
        assert len(marked) == 2
