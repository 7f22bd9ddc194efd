"""What stands beside a planted panel: distances of texts, subproblems visited, sentinels, and the
sets that are measured apart (A/A, neutral, placebo, masked)."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from draligned.measure.draft_pairs import text_couples
from draligned.schema.frames import EDITS, FACTORS, SENTINELS, VISITS, InputSet, MeasureInputs
from draligned.schema.labels import Presence, ReadRole
from draligned.simulate.drawn import Drawn, draw, generator
from draligned.simulate.label_tables import Making, factor_ids, label_tables
from draligned.simulate.parameters import Scenario
from draligned.simulate.reading import Flags

SUBPROBLEMS = 6
"""Broad subproblems of each task."""
WAVES, UNITS = 4, 25
"""Times the sentinels are asked, and requests or documents in them."""
UNTOLD = 0.1
"""Directional requests and finals of runs that were told nothing of the axis, of those of others;
they go to either side alike."""


@dataclass(frozen=True, kw_only=True)
class Panel:
    """A planted panel: what was drawn, and what was made of it."""

    drawn: Drawn
    making: Making
    inputs: MeasureInputs

    @property
    def planned(self) -> Flags:
        """Runs that are planned at all."""
        kept = self.making.kept
        return np.ones(len(self.drawn.runs), dtype=bool) if kept is None else kept

    @property
    def first(self) -> Flags:
        """Planned runs that stand in pairs."""
        first: Flags = self.planned & (self.drawn.runs.replicate == 0)
        return first


def with_beside(panel: Panel, share: float = 0.1) -> MeasureInputs:
    """The panel's inputs with all that stands beside it; sets hold `share` of its pairs."""
    inputs, seed = panel.inputs, panel.making.seed
    sets = {
        InputSet.AA: _again(panel, share),
        InputSet.NEUTRAL: _neutral(panel, share),
        InputSet.PLACEBO: _placebo(panel, share),
        InputSet.MASKED: _masked(panel, share),
    }
    whole = replace(inputs, sets=sets)
    return replace(
        whole,
        edits=edits(whole, seed),
        visits=visits(inputs, seed),
        factors=_factors(panel.drawn.scenario),
        sentinels=sentinels([e.name for e in panel.making.evaluators], seed),
    )


def edits(inputs: MeasureInputs, seed: int) -> pd.DataFrame:
    """Rows of `edits` of all couples that measure compares: distances from a beta distribution."""
    couples = text_couples(inputs)
    rng = generator("edits", seed)
    size = len(couples)
    sentences = rng.integers(20, 120, size=size)
    frame = pd.DataFrame(couples, columns=["from_sha256", "to_sha256"], dtype="str").assign(
        status="ok",
        reason=None,
        n_tokens_from=rng.integers(400, 4_000, size=size),
        n_tokens_to=rng.integers(400, 4_000, size=size),
        distance=np.round(rng.beta(2.0, 2.0, size=size), 6),
        n_sentences=sentences,
        n_verbatim=rng.binomial(sentences, 0.3),
    )
    return frame[list(EDITS)]


def visits(inputs: MeasureInputs, seed: int) -> pd.DataFrame:
    """Rows of `visits`: a request of ten asks about no listed subproblem, a tenth about two."""
    keys = inputs.request_reads[["run_id", "request_no"]].drop_duplicates()
    rng = generator("visits", seed)
    draw_ = rng.random(len(keys))
    one = rng.integers(0, SUBPROBLEMS, size=len(keys))
    other = (one + rng.integers(1, SUBPROBLEMS, size=len(keys))) % SUBPROBLEMS
    none, two = draw_ < 0.1, draw_ >= 0.9
    first = keys.assign(
        subproblem=pd.Series([f"part {n + 1}" for n in one], index=keys.index).mask(none),
        weight=pd.Series(np.where(two, 0.5, 1.0), index=keys.index).mask(none),
    )
    again = keys[two].assign(subproblem=[f"part {n + 1}" for n in other[two]], weight=0.5)
    return pd.concat([first, again], ignore_index=True)[list(VISITS)]


def sentinels(evaluators: list[str], seed: int) -> pd.DataFrame:
    """Rows of `sentinels`: each unit asked in every wave, read rightly nine times of ten."""
    words = [Presence.P_ONLY.value, Presence.Q_ONLY.value, Presence.NEITHER.value]
    index = np.indices((len(evaluators), WAVES, UNITS, 2)).reshape(4, -1)
    rng = generator("sentinels", seed)
    expected = index[2] % 3
    right = rng.random(len(expected)) < 0.9
    said = np.where(right, expected, (expected + 1) % 3)
    frame = pd.DataFrame(
        {
            "evaluator": [evaluators[k] for k in index[0]],
            "wave": index[1] + 1,
            "sentinel_id": [f"sentinel {k + 1}" for k in index[2]],
            "read": [(ReadRole.FIRST, ReadRole.MIRROR)[k].value for k in index[3]],
            "unit": 0,
            "place": index[1] * 1_000 + index[2] * 10,
            "status": "ok",
            "reason": None,
            "expected": [words[k] for k in expected],
            "label": [words[k] for k in said],
            "correct": right,
        }
    )
    return frame[list(SENTINELS)]


def _factors(scenario: Scenario) -> pd.DataFrame:
    rows = [
        (factor, f"kind {no % 4 + 1}", f"value {no % 2 + 1}", f"value {2 - no % 2}")
        for no, factor in enumerate(factor_ids(scenario))
    ]
    return pd.DataFrame(rows, columns=list(FACTORS), dtype="str")


def _chosen(panel: Panel, share: float, what: str) -> Flags:
    """First runs of a share of the cells, at least one in each study that was drawn."""
    runs = panel.drawn.runs
    cells = len(runs.cells)
    order = generator(f"cells of {what}", panel.making.seed).permuted(
        np.tile(np.arange(cells), (runs.studies, 1)), axis=1
    )
    taken = np.zeros((runs.studies, cells), dtype=bool)
    np.put_along_axis(taken, order[:, : max(1, round(share * cells))], values=True, axis=1)
    chosen: Flags = panel.first & taken[runs.study, runs.cell]
    return chosen


def _set(panel: Panel, drawn: Drawn, kept: Flags, part: str) -> MeasureInputs:
    failed = panel.making.failed if drawn.scenario.name == panel.drawn.scenario.name else None
    return label_tables(drawn, replace(panel.making, kept=kept, failed=failed, part=part))


def _again(panel: Panel, share: float) -> MeasureInputs:
    """First P runs of the panel, with their own reads, and another run of the same condition."""
    chosen = _chosen(panel, share, "aa")
    arm = panel.drawn.runs.arm
    own = _rows_of(panel.inputs, _set(panel, panel.drawn, chosen & (arm == 0), "aa").runs["run_id"])
    again = replace(panel.drawn.scenario, name="again", condition="aa")
    drawn = draw(again, panel.drawn.runs.studies, generator("again", panel.making.seed))
    return _joined(own, _set(panel, drawn, chosen & (arm == 1), "again"))


def _neutral(panel: Panel, share: float) -> MeasureInputs:
    """Runs told nothing, which stand as arm P."""
    untold = replace(_untold(panel.drawn.scenario), name="neutral", condition="aa")
    drawn = draw(untold, panel.drawn.runs.studies, generator("neutral", panel.making.seed))
    arm = panel.drawn.runs.arm
    return _set(panel, drawn, _chosen(panel, share, "neutral") & (arm == 0), "neutral")


def _placebo(panel: Panel, share: float) -> MeasureInputs:
    """Runs of the panel, read on the factor of the next task."""
    rng = generator("placebo", panel.making.seed)
    other = draw(_untold(panel.drawn.scenario), panel.drawn.runs.studies, rng)
    made = _set(panel, other, _chosen(panel, share, "placebo"), "placebo")
    ids = factor_ids(panel.drawn.scenario)
    following = dict(zip(ids, [*ids[1:], ids[0]], strict=True))
    frames = {
        name: frame.assign(factor_id=frame["factor_id"].map(following).astype("str"))
        for name, frame in _five(made).items()
    }
    finals = frames["documents"]["role"] == "final"
    return _of_texts(MeasureInputs(**frames), frames["documents"][finals])


def _masked(panel: Panel, share: float) -> MeasureInputs:
    """Finals of the panel, read again with restatements masked; requests are not."""
    kept = _chosen(panel, share, "masked")
    made = _set(panel, panel.drawn, kept, "masked")
    known = made.documents.merge(panel.inputs.documents[["text_sha256"]], on="text_sha256")
    return replace(_of_texts(made, known), request_reads=made.request_reads.iloc[:0])


def _untold(scenario: Scenario) -> Scenario:
    requests, finals = (
        replace(leaning, rate=leaning.rate * UNTOLD, own=0.5, own_model=0.0)
        for leaning in (scenario.requests, scenario.finals)
    )
    return replace(scenario, requests=requests, finals=finals)


def _five(inputs: MeasureInputs) -> dict[str, Any]:
    names = ("runs", "request_reads", "documents", "document_reads", "items")
    return {name: getattr(inputs, name) for name in names}


def _of_texts(inputs: MeasureInputs, documents: pd.DataFrame) -> MeasureInputs:
    """The inputs with these documents alone."""
    reads, items = (
        frame[frame["text_sha256"].isin(documents["text_sha256"])].reset_index(drop=True)
        for frame in (inputs.document_reads, inputs.items)
    )
    own = documents.reset_index(drop=True)
    return replace(inputs, documents=own, document_reads=reads, items=items)


def _rows_of(inputs: MeasureInputs, run_ids: pd.Series) -> MeasureInputs:
    """All that is known of some runs of the panel."""
    runs, asked, documents = (
        frame[frame["run_id"].isin(run_ids)].reset_index(drop=True)
        for frame in (inputs.runs, inputs.request_reads, inputs.documents)
    )
    return _of_texts(replace(inputs, runs=runs, request_reads=asked), documents)


def _joined(one: MeasureInputs, other: MeasureInputs) -> MeasureInputs:
    parts = {
        name: pd.concat([frame, _five(other)[name]], ignore_index=True)
        for name, frame in _five(one).items()
    }
    return MeasureInputs(**parts)
