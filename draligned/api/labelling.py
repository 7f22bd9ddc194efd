"""Labels by people: a sample drawn at random, a blinded sheet, and the labels that come back."""

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from draligned.api.evaluating import Readings
from draligned.api.labelled import samples
from draligned.schema.base import sha256_text, short_id, unit_draw
from draligned.schema.errors import ConfigError, DesignError, InputError
from draligned.schema.human import (
    HumanLabel,
    HumanLabels,
    LabelSample,
    SampledText,
    drawn_first,
)
from draligned.schema.labels import Side, SlotLabel
from draligned.schema.observed import ObservedRun
from draligned.study.folder import StudyFolder
from draligned.study.spreadsheet import BOM, csv_rows, guard, unguard

COLUMNS = ("item", "question", "guidance", "alpha", "beta", "text", "label")
"""Columns of a sheet; people fill the last one."""


@dataclass(frozen=True, kw_only=True)
class Drawn:
    """A sample and the sheet that was written for it."""

    sample: LabelSample
    sheet: Path


def draw(
    folder: StudyFolder, readings: Readings, pairs: pd.DataFrame, n: int, seed: int, path: Path
) -> Drawn:
    """Draw `n` of the planned pairs with both finals, and write the sheet to label.

    Every set of `n` is as likely as any other, by hash of `seed`. The order of items and of the
    endpoints is drawn too. Raises `DesignError` where there are fewer pairs, `ConfigError` where
    the file exists.
    """
    if path.exists():
        raise ConfigError(f"{path} exists; give another file")
    finals = _finals(readings, pairs)
    population = sorted(finals)
    if not 1 <= n <= len(population):
        raise DesignError(f"{len(population)} pairs have both finals; draw from 1 to so many")
    drawn = drawn_first(population, n, "labelled", seed)
    texts = _texts(drawn, finals, seed)
    sheet = _sheet(texts, readings)
    sample = LabelSample(
        seed=seed,
        population=tuple(population),
        drawn=tuple(sorted(drawn)),
        texts=texts,
        sheet_sha256=sha256_text(sheet),
    )
    folder.blobs.put(sheet)
    key = f"labels/{sample.sample_id}/sample.json"
    folder.store.put_if_absent(key, sample.to_json().encode())
    path.write_text(sheet, encoding="utf-8", newline="")
    return Drawn(sample=sample, sheet=path)


def take(folder: StudyFolder, path: Path, who: str) -> HumanLabels:
    """Take one person's labels from a sheet that `draw` wrote and a person filled.

    Raises `InputError`, and takes nothing, for a sheet of no sample of this study, an item that
    is missing, strange or there twice, an unknown label, no label at all or an added column:
    counts and weights are no labels (DR-103). Raises `ConfigError` where this person's labels are
    there already.
    """
    if not who.strip():
        raise ConfigError("--who is empty; name who labelled")
    text = _read(path)
    rows = _sheet_rows(text)
    sample = _sample_of(folder, rows)
    said = [_label(row) for row in rows]
    if not any(said):
        raise InputError(f"no label in {path}; fill its last column first: labels stay once taken")
    labels = HumanLabels(
        sample_id=sample.sample_id,
        labeller=who,
        labels=tuple(
            HumanLabel(item=int(r["item"]), label=label)
            for r, label in zip(rows, said, strict=True)
        ),
        sheet_sha256=sha256_text(text),
    )
    folder.blobs.put(text)
    key = f"labels/{sample.sample_id}/by-{short_id('labeller', who)}.json"
    if not folder.store.put_if_absent(key, labels.to_json().encode()):
        raise ConfigError(
            f"labels of this sample by {who!r} are there already and stay; another person is "
            "another --who, another sample another --seed of `labels sample`"
        )
    return labels


def _finals(readings: Readings, pairs: pd.DataFrame) -> dict[str, dict[Side, ObservedRun]]:
    """Runs of the planned pairs that have both finals, by pair id."""
    found: dict[str, dict[Side, ObservedRun]] = {}
    for pair, p, q in zip(pairs["pair_id"], pairs["run_id_p"], pairs["run_id_q"], strict=True):
        runs = {Side.P: readings.observed.get(str(p)), Side.Q: readings.observed.get(str(q))}
        both = {side: run for side, run in runs.items() if run is not None and run.final}
        if len(both) == 2:
            found[str(pair)] = both
    return found


def _texts(
    drawn: Sequence[str], finals: dict[str, dict[Side, ObservedRun]], seed: int
) -> tuple[SampledText, ...]:
    arms = [(pair, arm) for pair in drawn for arm in Side]
    arms.sort(key=lambda one: short_id("item", seed, one[0], one[1].value))
    return tuple(
        _text(item, pair, arm, finals[pair][arm], seed)
        for item, (pair, arm) in enumerate(arms, start=1)
    )


def _text(item: int, pair: str, arm: Side, run: ObservedRun, seed: int) -> SampledText:
    assert run.final is not None
    first = unit_draw("label_alpha", seed, pair, arm.value) < 0.5
    return SampledText(
        item=item,
        pair_id=pair,
        arm=arm,
        run_id=run.run_id,
        factor_id=run.assigned[0].factor_id,
        text_sha256=run.final.text_sha256,
        alpha=Side.P if first else Side.Q,
    )


def _sheet(texts: Sequence[SampledText], readings: Readings) -> str:
    out = io.StringIO(newline="")
    writer = csv.writer(out)
    writer.writerow(COLUMNS)
    for text in texts:
        card = readings.cards[text.factor_id]
        cells = (
            card.axis.question,
            card.axis.guidance,
            card.endpoint(text.alpha).sentence,
            card.endpoint(text.alpha.other).sentence,
            readings.context.folder.blobs.get(text.text_sha256),
        )
        writer.writerow([text.item, *(guard(c) for c in cells), ""])
    return BOM + out.getvalue()


def _read(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8")
    except UnicodeDecodeError:
        raise InputError(f"{path} is not UTF-8; save it as CSV UTF-8") from None


def _sheet_rows(text: str) -> list[dict[str, str]]:
    """Rows of a sheet by column; rows without any cell are no rows."""
    header, *rows = csv_rows(text.removeprefix(BOM)) or [[]]
    if header != list(COLUMNS):
        raise InputError(f"the sheet must have the columns {', '.join(COLUMNS)}, and no other")
    rows = [row for row in rows if row]
    if any(len(row) != len(COLUMNS) for row in rows):
        raise InputError("a row of the sheet has more or fewer cells than columns")
    return [dict(zip(COLUMNS, row, strict=True)) for row in rows]


def _sample_of(folder: StudyFolder, rows: Sequence[dict[str, str]]) -> LabelSample:
    """The sample that the sheet was written for: all but the labels must be its own.

    Endpoints count as well as texts: another seed can put the same texts in the same order with
    the endpoints swapped.
    """
    given = sorted(_printed(row) for row in rows)
    for sample, _ in samples(folder.store):
        if sorted(map(_printed, _sheet_rows(folder.blobs.get(sample.sheet_sha256)))) == given:
            return sample
    raise InputError(
        "the sheet's items and texts are not those of a sample drawn in this study; "
        "only the `label` column may be filled, and every item stands once"
    )


def _printed(row: dict[str, str]) -> tuple[str, ...]:
    """What a person must not change, whatever a program makes of marks and line ends."""
    return tuple(unguard(row[name]).replace("\r\n", "\n") for name in COLUMNS[:-1])


def _label(row: dict[str, str]) -> SlotLabel | None:
    word = row["label"].strip().upper()
    if not word:
        return None
    if word not in set(SlotLabel):
        known = ", ".join(SlotLabel)
        raise InputError(f"item {row['item']}: {row['label']!r} is no label; use {known}")
    return SlotLabel(word)
