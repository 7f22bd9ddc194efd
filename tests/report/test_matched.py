"""The line about matched requests, counted by hand."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from draligned.report.data import ReportData
from draligned.report.matched import matched
from draligned.report.texts import load_texts
from draligned.schema.events import Event, RequestExecuted
from draligned.schema.observed import ObservedRun
from draligned.schema.retrieval import ReturnStatus

Change = Callable[[RequestExecuted, ObservedRun], dict[str, object]]


def line(data: ReportData, change: Change) -> str:
    """The line after every logged request was changed."""

    def events_of(run: ObservedRun) -> Sequence[Event]:
        return [_changed(event, run, change) for event in data.events_of(run)]

    said = matched(replace(data, events_of=events_of), load_texts("en")).replace("\u00a0", " ")
    return said.split("other run ")[1].split(";")[0]


def _changed(event: Event, run: ObservedRun, change: Change) -> Event:
    body = event.body
    if not isinstance(body, RequestExecuted):
        return event
    return event.model_copy(update={"body": body.model_copy(update=change(body, run))})


CASES: dict[str, tuple[Change, str]] = {
    "other words": (lambda b, _: {}, "0/40 (0.0 %)"),
    "one query, answered by the record": (
        lambda b, _: {"request": "x", "environment_hit": True}, "40/40 (100.0 %)",
    ),
    "fetched by one, and recorded": (
        lambda b, run: {"request": "x", "environment_hit": False, "first_fetcher": run.run_id},
        "40/40 (100.0 %)",
    ),
    "failed": (
        lambda b, _: {
            "request": "x", "environment_hit": False, "return_status": ReturnStatus.ERROR,
        },
        "0/40 (0.0 %)",
    ),
    "live": (lambda b, _: {"request": "x", "environment_hit": None}, "0/40 (0.0 %)"),
    "one page, spelt otherwise": (
        lambda b, run: {
            "tool": "read",
            "request": f"https://A.example/{b.request_no}#{run.run_id}",
            "environment_hit": True,
        },
        "40/40 (100.0 %)",
    ),
    "every second one": (
        lambda b, run: {
            "request": "x" if b.request_no % 2 else run.run_id, "environment_hit": True,
        },
        "20/40 (50.0 %)",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_matched_requests_are_those_that_one_record_answered(small: ReportData, name: str) -> None:
    change, said = CASES[name]
    assert line(small, change) == said
