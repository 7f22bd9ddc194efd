"""The registers that come with the project hold what DR-106 … DR-109 ask for."""

import re

import pytest

from draligned.api.tabular import layouts
from draligned.bench_data.registers import load_register
from draligned.schema.registers import Correction, Count, MethodState, Register, Standing


def counts(entry_id: str) -> list[tuple[int, int | None]]:
    register = load_register()
    entries = {e.id: e for e in (*register.corrections, *register.methods)}
    return [(c.k, c.n) for c in entries[entry_id].counts]


def test_every_seed_correction_is_there_with_its_standing() -> None:
    found = {e.id: tuple(s.value for s in e.standing) for e in load_register().corrections}
    assert found == {
        "strict-re-entry": ("RETRACTED",),
        "joint-reading": ("CORRECTED",),
        "halted-attempt": ("WITHDRAWN",),
        "offered-as-used": ("WITHDRAWN",),
        "saved-report-identity": ("WITHDRAWN",),
        "protocol-change": ("WITHDRAWN",),
        "risk-set": ("RECLASSIFIED",),
        "untested-attributions": ("WITHDRAWN", "OPEN"),
        "temporal-claims": ("NOT TESTED",),
    }


def test_printed_counts() -> None:
    assert counts("joint-reading") == [(63, 106), (70, 106), (1, 106)]
    assert counts("risk-set") == [(49, 80), (31, 80), (0, 80)]
    assert counts("restatement-trap") == [(8, 10)]
    assert counts("provenance-graph") == [(6, 11241)]
    assert counts("prompted-recall") == [(30, 30)]
    assert counts("reference-reports") == [(201, 35640), (4, None)]
    assert counts("direct-compliance") == [(24, 216), (9, 225)]


def test_recall_stayed_right_where_decisions_fell_to_nothing() -> None:
    """DR-107, G.4: 0.00 is a share of an unprinted number, so that it is no count."""
    (pilot,) = [m for m in load_register().methods if m.id == "prompted-recall"]
    assert "0.00 at 180,000 tokens, in both rounds" in pilot.text.en
    assert "18 万词元处，两轮中性填充的决策正确率都降到 0.00" in pilot.text.zh


def test_alternative_measurements_are_negative_results_and_none_is_called_run() -> None:
    negative = [m for m in load_register().methods if m.kept_as == "negative_result"]
    assert {m.id: m.state.value for m in negative} == {
        "representation-scores": "retired", "restatement-trap": "piloted",
        "provenance-graph": "retired", "multi-level-readout": "designed",
        "prompted-recall": "piloted", "reference-reports": "retired",
        "direct-compliance": "retired",
    }  # fmt: skip
    assert all(not m.tables for m in negative)


def test_methods_of_the_instrument_name_tables_and_claim_nothing_by_themselves() -> None:
    for method in load_register().methods:
        if method.kept_as != "negative_result":
            assert method.state is MethodState.DESIGNED, method.id
            assert method.tables, method.id
            assert set(method.tables) <= set(layouts()), method.id


def test_every_limit_of_the_list_is_there() -> None:
    assert {e.id for e in load_register().limits} == {
        "expressed-not-how-well", "coarse-labels", "public-artifacts", "extraction-omissions",
        "later-requests", "abstention", "constructed-settings", "short-and-reused",
        "no-causal-claims", "paper-setting", "scaled-accounting",
    }  # fmt: skip


def test_the_words_are_in_both_languages_and_praise_nothing() -> None:
    for entries in load_register().by_kind().values():
        for entry in entries:
            for said in (entry.title, entry.text):
                assert re.search(r"[\u4e00-\u9fff]", said.zh), entry.id
                assert not re.search(r"[\u4e00-\u9fff]", said.en), entry.id
                assert "growth" not in said.en
                assert "forgetting" not in said.en


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"standing": []}, "standing"),
        ({"standing": ["REVISED"]}, "standing"),
        ({"surprise": 1}, "surprise"),
        ({"title": {"zh": "题", "en": "  "}}, "title"),
        ({"id": "Has Blanks"}, "id"),
        ({"excludes": [{"kind": "run", "id": "short"}]}, "excludes"),
        ({"excludes": [{"kind": "model", "id": "0" * 16}]}, "excludes"),
    ],
)
def test_an_entry_of_another_shape_is_refused(change: dict[str, object], said: str) -> None:
    (entry, *_) = load_register().corrections
    with pytest.raises(ValueError, match=said):
        Correction.model_validate(entry.model_dump() | change)


def test_a_part_is_no_more_than_its_whole_and_ids_occur_once() -> None:
    (entry, *_) = load_register().corrections
    with pytest.raises(ValueError, match="9 of 8"):
        Count.model_validate({"what": {"zh": "甲", "en": "a"}, "k": 9, "n": 8})
    with pytest.raises(ValueError, match="two entries are called strict-re-entry"):
        Register(corrections=(entry, entry))
    assert entry.standing == (Standing.RETRACTED,)
