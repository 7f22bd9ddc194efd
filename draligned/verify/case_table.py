"""Boundary cases, found anew: selected, not sampled (DR-82)."""

from collections.abc import Iterator
from typing import Any

from draligned.verify.arms import Arm
from draligned.verify.compare import Own
from draligned.verify.control_tables import two_labels
from draligned.verify.flow_tables import Walk, path_of, walks
from draligned.verify.ids import id_of
from draligned.verify.label_tables import NAMES
from draligned.verify.persistence_tables import compared
from draligned.verify.study import Study

Cells = dict[str, Any]
Key = tuple[str, str]
"""Evaluator and run."""


class _Named:
    """Runs of one set by name, with their paths."""

    def __init__(self, study: Study, input_set: str) -> None:
        self.study, self.input_set = study, input_set
        self.arms = {(a.evaluator, a.run.run_id): a for a in study.arms()}
        self.walks: dict[tuple[str, str, str], Walk] = {
            (w.arm.evaluator, w.arm.run.run_id, w.kind): w for w in walks(study)
        }

    def row(self, case: str, key: Key, **more: Any) -> Cells:
        """Names, states and paths of a run."""
        arm = self.arms[key]
        paths = (path_of(self.walks[(*key, kind)]) for kind in ("request", "document"))
        requests, documents = paths
        return {
            "case": case, "evaluator": arm.evaluator, "input_set": self.input_set,
            "run_id": arm.run.run_id, "factor_id": arm.factor_id,
            **dict(zip(NAMES, arm.run.names, strict=True)), "arm": arm.side, "certainty": "certain",
            "requests_path": requests or "", "documents_path": documents or "",
            "acq_state": arm.acq.state, "last_draft_state": arm.last_draft.state,
            "final_state": arm.final.state, "selection": "selected, not sampled",
            "development": arm.run.names[3] in self.study.development, **more,
        }  # fmt: skip


def cases(study: Study) -> Own:
    """One row a run that a finder selects."""
    columns = (
        "case", "evaluator", "input_set", "run_id", "factor_id", *NAMES, "arm", "certainty",
        "group_id", "n_group", "n_paths", "requests_path", "documents_path", "acq_state",
        "last_draft_state", "final_state", "request_nos", "outside_main", "selection",
        "development",
    )  # fmt: skip
    panel = _Named(study, "panel")
    found = [
        *_lost(study, panel), *_against(panel), *_returning(panel), *_paths(panel), *_both(study)
    ]  # fmt: skip
    rows = [tuple(row.get(c) for c in columns) for row in found]
    return Own(name="cases", columns=columns, rows=rows, keys=columns[:5])


def _lost(study: Study, panel: _Named) -> Iterator[Cells]:
    """An OWN last draft, and a final whose main advice names neither endpoint."""
    for c in compared(study):
        mine = (c.scope, c.end.start) == ("within_run", "last_draft")
        if mine and c.states == ("OWN_ONLY", "NONE"):
            outside = study.text(c.end.final, c.end.factor, c.evaluator).outside
            own = outside & (2 if c.end.side == "P" else 1) > 0
            key = (c.evaluator, c.end.run.run_id)
            yield panel.row("own_draft_none_final", key, outside_main=own)


def _against(panel: _Named) -> Iterator[Cells]:
    """A request toward the other endpoint, or both, and the final OWN all the same."""
    for key, arm in panel.arms.items():
        units = panel.walks[(*key, "request")].units
        numbers = [str(u.number) for u in units if u.state in ("OTHER_ONLY", "BOTH")]
        if arm.final.state == "OWN_ONLY" and numbers:
            yield panel.row("other_request_own_final", key, request_nos=",".join(numbers))


def _returning(panel: _Named) -> Iterator[Cells]:
    """Runs with a strict gap among their requests; others with an uncertain one."""
    for key in panel.arms:
        walk = panel.walks[(*key, "request")]
        ends: dict[bool, list[str]] = {True: [], False: []}
        for a, b in walk.gaps():
            strict = walk.in_full and all(u.state != "UNKNOWN" for u in walk.units[a:b])
            ends[strict].append(str(walk.units[b].number))
        if numbers := ends[True] or ends[False]:
            name, word = ("strict", "certain") if ends[True] else ("uncertain", "uncertain")
            said = ",".join(numbers)
            yield panel.row(f"{name}_reentry", key, request_nos=said, certainty=word)


def _paths(panel: _Named) -> Iterator[Cells]:
    """Runs of one condition and harness whose finals are OWN, along unlike paths."""
    groups: dict[tuple[str, ...], list[Arm]] = {}
    for arm in panel.arms.values():
        if arm.final.state == "OWN_ONLY":
            task, _, _, harness, _ = arm.run.names
            told = (arm.evaluator, harness, task, arm.factor_id, arm.side)
            groups.setdefault(told, []).append(arm)
    for condition, arms in groups.items():
        kinds = {(a.acq.state, a.first_draft.state, a.last_draft.state) for a in arms}
        for arm in arms if len(kinds) > 1 else ():
            yield panel.row(
                "paths_to_one_direction", (arm.evaluator, arm.run.run_id),
                group_id=id_of("paths", *condition), n_group=len(arms), n_paths=len(kinds),
            )  # fmt: skip


def _both(study: Study) -> Iterator[Cells]:
    """Two facts in the final, and in no request."""
    for word in ("two_factor_primary", "two_factor_complementary"):
        own = study.sets.get(word)
        named = _Named(own, word) if own else None
        for key, arm in named.arms.items() if named else ():
            certainty = _only_in_final(own, arm, key[0]) if own else None
            if named and certainty:
                yield named.row("both_factors_only_in_final", key, certainty=certainty)


def _only_in_final(own: Study, arm: Arm, name: str) -> str | None:
    told = [2 if side == "P" else 1 for _, side in arm.run.factors]
    shown: dict[str, list[tuple[bool | None, ...]]] = {"request": [], "final": []}
    for unit, *bits in two_labels(own, arm.run, name):
        known = zip(bits, told, strict=True)
        shown[unit].append(tuple(None if b < 0 else bool(b & t) for b, t in known))
    asked = shown["request"]
    if arm.run.observes["a"] != "full" or (True, True) not in shown["final"] or not asked:
        return None
    if (True, True) in asked:
        return None
    return "certain" if all(False in both for both in asked) else "uncertain"
