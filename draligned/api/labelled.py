"""Labels by people that are there, as the table that measure takes."""

from collections.abc import Sequence

import pandas as pd

from draligned.schema.frames import LABELLED
from draligned.schema.human import HumanLabels, LabelSample, presence_of
from draligned.schema.labels import Side, SlotLabel
from draligned.store.protocol import Store
from draligned.study.stored import stored


def labelled_table(store: Store) -> pd.DataFrame:
    """`frames.LABELLED` of all samples and people, sorted."""
    rows = [row for sample, by in samples(store) for row in _rows(sample, by)]
    return pd.DataFrame(rows, columns=list(LABELLED), dtype=object)


def samples(store: Store) -> list[tuple[LabelSample, list[HumanLabels]]]:
    """Samples with the labels that came back for each."""
    out = []
    for name in store.folders("labels"):
        found: list[HumanLabels] = []
        sample: LabelSample | None = None
        for key in store.list(f"labels/{name}"):
            data = store.get(key)
            if data is None:
                continue
            if key.endswith("/sample.json"):
                sample = stored(LabelSample, data, key)
            else:
                found.append(stored(HumanLabels, data, key))
        if sample is not None:
            out.append((sample, sorted(found, key=lambda f: f.labeller)))
    return out


def _rows(sample: LabelSample, by: Sequence[HumanLabels]) -> list[dict[str, object]]:
    texts = {t.item: t for t in sample.texts}
    rows: list[dict[str, object]] = []
    for labels in by:
        said: dict[tuple[str, Side], str | None] = {}
        for one in labels.labels:
            text = texts[one.item]
            said[text.pair_id, text.arm] = _restored(one.label, text.alpha)
        rows += [
            {"sample_id": sample.sample_id, "labeller": labels.labeller, "pair_id": pair,
             "drawn": pair in set(sample.drawn), "label_p": said.get((pair, Side.P)),
             "label_q": said.get((pair, Side.Q))}
            for pair in sample.population
        ]  # fmt: skip
    return rows


def _restored(label: SlotLabel | None, alpha: Side) -> str | None:
    if label is None or label is SlotLabel.UNKNOWN:
        return None
    return presence_of(label, alpha).value
