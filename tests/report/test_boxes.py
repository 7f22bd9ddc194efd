"""Boxes of a study whose numbers are known by hand."""

from typing import Any

import pytest

from draligned.report.boxes import Box, make_box
from draligned.report.data import ReportData
from draligned.report.rows import rows
from draligned.report.texts import load_texts

from .world import READER

EN = load_texts("en")


def box(data: ReportData, estimand: str, population: str, model: str = "all") -> Box:
    """One box of a study."""
    for row in rows(data.tables["estimates"]):
        names = (row["evaluator"], row["estimand"], row["population"], row["model"])
        if names == (READER, estimand, population, model):
            return make_box(row, EN)
    raise AssertionError(f"no row {estimand} {population}")


def said(made: Box) -> dict[str, str]:
    """Lines of a box by kind."""
    return {
        line.kind.split()[0]: line.text.replace("\u00a0", " ")
        for line in (*made.lines, *made.further)
    }


def test_a_half_read_pair_counts_in_its_arm_and_in_the_bounds(small: ReportData) -> None:
    """Task 2 has one pair at +1 and one whose P run failed while x_Q = −1: coarse [0, 1] and
    sharp [1/2, 1] there, +1 in the other two tasks."""
    lines = said(box(small, "D_F", "readable"))
    assert lines["counts"] == "P 5/6 (83.3 %) · Q 6/6 (100.0 %) · pairs 5/6 (83.3 %)"
    assert lines["coarse"] == "[+0.667, +1.000]"
    assert lines["sharp"] == "[+0.833, +1.000]"


def test_a_model_counts_its_own_pairs(small: ReportData) -> None:
    lines = said(box(small, "D_F", "readable", "model-a"))
    assert lines["counts"] == "P 2/3 (66.7 %) · Q 3/3 (100.0 %) · pairs 2/3 (66.7 %)"


def test_an_interval_without_width_is_called_degenerate(flat: ReportData) -> None:
    made = box(flat, "D_A", "readable")
    line = made.lines[0]
    assert made.value == "0.000"
    assert line.text == "degenerate; cautious interval [−1.499, +1.499]"
    assert "All 3 task values are equal" in line.note
    assert "[0.000, 0.000]" not in line.text + line.note
    assert "degenerate; cautious interval" in str(made.figure)
    assert "interval" not in [e for e in made.figure.split('"') if e == "interval"]


def test_further_intervals_without_width_say_so(flat: ReportData) -> None:
    lines = said(box(flat, "D_F", "readable"))
    assert lines["loo_task"] == "degenerate: no width, at +1.000"


def test_a_share_at_one_has_wilsons_interval(flat: ReportData) -> None:
    """6 of 6: the lower end is 6 / (6 + 1.96²) = 0.610; a share of pairs has no task values."""
    made = box(flat, "share_dF_positive", "dA_zero")
    assert made.value == "1.000"
    assert said(made)["interval"] == "[0.610, 1.000]"
    assert said(made)["range"] == "0 … 1"


def test_nothing_readable_has_no_value_and_a_reason(flat: ReportData) -> None:
    made = box(flat, "D_F", "dA_nonzero")
    assert not made.has_value
    assert made.value == "no value: nothing is readable (n = 0)"
    assert said(made)["counts"] == "P 0/0 · Q 0/0 · pairs 0/0"
    assert said(made)["coarse"] == "no pair belongs to this population"


def test_only_what_the_lock_names_is_registered(small: ReportData) -> None:
    assert box(small, "D_A", "readable").stamp == "registered"
    assert box(small, "D_A", "common_readable").stamp == "exploratory"
    assert box(small, "D_A", "readable", "model-a").stamp == "exploratory"


ROW: dict[str, Any] = {
    "estimand": "D_A", "channel": "A", "population": "readable", "status": "ok", "reason": None,
    "value": 0.25, "n_pairs": 4, "n_readable_p": 3, "n_readable_q": 4, "n_readable": 3,
    "n_planned": 4, "n_tasks": 2, "n_tasks_planned": 2, "ci_lo": -0.5, "ci_hi": 1.0,
    "ci_method": "percentile", "degenerate": False, "coarse_lo": -1.0, "coarse_hi": 1.0,
    "sharp_lo": -0.75, "sharp_hi": 1.0, "range_lo": -2.0, "range_hi": 2.0, "boot_draws": 10000,
    "boot_tasks": 2, "boot_seed": 3, "boot_empty": 1, "primary": False,
}  # fmt: skip


def test_the_method_says_how_it_was_drawn() -> None:
    note = make_box(ROW, EN).lines[0].note
    assert note == (
        "percentile bootstrap over tasks: 10,000 draws of 2 planned tasks, seed 3, 1 empty draws"
    )


def test_a_degenerate_interval_with_width_says_so_first() -> None:
    row = {**ROW, "range_lo": 0.0, "ci_lo": 0.4, "degenerate": True, "ci_method": "wilson_tasks"}
    line = make_box(row, EN).lines[0]
    assert line.text == "degenerate; cautious interval [0.400, 1.000]"
    assert line.note.endswith("Method: Wilson score interval over tasks.")


def test_no_width_in_the_decimals_shown_is_not_called_equality() -> None:
    row = {**ROW, "ci_lo": 0.25, "ci_hi": 0.25, "ci_union_lo": 0.1, "ci_union_hi": 0.3,
           "ci_union_method": "percentile_and_t"}  # fmt: skip
    line = make_box(row, EN).lines[0]
    assert line.text == "degenerate; cautious interval [+0.100, +0.300]"
    assert "do not differ in the decimals shown" in line.note


def bound_lines(**changed: object) -> list[tuple[str, str]]:
    """Kind and text of the lines below the counts."""
    made = make_box({**ROW, **changed}, EN)
    return [(line.kind, line.text) for line in made.lines[2:] if line.kind != "tipping"]


def test_bounds_that_were_not_made_take_one_line() -> None:
    gone = dict.fromkeys(["coarse_lo", "coarse_hi", "sharp_lo", "sharp_hi"])
    assert bound_lines(**gone) == [("coarse sharp", "not made for this quantity")]
    half = dict.fromkeys(["sharp_lo", "sharp_hi"])
    assert [kind for kind, _ in bound_lines(**half)] == ["coarse", "sharp"]


@pytest.mark.parametrize(
    ("value", "population", "words"),
    [
        (-0.8, "readable", "bounds over all planned pairs"),
        (-0.8, "dA_zero", "bounds over all pairs of this population"),
        (-0.75, "readable", None),
        (None, "readable", None),
    ],
)
def test_a_value_outside_the_sharp_bounds_says_why(
    value: float | None, population: str, words: str | None
) -> None:
    said = dict(bound_lines(value=value, population=population))
    assert ("outside" in said) == (words is not None)
    if words:
        assert words in said["outside"]
        assert said["outside"].endswith(("over all planned pairs.", "over all of them."))


def test_one_task_has_a_value_and_no_interval() -> None:
    row = {**ROW, "reason": "one_task", "ci_lo": None, "ci_hi": None}
    made = make_box(row, EN)
    assert made.value == "+0.250"
    assert made.lines[0].text == "none: one task only, an interval cannot be made"


@pytest.mark.parametrize(
    ("tipping", "words"), [(-0.5, "the planned mean would be 0"), (-3.0, "outside the range")]
)
def test_a_tipping_point_says_whether_it_can_be_reached(tipping: float, words: str) -> None:
    assert words in said(make_box({**ROW, "tipping": tipping}, EN))["tipping"]


def test_an_interval_says_what_it_does_not_cover_and_only_where_there_is_one() -> None:
    """DR-86: the draws are of tasks."""
    scope = make_box(ROW, EN).lines[0].scope
    for word in ("users", "models", "live web", "evaluator"):
        assert word in scope
    flat = {**ROW, "ci_lo": 0.25, "ci_hi": 0.25, "ci_union_lo": 0.1, "ci_union_hi": 0.3}
    assert make_box(flat, EN).lines[0].scope == scope
    assert not make_box({**ROW, "ci_lo": None, "ci_hi": None}, EN).lines[0].scope


@pytest.mark.parametrize(
    ("estimand", "channel", "ignored"),
    [("D_A", "A", True), ("D_A_sign", "A", True), ("D_F", "F", False)],
)
def test_a_difference_says_beside_its_value_how_it_is_misread(
    estimand: str, channel: str, ignored: bool
) -> None:
    said = make_box({**ROW, "estimand": estimand, "channel": channel}, EN).caution
    assert "better personalisation" in said
    assert ("ignored" in said) == ignored


def test_levels_and_shares_have_no_such_word() -> None:
    assert not make_box({**ROW, "estimand": "m_P"}, EN).caution


@pytest.mark.parametrize("table", ["sensitivity", "estimates", "operators"])
def test_every_box_counts_its_arms(table: str, small: ReportData) -> None:
    for row in rows(small.tables[table]):
        if str(row["estimand"]).startswith("readability"):
            continue  # shares of arms: no box is made of them
        p, q, both = (int(row[f"n_readable{end}"]) for end in ("_p", "_q", ""))
        assert both <= min(p, q) <= max(p, q) <= row["n_pairs"]
        line = make_box(row, EN).lines[1]
        assert line.text.startswith(f"P {p}/{row['n_pairs']}")
        assert f" · Q {q}/{row['n_pairs']}" in line.text
