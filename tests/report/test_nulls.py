"""What controls say of an estimate: whether their intervals hold zero, never a rate of passing."""

from dataclasses import replace
from typing import Any

import pandas as pd
import pytest

from draligned.report.boxes import make_box
from draligned.report.data import ReportData
from draligned.report.nulls import control_line, verdict_of
from draligned.report.texts import load_texts

from .test_boxes import ROW
from .world import READER

EN = load_texts("en")
HERE = {"evaluator": READER, "harness": "coupled", "model": "all", "population": "readable"}


def control(estimand: str, low: float | None, high: float | None, **more: Any) -> dict[str, Any]:
    ends = {"ci_lo": low, "ci_hi": high, "ci_union_lo": low, "ci_union_hi": high}
    return (
        {**HERE, "estimand": estimand, "n_pairs": 3, "n_readable": 2, "reason": None} | ends | more
    )


def with_controls(
    data: ReportData, aa: list[dict[str, Any]], placebo: list[dict[str, Any]] | None = None
) -> ReportData:
    tables = dict(data.tables)
    for name, found in (("aa_estimates", aa), ("placebo_estimates", placebo or [])):
        tables[name] = pd.DataFrame(found, dtype=object)
    return replace(data, tables=tables)


@pytest.mark.parametrize(
    ("ends", "state", "words"),
    [
        ((-0.5, 0.25), "passed", "A/A: interval [−0.500, +0.250] covers 0 (2/3 pairs)"),
        ((0.1, 0.25), "failed", "A/A: interval [+0.100, +0.250] leaves 0 out (2/3 pairs)"),
        ((None, None), "open", "A/A: no interval, one task only"),
    ],
)
def test_an_interval_of_a_control_covers_zero_or_not(
    ends: tuple[float | None, float | None], state: str, words: str, small: ReportData
) -> None:
    row = control("D_A", *ends, reason=None if ends[0] is not None else "one_task")
    data = with_controls(small, [row])
    line = control_line(data, {**ROW, **HERE}, EN)
    assert line.kind.split()[-1] == state
    assert line.note.startswith(words)
    assert verdict_of(data, READER, EN).state == state


def test_one_control_that_fails_is_named_first(small: ReportData) -> None:
    data = with_controls(small, [control("D_A", -1.0, 1.0)], [control("D_F", 0.2, 1.0)])
    found = verdict_of(data, READER, EN)
    assert found.state == "failed"
    assert "D_F, another task's fact, coupled" in found.text
    assert "D_A" not in found.text


def test_a_study_without_controls_says_so(small: ReportData) -> None:
    data = with_controls(small, [])
    assert verdict_of(data, READER, EN).state == "none"
    assert "none were made" in control_line(data, {**ROW, **HERE}, EN).text


def test_no_estimate_of_a_control_stands_in_a_line(small: ReportData) -> None:
    data = with_controls(small, [control("D_A", -0.5, 0.25, value=-0.125)])
    line = control_line(data, {**ROW, **HERE}, EN)
    assert "0.125" not in line.text + line.note


def test_a_level_has_no_null_and_one_line_says_so(small: ReportData) -> None:
    row = {**ROW, **HERE, "estimand": "m_P"}
    made = make_box(row, EN, control_line(small, row, EN))
    assert made.lines[-1].text == "not made for a level or a share; see D_A and D_F"
    assert [line for line in made.lines if "tipping" in line.kind] == [made.lines[-1]]


def test_known_answers_and_order_are_named_beside_the_verdict(small: ReportData) -> None:
    """They have no threshold, so they pass and fail nothing."""
    drift = [{**HERE, "wave": w, "n_correct": 3, "n_answered": 4} for w in (1, 2)]
    order = [{**HERE, "kind": "request", "n_units": 9, "n_flipped": 2, "n_retest_changed": 1},
             {**HERE, "kind": "document", "n_units": 0, "n_flipped": 0, "n_retest_changed": 0},
             {**HERE, "model": "m", "kind": "request", "n_units": 7, "n_flipped": 7,
              "n_retest_changed": 7}]  # fmt: skip
    made = {"sentinel_drift": pd.DataFrame(drift), "order_effects": pd.DataFrame(order)}
    data = replace(small, tables={**small.tables, **made})
    assert verdict_of(data, READER, EN).beside == (
        "Seen beside them, with no threshold: packets with known answers, 6 of 8 answers right; "
        "labels that change with the endpoints swapped, and when read again in the same order: "
        "coupled requests 2 and 1 of 9."
    )


def test_nothing_to_see_beside_the_verdict_is_said(small: ReportData) -> None:
    gone = {k: v for k, v in small.tables.items() if k not in ("sentinel_drift", "order_effects")}
    said = verdict_of(replace(small, tables=gone), READER, EN).beside
    assert said.startswith("Neither packets with known answers nor")
