"""Which paths a workspace takes: relative, portable, and one spelling for one file (HARD_CASES 20).

A path is `/`-separated names. Names are compared as exact code points: capital letters and
composed or decomposed accents make different names and so different files, and a path is never
rewritten. What is not accepted as it stands is refused with its reason.
"""

import re
import unicodedata

from draligned.schema.errors import WorkspaceRefusal
from draligned.schema.refusals import RefusalReason

WORK = "/files"
"""Where the files lie inside; code starts there."""
NAME_BYTES = 255
"""The longest name, in UTF-8, that usual file systems hold."""
PATH_BYTES = 1024
DEPTH = 16
"""Most names in one path."""
DEVICES = frozenset(
    {"CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"}
    | {f"{port}{digit}" for port in ("COM", "LPT") for digit in "0123456789¹²³"}
)
"""Names that mean a device on Windows, with any ending."""
PUNCTUATION = frozenset(':?*<>|"')
INVISIBLE = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
"""Control, format (bidi marks too) and separator characters, and halves of surrogate pairs."""
DRIVE = re.compile(r"[A-Za-z]:")


def check_path(path: str) -> tuple[str, ...]:
    """The names of an acceptable path; raises `WorkspaceRefusal` for any other."""
    reason = path_problem(path)
    if reason is not None:
        raise WorkspaceRefusal(reason, path)
    return tuple(path.split("/"))


def path_problem(path: str) -> RefusalReason | None:
    """Why a path is refused, or none. Judges the text alone: no file is looked at."""
    whole = _shape_problem(path)
    if whole is not None:
        return whole
    names = path.split("/")
    problems = (name_problem(name) for name in names)
    first = next((problem for problem in problems if problem is not None), None)
    if first is not None:
        return first
    if len(path.encode()) > PATH_BYTES:
        return RefusalReason.NAME_TOO_LONG
    return RefusalReason.PATH_TOO_DEEP if len(names) > DEPTH else None


def name_problem(name: str) -> RefusalReason | None:
    """Why a single name is refused, or none."""
    if not name.strip():
        return RefusalReason.EMPTY_PATH
    if name == "..":
        return RefusalReason.PARENT_PATH
    if any(c in PUNCTUATION or unicodedata.category(c) in INVISIBLE for c in name):
        return RefusalReason.BAD_CHARACTER
    if name[-1] == "." or name[-1].isspace() or _device(name):
        return RefusalReason.RESERVED_NAME
    return RefusalReason.NAME_TOO_LONG if len(name.encode()) > NAME_BYTES else None


def _shape_problem(path: str) -> RefusalReason | None:
    if not path.strip():
        return RefusalReason.EMPTY_PATH
    if DRIVE.match(path):
        return RefusalReason.DRIVE_PATH
    if "\\" in path:
        return RefusalReason.BACKSLASH
    return RefusalReason.ABSOLUTE_PATH if path.startswith("/") else None


def _device(name: str) -> bool:
    return name.split(".")[0].rstrip().upper() in DEVICES
