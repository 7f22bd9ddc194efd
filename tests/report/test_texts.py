"""The two catalogues say the same things, and the page asks for nothing that is not there."""

import re
from pathlib import Path

import pytest

import draligned.report as room
from draligned.measure import matrix
from draligned.report.texts import Texts, load_texts, slots_of
from draligned.schema.endings import Outcome
from draligned.schema.labels import CardOutcome, DocState, Presence, Problem, UnknownReason
from draligned.schema.retrieval import ReturnStatus

OUTCOMES = [o for o in CardOutcome if o.value.startswith(("accepted", "needs_review", "rejected"))]
"""Outcomes that a card in the design may have; the others are of fields and tasks."""
ROOM = Path(room.__file__).parent


def test_same_keys_and_slots_in_both_languages() -> None:
    zh, en = load_texts("zh").entries, load_texts("en").entries
    assert zh.keys() == en.keys()
    assert [k for k in zh if slots_of(zh[k]) != slots_of(en[k])] == []
    assert [k for k in zh if not zh[k].strip()] == []


def test_the_limits_say_that_leaving_people_out_showed_no_benefit() -> None:
    """DR-109: of the agents' work, not of reading and review alone."""
    assert "benefit to leave people out of the work" in load_texts("en")("limit.people")
    assert "让人退出工作有好处" in load_texts("zh")("limit.people")


def asked() -> set[str]:
    """Every key named in templates and code."""
    found: set[str] = set()
    for path in [*ROOM.rglob("*.html"), *ROOM.glob("*.py")]:
        found |= set(re.findall(r"""\b(?:t|texts|_texts)\(\s*"([a-z_.]+)"[,)]""", path.read_text()))
    return found


def test_every_key_asked_for_is_there() -> None:
    assert len(asked()) > 100
    assert asked() - load_texts("en").entries.keys() == set()


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_closed_sets_have_words(lang: str) -> None:
    entries = load_texts("zh" if lang == "zh" else "en").entries
    codes = {f"reason.{r.value}" for r in UnknownReason}
    codes |= {f"state.{s.value}" for s in DocState}
    codes |= {f"presence.{p.value}" for p in Presence}
    codes |= {f"outcome.{o.value}" for o in Outcome}
    codes |= {f"returned.{s.value}" for s in ReturnStatus}
    codes |= {
        f"reason.{r}"
        for r in (
            matrix.NO_REQUESTS, matrix.NO_IDENTIFIED, matrix.NO_DOCUMENT, matrix.NO_DRAFT,
            matrix.NOT_OBSERVED, "run_failed", "run_censored", "run_open",
        )
    }  # fmt: skip
    codes |= {f"card_outcome.{o.value}" for o in OUTCOMES}
    codes |= {f"problem.{p.value}" for p in Problem}
    assert codes - entries.keys() == set()


def test_domains_are_chinese_on_a_chinese_page() -> None:
    zh, en = load_texts("zh").entries, load_texts("en").entries
    names = [key for key in zh if key.startswith("domain.")]
    assert len(names) == 10
    assert all(en[key] == key.removeprefix("domain.") for key in names)
    assert not [zh[key] for key in names if re.search("[A-Za-z]", zh[key])]


def test_slots_are_filled_in_one_pass() -> None:
    texts = Texts(lang="en", entries={"a.b": "{x} and {y}"})
    assert texts("a.b", x="{y}", y="%s {{z}}") == "{y} and %s {{z}}"


def test_an_unknown_slot_is_an_error() -> None:
    with pytest.raises(KeyError):
        Texts(lang="en", entries={"a.b": "{x}"})("a.b")


def test_a_code_without_a_word_stands_for_itself() -> None:
    assert load_texts("en").word("reason", "something_new") == "something_new"
