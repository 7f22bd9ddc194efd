"""Estimates arranged for the page: by evaluator and harness, models in alphabetical order.

Nothing here orders by value, and nothing is set against another as better or worse.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

import pandas as pd

from draligned.report.boxes import Box, make_box
from draligned.report.data import ReportData
from draligned.report.forest import forests_of
from draligned.report.nulls import control_line
from draligned.report.rows import Row, levels, only, rows
from draligned.report.texts import Texts

ALL = "all"
MAIN = (("D_A", "readable"), ("D_F", "readable"))
COMMON = (("D_A", "common_readable"), ("D_F", "common_readable"))
ZERO = (("D_F", "dA_zero"), ("D_F", "dA_nonzero"))
SHARES = tuple(("share_dF_positive", p) for p in ("readable", "dA_zero", "dA_nonzero"))
LEVELS = tuple((name, "readable") for name in ("m_P", "m_Q", "x_P", "x_Q"))
OPERATORS = ("requests_mean", "finals_mean", "requests_sign_of_or", "finals_sign_of_or")
"""The square of operator × channel, row by row: A stands left, F right."""

Names = Iterable[tuple[str, str]]


@dataclass(frozen=True, kw_only=True)
class ModelBoxes:
    """The two main boxes of one model."""

    model: str
    boxes: tuple[Box, ...]


@dataclass(frozen=True, kw_only=True)
class Group:
    """Every box of one evaluator × harness."""

    evaluator: str
    harness: str
    title: str
    main: tuple[Box, ...]
    operators: tuple[Box, ...]
    operators_common: tuple[Box, ...]
    common: tuple[Box, ...]
    zero: tuple[Box, ...]
    shares: tuple[Box, ...]
    levels: tuple[Box, ...]
    named: tuple[Box, ...]
    """Primary estimands of the lock that stand in no other place."""
    models: tuple[ModelBoxes, ...]


def groups_of(data: ReportData, evaluator: str, texts: Texts) -> tuple[Group, ...]:
    """One group a harness, in alphabetical order."""
    found = only(data.table("estimates"), evaluator=evaluator)
    return tuple(_group(data, evaluator, h, texts) for h in levels(found, "harness"))


def _group(data: ReportData, evaluator: str, harness: str, texts: Texts) -> Group:
    where = {"evaluator": evaluator, "harness": harness}
    estimates = only(data.table("estimates"), **where)
    own = [r for r in rows(estimates) if r["model"] == ALL]
    primary = {_name(r) for r in own if r.get("primary")}
    square = rows(only(data.table("operators"), model=ALL, **where))
    operators = [{**r, "primary": _name(r) in primary} for r in square]

    forests = forests_of(data, evaluator, harness, texts)
    boxed = _boxed(data, texts)

    def boxes(names: Names) -> tuple[Box, ...]:
        return _boxes(own, names, boxed)

    placed = {*MAIN, *COMMON, *ZERO, *SHARES, *LEVELS}
    left = [_name(r) for r in own if r.get("primary") and _name(r) not in placed]
    return Group(
        evaluator=evaluator,
        harness=harness,
        title=group_title(harness, any(r["development"] for r in own), texts),
        main=tuple(replace(box, forest=forests.get(box.estimand)) for box in boxes(MAIN)),
        operators=_square(operators, "readable", boxed),
        operators_common=_square(operators, "common_readable", boxed),
        common=boxes(COMMON),
        zero=boxes(ZERO),
        shares=boxes(SHARES),
        levels=boxes(LEVELS),
        named=boxes(left),
        models=_models(estimates, boxed),
    )


def group_title(harness: str, development: bool, texts: Texts) -> str:
    """The heading of a harness, stamped where it is for development only (DR-20)."""
    return texts("group.title_development" if development else "group.title", harness=harness)


def _name(row: Row) -> tuple[str, str]:
    return str(row["estimand"]), str(row["population"])


Boxed = Callable[[Row], Box]


def _boxed(data: ReportData, texts: Texts) -> Boxed:
    """Makes boxes of rows, each with what the controls of its quantity show."""
    return lambda row: make_box(row, texts, control_line(data, row, texts))


def _boxes(found: list[Row], names: Names, boxed: Boxed) -> tuple[Box, ...]:
    by_name = {_name(row): row for row in found}
    return tuple(boxed(by_name[n]) for n in names if n in by_name)


def _square(found: Sequence[Row], population: str, boxed: Boxed) -> tuple[Box, ...]:
    by_operator = {str(r["operator"]): r for r in found if r["population"] == population}
    return tuple(boxed(by_operator[o]) for o in OPERATORS if o in by_operator)


def _models(estimates: pd.DataFrame, boxed: Boxed) -> tuple[ModelBoxes, ...]:
    names = [m for m in levels(estimates, "model") if m != ALL]
    return tuple(
        ModelBoxes(model=name, boxes=_boxes(rows(only(estimates, model=name)), MAIN, boxed))
        for name in names
    )
