"""Drafts beside finals of their own runs and of repeats, made anew (DR-96, DR-97, DR-99)."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from draligned.verify.clustered import share
from draligned.verify.compare import Own
from draligned.verify.flow_tables import kind_of
from draligned.verify.label_tables import NAMES
from draligned.verify.labels import relative
from draligned.verify.logs import Run
from draligned.verify.study import ALL, Study

GROUP = ("evaluator", "harness", "model")
BITS = {"NONE": 0, "OTHER_ONLY": 1, "OWN_ONLY": 2, "BOTH": 3}
STARTS = (
    ("within_run", "first_draft"), ("within_run", "last_draft"), ("across_runs", "first_draft"),
    ("across_runs", "last_draft"), ("across_runs", "final"),
)  # fmt: skip
NOTHING = {"across_runs": "no_repeat_compared", "within_run": "no_run_compared"}
"""Why there is nothing in a scope."""
REFUSED = ("refused", "saved_file_submitted")


@dataclass(frozen=True, slots=True)
class End:
    """First or last draft, or final, of a run that was seen in full and has a final."""

    run: Run
    factor: str
    side: str
    start: str
    sha256: str
    final: str

    @property
    def condition(self) -> tuple[str, ...]:
        """What repeats share."""
        return (*self.run.names, self.factor, self.side)


@dataclass(frozen=True, slots=True)
class Compared:
    """One comparison under one evaluator."""

    evaluator: str
    scope: str
    end: End
    other: str
    to: str
    states: tuple[str, str]
    reasons: tuple[str, str]

    @property
    def status(self) -> str:
        """Whether both could be read, or which not."""
        if self.end.sha256 == self.to:
            return "same_text"
        start, final = (state == "UNKNOWN" for state in self.states)
        if start and final:
            return "both_unreadable"
        return "start_unreadable" if start else "final_unreadable" if final else "compared"


def _ends(runs: Iterable[Run], side: str | None) -> Iterator[End]:
    for run in runs:
        seen, factor = run.seen, run.factors[0][0]
        full = run.observes["w"] == run.observes["f"] == "full"
        if not seen or not seen.final or not full or run.cell.block.submits_saved:
            continue
        drafts = [d for d in sorted(seen.drafts, key=lambda d: (d.seq, d.version or 0))
                  if d.seq <= seen.final.seq]  # fmt: skip
        found = [("first_draft", drafts[0]), ("last_draft", drafts[-1])] if drafts else []
        for start, text in (*found, ("final", seen.final)):
            yield End(run, factor, side or run.factors[0][1], start, text.sha256, seen.final.sha256)


def _couples(study: Study) -> Iterator[tuple[str, End, str, str]]:
    """Scope, start, the other run and its final."""
    ends = list(_ends(study.runs, None))
    for end in ends:
        if end.start != "final":
            yield "within_run", end, end.run.run_id, end.final
    aa = study.sets.get("aa")
    once = {(e.run.run_id, e.factor, e.start): e for e in _ends(aa.runs if aa else (), "P")}
    once |= {(e.run.run_id, e.factor, e.start): e for e in ends}
    finals: dict[tuple[str, ...], list[End]] = {}
    for end in once.values():
        if end.start == "final":
            finals.setdefault(end.condition, []).append(end)
    for end in once.values():
        for other in finals.get(end.condition, ()):
            mine, theirs = end.run.run_id, other.run.run_id
            if mine != theirs and (end.start != "final" or mine < theirs):
                yield "across_runs", end, theirs, other.final


def compared(study: Study) -> list[Compared]:
    """Every comparison under every evaluator."""
    out = []
    for scope, end, other, to in _couples(study):
        for name in study.evaluators:
            labels = [_label(study, sha, end.factor, name) for sha in (end.sha256, to)]
            first, second = (relative(bits, end.side) for bits, _ in labels)
            reasons = (labels[0][1], labels[1][1])
            out.append(Compared(name, scope, end, other, to, (first, second), reasons))
    return out


def _label(study: Study, sha256: str, factor: str, name: str) -> tuple[int, str]:
    aa = study.sets.get("aa")
    own = study if study.packet_of(sha256, factor) or aa is None else aa
    label = own.text(sha256, factor, name).label(study.policy)
    return label.bits, label.reason


_EDITED = ("edit_status", "edit_reason", "n_tokens_from", "n_tokens_to", "distance", "n_sentences",
           "n_verbatim", "verbatim_share")  # fmt: skip


def persistence_runs(study: Study) -> Own:
    """One row a comparison."""
    columns = ("evaluator", "scope", "start", "run_id", "other_run_id", "factor_id", *NAMES, "arm",
               "from_sha256", "to_sha256", "status", "start_state", "start_reason", "final_state",
               "final_reason", "kind", *_EDITED, "development")  # fmt: skip
    rows = [
        (c.evaluator, c.scope, c.end.start, c.end.run.run_id, c.other, c.end.factor,
         *c.end.run.names, c.end.side, c.end.sha256, c.to, c.status, c.states[0],
         c.reasons[0] or None, c.states[1], c.reasons[1] or None,
         None if "UNKNOWN" in c.states else kind_of(*c.states), *_edited(study, c),
         c.end.run.names[3] in study.development)
        for c in compared(study)
    ]  # fmt: skip
    return Own(name="persistence_runs", columns=columns, rows=rows, keys=columns[:6])


def _edited(study: Study, c: Compared) -> tuple[Any, ...]:
    """Cells of `_EDITED`; equal texts have none, since it would be 0 by construction."""
    if c.status == "same_text":
        return ("same_text", *[None] * 7)
    found = study.edits.of(c.end.sha256, c.to)
    return ("unknown" if found.reason else "ok", found.reason, found.n_from, found.n_to,
            found.distance, found.n_sentences, found.n_verbatim, found.share)  # fmt: skip


def models_of(study: Study, saved: bool) -> Iterator[tuple[str, str, str]]:
    """Evaluator × harness × model (and all) of harnesses that submit the saved draft, or not."""
    found = {
        (run.names[3], model)
        for run in study.runs
        if run.cell.block.submits_saved == saved
        for model in (run.names[2], ALL)
    }
    yield from ((name, *couple) for name in study.evaluators for couple in sorted(found))


def persistence(study: Study) -> Own:
    """Comparisons by states and text identity."""
    columns = (*GROUP, "scope", "start", "start_state", "final_state", "text", "n", "n_runs",
               "status", "reason", "development")  # fmt: skip
    tally: dict[tuple[str, ...], list[str]] = {}
    for c in compared(study):
        text = "same" if c.status == "same_text" else "different"
        _, _, model, harness, _ = c.end.run.names
        for shown in (model, ALL):
            key = (c.evaluator, harness, shown, c.scope, c.end.start, *c.states, text)
            tally.setdefault(key, []).append(c.end.run.run_id)
    rows: list[tuple[Any, ...]] = [
        (*key, len(runs), len(set(runs)), "ok", None, key[1] in study.development)
        for key, runs in tally.items()
    ]
    rows += [(*g, *[None] * 7, *REFUSED, g[1] in study.development) for g in models_of(study, True)]
    return Own(name="persistence", columns=columns, rows=rows, keys=columns[:8])


def persistence_shares(study: Study) -> Own:
    """What is kept, by state of the start."""
    columns = (*GROUP, "scope", "start", "start_state", "status", "reason", "n_start",
               "n_same_text", "n_final_unreadable", "n_compared", "n_kept_side", "n_kept_state",
               "side_share", "side_lo", "side_hi", "state_share", "state_lo", "state_hi",
               "development")  # fmt: skip
    found: dict[tuple[str, ...], list[Compared]] = {}
    for c in compared(study):
        for model in (c.end.run.names[2], ALL):
            key = (c.evaluator, c.end.run.names[3], model, c.scope, c.end.start, c.states[0])
            found.setdefault(key, []).append(c)
    rows: list[tuple[Any, ...]] = [
        (*group, *start, state, *_kept(found.get((*group, *start, state), []), state, start[0]),
         group[1] in study.development)
        for group in models_of(study, False)
        for start in STARTS
        for state in BITS
    ]  # fmt: skip
    rows += [
        (*g, None, None, None, *REFUSED, *[None] * 12, g[1] in study.development)
        for g in models_of(study, True)
    ]
    return Own(name="persistence_shares", columns=columns, rows=rows, keys=columns[:6])


def risk_set(study: Study) -> Own:
    """Readable start states of runs that are compared with their own final."""
    order = ("OWN_ONLY", "OTHER_ONLY", "BOTH", "NONE")
    tally: dict[tuple[str, ...], Counter[str]] = {}
    for c in compared(study):
        start = c.states[0]
        for model in (c.end.run.names[2], ALL) if c.scope == "within_run" else ():
            key = (c.evaluator, c.end.run.names[3], model, c.end.start)
            if start in BITS:
                tally.setdefault(key, Counter())[start] += 1
    columns = (*GROUP, "start", "unit", "n", "n_own", "n_other", "n_both", "n_none", "development")
    rows = [
        (*key, "run with a final and a readable start state", n.total(), *(n[w] for w in order),
         key[1] in study.development)
        for key, n in tally.items()
    ]  # fmt: skip
    return Own(name="risk_set", columns=columns, rows=rows, keys=columns[:5])


def _kept(found: list[Compared], state: str, scope: str) -> Iterator[Any]:
    by = Counter(c.status for c in found)
    after = [BITS[c.states[1]] for c in found if c.status == "compared"]
    bits, n = BITS[state], len(after)
    side = sum(b & bits == bits for b in after) if bits else None
    same = sum(b == bits for b in after)
    yield "ok" if n else "unknown"
    yield None if n else NOTHING[scope]
    yield from (len(found), by["same_text"], by["final_unreadable"], n, side, same)
    for hits in (side, same):
        row = share(hits, n) if hits is not None and n else (None, None, None)
        yield from row if scope == "within_run" else (row[0], None, None)
