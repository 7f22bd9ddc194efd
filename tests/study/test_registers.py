"""A study's registers grow and are never changed."""

import threading
from pathlib import Path

import pytest

from draligned.schema.errors import ConfigError, DamageError
from draligned.schema.registers import Correction, Exclusion, Limit, Said, Standing
from draligned.store.local import LocalStore
from draligned.study.registers import add, entries, exclusions, key, read_lines

SAID = Said(zh="某事\u2028换行", en="Something\nhappened")


def correction(name: str, *excluded: str) -> Correction:
    return Correction(
        id=name, title=SAID, text=SAID, standing=(Standing.WITHDRAWN,),
        excludes=tuple(Exclusion(kind="run", id=run) for run in excluded),
    )  # fmt: skip


def test_entries_are_added_behind_the_projects_own(tmp_path: Path) -> None:
    store = LocalStore(tmp_path)
    before = entries(store, "corrections")
    add(store, "corrections", correction("one"))
    add(store, "corrections", correction("two"))
    assert [e.id for e in entries(store, "corrections")] == [*(e.id for e in before), "one", "two"]
    first, second = read_lines(store, "corrections")
    assert (first.seq, first.parent, second.seq) == (1, None, 2)
    assert first.entry == correction("one")
    assert read_lines(store, "methods") == ()


@pytest.mark.parametrize("name", ["strict-re-entry", "one"])
def test_no_entry_takes_the_place_of_another(tmp_path: Path, name: str) -> None:
    store = LocalStore(tmp_path)
    add(store, "corrections", correction("one"))
    before = store.get(key("corrections"))
    with pytest.raises(ConfigError, match=f"{name}.* stays as it is"):
        add(store, "corrections", correction(name))
    assert store.get(key("corrections")) == before


@pytest.mark.parametrize("damage", ["changed", "dropped", "swapped", "other"])
def test_a_changed_line_is_damage(tmp_path: Path, damage: str) -> None:
    store = LocalStore(tmp_path)
    for name in ("one", "two", "three"):
        add(store, "corrections", correction(name))
    lines = (store.get(key("corrections")) or b"").splitlines(keepends=True)
    changed = {
        "changed": [lines[0].replace(b"one", b"eno"), *lines[1:]],
        "dropped": lines[1:],
        "swapped": [lines[1], lines[0], lines[2]],
        "other": lines,
    }[damage]
    store.replace(key("corrections"), b"".join(changed))
    if damage == "other":
        store.replace(key("methods"), b"".join(lines))
    with pytest.raises(DamageError, match=r"\.jsonl: line \d"):
        read_lines(store, "methods" if damage == "other" else "corrections")


def test_a_line_cut_short_was_never_added_and_is_set_aside(tmp_path: Path) -> None:
    store = LocalStore(tmp_path)
    add(store, "limits", Limit(id="one", title=SAID, text=SAID, holds="always"))
    store.append(key("limits"), b'{"seq":2,"add')
    assert len(read_lines(store, "limits")) == 1
    line = add(store, "limits", Limit(id="two", title=SAID, text=SAID, holds="always"))
    assert line.seq == 2
    assert [x.entry.id for x in read_lines(store, "limits")] == ["one", "two"]
    assert (tmp_path / "limits.jsonl.torn-1").read_bytes() == b'{"seq":2,"add'


def test_what_others_add_at_the_same_time_is_kept(tmp_path: Path) -> None:
    store = LocalStore(tmp_path)
    names = [f"e{n}" for n in range(8)]
    adding = [
        threading.Thread(target=add, args=(store, "corrections", correction(name)))
        for name in names
    ]
    for thread in adding:
        thread.start()
    for thread in adding:
        thread.join()
    assert {line.entry.id for line in read_lines(store, "corrections")} == set(names)


def test_exclusions_name_their_correction(tmp_path: Path) -> None:
    store = LocalStore(tmp_path)
    add(store, "corrections", correction("one", "0" * 16, "1" * 16))
    found = [(name, excluded.id) for name, excluded in exclusions(store)]
    assert found == [("one", "0" * 16), ("one", "1" * 16)]
