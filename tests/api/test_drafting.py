"""Cards judged by people, on disk: accepted, rejected, carried over, amended, shown."""

import json
from pathlib import Path

import pytest

import draligned
from draligned.api import Study
from draligned.schema.errors import ConfigError, DesignError, InputError
from draligned.schema.labels import CardOutcome
from draligned.study.freeze import SET_ASIDE
from tests.constructors.samples import own_kind

SMALL = "[construction]\nlang = 'en'\ntasks = 2\n"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A card of a kind that no rule knows."""
    path = tmp_path / "cards.json"
    path.write_text(json.dumps([own_kind()]), encoding="utf-8")
    return path


@pytest.fixture
def study(tmp_path: Path, file: Path) -> Study:
    """A draft of two cards, beside which the card of the file is set aside."""
    root = tmp_path / "study"
    root.mkdir()
    (root / "study.toml").write_text(SMALL, encoding="utf-8")
    made = draligned.open(root)
    made.construct(cards=file)
    return made


def own(study: Study) -> str:
    """The factor id of the file's card."""
    return next(c.factor_id for c in study.cards() if c.kind == "tea_or_coffee")


def inside(study: Study) -> set[str]:
    return {c.factor_id for c in study.design().cards}


def files(study: Study) -> dict[str, bytes]:
    root = study.folder.root
    return {str(p): p.read_bytes() for p in root.rglob("*") if p.is_file()}


def test_a_card_set_aside_is_kept_and_can_be_accepted(study: Study) -> None:
    factor = own(study)
    assert factor not in inside(study)
    assert study.folder.store.exists(SET_ASIDE)
    with pytest.raises(DesignError, match="say why"):
        study.accept_card(factor, "")
    study.accept_card(factor, "read and sound")
    assert factor in inside(study)
    assert own(study) not in {s.card.factor_id for s in study.set_aside()}
    assert study.design().notes["human_review"] is True
    assert sum(factor in {a.factor_id for a in c.assigned} for c in study.design().conditions) == 2
    assert study.decisions()[-1].outcome is CardOutcome.ACCEPTED
    assert study.decisions()[-1].reason.endswith("accepted by human review: read and sound")
    with pytest.raises(DesignError, match="in the draft already"):
        study.accept_card(factor, "again")
    assert study.freeze().n_cards == 3
    with pytest.raises(DesignError, match="--accept-why"):
        study.accept_card(factor, "again")


def test_what_was_accepted_outlives_the_next_draft(study: Study) -> None:
    factor = own(study)
    study.accept_card(factor, "read and sound")
    study.construct()
    assert factor in inside(study)
    assert study.design().notes["human_review"] is True
    study.construct(lang="zh", tasks=1)
    assert factor not in inside(study)


def test_what_was_rejected_stays_rejected_with_its_reason(study: Study) -> None:
    gone = study.design().cards[0].factor_id
    study.reject_card(gone, "not for us")
    with pytest.raises(DesignError, match="rejected already"):
        study.reject_card(gone)
    for _ in range(2):
        study.construct()
        assert gone not in inside(study)
        told = [d for d in study.decisions() if d.outcome is CardOutcome.REJECTED_BY_USER]
        assert [d.reason for d in told] == ["not for us"]
    study.accept_card(gone, "taken back")
    assert gone in inside(study)


def test_a_rejection_outlives_a_draft_of_other_tasks(study: Study) -> None:
    gone = study.design().cards[0].factor_id
    study.reject_card(gone, "not for us")
    study.construct(lang="zh", tasks=1)
    with pytest.raises(DesignError, match="another set of tasks"):
        study.accept_card(gone, "x")
    study.construct()
    assert gone not in inside(study)


def test_a_card_in_the_frozen_design_is_not_added_again(study: Study, file: Path) -> None:
    study.accept_card(own(study), "read and sound")
    study.freeze()
    before = files(study)
    with pytest.raises(DesignError, match="is already in the design"):
        study.amend(cards=file)
    assert files(study) == before


def test_an_amendment_by_a_card_that_is_not_accepted_writes_nothing(
    study: Study, file: Path
) -> None:
    study.freeze()
    before = files(study)
    with pytest.raises(DesignError, match=r"no rules for the kind tea_or_coffee.*Next: "):
        study.amend(cards=file)
    with pytest.raises(ConfigError, match="give --cards"):
        study.amend(tasks=1, accept_why="x")
    assert files(study) == before
    built, entry = study.amend(cards=file, accept_why="read and sound")
    assert entry.n_cards == 3
    assert built.design.cards[-1].kind == "tea_or_coffee"
    assert study.set_aside() == []


def test_the_set_of_an_amendment_is_the_designs(study: Study, tmp_path: Path) -> None:
    study.freeze()
    with pytest.raises(DesignError, match="leave out --pdr-bench"):
        study.amend(tasks=1, pdr_bench=tmp_path)


def test_a_design_of_ones_own_tasks_is_amended_from_its_folder(tmp_path: Path) -> None:
    own = tmp_path / "own"
    own.mkdir()
    task = "请制定今后五年的储蓄与投资方案{}。"
    lines = [
        {"taskid": n, "userid": f"u{n}", "domain": "Finance", "task": task.format(n)}
        for n in (1, 2)
    ]
    users = [{"userid": f"u{n}", "财务": {"风险偏好": "稳健"}} for n in (1, 2)]
    for name, rows in (("tasks", lines), ("personas", users)):
        text = "\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
        (own / f"{name}.jsonl").write_text(text, encoding="utf-8")
    study = draligned.open(tmp_path / "study")
    study.construct(own=own, lang="zh", tasks=1)
    assert study.design().source.startswith("own zh; ")
    study.freeze()
    with pytest.raises(DesignError, match="add --own FOLDER"):
        study.amend(tasks=1)
    with pytest.raises(DesignError, match=r"not made from that folder: .* add --own"):
        study.amend(tasks=1, pdr_bench=own)
    _, entry = study.amend(tasks=1, own=own)
    assert entry.n_tasks == 2


@pytest.mark.real_data
def test_a_pdr_bench_design_asks_for_its_folder(tmp_path: Path, pdr_bench: Path) -> None:
    study = draligned.open(tmp_path)
    study.construct(pdr_bench=pdr_bench, lang="zh", tasks=1)
    study.freeze()
    with pytest.raises(DesignError, match="add --pdr-bench FOLDER"):
        study.amend(tasks=1)


def test_a_factor_and_a_condition_are_shown_before_any_run(study: Study) -> None:
    design = study.design()
    card, condition = design.cards[0], design.conditions[1]
    whole = "\n".join(study.show(card.factor_id))
    for text in (
        card.p.sentence, card.q.sentence, card.decision, *card.order_p, card.axis.question,
        card.axis.guidance, *(r.text for r in card.removed_from_both),
        *(d.text for d in card.background), design.conditions[0].condition_id,
    ):  # fmt: skip
        assert text in whole
    for told in design.conditions[:2]:
        assert all(f"    │ {line}" in whole for line in told.turns[0].split("\n"))
    one = "\n".join(study.show(condition.condition_id))
    assert condition.turns[0].split("\n")[-1] in one
    assert design.conditions[0].condition_id not in one
    aside = "\n".join(study.show(own(study)))
    assert "not in the design" in aside
    assert "    │ I drink tea." in aside
    with pytest.raises(InputError, match="is no factor, condition"):
        study.show("x")
