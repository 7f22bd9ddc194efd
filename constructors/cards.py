"""Rule-based factor cards (DR-3 … DR-5, DESIGN §5)."""

from draligned.bench_data.kinds import Kind
from draligned.bench_data.relevance import RelevanceRow
from draligned.constructors.removal import split_background
from draligned.constructors.values import Recognised
from draligned.schema.design import FactorCard, Persona, TaskRecord
from draligned.schema.labels import CardOutcome


def rule_card(
    task: TaskRecord,
    persona: Persona,
    field_path: str,
    kind: Kind,
    found: Recognised,
    row: RelevanceRow,
) -> FactorCard:
    """The card for a recognised value; its outcome is still open (`needs_review`)."""
    if found.value is None:
        raise ValueError("a card needs a recognised value")
    p = kind.endpoint(found.value)
    q = kind.endpoint(kind.counterfactual(found.value))
    background = split_background(persona, field_path, kind, (*p.words, *q.words))
    return FactorCard(
        task_id=task.task_id,
        user_id=persona.user_id,
        lang=task.lang,
        domain=task.domain,
        kind=kind.name,
        field_path=field_path,
        evidence_quote=found.quote,
        p=p,
        q=q,
        background=background.kept,
        removed_from_both=background.removed,
        decision=row.decision,
        order_p=row.order(p.value, q.value),
        order_q=row.order(q.value, p.value),
        axis=row.axis,
        source="rules",
        outcome=CardOutcome.NEEDS_REVIEW,
    )
