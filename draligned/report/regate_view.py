"""The section on gates after the fact: what each comes to on rollouts and research episodes."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import pandas as pd

from draligned.progress.regate import NOT_ASKED, REASONS, RESEARCH, ROLLOUT, Verdict
from draligned.progress.rollout.arms import ARMS
from draligned.report import numbers
from draligned.report.rows import Row, rows
from draligned.report.stage_figures import Stack, stacks
from draligned.report.stage_grid import Grid
from draligned.report.stage_views import Figure
from draligned.report.texts import Texts

VERDICTS = tuple(verdict.value for verdict in Verdict)
COUNTS = ("saved", "cut_off")
STAR = " *"
"""At a gate that reads what was never asked for."""
Words = tuple[tuple[str, str], ...]


@dataclass(frozen=True, kw_only=True)
class SourceView:
    """Records of one source."""

    name: str
    bars: tuple[Figure, ...]
    table: Grid


@dataclass(frozen=True, kw_only=True)
class RegateView:
    """All of the section."""

    size: str
    evidence: str
    legend: Words
    """Css class and word of each verdict."""
    sources: tuple[SourceView, ...]
    words: Words
    """What each verdict, and each reason that stands in a table, says."""


def regate_view(counted: pd.DataFrame, texts: Texts) -> RegateView:
    """The section of the table `gates` of a replay."""
    found = sorted(rows(counted), key=_place)
    by_source = {s: [r for r in found if r["source"] == s] for s in (ROLLOUT, RESEARCH)}
    gates = {r["gate"] for r in found}
    records = sum(r["records"] for r in found if r["gate"] == min(gates))
    return RegateView(
        size=texts("regate.size", records=numbers.count(records), gates=len(gates)),
        evidence=texts.word("p_evidence", "Audit/engineering"),
        legend=tuple((f"gate-{v}", texts.word("g_verdict", v)) for v in VERDICTS),
        sources=tuple(_source(s, own, texts) for s, own in by_source.items() if own),
        words=tuple(_words(found, texts)),
    )  # fmt: skip


def _place(row: Row) -> int:
    """Arms in their own order, harnesses in that of the table."""
    arms = list(ARMS)
    return arms.index(row["under"]) if row["under"] in arms else len(arms)


def _source(source: str, own: list[Row], t: Texts) -> SourceView:
    under = dict.fromkeys(str(r["under"]) for r in own)
    return SourceView(
        name=t(f"regate.{source}"),
        bars=tuple(_bars(name, [r for r in own if r["under"] == name], t) for name in under),
        table=_table(own, t),
    )


def _bars(under: str, own: list[Row], t: Texts) -> Figure:
    """A bar a gate, deployments together."""
    gates = dict.fromkeys(str(r["gate"]) for r in own)
    bars = [_bar(gate, [r for r in own if r["gate"] == gate], t) for gate in gates]
    name = t.word("r_arm", under)
    return Figure(deployment=name, title="", drawn=stacks(bars, t("regate.bars_label", what=name)))


def _bar(gate: str, own: list[Row], t: Texts) -> Stack:
    parts = tuple(
        (f"gate-{v}", t.word("g_verdict", v), sum(int(r[v]) for r in own)) for v in VERDICTS
    )
    asked = any(NOT_ASKED not in str(r["reason"]).split() for r in own)
    return Stack(label=f"{t.word('g_gate', gate)}{'' if asked else STAR}", parts=parts)


def _table(own: list[Row], t: Texts) -> Grid:
    head = (
        *(t.word("g_head", name) for name in ("under", "deployment", "gate", "records")),
        *(t.word("g_short", verdict) for verdict in VERDICTS),
        *(t.word("g_head", name) for name in (*COUNTS, "reason")),
    )
    return Grid(deployment="", head=head, rows=tuple(_row(row, t) for row in own))


def _row(row: Mapping[str, object], t: Texts) -> tuple[str, ...]:
    under, gate = t.word("r_arm", str(row["under"])), t.word("g_gate", str(row["gate"]))
    numbers_of = ("records", *VERDICTS, *COUNTS)
    cells = [numbers.count(int(str(row[name]))) for name in numbers_of]
    reasons = [t.word("g_reason", code) for code in str(row["reason"]).split()]
    comma = "；" if t.lang == "zh" else "; "
    return (under, str(row["deployment"]), gate, *cells, comma.join(reasons))


def _words(found: list[Row], t: Texts) -> Iterator[tuple[str, str]]:
    yield from ((t.word("g_verdict", v), t.word("g_told", v)) for v in VERDICTS)
    there = {code for row in found for code in str(row["reason"]).split()}
    for code in REASONS:
        if code in there:
            yield t.word("g_reason", code), t.word("g_reason_told", code)
