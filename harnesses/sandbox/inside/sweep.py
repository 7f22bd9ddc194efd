"""After code ran: what it left is brought back to plain text files under acceptable names."""

import os
import stat
from collections.abc import Iterator
from itertools import count

from draligned.harnesses.sandbox.inside.files import FOLDER, Files, read_bytes
from draligned.harnesses.sandbox.paths import DEPTH, path_problem
from draligned.harnesses.sandbox.texts import as_text
from draligned.schema.errors import WorkspaceRefusal
from draligned.schema.refusals import RefusalReason

Refused = tuple[str, RefusalReason]
Left = tuple[str, str | None, RefusalReason | None]
"""Path of what code left, and either its text or why it was thrown away."""


def sweep(files: Files, before: dict[str, str]) -> tuple[dict[str, str], list[Refused]]:
    """Remove what a workspace does not hold; the texts as they stand, and what was thrown away.

    Where code left too many files, those that were there before stay first, then by path.
    """
    _unlock(files.root)
    found = sorted(_walk(files.root, files.file_bytes))
    texts = {path: text for path, text, _ in found if text is not None}
    thrown = [(path, reason) for path, _, reason in found if reason is not None]
    kept = sorted(texts, key=lambda path: (path not in before, path))[: files.count]
    surplus = sorted(set(texts) - set(kept))
    for path in surplus:
        os.unlink(path, dir_fd=files.root)
    thrown += [(path, RefusalReason.TOO_MANY_FILES) for path in surplus]
    return {path: texts[path] for path in sorted(kept)}, thrown


def _walk(folder: int, limit: int, above: str = "") -> Iterator[Left]:
    for name in os.listdir(folder):
        path = above + name
        mode = os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode
        if not (stat.S_ISDIR(mode) and _fits(path)):
            yield _judge(folder, name, path, mode, limit)
            continue
        inner = _enter(folder, name)
        try:
            yield from _walk(inner, limit, f"{path}/")
            empty = not os.listdir(inner)
        finally:
            os.close(inner)
        if empty:
            os.rmdir(name, dir_fd=folder)


def _fits(path: str) -> bool:
    return path_problem(path) is None and path.count("/") + 1 < DEPTH


def _judge(folder: int, name: str, path: str, mode: int, limit: int) -> Left:
    try:
        return path, _text(folder, name, path, mode, limit), None
    except WorkspaceRefusal as refusal:
        _throw_away(folder, name, mode)
        return path, None, refusal.reason


def _text(folder: int, name: str, path: str, mode: int, limit: int) -> str:
    reason = path_problem(path)
    if stat.S_ISDIR(mode):
        reason = reason or RefusalReason.PATH_TOO_DEEP
    elif stat.S_ISLNK(mode):
        reason = RefusalReason.SYMLINK
    elif not stat.S_ISREG(mode):
        reason = RefusalReason.NOT_A_FILE
    if reason is not None:
        raise WorkspaceRefusal(reason, path)
    os.chmod(name, 0o600, dir_fd=folder)
    return as_text(read_bytes(folder, name, path, limit), path)


def _throw_away(folder: int, name: str, mode: int) -> None:
    if not stat.S_ISDIR(mode):
        return os.unlink(name, dir_fd=folder)
    inner = _enter(folder, name)
    try:
        _empty(inner)
    finally:
        os.close(inner)
    return os.rmdir(name, dir_fd=folder)


def _empty(folder: int) -> None:
    """Empty a folder of any depth with two open folders: what lies deeper is moved up to it."""
    fresh = (name for name in map(":{}".format, count()) if not _exists(folder, name))
    while names := os.listdir(folder):
        for name in names:
            if not _is_folder(folder, name):
                os.unlink(name, dir_fd=folder)
                continue
            inner = _enter(folder, name)
            for deeper in os.listdir(inner):
                if _is_folder(inner, deeper):
                    os.chmod(deeper, 0o700, dir_fd=inner)
                os.rename(deeper, next(fresh), src_dir_fd=inner, dst_dir_fd=folder)
            os.close(inner)
            os.rmdir(name, dir_fd=folder)


def _is_folder(folder: int, name: str) -> bool:
    return stat.S_ISDIR(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode)


def _exists(folder: int, name: str) -> bool:
    try:
        os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return True


def _enter(folder: int, name: str) -> int:
    os.chmod(name, 0o700, dir_fd=folder)
    return os.open(name, FOLDER, dir_fd=folder)


def _unlock(root: int) -> None:
    """Code may have taken away rights on the top folder, where that belongs to it."""
    if os.fstat(root).st_uid == os.geteuid():
        os.fchmod(root, 0o700)
