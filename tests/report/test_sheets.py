"""Sheets: what the layout names is there, and cells are text."""

from dataclasses import replace

import pandas as pd
import pytest

from draligned.measure.steps import Kind
from draligned.measure.tables import TABLES
from draligned.report.data import ReportData
from draligned.report.sheets import SHOWN, Sheet, codes, layout, shelves_of
from draligned.report.texts import load_texts
from draligned.schema.design import Lang

from .world import READER

LAYOUTS = {t.name: [name for name, _ in t.columns] for t in TABLES}
SHEETS = [pytest.param(s, id=s.table) for shelf in layout().section for s in shelf.sheet]


@pytest.mark.parametrize("sheet", SHEETS)
def test_every_column_is_one_of_its_table_and_has_a_word(sheet: Sheet) -> None:
    known = LAYOUTS[sheet.table]
    for column in (*sheet.columns, *sheet.keep, *filter(None, [sheet.most])):
        names = [column.removesuffix("..") + end for end in ("_lo", "_hi")]
        found = names if column.endswith("..") else column.split("/")
        assert set(found) <= set(known), column
    for column in sheet.columns:
        assert set(column.removesuffix("..").split("/")) <= set(layout().words), column


def of(data: ReportData, **tables: pd.DataFrame) -> ReportData:
    return replace(data, tables={**data.tables, **tables})


def test_rows_beyond_the_page_are_counted(small: ReportData) -> None:
    rows = pd.DataFrame(
        {
            "case": ["own_draft_none_final"] * 50, "harness": "coupled", "model": "m",
            "task_id": "1", "arm": "P", "certainty": "certain", "requests_path": "N",
            "documents_path": "|O", "final_state": "NONE", "run_id": [str(n) for n in range(50)],
            "evaluator": "e", "reason": None,
        }
    )  # fmt: skip
    data = of(small, cases=rows)
    shelf = next(s for s in shelves_of(data, "e", load_texts("en")) if s.id == "within")
    sheet = next(s for s in shelf.sheets if s.table == "cases")
    assert (len(sheet.rows), sheet.left_out) == (SHOWN, 10)


def test_another_evaluators_rows_are_not_shown(small: ReportData) -> None:
    rows = pd.DataFrame({"evaluator": ["a", "b"], "harness": "coupled", "estimand": ["D_A", "D_F"]})
    data = of(small, simultaneous=rows)
    shelf = next(s for s in shelves_of(data, "b", load_texts("en")) if s.id == "inference")
    sheet = next(s for s in shelf.sheets if s.table == "simultaneous")
    assert len(sheet.rows) == 1


@pytest.mark.parametrize(("lang", "place"), [("zh", 0), ("en", 1)])
def test_codes_of_closed_sets_are_words_and_names_stay(
    small: ReportData, lang: Lang, place: int
) -> None:
    rows = pd.DataFrame(
        {
            "evaluator": "e", "harness": "uncertain", "model": "all", "step": "draft_final",
            "kind": ["uncertain", "a_new_kind"], "n_steps": 1, "n_runs": 0, "n_runs_at_risk": 0,
            "run_lo": None, "run_hi": None, "status": "unknown", "reason": "no_run_at_risk",
        }
    )  # fmt: skip
    shelf = next(
        s for s in shelves_of(of(small, flow=rows), "e", load_texts(lang)) if s.id == "within"
    )
    first, second = next(s for s in shelf.sheets if s.table == "flow").rows
    assert first[:3] == (
        "uncertain",
        codes()["step"]["draft_final"][place],
        codes()["kind"]["uncertain"][place],
    )
    assert first[-1] == codes()["reason"]["no_run_at_risk"][place]
    assert second[2] == "a_new_kind"


def test_every_column_of_codes_is_a_column_of_a_sheet() -> None:
    shown = {c for shelf in layout().section for s in shelf.sheet for c in s.columns}
    assert set(codes()) <= shown


def test_every_kind_of_step_has_a_word() -> None:
    assert {k.value for k in Kind} <= set(codes()["kind"])


def test_no_code_is_left_in_chinese_but_in_names() -> None:
    for column, words in codes().items():
        for code, (zh, _) in words.items():
            assert not zh.isascii(), (column, code)


def test_an_estimate_in_a_row_has_its_interval_method_and_arms_beside_it() -> None:
    """DR-85, DR-86; of `simultaneous` and `human_corrected` the words above say where they are."""
    apart = ("simultaneous", "human_corrected")
    for shelf in layout().section:
        for sheet in shelf.sheet:
            if "value" not in sheet.columns or sheet.table in apart:
                continue
            columns = " ".join(sheet.columns)
            for part in ("ci", "_method", "sharp..", "n_readable_p/", "n_readable_q/"):
                assert part in columns, (sheet.table, part)


def test_every_method_has_a_short_word() -> None:
    entries = load_texts("en").entries
    known = {k.removeprefix("method.") for k in entries if k.startswith("method.")}
    short = {k.removeprefix("method_short.") for k in entries if k.startswith("method_short.")}
    assert known - {"exact", "monte_carlo"} == short  # those two are of tests


def test_methods_of_intervals_are_words(small: ReportData) -> None:
    shelf = next(s for s in shelves_of(small, READER, load_texts("en")) if s.id == "inference")
    sheet = next(s for s in shelf.sheets if s.table == "recurrence")
    place = sheet.head.index("method of the interval")
    words = {k: word for k, word in load_texts("en").entries.items() if "method_short." in k}
    assert {row[place] for row in sheet.rows} <= {*words.values(), "–"}


def test_ends_of_a_difference_have_signs_and_no_p_value_is_zero(small: ReportData) -> None:
    row = {"evaluator": "e", "harness": "h", "estimand": "D_F", "population": "readable",
           "value": 0.9, "ci_lo": 0.5, "ci_hi": 1.0, "p_adjusted": 0.0002, "n_family": 2,
           "n_tasks": 4, "status": "ok", "reason": None}  # fmt: skip
    data = of(small, simultaneous=pd.DataFrame([row]))
    shelf = next(s for s in shelves_of(data, "e", load_texts("en")) if s.id == "inference")
    (cells,) = next(s for s in shelf.sheets if s.table == "simultaneous").rows
    assert "[+0.500, +1.000]" in cells
    assert "< 0.001" in cells
