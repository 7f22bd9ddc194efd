"""Planted finals and drafts of a drawn study, and what is read in them, in slot terms."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from draligned.schema.base import sha256_text
from draligned.schema.frames import DOCUMENT_READS, DOCUMENTS, ITEMS
from draligned.schema.labels import Action, Actor, ReadRole, Role, Side, Strength
from draligned.simulate.behaviour import BOTH, NEITHER, OTHER, OWN, Leans
from draligned.simulate.columns import directions, repeated, slots, words
from draligned.simulate.drawn import Drawn
from draligned.simulate.parameters import Reader
from draligned.simulate.reading import UNKNOWN, VOID, Flags, read_units

_FINAL_SEQ = 1_000


@dataclass(frozen=True, kw_only=True)
class Texts:
    """Finals, and drafts of half of the runs; every text is its own."""

    run_id: pd.Series
    factor_id: pd.Series
    final: Flags
    sha256: NDArray[np.object_]
    leans: Leans
    own_first: Flags
    says_p: Flags
    """P stands in ALPHA in the first read."""


def plant(
    drawn: Drawn, run_ids: pd.Series, factor_ids: pd.Series, done: Flags, rng: np.random.Generator
) -> Texts:
    """A final for every run that is done; a draft for half of them, which leans as the final
    does or, as often, to neither endpoint."""
    finals = np.flatnonzero(done)
    drafts = finals[rng.random(len(finals)) < 0.5]
    kept = rng.random(len(drafts)) < 0.5
    run = np.concatenate([finals, drafts])
    final = np.arange(len(run)) < len(finals)
    own = np.concatenate([drawn.finals[finals], np.where(kept, drawn.finals[drafts], NEITHER)])
    own_first = rng.random(len(run)) < 0.5
    ids = run_ids.to_numpy(dtype=object)[run]
    return Texts(
        run_id=run_ids.iloc[run].reset_index(drop=True),
        factor_id=factor_ids.iloc[run].reset_index(drop=True),
        final=final,
        sha256=_hashes(ids, final),
        leans=own.astype(np.int8),
        own_first=own_first,
        says_p=own_first == (drawn.sign[run] > 0),
    )


def _hashes(run_ids: NDArray[np.object_], final: Flags) -> NDArray[np.object_]:
    """Stand-ins for the texts' hashes."""
    names = [
        f"{run} {'final' if last else 'draft'}" for run, last in zip(run_ids, final, strict=True)
    ]
    return np.array([sha256_text(name) for name in names], dtype=object)


def text_rows(texts: Texts) -> pd.DataFrame:
    """Rows of `documents`."""
    size = len(texts.final)
    frame = pd.DataFrame(
        {
            "run_id": texts.run_id,
            "factor_id": texts.factor_id,
            "role": words(("draft", "final"), texts.final.astype(np.intp)),
            "version_no": np.ones(size, dtype=np.intp),
            "seq": np.where(texts.final, _FINAL_SEQ, _FINAL_SEQ - 1),
            "text_sha256": texts.sha256,
        }
    )
    return frame[list(DOCUMENTS)]


def read_texts(
    texts: Texts, evaluator: str, reader: Reader, retest_share: float, rng: np.random.Generator
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Rows of `document_reads` and of `items` of one evaluator."""
    nobody = np.zeros(len(texts.leans), dtype=bool)
    said = read_units(reader, texts.leans, texts.own_first, nobody, rng)
    again = rng.random(len(nobody)) < retest_share
    parts = [
        _one_read(texts, evaluator, role, word, chosen)
        for role, word, chosen in (
            (ReadRole.FIRST, said.first, ~nobody), (ReadRole.MIRROR, said.mirror, ~nobody),
            (ReadRole.RETEST, said.retest, again),
        )
    ]  # fmt: skip
    reads = pd.concat([reads for reads, _ in parts], ignore_index=True)
    items = pd.concat([items for _, items in parts], ignore_index=True)
    return reads[list(DOCUMENT_READS)], items[list(ITEMS)]


_MAIN = (Actor.AGENT, Role.MAIN, Action.RECOMMEND)
_OTHERS = (
    (Actor.AGENT, Role.BACKGROUND, Action.RECOMMEND),
    (Actor.AGENT, Role.MAIN, Action.REJECT),
    (Actor.USER_RESTATEMENT, Role.MAIN, Action.RECOMMEND),
)
"""Items that are not the agent's main advice: measure must not hear them."""
_KINDS = (_MAIN, *_OTHERS)


def _one_read(
    texts: Texts, evaluator: str, role: ReadRole, said: Leans, chosen: Flags
) -> tuple[pd.DataFrame, pd.DataFrame]:
    at = np.flatnonzero(chosen)
    mirrored = role is ReadRole.MIRROR
    alpha = words((Side.P.value, Side.Q.value), (~(texts.says_p[at] ^ mirrored)).astype(np.intp))
    keys = {
        "text_sha256": pd.Series(texts.sha256[at], dtype="str"),
        "factor_id": texts.factor_id.iloc[at].reset_index(drop=True),
        "evaluator": repeated(evaluator, len(at)),
        "read": repeated(role.value, len(at)),
        "alpha": alpha,
    }
    word = said[at]
    text, kind, lean, number = _items(word)
    own_is_alpha = texts.own_first[at] ^ mirrored
    reads = pd.DataFrame(keys).assign(
        status=words(("ok", "void"), (word == VOID).astype(np.intp)),
        reason=words(("bad_shape",), np.where(word == VOID, 0, -1)),
        n_items=np.bincount(text, minlength=len(at)),
        n_dropped=0,
        cap_hit=0,
    )
    items = pd.DataFrame(
        {name: values.iloc[text].reset_index(drop=True) for name, values in keys.items()}
    )
    return reads, items.assign(
        item_no=number,
        entity_key=words([f"entity {n}" for n in range(8)], number),
        actor=words([actor.value for actor, _, _ in _KINDS], kind),
        role=words([place.value for _, place, _ in _KINDS], kind),
        action=words([action.value for _, _, action in _KINDS], kind),
        strength=repeated(Strength.FIRM.value, len(text)),
        direction=directions(slots(lean, own_is_alpha[text])),
    )


_MAIN_LEANS = {
    OWN: (OWN, NEITHER), OTHER: (OTHER,), BOTH: (OWN, OTHER), NEITHER: (NEITHER, NEITHER, NEITHER),
    UNKNOWN: (), VOID: (),
}  # fmt: skip
"""Directions of main items by what the read says; a read that says nothing has no basis."""


def _items(
    said: Leans,
) -> tuple[NDArray[np.intp], NDArray[np.intp], Leans, NDArray[np.intp]]:
    """Text, kind, lean and number of each item, in the order of texts."""
    text, kind, lean = [], [], []
    for word, own in _MAIN_LEANS.items():
        at = np.flatnonzero(said == word)
        others = () if word == VOID else (OTHER, OTHER, BOTH)
        text.append(np.repeat(at, len(own) + len(others)))
        kind.append(np.tile([0] * len(own) + list(range(1, 1 + len(others))), len(at)))
        lean.append(np.tile([*own, *others], len(at)))
    order = np.argsort(np.concatenate(text), kind="stable")
    places = np.concatenate(text)[order].astype(np.intp)
    number = np.arange(len(places)) - np.searchsorted(places, places)
    kinds, leans = np.concatenate(kind)[order], np.concatenate(lean)[order]
    return places, kinds.astype(np.intp), leans.astype(np.int8), number.astype(np.intp)
