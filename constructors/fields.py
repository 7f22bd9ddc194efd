"""Going through a profile in field order: which field bears a card, and why others don't."""

from collections.abc import Callable, Iterator

from draligned.bench_data.kinds import Kind, kinds
from draligned.bench_data.relevance import RelevanceRow, row_for, second_row_for
from draligned.constructors.cards import rule_card
from draligned.constructors.removal import NAME_PATHS
from draligned.constructors.review import checked, reason_in_words
from draligned.constructors.review_decision import task_fixes
from draligned.constructors.values import recognise
from draligned.schema.base import Record
from draligned.schema.design import Decision, Detail, FactorCard, Persona, TaskRecord
from draligned.schema.labels import CardOutcome


class Tried(Record):
    """What came of one field."""

    decision: Decision
    card: FactorCard | None = None


def try_fields(
    task: TaskRecord,
    persona: Persona,
    path_open: Callable[[str], bool],
    *,
    second: bool = False,
) -> Iterator[Tried]:
    """Each field of the profile in order, until the first accepted card (DR-5).

    Fields after it are recorded as not needed. `path_open` says whether a field
    path may still be used; for a `second` fact more rows of the relevance table hold.
    """
    done = False
    for detail in persona.details:
        if done:
            yield note(task, persona, detail.path, CardOutcome.NOT_NEEDED, "an earlier field did")
            continue
        for tried in _try_detail(task, persona, detail, path_open, second):
            yield tried
            if tried.decision.outcome is CardOutcome.ACCEPTED:
                done = True
                break


def note(
    task: TaskRecord,
    persona: Persona,
    path: str,
    outcome: CardOutcome,
    reason: str,
    kind: str | None = None,
) -> Tried:
    """A decision without a card."""
    return Tried(
        decision=Decision(
            task_id=task.task_id,
            user_id=persona.user_id,
            domain=task.domain,
            field_path=path,
            kind=kind,
            outcome=outcome,
            reason=reason,
        )
    )


def _try_detail(
    task: TaskRecord,
    persona: Persona,
    detail: Detail,
    path_open: Callable[[str], bool],
    second: bool,
) -> Iterator[Tried]:
    if NAME_PATHS.search(detail.path):
        reason = "a personal name is in neither arm"
        yield note(task, persona, detail.path, CardOutcome.NO_RELEVANCE, reason)
        return
    found = [k for k in kinds(task.lang) if k.holds_path(detail.path)]
    if not found:
        reason = "no kind of fact in the relevance table is stated here"
        yield note(task, persona, detail.path, CardOutcome.NO_RELEVANCE, reason)
    for kind in found:
        yield _try_kind(task, persona, detail, kind, path_open, second)


def _try_kind(
    task: TaskRecord,
    persona: Persona,
    detail: Detail,
    kind: Kind,
    path_open: Callable[[str], bool],
    second: bool,
) -> Tried:
    def no(outcome: CardOutcome, reason: str) -> Tried:
        return note(task, persona, detail.path, outcome, reason, kind.name)

    row = _row(kind, task, second)
    if row is None:
        return no(CardOutcome.NO_RELEVANCE, f"no row for {kind.name} × {task.domain}")
    if not row.applies(task.text):
        return no(CardOutcome.NO_RELEVANCE, f"the row's decision is not open here: {row.decision}")
    if fixed := task_fixes(kind, task.domain, task.text, task.lang):
        return no(CardOutcome.REJECTED_TASK_FORCED, f"the task already says “{fixed}”")
    value = recognise(kind, detail.text)
    if value.value is None:
        return no(CardOutcome.NO_VALUE, value.reason)
    if not path_open(detail.path):
        return no(CardOutcome.NOT_NEEDED, "the field is used often enough in other tasks")
    card = checked(rule_card(task, persona, detail.path, kind, value, row), task, persona)
    made = no(card.outcome, reason_in_words(card))
    return made.model_copy(update={"card": card})


def _row(kind: Kind, task: TaskRecord, second: bool) -> RelevanceRow | None:
    row = row_for(kind.name, task.domain, task.lang)
    more = second_row_for(kind.name, task.domain, task.lang) if second else None
    return more if more is not None and (row is None or not row.applies(task.text)) else row
