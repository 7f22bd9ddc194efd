"""Events that are no request, draft or final, as lines of a run."""

from collections.abc import Callable, Mapping

from draligned.report.entries import Entry
from draligned.report.shown import MESSAGE_CHARS, shown
from draligned.report.texts import Texts
from draligned.schema import events as ev


def control_entry(event: ev.Event, texts: Texts) -> Entry | None:
    """The entry of an event that is no request, draft or final; none where it is not listed."""
    make = _OTHERS.get(event.body.kind)
    return make(event, texts) if make else None


def _entry(event: ev.Event, title: str, text: str = "") -> Entry:
    told = shown(text, MESSAGE_CHARS) if text else None
    return Entry(seq=event.seq, kind="control", title=title, text=told)


def _opened(event: ev.Event, texts: Texts) -> Entry | None:
    body = event.body
    assert isinstance(body, ev.Opened)
    title = texts("run.opened", n=len(body.messages))
    return _entry(event, title)


def _turn(event: ev.Event, texts: Texts) -> Entry | None:
    body = event.body
    assert isinstance(body, ev.ModelTurn)
    if not body.message.text or not body.message.tool_calls:
        return None
    return _entry(event, texts("run.model_turn"), body.message.text)


def _failed(event: ev.Event, texts: Texts) -> Entry | None:
    body = event.body
    assert isinstance(body, ev.ModelFailed)
    return _entry(event, texts("run.model_failed"), f"{body.failure}: {body.detail}")


def _invalid(event: ev.Event, texts: Texts) -> Entry | None:
    body = event.body
    assert isinstance(body, ev.ToolCallInvalid)
    return _entry(
        event, texts("run.tool_call_invalid"), f"{body.problem}: {body.name}({body.arguments})"
    )


def _denied(event: ev.Event, texts: Texts) -> Entry | None:
    body = event.body
    assert isinstance(body, ev.BudgetDenied)
    title = texts("run.budget_denied", budget=body.budget)
    return _entry(event, title)


def _ended(event: ev.Event, texts: Texts) -> Entry | None:
    body = event.body
    assert isinstance(body, ev.Ended)
    outcome = texts.word("outcome", body.end.outcome.value)
    title = texts("run.ended", outcome=outcome, by=body.end.ended_by.value)
    return _entry(event, title, body.end.detail)


def _spoken(event: ev.Event, texts: Texts) -> Entry | None:
    body = event.body
    assert isinstance(body, ev.UserTurn)
    return _entry(event, texts(f"run.user_turn_{body.origin}", no=body.number), body.text)


def _refused(event: ev.Event, texts: Texts) -> Entry | None:
    body = event.body
    assert isinstance(body, ev.ToolRefused)
    title = texts("run.tool_refused", tool=body.tool, reason=body.reason.value)
    return _entry(event, title, body.path or "")


def _no_access(event: ev.Event, texts: Texts) -> Entry | None:
    body = event.body
    assert isinstance(body, ev.AccessDenied)
    title = texts("run.access_denied", context=body.context, lacks=body.lacks)
    return _entry(event, title, body.tool)


def _looked(event: ev.Event, texts: Texts) -> Entry | None:
    body = event.body
    assert isinstance(body, ev.WorkspaceRead)
    return _entry(event, texts(f"run.{body.tool}"), body.path or "")


def _code(event: ev.Event, texts: Texts) -> Entry | None:
    body = event.body
    assert isinstance(body, ev.CodeRun)
    n = len(body.saved) + len(body.removed)
    title = texts("run.code_run", exit=texts.word("code_exit", body.exit), n=n)
    return _entry(event, title, ", ".join([*(f.path for f in body.saved), *body.removed]))


def _delegated(event: ev.Event, texts: Texts) -> Entry | None:
    body = event.body
    assert isinstance(body, ev.DelegationOpened)
    asked = [m.text for m in body.messages if m.role == "user" and m.text]
    return _entry(event, texts("run.delegation_opened", no=body.number), "\n".join(asked))


def _returned(event: ev.Event, texts: Texts) -> Entry | None:
    body = event.body
    assert isinstance(body, ev.DelegationClosed)
    reason = texts.word("closed", body.reason)
    return _entry(event, texts("run.delegation_closed", no=body.number, reason=reason))


def _handed(event: ev.Event, texts: Texts) -> Entry | None:
    body = event.body
    assert isinstance(body, ev.HandedOver)
    source = texts.word("handed", body.source)
    return _entry(event, texts("run.handed_over", to=body.to, source=source))


_OTHERS: Mapping[str, Callable[[ev.Event, Texts], Entry | None]] = {
    "opened": _opened,
    "model_turn": _turn,
    "model_failed": _failed,
    "tool_call_invalid": _invalid,
    "budget_denied": _denied,
    "user_turn": _spoken,
    "tool_refused": _refused,
    "access_denied": _no_access,
    "workspace_read": _looked,
    "code_run": _code,
    "delegation_opened": _delegated,
    "delegation_closed": _returned,
    "handed_over": _handed,
    "ended": _ended,
}
