"""Parts of a study's store as one plain tar file: the same parts, the same bytes.

Its first member lists all others with their hashes. Nothing is taken from a file before the
whole of it was checked: names, kinds, hashes, and what each record says.
"""

import hashlib
import io
import re
import tarfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import IO, Literal, NamedTuple

from draligned.schema.base import Record
from draligned.schema.errors import DamageError, InputError
from draligned.schema.strictjson import visible
from draligned.store.protocol import Store
from draligned.study.stored import stored

CONTENTS = "contents.json"
MEMBER_BYTES = 64_000_000
"""Of one member as stored, and of a blob unpacked."""
_KEY = re.compile(r"(blobs|replay|retrieval)(/[A-Za-z0-9][A-Za-z0-9._-]*)+")
_BLOB = re.compile(r"blobs/([0-9a-f]{2})/(\1[0-9a-f]{62})\.z")
Check = Callable[[str, bytes], None]
"""Raises `DamageError` for a record that is not what its key says."""


class Contents(Record):
    """The first member: the keys of all others, each with the SHA-256 of its bytes."""

    format: Literal["draligned archive 1"] = "draligned archive 1"
    files: dict[str, str]


class Taken(NamedTuple):
    """What became of the members of a file."""

    added: int
    same: int
    kept: int
    """Left out: the study keeps another record under that key, or of the same run or read."""


def write_bundle(path: Path, store: Store, keys: Sequence[str]) -> int:
    """Write `keys`, in order of their names, to a new file at `path`; its size in bytes.

    Raises `InputError` where the file exists, `DamageError` where a key is missing.
    """
    ordered = sorted(set(keys))
    hashes = {key: hashlib.sha256(_data(store, key)).hexdigest() for key in ordered}
    contents = Contents(files=hashes).to_json().encode()
    try:
        with open(path, "xb") as file, tarfile.open(fileobj=file, mode="w", format=_FORMAT) as tar:
            _add(tar, CONTENTS, contents)
            for key in ordered:
                _add(tar, key, _data(store, key))
    except FileExistsError:
        raise InputError(f"{path} exists; name another file") from None
    return path.stat().st_size


def take_bundle(path: Path, store: Store, check: Check) -> Taken:
    """Put what a file holds into `store`, where nothing stands under its key yet.

    What was recorded of one run or read, its calls and its failures, belongs together: where
    the store holds another recording of it, nothing of it is taken. Raises `InputError`, and
    takes nothing at all, for a file that is damaged or holds anything else.
    """
    mine: dict[str, set[str]] = {}
    differing: set[str] = set()
    for key, data in members(path):
        _check_member(path, key, data, check)
        if (owner := _owner(key)) is not None:
            mine.setdefault(owner, set()).add(key)
            if store.get(key) not in (None, data):
                differing.add(owner)
    others = differing | {o for o, keys in mine.items() if not _recorded(store, o) <= keys}
    return _put(path, store, others)


def _put(path: Path, store: Store, others: set[str]) -> Taken:
    """Take what belongs to none of `others`."""
    added = same = total = 0
    for key, data in members(path):
        total += 1
        if _owner(key) not in others and store.put_if_absent(key, data):
            added += 1
        else:
            # Blobs go by their content, however it was packed.
            same += key.startswith("blobs/") or store.get(key) == data
    return Taken(added, same, total - added - same)


def _owner(key: str) -> str | None:
    """The run or read that a record of a replay belongs to."""
    parts = key.split("/")
    return parts[2] if parts[0] == "replay" and len(parts) > 3 else None


def _recorded(store: Store, owner: str) -> set[str]:
    """What a store holds of one run or read."""
    return {key for kind in ("calls", "failures") for key in store.list(f"replay/{kind}/{owner}")}


def members(path: Path) -> Iterator[tuple[str, bytes]]:
    """Keys and bytes of a file's members, each checked against the list at its beginning."""
    try:
        with open(path, "rb") as file, tarfile.open(fileobj=file, mode="r:") as tar:
            yield from _listed(path, tar)
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}") from error
    except (tarfile.TarError, EOFError, ValueError, OverflowError) as error:
        raise InputError(f"{path} is no archive of recorded answers ({error})") from error


def _listed(path: Path, tar: tarfile.TarFile) -> Iterator[tuple[str, bytes]]:
    found = _plain_members(path, tar)
    name, raw = next(found, ("", b""))
    if name != CONTENTS:
        raise InputError(f"{path} is no archive of recorded answers")
    try:
        left = dict(stored(Contents, raw, CONTENTS).files)
    except DamageError as error:
        raise InputError(f"{path}: {error}") from error
    for key, data in found:
        if left.pop(key, None) != hashlib.sha256(data).hexdigest():
            raise InputError(f"{path}: {visible(key, 200)} is not what the list of contents says")
        yield key, data
    if left:
        raise InputError(f"{path}: {len(left)} members are missing, such as {next(iter(left))}")


def _plain_members(path: Path, tar: tarfile.TarFile) -> Iterator[tuple[str, bytes]]:
    for member in tar:
        said = visible(member.name, 200)
        if member.type != tarfile.REGTYPE or member.sparse is not None:
            raise InputError(f"{path}: {said} is not a plain file")
        if member.name != CONTENTS and not _KEY.fullmatch(member.name):
            raise InputError(f"{path}: {said} is no name of a recorded answer")
        if member.size > MEMBER_BYTES:
            raise InputError(f"{path}: {said} is larger than {MEMBER_BYTES} bytes")
        content = tar.extractfile(member)
        data = b"" if content is None else content.read()
        if len(data) != member.size:
            raise InputError(f"{path}: {said} is cut short")
        yield member.name, data


def _check_member(path: Path, key: str, data: bytes, check: Check) -> None:
    try:
        if key.startswith("blobs/"):
            _check_blob(key, data)
        else:
            check(key, data)
    except DamageError as error:
        raise InputError(f"{path}: {error}") from error


def _check_blob(key: str, data: bytes) -> None:
    named = _BLOB.fullmatch(key)
    if named is None:
        raise DamageError(f"{key} is no name of a blob")
    unpacking = zlib.decompressobj()
    try:
        whole = unpacking.decompress(data, MEMBER_BYTES)
    except zlib.error as error:
        raise DamageError(f"{key} cannot be unpacked: {error}") from error
    if not unpacking.eof or unpacking.unused_data:
        raise DamageError(f"{key} is cut short, too large, or has something after its end")
    if hashlib.sha256(whole).hexdigest() != named[2]:
        raise DamageError(f"{key} holds another text")


_FORMAT = tarfile.USTAR_FORMAT


def _add(tar: tarfile.TarFile, name: str, data: bytes) -> None:
    """Without owner, time or rights of their own, so that nothing of a machine is in the file."""
    member = tarfile.TarInfo(name)
    member.size = len(data)
    member.mode = 0o644
    content: IO[bytes] = io.BytesIO(data)
    tar.addfile(member, content)


def _data(store: Store, key: str) -> bytes:
    data = store.get(key)
    if data is None:
        raise DamageError(f"{key} is missing")
    return data
