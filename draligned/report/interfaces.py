"""Interfaces side by side: signs, and no test of equivalence (DR-28)."""

from dataclasses import dataclass

from draligned.report import numbers
from draligned.report.boxes import is_flat
from draligned.report.data import ReportData
from draligned.report.rows import Row, number, only, pair_of, rows, whole
from draligned.report.texts import Texts

MAIN = ("D_A", "D_F")


@dataclass(frozen=True, kw_only=True)
class Sign:
    """The sign of one estimate over readable pairs, and of how many it is the sign."""

    sign: str
    interval: str
    readable: str


@dataclass(frozen=True, kw_only=True)
class Interface:
    """One harness: the signs of D_A and D_F, and how its providers were spoken to."""

    title: str
    signs: tuple[Sign, ...]
    wire: str


@dataclass(frozen=True, kw_only=True)
class Interfaces:
    """All of them; `mixed` says whether they were run over more than one API style."""

    rows: tuple[Interface, ...]
    mixed: bool


def interfaces_of(data: ReportData, evaluator: str, texts: Texts) -> Interfaces | None:
    """One row a harness, in alphabetical order; none where there is nothing to set beside."""
    found = only(data.table("estimates"), evaluator=evaluator, model="all", population="readable")
    by_name: dict[str, dict[str, Row]] = {}
    for row in rows(found):
        by_name.setdefault(str(row["harness"]), {})[str(row["estimand"])] = row
    if len(by_name) < 2:
        return None
    made = tuple(
        Interface(
            title=_title(harness, own["D_A"], texts),
            signs=tuple(_sign(own[name], texts) for name in MAIN),
            wire=_wire(data, harness, texts),
        )
        for harness, own in sorted(by_name.items())
    )
    return Interfaces(rows=made, mixed=len({(w.api, w.streamed) for w in data.wires}) > 1)


def _title(harness: str, row: Row, texts: Texts) -> str:
    """A harness's name, stamped where it is for development only."""
    key = "group.name_development" if row.get("development") else "group.name"
    return texts(key, harness=harness)


def _sign(row: Row, texts: Texts) -> Sign:
    value = number(row, "value")
    readable = numbers.share(whole(row, "n_readable"), whole(row, "n_planned"))
    if value is None:
        absent = numbers.absent(texts, row.get("reason"))
        return Sign(sign=absent, interval="", readable=readable)
    word = "zero" if value == 0 else "positive" if value > 0 else "negative"
    return Sign(sign=texts(f"sign.{word}"), interval=_interval(row, texts), readable=readable)


def _interval(row: Row, texts: Texts) -> str:
    """Where the interval lies; the cautious one where the other has no width."""
    flat = bool(row.get("degenerate")) or is_flat(row)
    ends = pair_of(row, "ci_union" if flat else "ci")
    if ends is None:
        return texts("sign.no_interval")
    return texts("sign.covers_zero" if ends[0] <= 0 <= ends[1] else "sign.excludes_zero")


def _wire(data: ReportData, harness: str, texts: Texts) -> str:
    own = [w for w in data.wires if w.harness == harness]
    styles = [texts(f"wire.{w.api}{'_streamed' if w.streamed else ''}") for w in own]
    return texts("overview.join").join(styles)
