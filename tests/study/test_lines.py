"""Files of one record a line."""

from pathlib import Path

import pytest

from draligned.schema.errors import DamageError
from draligned.schema.retrieval import SearchHit
from draligned.store.local import LocalStore
from draligned.study.lines import iter_lines, mend_lines, whole_lines

KEY = "some/file.jsonl"
HITS = [SearchHit(title=t, url="u", snippet="行\u2028尾") for t in ("one", "two")]


@pytest.fixture
def store(tmp_path: Path) -> LocalStore:
    found = LocalStore(tmp_path)
    for hit in HITS:
        found.append(KEY, hit.to_json().encode() + b"\n")
    return found


def test_a_line_cut_short_is_passed_over_and_set_aside(store: LocalStore) -> None:
    whole = store.get(KEY) or b""
    store.append(KEY, b'{"title"')
    assert list(iter_lines(store, KEY, SearchHit)) == HITS
    assert mend_lines(store, KEY) == f"{KEY}.torn-1"
    assert store.get(KEY) == whole
    assert store.get(f"{KEY}.torn-1") == b'{"title"'
    assert mend_lines(store, KEY) is None


def test_no_file_has_no_lines_and_nothing_to_mend(store: LocalStore) -> None:
    assert whole_lines(store, "other.jsonl") == []
    assert mend_lines(store, "other.jsonl") is None
    assert not store.exists("other.jsonl")


def test_a_whole_line_that_is_no_record_is_damage(store: LocalStore) -> None:
    store.append(KEY, b"{}\n")
    with pytest.raises(DamageError, match=r"some/file\.jsonl: not a SearchHit"):
        list(iter_lines(store, KEY, SearchHit))
