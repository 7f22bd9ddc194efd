"""Planted finals and drafts and what is read in them, in slot terms."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd

from draligned.schema.base import sha256_text, unit_draw
from draligned.schema.labels import Action, Actor, ItemDirection, ReadRole, Role, Side, Strength
from draligned.simulate.plan import Mix, Plan
from draligned.simulate.requests import BOTH, NEITHER, OTHER, OWN

NO_DOCUMENT = "no_document"
_CAUSES = (NO_DOCUMENT, "no_basis", "disagreement", "void", "unresolved")

_DIRECTIONS = {
    OWN: (OWN, NEITHER), OTHER: (OTHER,), BOTH: (OWN, OTHER), NEITHER: (NEITHER, NEITHER, NEITHER),
}  # fmt: skip
_SLOT = {
    OWN: ItemDirection.SLOT1, OTHER: ItemDirection.SLOT2, BOTH: ItemDirection.BOTH,
    NEITHER: ItemDirection.NEITHER,
}  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Text:
    """A planted text: what it leans to, relative to the run's endpoint, and how it can be read."""

    run_id: str
    factor_id: str
    arm: Side
    role: str
    lean: int
    cause: str | None
    """Why it cannot be read; none if it can."""
    wrong: tuple[bool, bool]
    """Whether the first and the mirrored read take P for Q."""

    @property
    def sha256(self) -> str:
        """Stands for the text's hash."""
        return sha256_text(f"{self.run_id} {self.role}")


def plant_texts(plan: Plan, runs: pd.DataFrame, rng: np.random.Generator) -> list[Text]:
    """A final for every run (a cause may say that there is none) and a draft for half of them."""
    texts = []
    for run in runs.to_dict("records"):
        arm = Side(str(run["arm"]))
        lean = _draw(plan.final_p if arm is Side.P else plan.final_q, rng.random())
        unread = rng.random() < plan.final_unread
        cause = _CAUSES[int(rng.integers(len(_CAUSES)))] if unread else None
        wrong = (bool(rng.random() < plan.read_error), bool(rng.random() < plan.read_error))
        text = Text(
            run_id=str(run["run_id"]), factor_id=str(run["factor_id"]), arm=arm, role="final",
            lean=lean, cause=cause, wrong=wrong,
        )  # fmt: skip
        texts.append(text)
        if rng.random() < 0.5:
            texts.append(_draft(text, int(rng.integers(2))))
    return texts


def _draft(final: Text, keeps: int) -> Text:
    return Text(
        run_id=final.run_id, factor_id=final.factor_id, arm=final.arm, role="draft",
        lean=final.lean if keeps else NEITHER, cause=None, wrong=(False, False),
    )  # fmt: skip


def _draw(mix: Mix, draw: float) -> int:
    for lean, share in ((OWN, mix.own), (OTHER, mix.other), (BOTH, mix.both)):
        if draw < share:
            return lean
        draw -= share
    return NEITHER


def documents(texts: list[Text]) -> pd.DataFrame:
    """Rows of `documents`."""
    rows = [
        (t.run_id, t.factor_id, t.role, 1, 90 if t.role == "draft" else 99, t.sha256)
        for t in texts
        if t.cause != NO_DOCUMENT
    ]
    names = ["run_id", "factor_id", "role", "version_no", "seq", "text_sha256"]
    return pd.DataFrame(rows, columns=names)


def document_reads(
    texts: list[Text], seed: int, evaluator: str, orientation: str
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Rows of `document_reads` and of `items`."""
    reads, items = [], []
    for text in texts:
        if text.cause == NO_DOCUMENT:
            continue
        first = first_alpha(orientation, seed, text.sha256, text.factor_id)
        for place, role in enumerate((ReadRole.FIRST, ReadRole.MIRROR)):
            alpha = first if role is ReadRole.FIRST else first.other
            key = (text.sha256, text.factor_id, evaluator, role.value, alpha.value)
            void = text.cause == "void" and role is ReadRole.MIRROR
            found = [] if void else list(_items(text, place, alpha))
            reads.append((*key, "void" if void else "ok", None, len(found), 0, False))
            items += [(*key, no, f"entity {no}", *item) for no, item in enumerate(found)]
    key_names = ["text_sha256", "factor_id", "evaluator", "read", "alpha"]
    read_names = [*key_names, "status", "reason", "n_items", "n_dropped", "cap_hit"]
    item_names = [
        *key_names,
        "item_no",
        "entity_key",
        "actor",
        "role",
        "action",
        "strength",
        "direction",
    ]
    return pd.DataFrame(reads, columns=read_names), pd.DataFrame(items, columns=item_names)


def _items(text: Text, place: int, alpha: Side) -> Iterator[tuple[str, str, str, str, str]]:
    """Main advice of the text's lean among items that are not the agent's main advice."""
    turned = (text.arm is not alpha) ^ text.wrong[place]
    lean = text.lean
    if text.cause == "disagreement" and place == 1:
        lean = NEITHER if text.lean != NEITHER else OWN
    if text.cause == "unresolved":
        lean = NEITHER
    if text.cause != "no_basis":
        for direction in _DIRECTIONS[lean]:
            yield _item(Actor.AGENT, Role.MAIN, Action.RECOMMEND, direction, turned)
    if text.cause == "unresolved":
        yield _item(Actor.AGENT, Role.MAIN, Action.CONDITION, None, turned)
    yield _item(Actor.AGENT, Role.BACKGROUND, Action.RECOMMEND, OTHER, turned)
    yield _item(Actor.AGENT, Role.MAIN, Action.REJECT, OTHER, turned)
    yield _item(Actor.USER_RESTATEMENT, Role.MAIN, Action.RECOMMEND, BOTH, turned)


def _item(
    actor: Actor, role: Role, action: Action, lean: int | None, turned: bool
) -> tuple[str, str, str, str, str]:
    if lean in (OWN, OTHER) and turned:
        lean = OTHER if lean == OWN else OWN
    direction = ItemDirection.UNKNOWN if lean is None else _SLOT[lean]
    return actor.value, role.value, action.value, Strength.FIRM.value, direction.value


def first_alpha(orientation: str, *unit: str | int) -> Side:
    """Endpoint in ALPHA in the first read: drawn by hash, or always P."""
    if orientation == "always_p":
        return Side.P
    return Side.P if unit_draw("alpha", *unit) < 0.5 else Side.Q
