"""Whether the calls of runs stand in the ledger of tries."""

from collections.abc import Sequence
from typing import Any

from draligned.verify.files import Files
from draligned.verify.found import going_on
from draligned.verify.logs import Run

PART = "ledger"


def check_ledger(files: Files, runs: Sequence[Run]) -> None:
    """Every run whose model was asked live has an answered call there; a ledger that is lost as a
    whole is one mismatch. Replayed runs have none."""
    live = [run for run in runs if run.attempt is not None and _live(files, run)]
    part, keys = files.found.part(PART), files.store.list("ledger")
    if live and not keys:
        part.wrong(
            "ledger", "", "no file", f"the tries of every call, of {len(live)} runs among others"
        )
        return
    answered: set[tuple[Any, Any]] = set()
    for key in keys:
        for number, line in enumerate(files.lines(key), start=1):
            with going_on():
                record = files.parsed(line, key, PART, f"line {number}")
                if record.get("outcome") == "ok":
                    at = record.get("key", {})
                    answered.add((at.get("owner"), at.get("attempt")))
    for run in live:
        where = f"runs/{run.run_id}/a{run.attempt}"
        part.same(where, "an answered call", (run.run_id, run.attempt) in answered, True)


def _live(files: Files, run: Run) -> bool:
    """Whether a run is done and was no replay, as its header says."""
    data = files.store.get(f"runs/{run.run_id}/a{run.attempt}/header.json") or b""
    return run.state == "done" and b'"models":"live"' in data.replace(b" ", b"")
