"""The attempt ledger: every process has a file of its own, readers see all."""

import re
from pathlib import Path

from draligned.schema.chat import CallKey
from draligned.store.local import LocalStore
from draligned.study.ledger import Ledger, lost_call, owner_name, read_ledger
from draligned.study.spend import spend_rows

LOST = lost_call(CallKey(owner="r", attempt=1, sequence=2), "mine", "m")


def test_tries_of_all_processes_are_read_and_a_torn_line_is_not(tmp_path: Path) -> None:
    store = LocalStore(tmp_path)
    assert read_ledger(store) == []
    Ledger(store).record(LOST)
    other = LOST.model_copy(update={"outcome": "ok"})
    store.append("ledger/another.jsonl", other.to_json().encode() + b'\n{"key"')
    assert {a.outcome for a in read_ledger(store)} == {"lost", "ok"}


def test_a_lost_call_may_have_been_billed_and_nobody_knows_for_how_much() -> None:
    (row,) = spend_rows([LOST])
    assert (row.tries, row.failed, row.unaccounted) == (1, 1, 1)
    assert (row.input_tokens, row.cost, LOST.try_no, LOST.usage) == (0, None, 1, None)


def test_a_process_is_called_by_a_plain_name() -> None:
    assert re.fullmatch(r"\w[\w-]*\w", owner_name())
