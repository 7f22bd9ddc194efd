import errno
from pathlib import Path

import pytest

from draligned.schema.chat import Message
from draligned.schema.errors import DamageError
from draligned.schema.events import Body, CallStarted, Opened
from draligned.store.local import LocalStore
from draligned.study.log import EventLog, read_events, read_log, read_so_far

KEY = "runs/r/a1/events.jsonl"


def bodies() -> list[Body]:
    text = "行\u2028分\x85隔\r\n尾"
    return [
        Opened(messages=(Message(role="user", text=text),)),
        CallStarted(sequence=1, request_sha256="0" * 64),
        CallStarted(sequence=2, request_sha256="1" * 64),
    ]


def written(tmp_path: Path) -> LocalStore:
    store = LocalStore(tmp_path)
    log = EventLog(store, KEY)
    for body in bodies():
        log.append(body)
    return store


def test_what_was_appended_is_read_back_one_record_a_line(tmp_path: Path) -> None:
    store = written(tmp_path)
    assert [e.body for e in read_events(store, KEY)] == bodies()
    assert [e.seq for e in read_events(store, KEY)] == [0, 1, 2]
    assert len((store.get(KEY) or b"").decode().splitlines()) == 3


def test_a_log_cut_at_any_byte_goes_on_from_its_last_whole_line(tmp_path: Path) -> None:
    whole = written(tmp_path / "whole").get(KEY) or b""
    for size in range(len(whole)):
        store = LocalStore(tmp_path / str(size))
        store.append(KEY, whole[:size])
        log = EventLog(store, KEY)
        lines = whole[:size].count(b"\n")
        assert log.n_events == len(log.found) == lines
        assert (log.torn is not None) == (not whole[:size].endswith(b"\n") and size > 0)
        log.append(*bodies()[lines:])
        assert [e.body for e in read_events(store, KEY)] == bodies()


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (b'"sequence":1', b'"sequence":3', "line 3: the chain is broken"),
        (b'"seq":1', b'"seq":7', "line 2: the chain is broken"),
        (b'{"seq":2', b'{"seq":NaN', "line 3: not an event"),
        (b'"kind":"opened"', b'"kind":"unheard"', "line 1: not an event"),
    ],
)
def test_damage_is_named_with_its_line(
    tmp_path: Path, old: bytes, new: bytes, message: str
) -> None:
    store = written(tmp_path)
    data = store.get(KEY) or b""
    assert data.count(old) == 1
    store.replace(KEY, data.replace(old, new))
    with pytest.raises(DamageError, match=message):
        read_events(store, KEY)


def test_a_log_that_is_not_there_is_damage_and_as_it_is_now_empty(tmp_path: Path) -> None:
    store = LocalStore(tmp_path)
    with pytest.raises(DamageError, match=r"events\.jsonl is missing"):
        read_log(store, KEY)
    assert read_so_far(store, KEY) == ([], None)


def test_what_comes_before_damage_can_still_be_looked_at(tmp_path: Path) -> None:
    store = written(tmp_path)
    whole = store.get(KEY) or b""
    store.replace(KEY, whole[:-3])
    found = read_so_far(store, KEY)
    assert [e.body for e in found.events] == bodies()[:2]
    assert found.problem == f"{KEY}: the last line is torn"
    assert store.get(KEY) == whole[:-3]
    store.replace(KEY, whole.replace(b'"seq":1', b'"seq":7'))
    found = read_so_far(store, KEY)
    assert ([e.body for e in found.events], found.problem) == (
        bodies()[:1], f"{KEY}, line 2: the chain is broken",
    )  # fmt: skip


def test_a_missing_line_breaks_the_chain(tmp_path: Path) -> None:
    store = written(tmp_path)
    first, _, third = (store.get(KEY) or b"").splitlines(keepends=True)
    store.replace(KEY, first + third)
    with pytest.raises(DamageError, match="line 2: the chain is broken"):
        read_events(store, KEY)


def test_order_is_the_sequence_whatever_the_clocks_say(tmp_path: Path) -> None:
    store = LocalStore(tmp_path)
    ticks = iter([("2026-01-01T00:01:30+00:00", 9.0), ("2026-01-01T00:00:00+00:00", 1.0)])
    log = EventLog(store, KEY, clock=lambda: next(ticks))
    log.append(bodies()[0])
    log.append(bodies()[1])
    assert [e.body for e in read_events(store, KEY)] == bodies()[:2]


def test_what_could_not_be_written_is_no_event(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = LocalStore(tmp_path)
    log = EventLog(store, KEY)
    first, *rest = bodies()
    log.append(first)
    with monkeypatch.context() as patch:
        patch.setattr(LocalStore, "append", _full)
        with pytest.raises(OSError, match="No space"):
            log.append(*rest)
    assert log.n_events == 1
    log.append(*rest)
    assert [e.body for e in read_events(store, KEY)] == bodies()


def _full(*_: object) -> None:
    raise OSError(errno.ENOSPC, "No space left on device")
