"""Labels by people: what was drawn for them and what they said, from its files (DR-102, DR-103)."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from draligned.verify.files import Files
from draligned.verify.found import going_on
from draligned.verify.ids import draw_of, hash_of, id_of

PART = "labels by people"
FOLDER = "labels"
_OTHER = {"P": "Q", "Q": "P"}


@dataclass(frozen=True, kw_only=True)
class Labelled:
    """Labels of one sample by one person: by pair, Presence of its finals under P and under Q;
    none where it was left blank or cannot be decided."""

    sample_id: str
    labeller: str
    sha256: str
    """Of the record."""
    population: tuple[str, ...]
    drawn: frozenset[str]
    said: dict[tuple[str, str], str | None]


def read_labelled(files: Files) -> tuple[Labelled, ...]:
    """Every sample and person. Ids, what was drawn, orientations and sheets are checked."""
    out: list[Labelled] = []
    for name in files.store.folders(FOLDER):
        with going_on():
            try:
                out += _sample(files, name)
            except (KeyError, TypeError, ValueError, AttributeError) as error:
                said = f"not a sample ({type(error).__name__}: {error})"
                files.refuse(PART, f"{FOLDER}/{name}", said, "a sample and labels")
    return tuple(out)


def _sample(files: Files, name: str) -> Iterator[Labelled]:
    key, part = f"{FOLDER}/{name}/sample.json", files.found.part(PART)
    sample = files.record(key, PART)
    part.same(key, "sample_id", name, id_of("labels", sample))
    seed, drawn = sample["seed"], sample["drawn"]
    order = sorted(sample["population"], key=lambda pair: id_of("labelled", seed, pair))
    part.same(key, "drawn", sorted(drawn), sorted(order[: len(drawn)]))
    for text in sample["texts"]:
        half = draw_of("label_alpha", seed, text["pair_id"], text["arm"])
        alpha = "P" if half < 0.5 else "Q"
        part.same(key, f"item {text['item']}, alpha", text["alpha"], alpha)
    _sheet(files, key, sample)
    for path in files.store.list(f"{FOLDER}/{name}"):
        if path != key:
            with going_on():
                yield _labels(files, path, name, sample)


def _labels(files: Files, key: str, name: str, sample: dict[str, Any]) -> Labelled:
    part = files.found.part(PART)
    record = files.record(key, PART)
    part.same(key, "sample_id", record["sample_id"], name)
    wanted = f"by-{id_of('labeller', record['labeller'])}.json"
    part.same(key, "labeller", key.rsplit("/", 1)[-1], wanted)
    _sheet(files, key, record)
    texts = {text["item"]: text for text in sample["texts"]}
    items = sorted(label["item"] for label in record["labels"])
    part.same(key, "items", items, sorted(texts))
    said = {}
    for label in record["labels"]:
        text = texts[label["item"]]
        said[text["pair_id"], text["arm"]] = _restored(label["label"], text["alpha"])
    return Labelled(
        sample_id=name, labeller=record["labeller"], sha256=hash_of(record),
        population=tuple(sample["population"]), drawn=frozenset(sample["drawn"]), said=said,
    )  # fmt: skip


def _sheet(files: Files, key: str, record: dict[str, Any]) -> None:
    held = files.holds(record["sheet_sha256"])
    files.found.part(PART).same(key, "sheet", held, True)


def _restored(label: str | None, alpha: str) -> str | None:
    if label in ("BOTH", "NEITHER"):
        return label
    side = {"ALPHA_ONLY": alpha, "BETA_ONLY": _OTHER[alpha]}.get(label or "")
    return f"{side}_ONLY" if side else None
