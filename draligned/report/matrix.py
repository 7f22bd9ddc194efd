"""The Matrix of every pair: what each run shows at each locus, in words and colours (DR-76)."""

from collections.abc import Mapping
from dataclasses import dataclass

from draligned.report import numbers
from draligned.report.data import ReportData
from draligned.report.order import place, places
from draligned.report.rows import Row, only, rows, whole
from draligned.report.texts import Texts
from draligned.schema.design import FactorCard

LOCI = ("acq", "first_draft", "last_draft", "final")


@dataclass(frozen=True, kw_only=True)
class Cell:
    """One locus of one run. `label` is a presence, UNKNOWN or `absent`."""

    label: str
    text: str
    note: str
    """State relative to the run's endpoint, counts, or the reason."""


@dataclass(frozen=True, kw_only=True)
class Side:
    """One run of a pair."""

    arm: str
    run_id: str | None
    endpoint: str
    cells: tuple[Cell, ...]


@dataclass(frozen=True, kw_only=True)
class Pair:
    """One planned pair as one evaluator read it."""

    pair_id: str
    task_id: str
    domain: str
    user_id: str
    factor_id: str
    factor: str
    model: str
    harness: str
    d_a: str
    d_f: str
    sides: tuple[Side, ...]


def pairs_of(data: ReportData, evaluator: str, texts: Texts) -> tuple[Pair, ...]:
    """All pairs by harness, then by the design's order of tasks, then by model."""
    runs = {
        (str(r["run_id"]), str(r["factor_id"])): r
        for r in rows(only(data.table("matrix"), evaluator=evaluator))
    }
    cards = {card.factor_id: card for card in data.design.cards}
    order = places(data.design)
    found = sorted(
        rows(only(data.table("pairs"), evaluator=evaluator)), key=lambda row: _place(row, order)
    )
    return tuple(_pair(row, runs, cards.get(str(row["factor_id"])), texts) for row in found)


def _place(row: Row, order: Mapping[str, int]) -> tuple[str | int, ...]:
    task_id = str(row["task_id"])
    names = (str(row[name]) for name in ("model", "environment", "factor_id", "pair_id"))
    return (str(row["harness"]), place(order, task_id), task_id, *names)


def _pair(
    row: Row, runs: dict[tuple[str, str], Row], card: FactorCard | None, texts: Texts
) -> Pair:
    ends = {"P": card.p.value, "Q": card.q.value} if card else {"P": "P", "Q": "Q"}
    sides = []
    for arm in ("P", "Q"):
        run_id = row[f"run_id_{arm.lower()}"]
        run = runs.get((str(run_id), str(row["factor_id"])))
        cells = tuple(_cell(run, locus, texts) for locus in LOCI)
        sides.append(Side(arm=arm, run_id=run_id, endpoint=ends[arm], cells=cells))
    return Pair(
        pair_id=str(row["pair_id"]),
        task_id=str(row["task_id"]),
        domain=card.domain if card else "",
        user_id=str(row["user_id"]),
        factor_id=str(row["factor_id"]),
        factor=card.field_path if card else str(row["factor_id"]),
        model=str(row["model"]),
        harness=str(row["harness"]),
        d_a=_value(row, "a", "d_a", texts),
        d_f=_value(row, "f", "d_f", texts),
        sides=tuple(sides),
    )


def _value(row: Row, channel: str, name: str, texts: Texts) -> str:
    status = str(row[f"{channel}_status"])
    if status != "readable" or row[name] is None:
        return texts.word("status", status)
    return numbers.signed(float(row[name]), 3 if name == "d_a" else 0)


def _cell(run: Row | None, locus: str, texts: Texts) -> Cell:
    if run is None:
        return _empty("not_planned", texts)
    reason, presence = run[f"{locus}_reason"], run[f"{locus}_presence"]
    if reason is not None or presence is None:
        gone = run[f"{locus}_state"] == "NO_DOCUMENT" or reason in ABSENT
        return _empty(str(reason or "not_given"), texts, gone=gone)
    state = texts.word("state", str(run[f"{locus}_state"]))
    note = state if locus != "acq" else f"{state} · {_tally(run, texts)}"
    return Cell(label=str(presence), text=texts.word("presence", str(presence)), note=note)


ABSENT = frozenset({"no_requests", "no_draft", "no_document", "not_planned"})


def _empty(reason: str, texts: Texts, *, gone: bool = False) -> Cell:
    gone = gone or reason in ABSENT
    text = texts("matrix.absent" if gone else "matrix.unknown")
    note = texts.word("reason", reason)
    return Cell(label="absent" if gone else "UNKNOWN", text=text, note=note)


def _tally(run: Row, texts: Texts) -> str:
    return texts(
        "matrix.tally",
        p=whole(run, "n_p_only"),
        q=whole(run, "n_q_only"),
        both=whole(run, "n_both"),
        neither=whole(run, "n_neither"),
        unknown=whole(run, "n_unknown"),
    )
