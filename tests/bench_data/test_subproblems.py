"""Lists of broad subproblems: of the bundled tasks, and of a user's file."""

from typing import get_args

import pytest

from draligned.bench_data.kinds import kinds
from draligned.bench_data.subproblems import bundled_maps, parse_maps
from draligned.constructors.source import load_source
from draligned.schema.design import Lang
from draligned.schema.errors import DesignError

LANGS: tuple[Lang, ...] = get_args(Lang)
KIND_OF = {
    ("zh", "1"): "residence", ("zh", "2"): "exercise_place", ("zh", "3"): "lodging",
    ("zh", "4"): "risk", ("zh", "5"): "pet", ("zh", "6"): "chronotype", ("zh", "7"): "residence",
    ("zh", "8"): "personality", ("en", "1"): "residence", ("en", "2"): "lodging",
    ("en", "3"): "risk", ("en", "4"): "exercise_place",
}  # fmt: skip


@pytest.mark.parametrize("lang", LANGS)
def test_every_bundled_task_has_four_to_eight(lang: Lang) -> None:
    maps = bundled_maps(lang)
    assert {m.task_id for m in maps} == {t.task_id for t in load_source(None, lang).tasks}
    assert all(4 <= len(m.subproblems) <= 8 for m in maps)


@pytest.mark.parametrize(("lang", "task"), KIND_OF)
def test_no_word_names_an_endpoint(lang: Lang, task: str) -> None:
    """A visit must say nothing of the arm."""
    kind = next(k for k in kinds(lang) if k.name == KIND_OF[lang, task])
    told = {w.casefold() for v in kind.values for w in (*v.public, v.name)}
    found = next(m for m in bundled_maps(lang) if m.task_id == task)
    for subproblem in found.subproblems:
        for word in subproblem.words:
            assert not any(t in word.casefold() for t in told), (subproblem.key, word)


@pytest.mark.parametrize("lang", LANGS)
def test_no_word_stands_in_two_subproblems_of_a_task(lang: Lang) -> None:
    for task in bundled_maps(lang):
        words = [w for s in task.subproblems for w in s.words]
        assert len(set(words)) == len(words), task.task_id


GOOD = """
[[task]]
id = "9"
subproblems = [
  { key = "a", title = "A", words = ["one"] },
  { key = "b", title = "B", words = ["two"] },
]
"""


def test_a_users_file() -> None:
    (found,) = parse_maps(GOOD, "mine.toml")
    assert (found.task_id, [s.key for s in found.subproblems]) == ("9", ["a", "b"])


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[[task", "no TOML"),
        ("a = 1", r"no \[\[task\]\]"),
        (GOOD + GOOD, "twice"),
        (GOOD.replace('key = "b"', 'key = "a"'), "same key"),
        (GOOD.replace('"two"', '" "'), "blank"),
        (GOOD.replace('["two"]', "[]"), "words"),
        (GOOD.replace('id = "9"', "id = 9"), "task 9: task_id"),
        (GOOD.replace('title = "B"', 'titel = "B"'), "title"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(text: str, says: str) -> None:
    with pytest.raises(DesignError, match=says) as caught:
        parse_maps(text, "mine.toml")
    assert "mine.toml" in str(caught.value)
    assert "\n" not in str(caught.value)
