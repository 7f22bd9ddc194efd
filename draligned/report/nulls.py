"""What the controls say of an estimate: their intervals should cover zero.

A control is an estimate over pairs in which no fact differs (A/A), or that are read on a fact that
neither run was told (placebo axis). An interval that covers zero shows no fault; with few pairs it
is wide, and shows little.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from draligned.report import numbers
from draligned.report.boxes import NO_NULL, Line
from draligned.report.data import ReportData
from draligned.report.rows import Row, levels, only, pair_of, rows, whole
from draligned.report.texts import Texts

SETS = ("aa", "placebo")
NULL_AT_ZERO = ("D_A", "D_F", "D_A_sign", "D_F_mean", "D_F_raw")
"""Estimands that controls should leave at zero; levels of an arm and shares have no such null."""


@dataclass(frozen=True, kw_only=True)
class Null:
    """One control of one estimand under one harness."""

    kind: str
    harness: str
    estimand: str
    state: str
    """`covers`, `excludes`, `unknown` (no interval) or `absent`."""
    text: str


def null_of(data: ReportData, kind: str, evaluator: str, harness: str, estimand: str,
            texts: Texts) -> Null:  # fmt: skip
    """A control's verdict, over readable pairs and all models."""
    found = rows(
        only(
            data.table(f"{kind}_estimates"),
            evaluator=evaluator,
            harness=harness,
            model="all",
            estimand=estimand,
            population="readable",
        )
    )
    state, text = _said(found[0] if found else None, texts)
    named = texts("control.one", kind=texts(f"control.{kind}"), said=text)
    return Null(kind=kind, harness=harness, estimand=estimand, state=state, text=named)


def _said(row: Row | None, texts: Texts) -> tuple[str, str]:
    if row is None or not whole(row, "n_pairs"):
        return "absent", texts("control.absent")
    pairs = f"{whole(row, 'n_readable')}/{whole(row, 'n_pairs')}"
    ends = pair_of(row, "ci_union") or pair_of(row, "ci")
    if ends is None:
        reason = texts.word("reason", str(row.get("reason") or "not_given"))
        return "unknown", texts("control.unknown", reason=reason, pairs=pairs)
    state = "covers" if ends[0] <= 0 <= ends[1] else "excludes"
    return state, texts(f"control.{state}", span=numbers.span(*ends), pairs=pairs)


def control_line(data: ReportData, row: Row, texts: Texts) -> Line:
    """The line of a box: each control of its estimand, or that there is none."""
    term = texts("control.term")
    estimand = str(row["estimand"])
    if estimand not in NULL_AT_ZERO:
        return Line(kind=f"control-status {NO_NULL}", term=term, text=texts("control.no_null"))
    found = [
        null_of(data, kind, str(row["evaluator"]), str(row["harness"]), estimand, texts)
        for kind in SETS
    ]
    made = [one for one in found if one.state != "absent"]
    if not made:
        return Line(kind="control-status none", term=term, text=texts("control.none"))
    state = verdict(made)
    return Line(
        kind=f"control-status {state}",
        term=term,
        text=texts(f"control.is_{state}"),
        note=texts("control.join").join(one.text for one in made),
    )


def verdict(found: Sequence[Null]) -> str:
    """`failed` if any interval leaves out zero, `open` if some control has no interval, `passed`
    if all cover it, `none` without any."""
    states = {one.state for one in found} - {"absent"}
    if "excludes" in states:
        return "failed"
    if "unknown" in states:
        return "open"
    return "passed" if states else "none"


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """The study's controls in a line."""

    state: str
    text: str
    beside: str
    """What is seen beside them and has no threshold: known answers, effects of order."""


def verdict_of(data: ReportData, evaluator: str, texts: Texts) -> Verdict:
    """Over the main estimands of every harness."""
    harnesses = levels(only(data.table("estimates"), evaluator=evaluator), "harness")
    found = [
        null_of(data, kind, evaluator, harness, estimand, texts)
        for harness in harnesses
        for estimand in ("D_A", "D_F")
        for kind in SETS
    ]
    made = [one for one in found if one.state != "absent"]
    state = verdict(made)
    off = [
        texts("control.off", name=o.estimand, kind=texts(f"control.{o.kind}"), harness=o.harness)
        for o in made
        if o.state == "excludes"
    ]
    text = texts(
        f"control.study_{state}",
        covers=sum(o.state == "covers" for o in made),
        unknown=sum(o.state == "unknown" for o in made),
        n=len(made),
        off=texts("control.join").join(off),
    )
    return Verdict(state=state, text=text, beside=_beside(data, evaluator, texts))


def _beside(data: ReportData, evaluator: str, texts: Texts) -> str:
    seen = [*_sentinels(data, evaluator, texts), *_orders(data, evaluator, texts)]
    if not seen:
        return texts("control.study_beside_none")
    return texts("control.study_beside", seen=texts("control.join").join(seen))


def _sentinels(data: ReportData, evaluator: str, texts: Texts) -> Iterator[str]:
    """Over all waves."""
    waves = rows(only(data.table("sentinel_drift"), evaluator=evaluator))
    correct, answered = (sum(whole(w, f"n_{k}") for w in waves) for k in ("correct", "answered"))
    if answered:
        yield texts("control.seen_sentinels", correct=correct, answered=answered)


def _orders(data: ReportData, evaluator: str, texts: Texts) -> Iterator[str]:
    """Of units that have both kinds of second read, by harness and kind."""
    found = rows(only(data.table("order_effects"), evaluator=evaluator, model="all"))
    each = [_order(row, texts) for row in found if whole(row, "n_units")]
    if each:
        yield texts("control.seen_orders", each=texts("overview.join").join(each))


def _order(row: Row, texts: Texts) -> str:
    return texts(
        "control.seen_order",
        harness=row["harness"],
        kind=texts(f"control.kind_{row['kind']}"),
        n=whole(row, "n_units"),
        flipped=whole(row, "n_flipped"),
        again=whole(row, "n_retest_changed"),
    )
