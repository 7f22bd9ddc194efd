"""Whether both runs of a pair met the same world: requests and the record that answered them."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from draligned.report import numbers
from draligned.report.data import ReportData
from draligned.report.rows import rows
from draligned.report.texts import Texts
from draligned.retrieval.place import request_key
from draligned.schema.events import RequestExecuted
from draligned.schema.observed import ObservedRun


def matched(data: ReportData, texts: Texts) -> str:
    """Requests answered from the record, those of a pair answered by the same one, and those
    asked alike in both arms; counted apart where there are several harnesses."""
    names = sorted({run.harness_name for run in data.observed})
    if len(names) < 2:
        return _of(data, texts)
    parts = []
    for name in names:
        own = tuple(run for run in data.observed if run.harness_name == name)
        parts.append(f"{name}: {_of(replace(data, observed=own), texts)}")
    return " / ".join(parts)


class _Counts(NamedTuple):
    """Requests of both runs of all pairs."""

    total: int
    alike: int
    """Asked word for word by the other run, too."""
    matched: int
    """Answered by a record that answered the other run, too."""


def _of(data: ReportData, texts: Texts) -> str:
    hits = Counter(b.environment_hit for run in data.observed for b in _requests(data, run))
    counts = [_count(data, *pair) for pair in _pairs(data)]
    total = sum(c.total for c in counts)
    return texts(
        "provenance.matched_text",
        hits=numbers.share(hits[True], hits[True] + hits[False]),
        unknown=numbers.count(hits[None]),
        matched=numbers.share(sum(c.matched for c in counts), total),
        same=numbers.share(sum(c.alike for c in counts), total),
    )


def _pairs(data: ReportData) -> Iterator[tuple[ObservedRun, ObservedRun]]:
    runs = {run.run_id: run for run in data.observed}
    pairs = {(str(row["run_id_p"]), str(row["run_id_q"])) for row in rows(data.table("pairs"))}
    for p, q in sorted(pairs):
        if p in runs and q in runs:
            yield runs[p], runs[q]


def _count(data: ReportData, p: ObservedRun, q: ObservedRun) -> _Counts:
    of_p, of_q = (Counter((r.tool, r.request) for r in run.requests) for run in (p, q))
    records_p, records_q = (_records(data, run) for run in (p, q))
    both = records_p.keys() & records_q.keys()
    return _Counts(
        total=of_p.total() + of_q.total(),
        alike=2 * (of_p & of_q).total(),
        matched=sum(records_p[place] + records_q[place] for place in both),
    )


def _records(data: ReportData, run: ObservedRun) -> Counter[tuple[str, str]]:
    """The run's requests that a record answered, counted by what they are recorded under.

    Both runs of a pair ask in one scope of one environment, which has one record of each.
    """
    return Counter(
        (body.tool, request_key(body.tool, body.request))
        for body in _requests(data, run)
        if body.environment_hit or body.first_fetcher is not None
    )


def _requests(data: ReportData, run: ObservedRun) -> Iterator[RequestExecuted]:
    for event in data.events_of(run):
        if isinstance(event.body, RequestExecuted):
            yield event.body
