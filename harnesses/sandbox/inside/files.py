"""Files of a workspace, reached from one open folder without ever following a link.

Nothing else runs while these are called: code that ran before is dead by then. So what was
looked at is what is opened, and `O_NOFOLLOW` at each step is a second look.
"""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from errno import EDQUOT, EFBIG, ELOOP, ENOENT, ENOSPC, ENOTDIR, ENXIO

from draligned.harnesses.sandbox.paths import check_path
from draligned.harnesses.sandbox.texts import as_bytes, as_text, replaced
from draligned.schema.errors import WorkspaceRefusal
from draligned.schema.refusals import RefusalReason

FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
MAKE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
UNFINISHED = ":unfinished"
"""Name of a file being written; no agent can name it, since `:` is refused."""
REASONS = {
    ENOENT: RefusalReason.NOT_FOUND,
    ELOOP: RefusalReason.SYMLINK,
    ENOTDIR: RefusalReason.NOT_A_FILE,
    ENXIO: RefusalReason.NOT_A_FILE,
    ENOSPC: RefusalReason.NO_SPACE,
    EDQUOT: RefusalReason.NO_SPACE,
    EFBIG: RefusalReason.TOO_LARGE,
}


class Files:
    """The files below one open folder."""

    def __init__(self, root: int, file_bytes: int, count: int) -> None:
        self.root = root
        self.file_bytes = file_bytes
        self.count = count

    def listing(self) -> list[tuple[str, int]]:
        """Paths and sizes in bytes, in the order of the paths."""
        return sorted((path, found.st_size) for path, found in regular(self.root))

    def read(self, path: str) -> str:
        """The text of a file."""
        with _refusing(path), self._within(path, make=False) as (folder, name):
            return as_text(read_bytes(folder, name, path, self.file_bytes), path)

    def write(self, path: str, content: str) -> None:
        """Make or replace a file as a whole: when it fails, the old text is still there."""
        data = as_bytes(content, path, self.file_bytes)
        with _refusing(path), self._within(path, make=True) as (folder, name):
            if _kind(folder, name) is None and len(self.listing()) >= self.count:
                raise WorkspaceRefusal(RefusalReason.TOO_MANY_FILES, path)
            _replace(folder, name, data)

    def edit(self, path: str, old: str, new: str) -> str:
        """Replace the one place where `old` occurs; returns the new text."""
        changed = replaced(self.read(path), old, new, path)
        self.write(path, changed)
        return changed

    @contextmanager
    def _within(self, path: str, make: bool) -> Iterator[tuple[int, str]]:
        *above, name = check_path(path)
        folder = os.dup(self.root)
        try:
            for step in above:
                folder = _step_into(folder, step, make)
            if _kind(folder, name) not in (None, stat.S_IFREG, stat.S_IFLNK):
                raise WorkspaceRefusal(RefusalReason.NOT_A_FILE, path)
            if _kind(folder, name) == stat.S_IFLNK:
                raise WorkspaceRefusal(RefusalReason.SYMLINK, path)
            yield folder, name
        except BaseException:
            self._prune(above)
            raise
        finally:
            os.close(folder)

    def _prune(self, above: list[str]) -> None:
        """Remove folders that nothing was written to: the files alone are the state."""
        with suppress(OSError):
            for end in range(len(above), 0, -1):
                os.rmdir("/".join(above[:end]), dir_fd=self.root)


def regular(folder: int, above: str = "") -> Iterator[tuple[str, os.stat_result]]:
    """Paths of the regular files below an open folder; links are not followed."""
    for name in os.listdir(folder):
        found = os.stat(name, dir_fd=folder, follow_symlinks=False)
        if stat.S_ISREG(found.st_mode):
            yield above + name, found
        elif stat.S_ISDIR(found.st_mode):
            inner = os.open(name, FOLDER, dir_fd=folder)
            try:
                yield from regular(inner, f"{above}{name}/")
            finally:
                os.close(inner)


def read_bytes(folder: int, name: str, path: str, limit: int) -> bytes:
    """The bytes of a regular file of at most `limit` bytes; `path` is what a refusal names."""
    with open(os.open(name, READ, dir_fd=folder), "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise WorkspaceRefusal(RefusalReason.NOT_A_FILE, path)
        data = file.read(limit + 1)
    if len(data) > limit:
        raise WorkspaceRefusal(RefusalReason.TOO_LARGE, path)
    return data


def _kind(folder: int, name: str) -> int | None:
    try:
        return stat.S_IFMT(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode)
    except FileNotFoundError:
        return None


def _step_into(folder: int, name: str, make: bool) -> int:
    """The next folder, opened; the one before is closed."""
    kind = _kind(folder, name)
    if kind is None and make:
        os.mkdir(name, 0o700, dir_fd=folder)
    if kind == stat.S_IFLNK:
        raise OSError(ELOOP, "a symbolic link")
    inner = os.open(name, FOLDER, dir_fd=folder)
    os.dup2(inner, folder, inheritable=False)
    os.close(inner)
    return folder


def _replace(folder: int, name: str, data: bytes) -> None:
    try:
        with open(os.open(UNFINISHED, MAKE, 0o600, dir_fd=folder), "wb", buffering=0) as file:
            left = memoryview(data)
            while left:
                left = left[file.write(left) :]
        os.rename(UNFINISHED, name, src_dir_fd=folder, dst_dir_fd=folder)
    except OSError:
        if _kind(folder, UNFINISHED) is not None:
            os.unlink(UNFINISHED, dir_fd=folder)
        raise


@contextmanager
def _refusing(path: str) -> Iterator[None]:
    """System errors become refusals; unforeseen ones pass, and break the worker."""
    try:
        yield
    except OSError as problem:
        reason = REASONS.get(problem.errno or 0)
        if reason is None:
            raise
        raise WorkspaceRefusal(reason, path) from None
