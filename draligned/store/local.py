"""A store on the local disk."""

import contextlib
import errno
import itertools
import os
import re
import shutil
from pathlib import Path

from draligned.schema.errors import DamageError

_NO_LINKS = frozenset({errno.EPERM, errno.ENOTSUP, errno.ENOSYS, errno.EMLINK, errno.EXDEV})
"""What filesystems without hard links answer (FAT, some network and container mounts)."""
_APPENDING = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
_NUMBERS = itertools.count()
_TRIES = 8
"""A folder may be discarded by another process while a file is being put into it."""
_KEY = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*(/[A-Za-z0-9][A-Za-z0-9._-]*)*")
_MODE = 0o666
"""Of new files, less the umask: who may read a study is for whoever runs it to say."""


class LocalStore:
    """Files under one root. Safe for several processes on one machine."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def path(self, key: str) -> Path:
        """Where `key` stands. Raises `DamageError` for a key that is no plain name."""
        return Path(self._name_of(key))

    def _name_of(self, key: str) -> str:
        if not _KEY.fullmatch(key):
            raise DamageError(f"not a storage key: {key!r}")
        return f"{self.root}/{key}"

    def get(self, key: str) -> bytes | None:
        """See `Store.get`."""
        try:
            return self.path(key).read_bytes()
        except FileNotFoundError:
            return None

    def exists(self, key: str) -> bool:
        """See `Store.exists`."""
        return self.path(key).exists()

    def put_if_absent(self, key: str, data: bytes) -> bool:
        """See `Store.put_if_absent`: written aside, then linked, so a kill leaves no half file."""
        target = self.path(key)
        if target.exists():
            return False
        for _ in range(_TRIES):
            with contextlib.suppress(FileNotFoundError):
                return self._name(self._write_aside(target, data), target)
        raise FileNotFoundError(errno.ENOENT, "its folder vanishes again and again", str(target))

    def replace(self, key: str, data: bytes) -> None:
        """See `Store.replace`."""
        target = self.path(key)
        temporary = self._write_aside(target, data)
        try:
            os.replace(temporary, target)
        except OSError:
            _unlink(temporary)
            raise

    def append(self, key: str, data: bytes) -> None:
        """See `Store.append`: what does not fit leaves nothing behind, so that the next append
        does not go on in the middle of a record."""
        target = self._name_of(key)
        try:
            handle = _open_to_append(target, key)
        except FileNotFoundError:
            os.makedirs(os.path.dirname(target), exist_ok=True)
            handle = _open_to_append(target, key)
        size = os.fstat(handle).st_size
        try:
            _write_all(handle, data)
        except OSError:
            os.ftruncate(handle, size)
            raise
        finally:
            os.close(handle)

    def cut(self, key: str, size: int) -> str:
        """See `Store.cut`."""
        target = self.path(key)
        if target.is_symlink():
            raise DamageError(f"{key} is a link; what it leads to is not changed")
        tail = target.read_bytes()[size:]
        number = 1
        while not self.put_if_absent(f"{key}.torn-{number}", tail):
            number += 1
        os.truncate(target, size)
        return f"{key}.torn-{number}"

    def list(self, prefix: str) -> tuple[str, ...]:
        """See `Store.list`."""
        base = self.path(prefix)
        found = (Path(d) / name for d, _, names in os.walk(base) for name in names)
        keys = (str(p.relative_to(self.root).as_posix()) for p in found)
        return tuple(sorted(k for k in keys if _KEY.fullmatch(k)))

    def folders(self, prefix: str) -> tuple[str, ...]:
        """See `Store.folders`."""
        try:
            with os.scandir(self.path(prefix)) as entries:
                return tuple(sorted(e.name for e in entries if e.is_dir()))
        except FileNotFoundError:
            return ()

    def discard(self, prefix: str) -> None:
        """See `Store.discard`."""
        shutil.rmtree(self.path(prefix), ignore_errors=True)

    def _name(self, temporary: str, target: Path) -> bool:
        """Give the file its name if nothing has it yet; else remove it."""
        try:
            os.link(temporary, target)
        except FileExistsError:
            return False
        except OSError as error:
            if error.errno not in _NO_LINKS:
                raise
            return self._name_without_links(temporary, target)
        finally:
            _unlink(temporary)
        return True

    def _name_without_links(self, temporary: str, target: Path) -> bool:
        """The same under a lock of the whole store, which the system drops with its holder.

        An exclusively created file would do too, but a kill would leave it half written or
        its name taken for ever.
        """
        import fcntl

        with open(self.root / "._lock", "ab") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if target.exists():
                return False
            os.replace(temporary, target)
            return True

    def _write_aside(self, target: Path, data: bytes) -> str:
        """A temporary file beside `target`; none is left where it cannot be written whole."""
        handle, temporary = _temporary_in(target.parent)
        try:
            _write_all(handle, data)
        except OSError:
            _unlink(temporary)
            raise
        finally:
            os.close(handle)
        return temporary


def _temporary_in(folder: Path) -> tuple[int, str]:
    """A new file of a name that no one else has; many are made, so nothing is asked beforehand."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
    while True:
        name = f"{folder}/._{os.getpid()}-{next(_NUMBERS)}"
        try:
            return os.open(name, flags, _MODE), name
        except FileNotFoundError:
            folder.mkdir(parents=True, exist_ok=True)
        except FileExistsError:
            continue


def _open_to_append(target: str, key: str) -> int:
    """A link is not followed: a folder that came from elsewhere may hold one to anywhere."""
    try:
        return os.open(target, _APPENDING, _MODE)
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise DamageError(f"{key} is a link; what it leads to is not changed") from error
        raise


def _unlink(temporary: str) -> None:
    with contextlib.suppress(FileNotFoundError):
        os.unlink(temporary)


def _write_all(handle: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(handle, view) :]
