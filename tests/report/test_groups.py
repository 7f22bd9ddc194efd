"""Boxes by evaluator and harness."""

from dataclasses import replace

from draligned.report.data import ReportData
from draligned.report.groups import OPERATORS, groups_of
from draligned.report.sensitivity import choices_of
from draligned.report.texts import load_texts

from .made import data_of
from .world import READER, World

EN = load_texts("en")


def test_a_group_for_every_harness_in_alphabetical_order() -> None:
    data = data_of(World(tasks=1, models=("m",), harnesses=("H-W", "coupled")))
    assert [g.harness for g in groups_of(data, READER, EN)] == ["H-W", "coupled"]


def test_the_square_has_channels_as_columns(small: ReportData) -> None:
    (group,) = groups_of(small, READER, EN)
    assert len(OPERATORS) == 4
    assert [b.channel for b in group.operators] == ["A", "F", "A", "F"]
    assert [b.primary for b in group.operators] == [True, False, False, True]


def test_both_subsets_of_d_a_are_there(small: ReportData) -> None:
    (group,) = groups_of(small, READER, EN)
    assert [b.population for b in group.zero] == ["dA_zero", "dA_nonzero"]
    assert [b.estimand for b in group.levels] == ["m_P", "m_Q", "x_P", "x_Q"]


def test_a_primary_estimand_without_a_place_gets_one(small: ReportData) -> None:
    frame = small.tables["estimates"].copy()
    frame.loc[
        (frame["estimand"] == "D_A") & (frame["population"] == "planned")
        & (frame["model"] == "all"), "primary",
    ] = True  # fmt: skip
    (group,) = groups_of(replace(small, tables={**small.tables, "estimates": frame}), READER, EN)
    assert [(b.estimand, b.population) for b in group.named] == [("D_A", "planned")]


def test_sensitivity_lists_every_setting(small: ReportData) -> None:
    titles = [choice.title for choice in choices_of(small, READER, EN)]
    assert sum(t.startswith("main items of unresolved direction") for t in titles) == 3
    assert all(choice.boxes for choice in choices_of(small, READER, EN))
