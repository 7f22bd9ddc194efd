"""Drafts beside finals and delegation, a line each (DR-23 … DR-25, DR-95)."""

from dataclasses import dataclass

from draligned.report import numbers
from draligned.report.data import ReportData
from draligned.report.rows import Row, pair_of, rows, whole
from draligned.report.texts import Texts


@dataclass(frozen=True, kw_only=True)
class DraftLine:
    """Runs of one harness and model by what they have."""

    harness: str
    model: str
    counts: tuple[str, ...]
    same: str
    same_interval: str
    after: str
    after_interval: str
    persistence: str
    refused: bool


COUNTS = ("n_done", "n_unobserved", "n_final", "n_draft", "n_both")


def drafts_of(data: ReportData, texts: Texts) -> tuple[DraftLine, ...]:
    """By harness; all models together first."""
    return tuple(_line(row, texts) for row in _ordered(data, "draft_final"))


def _ordered(data: ReportData, table: str) -> list[Row]:
    found = rows(data.table(table))
    return sorted(found, key=lambda r: (str(r["harness"]), r["model"] != "all", str(r["model"])))


def _model(row: Row, texts: Texts) -> str:
    return texts("drafts.all_models") if row["model"] == "all" else str(row["model"])


def _line(row: Row, texts: Texts) -> DraftLine:
    refused = row["persistence"] == "refused"
    reason = texts.word("reason", str(row["persistence_reason"] or "not_given"))
    said = texts("persistence.refused", reason=reason) if refused else texts("persistence.allowed")
    return DraftLine(
        harness=str(row["harness"]),
        model=_model(row, texts),
        counts=tuple(numbers.count(whole(row, name)) for name in COUNTS),
        same=numbers.share(whole(row, "n_same"), whole(row, "n_both")),
        same_interval=_span(row, "same"),
        after=numbers.share(whole(row, "n_after"), whole(row, "n_timed")),
        after_interval=_span(row, "after"),
        persistence=said,
        refused=refused,
    )


def _span(row: Row, name: str) -> str:
    found = pair_of(row, name)
    return "" if found is None else numbers.span(*found, directed=False)


@dataclass(frozen=True, kw_only=True)
class DelegationLine:
    """Delegation in one harness and model: offered, and invoked."""

    harness: str
    model: str
    offered: str
    invoked: str
    delegations: str
    requests: str


def delegation_of(data: ReportData, texts: Texts) -> tuple[DelegationLine, ...]:
    """By harness; all models together first."""
    return tuple(
        DelegationLine(
            harness=str(row["harness"]),
            model=_model(row, texts),
            offered=texts("delegation.yes" if row["offered"] else "delegation.no"),
            invoked=numbers.share(whole(row, "n_invoked"), whole(row, "n_observed")),
            delegations=numbers.count(whole(row, "delegations")),
            requests=numbers.share(whole(row, "requests_delegated"), whole(row, "requests")),
        )
        for row in _ordered(data, "delegation")
    )
