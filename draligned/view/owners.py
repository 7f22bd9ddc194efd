"""Which runs a packet is of. A packet of requests is named after its run; one of a document after
its text, which several runs may have, so it is looked for in the logs of runs told its factor."""

import re
from collections.abc import Iterator

from draligned.evaluators.packets import document_units, masked_unit
from draligned.schema.errors import DralignedError
from draligned.schema.ids import document_packet_id, request_packet_id
from draligned.schema.packets import ReadRecord
from draligned.study.attempts import events_key
from draligned.study.observe import load_observed
from draligned.view.index import RunRow, Snapshot
from draligned.view.loading import settings
from draligned.view.site import Site

BATCHES = 40
"""Batches of one run that are looked through for a packet of requests."""
MOST = 12
"""Runs that are named for one document."""
_TEXT = re.compile(rb'"text_sha256":"([0-9a-f]{64})"')


def owners(site: Site, now: Snapshot, record: ReadRecord, named: str) -> tuple[RunRow, ...]:
    """The run that a read's packet of requests is of, or the runs that a document was written in:
    `named` alone where it is one of them. None for packets of no run, such as sentinels."""
    known = now.row(named)
    for rows in ((known,) if known else (), now.rows):
        told = (r for r in rows if record.factor_id in _factors(r))
        found = _documents if record.kind == "document" else _requests
        if mine := tuple(found(site, now, record, told)):
            return mine
    return ()


def _factors(row: RunRow) -> set[str]:
    second = row.cell.second
    return {row.cell.factor_id} | ({second.factor_id} if second else set())


def _requests(
    site: Site, _now: Snapshot, record: ReadRecord, rows: Iterator[RunRow]
) -> Iterator[RunRow]:
    mode = settings(site.folder).evaluate.request_mode
    batches = range(BATCHES) if mode == "batch_prev3" else range(1)
    for row in rows:
        ids = (request_packet_id(row.cell.run_id, record.factor_id, mode, n) for n in batches)
        if record.packet_id in ids:
            yield row
            return


def _documents(
    site: Site, now: Snapshot, record: ReadRecord, rows: Iterator[RunRow]
) -> Iterator[RunRow]:
    conditions = {c.condition_id: c for c in now.design.every_condition}
    found = 0
    for row in rows:
        if found == MOST or row.state != "done" or row.attempt is None:
            continue
        log = site.folder.store.get(events_key(row.cell.run_id, row.attempt)) or b""
        texts = {m.decode() for m in _TEXT.findall(log)}
        if not any(_is_of(record, text) for text in texts):
            continue
        condition = conditions[row.cell.condition_id]
        try:
            run = load_observed(site.folder.store, row.cell.run_id, row.attempt, condition)
        except DralignedError:
            continue
        units = document_units(run, record.factor_id)
        if any(_is_of(record, u.text_sha256 or "") for u in units):
            found += 1
            yield row


def _is_of(record: ReadRecord, text_sha256: str) -> bool:
    ids = (document_packet_id(text_sha256, record.factor_id),
           masked_unit(text_sha256, record.factor_id).packet_id)  # fmt: skip
    return record.packet_id in ids
