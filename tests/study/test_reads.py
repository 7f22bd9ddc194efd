"""Reads on disk: the first answered reply is final, and an evaluator has one protocol."""

from pathlib import Path

import pytest

from draligned.schema.errors import ConfigError, DamageError
from draligned.schema.labels import ReadRole, Side
from draligned.schema.packets import ReadRecord
from draligned.store.local import LocalStore
from draligned.study.reads import (
    ReadsOf,
    iter_reads,
    lock_protocol,
    locked_protocol,
    put_read,
    read_key,
)

READ = ReadRecord(
    packet_id="p", kind="document", factor_id="f", evaluator_id="e", protocol_sha256="x",
    role=ReadRole.FIRST, alpha=Side.P, packet_sha256="y", reply_sha256=None, void=None,
)  # fmt: skip


def test_the_first_read_of_a_packet_stays(tmp_path: Path) -> None:
    store = LocalStore(tmp_path)
    assert put_read(store, READ)
    assert not put_read(store, READ.model_copy(update={"cap_hit": True}))
    mirror = READ.model_copy(update={"role": ReadRole.MIRROR, "alpha": Side.Q})
    assert put_read(store, mirror)
    assert list(iter_reads(store, "e")) == [READ, mirror]


def test_sorts_of_reads_are_kept_apart(tmp_path: Path) -> None:
    store = LocalStore(tmp_path)
    for of in ReadsOf:
        assert put_read(store, READ, of)
    assert store.folders("reads") == store.folders("sentinels") == ("e",)
    assert list(iter_reads(store, "e", ReadsOf.GOLD)) == [READ]
    assert list(iter_reads(store, "another")) == []


def test_another_protocol_is_refused_and_the_lock_is_no_read(tmp_path: Path) -> None:
    store = LocalStore(tmp_path)
    assert locked_protocol(store, "e") is None
    lock_protocol(store, "e", '{"a":1}')
    lock_protocol(store, "e", '{"a":1}')
    with pytest.raises(ConfigError, match="under a new name"):
        lock_protocol(store, "e", '{"a":2}')
    assert locked_protocol(store, "e") == '{"a":1}'
    assert list(iter_reads(store, "e")) == []


def test_a_damaged_read_is_named(tmp_path: Path) -> None:
    store = LocalStore(tmp_path)
    key = read_key("e", "p", ReadRole.FIRST)
    store.replace(key, b"{}")
    with pytest.raises(DamageError, match=r"reads/e/p/first\.json: not a ReadRecord"):
        list(iter_reads(store, "e"))
