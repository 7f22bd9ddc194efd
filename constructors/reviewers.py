"""How the reviewers of a construction fared, each alone and together (DR-101)."""

from collections.abc import Sequence
from itertools import combinations

from draligned.schema.base import Record
from draligned.schema.design import FactorCard
from draligned.schema.labels import Problem


class ReviewerRow(Record):
    """One reviewer over the cards it saw."""

    reviewer: str
    seen: int
    passed: int
    """Cards on which it found nothing."""
    undecided: int
    fatal: dict[Problem, int]
    """Cards by fatal problem it named; a card may count under several."""


class ReviewerPair(Record):
    """Two reviewers over the cards that both saw."""

    first: str
    second: str
    seen: int
    both_passed: int
    only_first: int
    only_second: int
    neither: int

    @property
    def nested(self) -> bool:
        """Whether one reviewer passes all that the other passes: then it decides nothing."""
        return min(self.only_first, self.only_second) == 0


def reviewer_rows(cards: Sequence[FactorCard]) -> tuple[ReviewerRow, ...]:
    """Marginals of every reviewer, by name."""
    return tuple(_row(name, cards) for name in _names(cards))


def reviewer_pairs(cards: Sequence[FactorCard]) -> tuple[ReviewerPair, ...]:
    """Agreement of every two reviewers, with the nesting that marginals hide."""
    return tuple(_pair(a, b, cards) for a, b in combinations(_names(cards), 2))


def _names(cards: Sequence[FactorCard]) -> list[str]:
    return sorted({f.reviewer for c in cards for f in c.findings})


def _verdict(card: FactorCard, reviewer: str) -> str | None:
    """`ok`, `fatal` or `undecided`; none where the reviewer did not see the card."""
    given = {f.verdict for f in card.findings if f.reviewer == reviewer}
    return next((v for v in ("fatal", "undecided", "ok") if v in given), None)


def _row(name: str, cards: Sequence[FactorCard]) -> ReviewerRow:
    verdicts = [v for c in cards if (v := _verdict(c, name)) is not None]
    named = [
        {f.problem for f in c.findings if f.reviewer == name and f.verdict == "fatal"}
        for c in cards
    ]
    return ReviewerRow(
        reviewer=name,
        seen=len(verdicts),
        passed=verdicts.count("ok"),
        undecided=verdicts.count("undecided"),
        fatal={p: sum(p in problems for problems in named) for p in Problem},
    )


def _pair(a: str, b: str, cards: Sequence[FactorCard]) -> ReviewerPair:
    both = [
        (x == "ok", y == "ok") for c in cards if (x := _verdict(c, a)) and (y := _verdict(c, b))
    ]
    return ReviewerPair(
        first=a,
        second=b,
        seen=len(both),
        both_passed=both.count((True, True)),
        only_first=both.count((True, False)),
        only_second=both.count((False, True)),
        neither=both.count((False, False)),
    )
