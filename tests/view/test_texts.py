"""The two catalogues say the same things, and pages ask for nothing that is not there."""

import re
from pathlib import Path
from typing import get_args

import draligned.view as room
from draligned.evaluators.items import VOCABULARIES
from draligned.report.texts import slots_of
from draligned.schema.labels import Channel, Observes, ReadRole, VoidReason
from draligned.schema.retrieval import Flag
from draligned.view.index import PROGRESS
from draligned.view.readindex import Quality
from draligned.view.site import view_texts

ROOM = Path(room.__file__).parent


def test_same_keys_and_slots_in_both_languages() -> None:
    zh, en = view_texts("zh").entries, view_texts("en").entries
    assert zh.keys() == en.keys()
    assert [k for k in zh if slots_of(zh[k]) != slots_of(en[k])] == []
    assert [k for k in zh if not zh[k].strip()] == []


def test_every_key_asked_for_is_there() -> None:
    asked: set[str] = set()
    for path in [*ROOM.rglob("*.html"), *ROOM.glob("*.py")]:
        text = path.read_text(encoding="utf-8")
        asked |= set(
            re.findall(r"""\b(?:t|texts|_texts|say|_say)\(\s*["']([a-z_.]+)["'][,)]""", text)
        )
    assert len(asked) > 60
    assert asked - view_texts("en").entries.keys() == set()


def test_closed_sets_have_words() -> None:
    codes = {f"progress.{p}" for p in PROGRESS} | {f"quality.{q}" for q in get_args(Quality)}
    codes |= {f"invalid.{r.value}" for r in VoidReason} | {f"flag.{f.value}" for f in Flag}
    codes |= {f"channel.{c.value}" for c in Channel} | {f"observes.{o.value}" for o in Observes}
    codes |= {f"read_role.{r.value}" for r in ReadRole}
    codes |= {f"{name}.{v.value}" for name, vs in VOCABULARIES.items() if name != "direction"
              for v in vs}  # fmt: skip
    assert codes - view_texts("zh").entries.keys() == set()
