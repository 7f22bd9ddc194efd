"""Tables of counts, made anew: readability, draft to final, delegation."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from math import sqrt
from statistics import NormalDist
from typing import Any

from draligned.verify.arms import Locus
from draligned.verify.compare import Own, Row
from draligned.verify.labels import presence
from draligned.verify.logs import Run
from draligned.verify.pairs import Pair
from draligned.verify.study import ALL, Study

Key = tuple[Any, ...]


def wilson(successes: float, n: int) -> tuple[float | None, float | None]:
    """Wilson's score interval at 95 %, from the roots of its quadratic; none of nothing."""
    if n == 0:
        return None, None
    z2 = NormalDist().inv_cdf(0.975) ** 2
    share = successes / n
    a, b, c = 1 + z2 / n, -(2 * share + z2 / n), share * share
    root = sqrt(max(b * b - 4 * a * c, 0.0))
    return max(0.0, (-b - root) / (2 * a)), min(1.0, (-b + root) / (2 * a))


def readability(study: Study) -> Own:
    """Counts of units by arm, state and cause."""
    tally: Counter[Key] = Counter()
    for evaluator, harness, model, *rest in _units(study):
        for shown in (model, ALL):
            tally[evaluator, harness, shown, *rest] += 1
    groups: Counter[Key] = Counter()
    for key, n in tally.items():
        groups[key[:6]] += n
    columns = ("evaluator", "harness", "model", "unit", "channel", "arm", "state", "status",
               "reason", "n", "n_planned", "development")  # fmt: skip
    rows = [
        (*key[:6], *(word or None for word in key[6:]), n, groups[key[:6]],
         key[1] in study.development)
        for key, n in tally.items()
    ]  # fmt: skip
    return Own(name="readability", columns=columns, rows=rows, keys=columns[:9])


def _units(study: Study) -> Iterator[Key]:
    """Evaluator, harness, model, unit, channel, arm, state, status, reason; blank for none."""
    for pair in study.pairs():
        yield from _pair_units(pair)
    for arm in study.arms():
        names = (arm.evaluator, arm.run.names[3], arm.run.names[2])
        for channel, locus in (("A", arm.acq), ("W", arm.last_draft), ("F", arm.final)):
            yield (*names, "run", channel, arm.side, locus.state, *_read(locus.reason))
    for run in study.runs:
        factor, side = run.factors[0]
        for name in study.evaluators:
            for label in study.requests.get((run.run_id, factor, name), {}).values():
                status = "unknown" if label.reason else "identified"
                yield (name, run.names[3], run.names[2], "request", "A", side,
                       presence(label.bits), status, label.reason)  # fmt: skip


def _read(reason: str) -> tuple[str, str]:
    return "unreadable" if reason else "readable", reason


def _pair_units(pair: Pair) -> Iterator[Key]:
    names = (pair.evaluator, pair.cell[4], pair.cell[3])
    for channel, low in (("A", "a"), ("F", "f")):
        yield (*names, "pair", channel, "both", "", pair.status(low), "")
        for side in "pq":
            arm = pair.arm(side)
            locus: Locus | None = (arm.acq if low == "a" else arm.final) if arm else None
            state = locus.state if locus else ""
            yield (*names, "arm", channel, side.upper(), state, *_read(pair.reason(low, side)))
    a, f = (pair.status(low) == "readable" for low in "af")
    zero = ("dA_zero" if pair.d_a_zero else "dA_nonzero") if a else ""
    yield (*names, "panel", "A×F", "both", zero, _CROSS[a, f], "")


_CROSS = {(True, True): "both", (True, False): "A_only", (False, True): "F_only",
          (False, False): "neither"}  # fmt: skip


def _by_block(study: Study, row: Callable[[list[Run]], Iterable[Any]]) -> list[Row]:
    """One row per harness × model, and harness × all."""
    groups: dict[tuple[str, str], list[Run]] = {}
    for run in study.runs:
        for model in (run.names[2], ALL):
            groups.setdefault((run.names[3], model), []).append(run)
    return [(*key, *row(runs), key[0] in study.development) for key, runs in groups.items()]


def draft_final(study: Study) -> Own:
    """Who has drafts and finals, are they the same text, and when."""
    counts = ("n_planned", "n_done", "n_unobserved", "n_final", "n_draft", "n_both", "n_same")
    columns = (
        "harness", "model", *counts, "same_share", "same_lo", "same_hi", "n_timed", "n_after",
        "after_share", "after_lo", "after_hi", "persistence", "persistence_reason", "development",
    )  # fmt: skip
    return Own(name="draft_final", columns=columns, rows=_by_block(study, _draft_final),
               keys=("harness", "model"))  # fmt: skip


def _draft_final(runs: list[Run]) -> Iterator[Any]:
    flags = [_flags(run) for run in runs]
    total = [sum(column) for column in zip(*flags, strict=True)]
    yield from total[:7]
    yield from _share(total[6], total[5])
    yield from total[7:]
    yield from _share(total[8], total[7])
    refused = runs[0].cell.block.submits_saved
    yield from ("refused", "saved_file_submitted") if refused else ("allowed", None)


def _share(top: int, bottom: int) -> tuple[float | None, ...]:
    return (top / bottom if bottom else None, *wilson(top, bottom))


def _flags(run: Run) -> tuple[bool, ...]:
    done, observes, seen = run.state == "done", run.observes, run.seen
    full = done and observes["w"] == observes["f"] == "full"
    if not full or seen is None:
        return (True, done, done, False, False, False, False, False, False)
    drafts = sorted(seen.drafts, key=lambda d: (d.seq, d.version or 0))
    final = seen.final
    before = [d for d in drafts if final is None or d.seq <= final.seq]
    both = final is not None and bool(before)
    same = both and final is not None and before[-1].sha256 == final.sha256
    asked = [r.seq for r in seen.requests] if observes["a"] == "full" else []
    timed = bool(before and asked)
    after = timed and before[0].seq > max(asked)
    return (True, done, False, final is not None, bool(drafts), both, same, timed, after)


def delegation(study: Study) -> Own:
    """Delegation offered and invoked."""
    columns = ("harness", "model", "offered", "n_planned", "n_observed", "n_invoked",
               "delegations", "requests", "requests_delegated", "development")  # fmt: skip
    return Own(name="delegation", columns=columns, rows=_by_block(study, _delegation),
               keys=("harness", "model"))  # fmt: skip


def _delegation(runs: list[Run]) -> Iterator[Any]:
    seen = [(run, run.seen) for run in runs if run.seen]
    asked = [s.requests for run, s in seen if run.observes["a"] == "full" or s.requests]
    yield any(run.cell.block.offered for run in runs)
    yield len(runs)
    yield len(seen)
    yield sum(s.delegations > 0 for _, s in seen)
    yield sum(s.delegations for _, s in seen)
    yield sum(len(r) for r in asked)
    yield sum(r.parent is not None for rs in asked for r in rs)
