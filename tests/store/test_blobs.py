"""Blobs: one text, one file, checked at every reading."""

import zlib
from pathlib import Path

import pytest

from draligned.schema.errors import DamageError
from draligned.store import blobs as module
from draligned.store.blobs import Blobs, blob_key
from draligned.store.local import LocalStore


def test_blobs_are_stored_once_and_checked(tmp_path: Path) -> None:
    store = LocalStore(tmp_path)
    blobs = Blobs(store)
    name = blobs.put("报告 \U00020bb7\r\n")
    assert blobs.put("报告 \U00020bb7\r\n") == name
    assert len(store.list("blobs")) == 1
    assert Blobs(store).get(name) == "报告 \U00020bb7\r\n"
    store.replace(store.list("blobs")[0], b"damage")
    with pytest.raises(DamageError, match="cannot be unpacked"):
        Blobs(store).get(name)
    with pytest.raises(DamageError, match="missing"):
        Blobs(store).get("0" * 64)


def test_a_blob_that_is_another_or_no_text_is_damage(tmp_path: Path) -> None:
    store = LocalStore(tmp_path)
    name = Blobs(store).put("one")
    store.replace(blob_key(name), zlib.compress(b"two"))
    with pytest.raises(DamageError, match="holds another text"):
        Blobs(store).get(name)
    raw = Blobs(store).put_bytes(b"\xff")
    assert Blobs(store).get_bytes(raw) == b"\xff"
    with pytest.raises(DamageError, match="cannot be unpacked"):
        Blobs(store).get(raw)


def test_a_blob_cut_short_or_too_large_is_damage(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = LocalStore(tmp_path)
    name = Blobs(store).put("x" * 1000)
    whole = store.get(blob_key(name)) or b""
    monkeypatch.setattr(module, "_MOST", 1000)
    assert Blobs(store).get(name) == "x" * 1000
    monkeypatch.setattr(module, "_MOST", 999)
    with pytest.raises(DamageError, match="too large"):
        Blobs(store).get(name)
    monkeypatch.undo()
    store.replace(blob_key(name), whole[:-1])
    with pytest.raises(DamageError, match="cut short"):
        Blobs(store).get(name)


def test_a_text_that_was_put_already_is_not_written_again(tmp_path: Path) -> None:
    store = LocalStore(tmp_path)
    blobs = Blobs(store)
    name = blobs.put("one")
    store.path(blob_key(name)).unlink()
    assert blobs.put("one") == name
    assert not store.exists(blob_key(name))
    assert Blobs(store).put("one") == name
    assert store.exists(blob_key(name))
