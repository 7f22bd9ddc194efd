"""Marginals and nesting of two reviewers, by hand."""

from draligned.constructors.reviewers import reviewer_pairs, reviewer_rows
from draligned.schema.design import FactorCard, Finding
from draligned.schema.labels import Problem

from .samples import residence_card


def card(**verdicts: str) -> FactorCard:
    findings = [
        Finding.model_validate(
            {
                "reviewer": name,
                "problem": Problem.TASK_FORCED if verdict == "fatal" else None,
                "verdict": verdict,
                "reason": "",
            }
        )
        for name, verdict in verdicts.items()
    ]
    return residence_card().model_copy(update={"findings": tuple(findings)})


CARDS = [
    card(a="ok", b="ok"),
    card(a="fatal", b="ok"),
    card(a="fatal", b="undecided"),
    card(b="ok"),
]


def test_marginals() -> None:
    a, b = reviewer_rows(CARDS)
    assert (a.reviewer, a.seen, a.passed, a.undecided) == ("a", 3, 1, 0)
    assert (a.fatal[Problem.TASK_FORCED], a.fatal[Problem.CONTRADICTION]) == (2, 0)
    assert (b.reviewer, b.seen, b.passed, b.undecided) == ("b", 4, 3, 1)


def test_a_reviewer_who_passes_all_that_the_other_passes_decides_nothing() -> None:
    (pair,) = reviewer_pairs(CARDS)
    assert (pair.seen, pair.both_passed, pair.only_first, pair.only_second) == (3, 1, 0, 1)
    assert pair.neither == 1
    assert pair.nested
    (crossed,) = reviewer_pairs([*CARDS, card(a="ok", b="fatal")])
    assert not crossed.nested


def test_no_cards_no_rows() -> None:
    assert reviewer_rows([]) == reviewer_pairs([]) == ()
