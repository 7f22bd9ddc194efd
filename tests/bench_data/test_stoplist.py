"""The stop list is frozen: every edit distance hangs on it."""

from importlib.resources import files

from draligned.bench_data.stoplist import stop_list
from draligned.schema.base import sha256_text

FROZEN = "62c8e6a2875fcb0c3e5462e6e7b9ac1ce1ffb4b4efa9a9bb2e79dc7ee254ae5e"


def test_the_list_is_the_one_that_was_frozen() -> None:
    text = files("draligned.bench_data").joinpath("stoplist.toml").read_text(encoding="utf-8")
    assert stop_list().version == 1
    assert sha256_text(text) == FROZEN, "a changed stop list needs a new version and a new hash"


def test_negations_are_content() -> None:
    kept = set("不没无非未") | {"not", "no", "never", "without", "don't", "nor"}
    assert not kept & stop_list().of_words


def test_entries_are_of_their_kind_and_stand_once() -> None:
    found = stop_list()
    assert len(set(found.characters)) == len(found.characters)
    assert len(set(found.words)) == len(found.words)
    assert len(set(found.english)) == len(found.english)
    assert all(len(word) > 1 for word in found.words)
    assert all(word == word.casefold() and word.isascii() for word in found.english)
