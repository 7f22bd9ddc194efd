"""How a design's replies will be counted, written down and frozen before there are any (SI-67)."""

from typing import Any

from pydantic import ValidationError

from draligned.progress.ask import NEEDED, PROBES
from draligned.progress.contrasts import planned
from draligned.progress.filling import COMPLETE
from draligned.schema.base import Record
from draligned.schema.errors import DamageError
from draligned.schema.progress import StageDesign

NOTE = "analysis"
"""Of a design's notes."""
CHOICES = {
    "report_values": "the four long values (Q19)",
    "histories": "every checkpoint with a duty follows a tool result; all tools are declared (Q20)",
    "gold_hint": "a system message, last in the history (Q21)",
    "call_where_due": "divergence, whatever the text holds (Q22)",
    "unknown_value": "malformed (Q22)",
    "clean_where_undue": "no report in any form (Q22)",
    "corruption": "blanked and inverted replies of every lane that counts, before any table (Q23)",
    "pooled_difference": "scenarios drawn, counts pooled, shares subtracted (Q37)",
    "interaction": "a difference of differences, unhalved (Q29)",
}
"""What the paper leaves open, as it is done here."""


class Contract(Record):
    """The analysis of one design."""

    primary: tuple[str, ...]
    """Metrics that answer the design's question; all others stand beside them."""
    unit: str = "scenario"
    interval_of_shares: str = "percentile bootstrap; where marked, Wilson with the effective n"
    interval_of_contrasts: str = "percentile bootstrap; with fewer than 24 scenarios, Student's t"
    test: str = "sign-flip over scenarios, two-sided"
    probes: int
    needed: int
    complete: float
    """Share of planned positions with a scorable reply, from which a lane counts."""
    contrasts: tuple[tuple[str, str, str], ...]
    """Name, metric and group of each."""
    choices: dict[str, str]


def contract_of(design: StageDesign, primary: tuple[str, ...]) -> Contract:
    """The contract as this version of the package would write it."""
    return Contract(
        primary=primary,
        probes=PROBES,
        needed=NEEDED,
        complete=COMPLETE,
        contrasts=tuple((c.name, c.metric, c.group) for c in planned(design)),
        choices=CHOICES,
    )


def noted(contract: Contract) -> dict[str, Any]:
    """Notes of a design that hold its contract."""
    return {NOTE: contract.model_dump(mode="json")}


def contract(design: StageDesign) -> Contract | None:
    """The contract that a design was frozen with; none where there was none yet."""
    if NOTE not in design.notes:
        return None
    try:
        return Contract.model_validate(design.notes[NOTE])
    except ValidationError as error:
        raise DamageError(f"{design.name}: its contract of analysis is not readable") from error
