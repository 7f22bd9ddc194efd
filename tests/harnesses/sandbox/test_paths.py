"""The path policy, by example and by property."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from draligned.harnesses.sandbox.paths import (
    DEPTH,
    DEVICES,
    NAME_BYTES,
    PATH_BYTES,
    check_path,
    path_problem,
)
from draligned.schema.errors import WorkspaceRefusal
from draligned.schema.refusals import RefusalReason

R = RefusalReason


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("", R.EMPTY_PATH),
        ("   ", R.EMPTY_PATH),
        ("a//b", R.EMPTY_PATH),
        ("a/", R.EMPTY_PATH),
        ("/", R.ABSOLUTE_PATH),
        ("/etc/x", R.ABSOLUTE_PATH),
        ("//server/x", R.ABSOLUTE_PATH),
        ("..", R.PARENT_PATH),
        ("a/../b", R.PARENT_PATH),
        ("a/..", R.PARENT_PATH),
        (".", R.RESERVED_NAME),
        ("./a.md", R.RESERVED_NAME),
        ("F:\\a\\b.md", R.DRIVE_PATH),
        ("C:/x", R.DRIVE_PATH),
        ("a:b.md", R.DRIVE_PATH),
        ("..\\x", R.BACKSLASH),
        ("\\\\server\\x", R.BACKSLASH),
        ("notes/12:30.md", R.BAD_CHARACTER),
        ("what?.md", R.BAD_CHARACTER),
        ('"x"', R.BAD_CHARACTER),
        ("a\0b", R.BAD_CHARACTER),
        ("a\nb", R.BAD_CHARACTER),
        ("\ud800.md", R.BAD_CHARACTER),
        ("invoice\u202egpj.md", R.BAD_CHARACTER),
        ("\u200bx", R.BAD_CHARACTER),
        ("a\u2028b", R.BAD_CHARACTER),
        ("CON", R.RESERVED_NAME),
        ("con.md", R.RESERVED_NAME),
        ("a/Nul .tar.gz", R.RESERVED_NAME),
        ("COM1.md", R.RESERVED_NAME),
        ("lpt²", R.RESERVED_NAME),
        ("trailing.", R.RESERVED_NAME),
        ("blank ", R.RESERVED_NAME),
        ("blank\u3000/x", R.RESERVED_NAME),
        ("中" * 86, R.NAME_TOO_LONG),
        ("a" * 256, R.NAME_TOO_LONG),
        ("/".join(["a" * 200] * 6), R.NAME_TOO_LONG),
        ("/".join("a" * (DEPTH + 1)), R.PATH_TOO_DEEP),
    ],
)
def test_refused(path: str, reason: RefusalReason) -> None:
    assert path_problem(path) is reason
    with pytest.raises(WorkspaceRefusal) as caught:
        check_path(path)
    assert (caught.value.reason, caught.value.path) == (reason, path)


@pytest.mark.parametrize(
    "path",
    [
        "report.md",
        "报告/第一稿.md",
        "a.b.c",
        ".hidden",
        "...x",
        " leading",
        "CONSOLE.md",
        "COM.md",
        "com10",
        "中" * 85,
        "a" * 255,
        "é",
        "e\u0301",
        "/".join("a" * DEPTH),
    ],
)
def test_accepted_as_it_stands(path: str) -> None:
    assert "/".join(check_path(path)) == path


names = st.text(min_size=1, max_size=8)
paths = st.lists(names | st.sampled_from(["..", ".", "", "C:", "CON", "a"]), max_size=5).map(
    "/".join
)


@given(st.text() | paths)
def test_what_is_accepted_is_safe_on_every_system(path: str) -> None:
    if path_problem(path) is not None:
        return
    assert len(path.encode("utf-8")) <= PATH_BYTES
    parts = path.split("/")
    assert len(parts) <= DEPTH
    for part in parts:
        assert part.strip()
        assert part not in {".", ".."}
        assert part == part.rstrip(" .")
        assert not set(part) & set('\\:?*<>|"\0\n\r\t')
        assert len(part.encode("utf-8")) <= NAME_BYTES
        assert part.split(".")[0].upper() not in DEVICES


@given(st.text() | paths)
def test_a_path_is_taken_as_it_stands_or_not_at_all(path: str) -> None:
    """So that two different paths can never name one file."""
    if path_problem(path) is None:
        assert "/".join(check_path(path)) == path
    else:
        with pytest.raises(WorkspaceRefusal):
            check_path(path)


@given(
    st.lists(
        st.text(st.characters(categories=["L", "N"]), min_size=3, max_size=5),
        min_size=1,
        max_size=4,
    )
)
def test_plain_words_are_accepted(parts: list[str]) -> None:
    if any(part[:4].upper() in DEVICES or part.upper() in DEVICES for part in parts):
        return
    assert path_problem("/".join(parts)) is None
