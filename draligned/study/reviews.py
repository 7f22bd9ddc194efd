"""Reviews on disk: `reviews/<kind>/<reviewer>/<unit>/<number>.json`, first writer wins.

A reviewer's name is text inside the records and never part of a path. Keys of the order stand in
a folder of their own, apart from pages and answers.
"""

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass

from draligned.schema.base import short_id
from draligned.schema.errors import ConfigError
from draligned.schema.human import presence_of
from draligned.schema.labels import Presence
from draligned.schema.review import (
    NAME_CHARS,
    ItemSample,
    ReviewAnswer,
    ReviewKey,
    ReviewKind,
)
from draligned.store.protocol import Store
from draligned.study.folder import StudyFolder
from draligned.study.stored import stored

SAMPLE = "reviews/sample.json"
Answers = Mapping[str, tuple[ReviewAnswer, ...]]
"""Answers of one reviewer by unit, in the order in which they were given."""


@dataclass(frozen=True, kw_only=True)
class Reviewed:
    """One reviewer of one kind, and what they answered."""

    reviewer: str
    answers: Answers

    @property
    def last(self) -> dict[str, ReviewAnswer]:
        """The answer that stands, by unit."""
        return {unit: given[-1] for unit, given in self.answers.items()}

    @property
    def directions(self) -> dict[str, Presence]:
        """What a reviewer of items says, restored to P and Q, by item."""
        return {
            unit: presence_of(answer.direction, answer.first)
            for unit, answer in self.last.items()
            if answer.direction is not None
        }

    @property
    def changed(self) -> int:
        """Units whose first answer is not the one that stands."""
        return sum(len(given) > 1 for given in self.answers.values())


def named(reviewer: str) -> str:
    """A reviewer's name as it is kept. Raises `ConfigError` for none, or one too long."""
    name = unicodedata.normalize("NFC", reviewer).strip()
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        raise ConfigError("--reviewer is not readable text; give another name") from None
    if not name or len(name) > NAME_CHARS:
        raise ConfigError(f"--reviewer is a name of 1 to {NAME_CHARS} characters")
    return name


def key_of(store: Store, kind: ReviewKind, reviewer: str, secret: str) -> ReviewKey:
    """The reviewer's key; `secret` makes it where there is none yet."""
    at = f"reviews/keys/{kind.value}-{_place(reviewer)}.json"
    made = ReviewKey(kind=kind, reviewer=reviewer, secret=secret)
    store.put_if_absent(at, made.to_json().encode())
    data = store.get(at)
    assert data is not None
    return stored(ReviewKey, data, at)


def put_answer(folder: StudyFolder, answer: ReviewAnswer, page: bytes) -> ReviewAnswer:
    """Keep an answer and the page it was given on, under the next free number.

    What says nothing new is not kept again; the answer that stands is returned.
    """
    before = answers_to(folder.store, answer.kind, answer.reviewer, answer.unit_id)
    if before and answer.same_as(before[-1]):
        return before[-1]
    sha256 = folder.blobs.put_bytes(page)
    number = len(before) + 1
    while True:
        kept = answer.model_copy(update={"number": number, "page_sha256": sha256})
        at = f"{_folder(kept.kind, kept.reviewer)}/{kept.unit_id}/{number}.json"
        if folder.store.put_if_absent(at, kept.to_json().encode()):
            return kept
        number += 1


def answers_of(store: Store, kind: ReviewKind, reviewer: str) -> Answers:
    """All answers of one reviewer."""
    units = store.folders(_folder(kind, reviewer))
    return {unit: answers_to(store, kind, reviewer, unit) for unit in units}


def answers_to(
    store: Store, kind: ReviewKind, reviewer: str, unit: str
) -> tuple[ReviewAnswer, ...]:
    """The answers of one reviewer to one unit, first to last."""
    keys = store.list(f"{_folder(kind, reviewer)}/{unit}")
    found = [stored(ReviewAnswer, store.get(key) or b"", key) for key in keys]
    return tuple(sorted(found, key=lambda a: a.number))


def reviewed(store: Store, kind: ReviewKind) -> tuple[Reviewed, ...]:
    """Every reviewer of a kind who has answered anything, by name."""
    out = []
    for key in store.list("reviews/keys"):
        data = store.get(key)
        found = stored(ReviewKey, data or b"", key)
        if found.kind is kind and (said := answers_of(store, kind, found.reviewer)):
            out.append(Reviewed(reviewer=found.reviewer, answers=said))
    return tuple(sorted(out, key=lambda r: r.reviewer))


def item_sample(store: Store) -> ItemSample | None:
    """The items drawn for review, if they were."""
    data = store.get(SAMPLE)
    return None if data is None else stored(ItemSample, data, SAMPLE)


def keep_sample(store: Store, sample: ItemSample) -> ItemSample:
    """Keep a sample unless there is one; the one that is kept."""
    store.put_if_absent(SAMPLE, sample.to_json().encode())
    found = item_sample(store)
    assert found is not None
    return found


def _place(reviewer: str) -> str:
    return short_id("reviewer", reviewer)


def _folder(kind: ReviewKind, reviewer: str) -> str:
    return f"reviews/{kind.value}/{_place(reviewer)}"
