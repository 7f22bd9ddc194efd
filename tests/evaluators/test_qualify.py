"""The bar: what passes, and what each fault fails."""

from typing import Any

import pandas as pd
import pytest

from draligned.evaluators.bar import BAR
from draligned.evaluators.gold import GOLD_SEED, gold_units
from draligned.evaluators.judged import judged
from draligned.evaluators.marks import MarkRead, Separation
from draligned.evaluators.orientation import ReadPlan
from draligned.evaluators.qualify import Findings, counted, findings, flips_of

PLAN = ReadPlan(seed=GOLD_SEED, mirrored=True, retest_share=0.0)
RIGHT = [MarkRead("actor", ("AGENT",), ("AGENT",), True)] * 40
APART = [Separation(False)] * 20
OTHER = {"P_ONLY": "Q_ONLY", "Q_ONLY": "P_ONLY", "BOTH": "NEITHER", "NEITHER": "BOTH",
         "UNKNOWN": "NEITHER"}  # fmt: skip


@pytest.fixture(scope="module")
def blank() -> pd.DataFrame:
    """The units of the Chinese gold set, not read."""
    return judged(gold_units("zh"), [], evaluator_id="e", plan=PLAN)


def read_as(blank: pd.DataFrame, first: Any, mirror: Any) -> pd.DataFrame:
    """Units with what both reads say, and the label that follows."""
    same = first.eq(mirror)
    known = same & first.ne("UNKNOWN")
    reason = pd.Series("mirror_disagreement", index=blank.index)
    silent = first.eq("UNKNOWN") | mirror.eq("UNKNOWN")
    reason = reason.mask(silent, "abstained").mask(known, None)
    label = first.where(known, "UNKNOWN")
    return blank.assign(first=first, mirror=mirror, label=label, reason=reason)


def faultless(blank: pd.DataFrame) -> pd.DataFrame:
    return read_as(blank, blank["expected"], blank["expected"])


def found(units: pd.DataFrame, **changes: Any) -> Findings:
    given: dict[str, Any] = {"marks": RIGHT, "apart": APART, "unreadable": {}} | changes
    return findings(units, given.pop("marks"), given.pop("apart"), given.pop("unreadable"), **given)


def unmet(result: Findings) -> set[str]:
    return {c.count.name.partition(":")[0] for c in result.criteria if not c.met}


def test_a_faultless_reader_is_qualified(blank: pd.DataFrame) -> None:
    result = found(faultless(blank))
    assert result.verdict == "qualified"
    assert unmet(result) == set()
    assert result.flips.n == 0
    assert all(c.expected == c.said or c.said == "abstained" for c in result.confusion)


def test_reads_that_are_missing_leave_the_verdict_open(blank: pd.DataFrame) -> None:
    assert found(faultless(blank), complete=False).verdict == "incomplete"
    assert found(blank, complete=True).verdict == "incomplete"


def test_unreadable_units_fail_by_their_share(blank: pd.DataFrame) -> None:
    units = faultless(blank)
    units.loc[units.index[:6], ["first", "label", "reason"]] = [None, "UNKNOWN", "void_read"]
    assert "unreadable units" in unmet(found(units))


def test_a_reader_that_takes_one_end_for_the_other_fails(blank: pd.DataFrame) -> None:
    ends = blank["expected"].isin(["P_ONLY", "Q_ONLY"]) & (blank["trap"] == "plain")
    chosen = blank.index[ends][:2]
    units = faultless(blank)
    wrong = units["expected"].where(~units.index.isin(chosen), units["expected"].map(OTHER))
    assert unmet(found(read_as(blank, wrong, wrong))) == {"opposite labels"}


def test_an_order_biased_reader_fails_by_its_flips(blank: pd.DataFrame) -> None:
    """It says the endpoint shown first wherever there is a direction, in a third of the units."""
    ends = blank["expected"].isin(["P_ONLY", "Q_ONLY"]) & (blank["trap"] != "conflict")
    chosen = ends & (ends.cumsum() % 2 == 0)
    first = blank["expected"].where(~chosen, blank["alpha"] + "_ONLY")
    mirror = blank["expected"].where(~chosen, (blank["alpha"] + "_ONLY").map(OTHER))
    result = found(read_as(blank, first, mirror))
    assert "order flips" in unmet(result)
    assert result.flips.both_to_first == result.flips.n == chosen.sum()
    assert result.flips.both_to_second == result.flips.other == 0


def test_following_the_restatement_in_one_order_alone_fails(blank: pd.DataFrame) -> None:
    """The trap of DR-107: the mean over both orders is half right and hides it."""
    conflict = blank["trap"] == "conflict"
    in_order = conflict & (blank["order"] == "restated_first")
    said = blank["expected"].where(~in_order, blank["expected"].map(OTHER))
    result = found(read_as(blank, said, said))
    assert "conflicts, worst order" in unmet(result)
    shares = {c.name: c.share for c in result.conflicts}
    assert {s for name, s in shares.items() if name.startswith("restated")} == {0.0}
    assert {s for name, s in shares.items() if name.startswith("acted_first")} == {1.0}


def test_following_the_restatement_when_the_action_is_shown_second_fails(
    blank: pd.DataFrame,
) -> None:
    conflict = blank["trap"] == "conflict"
    ahead = blank["expected"] == blank["alpha"] + "_ONLY"
    wrong = blank["expected"].map(OTHER)
    first = blank["expected"].where(~conflict | ahead, wrong)
    mirror = blank["expected"].where(~conflict | ~ahead, wrong)
    result = found(read_as(blank, first, mirror))
    shares = {c.name.rpartition(" ")[2]: c.share for c in result.conflicts}
    assert shares == {"alpha": 1.0, "beta": 0.0}
    assert "conflicts, worst order" in unmet(result)


def test_a_trap_that_is_always_failed_fails_though_the_mean_is_high(blank: pd.DataFrame) -> None:
    trap = blank["trap"] == "list_order"
    said = blank["expected"].where(~trap, "P_ONLY")
    result = found(read_as(blank, said, said))
    assert unmet(result) == {"traps, worst"}
    assert next(c for c in result.traps if c.name == "list_order").share == 0.0


def test_third_party_advice_read_as_the_authors_fails(blank: pd.DataFrame) -> None:
    result = found(faultless(blank), apart=[Separation(True)] * 3 + [Separation(False)] * 17)
    assert unmet(result) == {"not own advice, read as such"}


def test_silence_is_right_only_where_it_is_called_for(blank: pd.DataFrame) -> None:
    mute = pd.Series("UNKNOWN", index=blank.index)
    result = found(read_as(blank, mute, mute))
    right = next(c.count for c in result.criteria if c.count.name == "documents right")
    assert right.n == ((blank["kind"] == "document") & (blank["expected"] == "UNKNOWN")).sum()
    assert result.flips.of == 0


def test_a_disagreement_is_not_the_silence_that_was_called_for(blank: pd.DataFrame) -> None:
    unknown = blank["expected"] == "UNKNOWN"
    first = blank["expected"].where(~unknown, "P_ONLY")
    mirror = blank["expected"].where(~unknown, "Q_ONLY")
    units = read_as(blank, first, mirror)
    right = {c.count.name: c.count for c in found(units).criteria}
    assert right["documents right"].n == right["documents right"].of - 5


def test_a_word_matcher_is_not_asked_what_only_sense_can_tell(blank: pd.DataFrame) -> None:
    sense = blank["sense"].astype(bool)
    said = blank["expected"].where(~sense, blank["expected"].map(OTHER))
    units = read_as(blank, said, said)
    assert found(units).verdict == "not qualified"
    excused = found(units, word_matcher=True)
    assert excused.verdict == "qualified"
    assert excused.by_sense.n == 0
    assert excused.by_sense.of == sense.sum()


def test_flips_to_the_second_slot_and_others_are_told_apart() -> None:
    units = pd.DataFrame(
        {
            "alpha": ["P", "Q", "P", "P", "Q"],
            "first": ["Q_ONLY", "P_ONLY", "BOTH", "UNKNOWN", "Q_ONLY"],
            "mirror": ["P_ONLY", "Q_ONLY", "P_ONLY", "P_ONLY", "Q_ONLY"],
        }
    )
    flips = flips_of(units)
    assert (flips.n, flips.of) == (3, 4)
    assert (flips.both_to_first, flips.both_to_second, flips.other) == (0, 2, 1)


def test_no_share_of_nothing() -> None:
    nothing = counted("none", [])
    assert (nothing.of, nothing.share, nothing.low) == (0, None, None)


def test_the_bar_is_the_one_that_is_documented() -> None:
    """Another bar is another version: verdicts under it are other verdicts."""
    assert BAR.model_dump() == {
        "version": 1, "unreadable": 0.05, "requests": 0.85, "documents": 0.85, "opposite": 0.02,
        "flips": 0.1, "separation": 0.1, "fields": 0.85, "conflict": 0.8, "trap": 0.5,
    }  # fmt: skip
