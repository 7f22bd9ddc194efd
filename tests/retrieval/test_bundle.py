"""Archives as files: the same records, the same bytes; nothing is taken from a doubtful one."""

import hashlib
import io
import tarfile
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

from draligned.retrieval.bundle import CONTENTS, Contents, Taken, take_bundle, write_bundle
from draligned.schema.errors import DamageError, InputError
from draligned.store.blobs import Blobs, blob_key
from draligned.store.local import LocalStore

KEY = "retrieval/env/study/0123456789abcdef.json"


def check(key: str, data: bytes) -> None:
    """Records are what begins with a brace."""
    if not data.startswith(b"{"):
        raise DamageError(f"{key}: not a record")


@pytest.fixture
def full(tmp_path: Path) -> LocalStore:
    store = LocalStore(tmp_path / "full")
    store.put_if_absent(KEY, b'{"a": 1}')
    store.put_if_absent("replay/calls/ab/1-1.json", b"{}")
    Blobs(store).put("a page " * 1000)
    return store


@pytest.fixture
def empty(tmp_path: Path) -> LocalStore:
    return LocalStore(tmp_path / "empty")


def keys(store: LocalStore) -> list[str]:
    """Everything in a store."""
    return [key for part in ("retrieval", "replay", "blobs") for key in store.list(part)]


def made(path: Path, files: dict[str, bytes], contents: dict[str, bytes] | None = None) -> Path:
    """A tar file as `write_bundle` would write it of any members, sound or not."""
    listed = {k: hashlib.sha256(v).hexdigest() for k, v in (contents or files).items()}
    with tarfile.open(path, "w") as tar:
        for key, data in {CONTENTS: Contents(files=listed).to_json().encode(), **files}.items():
            member = tarfile.TarInfo(key)
            member.size = len(data)
            tar.addfile(member, io.BytesIO(data))
    return path


def test_a_store_goes_into_a_file_and_out_of_it(
    full: LocalStore, empty: LocalStore, tmp_path: Path
) -> None:
    file = tmp_path / "a.tar"
    size = write_bundle(file, full, keys(full))
    assert size == file.stat().st_size
    assert take_bundle(file, empty, check) == Taken(3, 0, 0)
    assert {k: empty.get(k) for k in keys(empty)} == {k: full.get(k) for k in keys(full)}
    assert take_bundle(file, empty, check) == Taken(0, 3, 0)


def test_the_same_records_make_the_same_bytes(full: LocalStore, tmp_path: Path) -> None:
    write_bundle(tmp_path / "a.tar", full, keys(full))
    write_bundle(tmp_path / "b.tar", full, [*reversed(keys(full)), KEY])
    assert (tmp_path / "a.tar").read_bytes() == (tmp_path / "b.tar").read_bytes()


def test_what_a_study_has_it_keeps(full: LocalStore, empty: LocalStore, tmp_path: Path) -> None:
    write_bundle(tmp_path / "a.tar", full, keys(full))
    empty.put_if_absent(KEY, b"{}")
    assert take_bundle(tmp_path / "a.tar", empty, check) == Taken(2, 0, 1)
    assert empty.get(KEY) == b"{}"


CALLS = [f"replay/calls/run1/1-{n}.json" for n in (1, 2)]
NOTE = "replay/failures/run1/3.json"
OTHER = "replay/failures/run2/3.json"


@pytest.mark.parametrize(
    ("here", "taken"),
    [
        ({}, {*CALLS, NOTE, OTHER}),
        ({CALLS[0]: b"{}"}, {CALLS[1], NOTE, OTHER}),
        ({CALLS[1]: b'{"another": 1}'}, {OTHER}),
        ({NOTE: b'{"another": 1}'}, {OTHER}),
        ({"replay/calls/run1/1-9.json": b"{}"}, {OTHER}),
        ({"replay/failures/run1/9.json": b"{}"}, {OTHER}),
        ({"replay/calls/run10/1-1.json": b"{}"}, {*CALLS, NOTE, OTHER}),
    ],
    ids=["none", "the same", "a call", "a failure", "more calls", "more failures", "another run"],
)
def test_two_recordings_of_one_run_are_not_mixed(
    empty: LocalStore, tmp_path: Path, here: dict[str, bytes], taken: set[str]
) -> None:
    file = made(tmp_path / "a.tar", dict.fromkeys((*CALLS, NOTE, OTHER), b"{}"))
    for key, data in here.items():
        empty.put_if_absent(key, data)
    found = take_bundle(file, empty, check)
    assert set(keys(empty)) == {*here, *taken}
    assert found.added == len(taken)
    assert found.added + found.same + found.kept == 4


def test_a_text_that_was_packed_otherwise_is_the_same(empty: LocalStore, tmp_path: Path) -> None:
    key = blob_key(hashlib.sha256(b"a page" * 99).hexdigest())
    empty.put_if_absent(key, zlib.compress(b"a page" * 99, 1))
    file = made(tmp_path / "a.tar", {key: zlib.compress(b"a page" * 99, 9)})
    assert take_bundle(file, empty, check) == Taken(0, 1, 0)


def test_a_file_is_not_written_over_and_a_missing_key_is_damage(
    full: LocalStore, tmp_path: Path
) -> None:
    (tmp_path / "a.tar").write_bytes(b"mine")
    with pytest.raises(InputError, match="exists"):
        write_bundle(tmp_path / "a.tar", full, keys(full))
    assert (tmp_path / "a.tar").read_bytes() == b"mine"
    with pytest.raises(DamageError, match=r"gone\.json is missing"):
        write_bundle(tmp_path / "b.tar", full, [*keys(full), "retrieval/env/study/gone.json"])


@pytest.mark.parametrize(
    "name",
    [
        "../out.json", "/etc/out.json", "retrieval/../../out.json", "retrieval//out.json",
        "retrieval/./out.json", "retrieval\\out.json", "runs/ab/a1/seal.json", "study.toml",
        "design/design.json", "retrieval", "retrieval/", "blobs/.z", "retrieval/a\nb.json",
        "retrieval/页.json", "ledger/x.jsonl", "retrieval/._hidden",
    ],
)  # fmt: skip
def test_names_that_lead_elsewhere_are_refused(
    empty: LocalStore, tmp_path: Path, name: str
) -> None:
    file = made(tmp_path / "a.tar", {KEY: b"{}", name: b"{}"})
    with pytest.raises(InputError, match=r"no name of a recorded answer|not a plain file"):
        take_bundle(file, empty, check)
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == [file]


@pytest.mark.parametrize(
    "kind",
    [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.CHRTYPE, tarfile.DIRTYPE],
)
def test_what_is_no_plain_file_is_refused(empty: LocalStore, tmp_path: Path, kind: bytes) -> None:
    with tarfile.open(tmp_path / "a.tar", "w") as tar:
        member = tarfile.TarInfo(KEY)
        member.type, member.linkname = kind, "/etc/passwd"
        tar.addfile(member)
    with pytest.raises(InputError, match="is not a plain file"):
        take_bundle(tmp_path / "a.tar", empty, check)


@pytest.mark.parametrize(
    "headers", [{"GNU.sparse.map": "1,2,x"}, {"GNU.sparse.major": "1", "GNU.sparse.minor": "0"}]
)
def test_headers_that_no_parser_reads_are_refused(
    empty: LocalStore, tmp_path: Path, headers: dict[str, str]
) -> None:
    with tarfile.open(tmp_path / "a.tar", "w", format=tarfile.PAX_FORMAT) as tar:
        member = tarfile.TarInfo(CONTENTS)
        member.pax_headers, member.size = headers, 2
        tar.addfile(member, io.BytesIO(b"{}"))
    with pytest.raises(InputError):
        take_bundle(tmp_path / "a.tar", empty, check)


def test_a_file_that_cannot_be_read_is_named(empty: LocalStore, tmp_path: Path) -> None:
    for path in (tmp_path / "none.tar", tmp_path):
        with pytest.raises(InputError, match=f"{path} cannot be read"):
            take_bundle(path, empty, check)


def _flip(data: bytes) -> bytes:
    place = data.index(b'{"a": 1}') + 6
    return data[:place] + b"2" + data[place + 1 :]


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: data[:-11_000],
        lambda data: data[:700],
        lambda data: b"",
        lambda data: b"hello " * 900,
        _flip,
        lambda data: zlib.compress(data),
    ],
    ids=["end", "beginning", "empty", "text", "a byte", "packed"],
)
def test_nothing_is_taken_from_a_damaged_file(
    full: LocalStore, empty: LocalStore, tmp_path: Path, damage: Callable[[bytes], bytes]
) -> None:
    file = tmp_path / "a.tar"
    write_bundle(file, full, keys(full))
    file.write_bytes(damage(file.read_bytes()))
    with pytest.raises(InputError, match=r"a\.tar"):
        take_bundle(file, empty, check)
    assert keys(empty) == []


def test_what_the_list_does_not_say_is_refused(empty: LocalStore, tmp_path: Path) -> None:
    other = KEY.replace("0", "f")
    cases = {
        "more": made(tmp_path / "1", {KEY: b"{}", other: b"{}"}, {KEY: b"{}"}),
        "less": made(tmp_path / "2", {KEY: b"{}"}, {KEY: b"{}", other: b"{}"}),
        "else": made(tmp_path / "3", {KEY: b"{}"}, {KEY: b"{ }"}),
        "a record": made(tmp_path / "4", {KEY: b"no"}),
    }
    with tarfile.open(tmp_path / "5", "w") as tar:
        for _ in range(2):
            tar.addfile(tarfile.TarInfo(KEY))
    for file in [*cases.values(), tmp_path / "5"]:
        with pytest.raises(InputError):
            take_bundle(file, empty, check)
        assert keys(empty) == []


@pytest.mark.parametrize(
    "content",
    [
        zlib.compress(b"another text"),
        zlib.compress(b"a page")[:-3],
        zlib.compress(b"a page") + b"more",
        b"not packed",
    ],
)
def test_blobs_are_what_their_names_say(empty: LocalStore, tmp_path: Path, content: bytes) -> None:
    key = blob_key(hashlib.sha256(b"a page").hexdigest())
    with pytest.raises(InputError, match="blob"):
        take_bundle(made(tmp_path / "a.tar", {key: content}), empty, check)
    assert take_bundle(made(tmp_path / "b", {key: zlib.compress(b"a page")}), empty, check).added


def test_a_blob_that_unpacks_to_more_than_is_read_is_refused(
    empty: LocalStore, tmp_path: Path
) -> None:
    packing, bomb = zlib.compressobj(9), b""
    for _ in range(100):
        bomb += packing.compress(b"\0" * 1_000_000)
    bomb += packing.flush()
    key = blob_key("00" * 32)
    with pytest.raises(InputError, match="too large"):
        take_bundle(made(tmp_path / "a.tar", {key: bomb}), empty, check)
