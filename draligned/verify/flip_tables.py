"""Tables of single reads side by side, made anew: order flips, retests, what order does."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from draligned.verify.clustered import RESAMPLED, Drawn, by_task, share, status_of
from draligned.verify.compare import Own
from draligned.verify.labels import Slot, presence, readout
from draligned.verify.packets import Unit, alpha_of
from draligned.verify.study import ALL, Study

UNREAD = -2
ROW = ("evaluator", "harness", "model", "kind")
_TURNED = {0: 0, 1: 2, 2: 1, 3: 3}
_SLOT_WORDS = {0: "NEITHER", 1: "BETA_ONLY", 2: "ALPHA_ONLY", 3: "BOTH"}


@dataclass(frozen=True, slots=True)
class Seen:
    """One unit as its three reads have it: bits, −1 no direction, −2 not read."""

    task: str
    alpha: str
    first: int
    mirror: int
    retest: int
    retested: bool

    def slots(self, code: int, alpha: str) -> int:
        """Bits (P, Q) as bits (ALPHA, BETA)."""
        return _TURNED[code] if code >= 0 and alpha == "Q" else code


Group = tuple[str, str, str, str]


def seen_units(study: Study) -> dict[Group, list[Seen]]:
    """Units by evaluator, harness, model (each, and all) and kind; a text counts once in each."""
    out: dict[Group, list[Seen]] = {}
    met: set[tuple[Any, ...]] = set()
    for run in study.runs:
        for factor, _ in run.factors:
            for unit in _units(study, run.run_id, factor):
                for name in study.evaluators:
                    found = _seen(study, unit, name, run.names[0])
                    for model in (run.names[2], ALL):
                        group = (name, run.names[3], model, _kind(unit))
                        once = (*group, unit.packet_id)
                        if unit.run is not None or once not in met:
                            met.add(once)
                            out.setdefault(group, []).extend(found)
    return out


def _kind(unit: Unit) -> str:
    return "document" if unit.run is None else "request"


def _units(study: Study, run_id: str, factor: str) -> list[Unit]:
    return study.units_by_run.get((run_id, factor), [])


def _seen(study: Study, unit: Unit, name: str, task: str) -> list[Seen]:
    slots = {r: study.slots.get((unit.packet_id, name, r)) for r in ("first", "mirror", "retest")}
    alpha = alpha_of(unit.packet_id, study.design.seed, "first")
    again = slots["retest"] is not None
    if unit.run is None:
        a, b, c = (text_code(slot) for slot in slots.values())
        return [Seen(task, alpha, a, b, c, again)]
    out = []
    for place in range(len(unit.numbers)):
        a, b, c = (_cell_code(slot, place) for slot in slots.values())
        out.append(Seen(task, alpha, a, b, c, again))
    return out


def _cell_code(slot: Slot | None, place: int) -> int:
    read = slot.read if slot else None
    return read.cells[place] if read and place < len(read.cells) else UNREAD


def text_code(slot: Slot | None) -> int:
    """What one read of a text says: bits, −1 no direction, −2 not read."""
    read = slot.read if slot else None
    if read is None or read.status != "ok" or read.advice is None:
        return UNREAD
    return read.advice.bits if read.advice.n_resolved else -1


Comparison = tuple[str, str, list[Seen], Callable[[Seen], int]]


def _comparisons(units: list[Seen]) -> Iterator[Comparison]:
    again = [u for u in units if u.retested]
    yield "order_flip", "all", units, lambda u: u.mirror
    yield "order_flip", "retested", again, lambda u: u.mirror
    yield "retest", "retested", again, lambda u: u.retest


def read_flips(study: Study) -> Own:
    """How often two reads of one unit differ."""
    shares = tuple(f"{n}_{e}" for n in ("changed", "opposite")
                   for e in ("share", "lo", "hi", "task_lo", "task_hi"))  # fmt: skip
    counts = ("n_units", "n_read", "n_labelled", "n_changed", "n_opposite", "n_one_abstains")
    columns = (*ROW, "comparison", "units", "status", "reason", *counts, "n_tasks", *shares,
               *RESAMPLED, "development")  # fmt: skip
    rows = [
        (*group, name, which, *_flips(study, group, units, other), group[1] in study.development)
        for group, every in seen_units(study).items()
        for name, which, units, other in _comparisons(every)
        if units
    ]
    return Own(name="read_flips", columns=columns, rows=rows, keys=columns[:6])


def _flips(
    study: Study, group: Group, units: list[Seen], other: Callable[[Seen], int]
) -> Iterator[Any]:
    pairs = [(u.task, u.first, other(u)) for u in units]
    read = [p for p in pairs if min(p[1:]) > UNREAD]
    said = [p for p in read if min(p[1:]) >= 0]
    changed = [p for p in said if p[1] != p[2]]
    opposite = [p for p in said if readout(p[1]) * readout(p[2]) == -1]
    abstains = [p for p in read if (p[1] >= 0) != (p[2] >= 0)]
    tasks = {p[0] for p in said}
    yield from status_of(len(said), len(tasks))
    yield from map(len, (pairs, read, said, changed, opposite, abstains))
    yield len(tasks)
    drawn = Drawn(study, group[1], group[2])
    bottoms = by_task((p[0], 1.0) for p in said)
    for some in (changed, opposite):
        yield from share(len(some), len(said))
        yield from drawn.limits(by_task((p[0], 1.0) for p in some), bottoms)
    yield from drawn.header


def order_effects(study: Study) -> Own:
    """What the order of the endpoints does beyond noise."""
    columns = (
        *ROW, "status", "reason", "n_units", "n_flipped", "n_retest_changed", "excess",
        "excess_task_lo", "excess_task_hi", "n_mirrored", "n_to_alpha", "n_to_beta", "slot_lean",
        "slot_lean_task_lo", "slot_lean_task_hi", "n_tasks", *RESAMPLED, "development",
    )  # fmt: skip
    rows = [
        (*group, *_effects(study, group, units), group[1] in study.development)
        for group, units in seen_units(study).items()
    ]
    return Own(name="order_effects", columns=columns, rows=rows, keys=columns[:4])


def _lean(unit: Seen) -> int:
    turned = "Q" if unit.alpha == "P" else "P"
    slots = (unit.slots(unit.first, unit.alpha), unit.slots(unit.mirror, turned))
    return sum(readout(s) for s in slots)


def _effects(study: Study, group: Group, units: list[Seen]) -> Iterator[Any]:
    twice = [u for u in units if min(u.first, u.mirror) >= 0]
    thrice = [u for u in twice if u.retest >= 0]
    flipped = [u for u in thrice if u.first != u.mirror]
    changed = [u for u in thrice if u.first != u.retest]
    leans = [(u.task, _lean(u)) for u in twice]
    tasks = {u.task for u in twice}
    status, reason = status_of(len(twice), len(tasks))
    yield status
    yield reason or (None if thrice else "no_retest")
    yield from map(len, (thrice, flipped, changed))
    drawn = Drawn(study, group[1], group[2])
    yield (len(flipped) - len(changed)) / len(thrice) if thrice else None
    tops = by_task([*((u.task, 1.0) for u in flipped), *((u.task, -1.0) for u in changed)])
    yield from drawn.limits(tops, by_task((u.task, 1.0) for u in thrice))
    yield len(twice)
    yield sum(lean == 2 for _, lean in leans)
    yield sum(lean == -2 for _, lean in leans)
    yield sum(lean / 2 for _, lean in leans) / len(twice) if twice else None
    tops = by_task((task, lean / 2) for task, lean in leans)
    yield from drawn.limits(tops, by_task((u.task, 1.0) for u in twice))
    yield len(tasks)
    yield from drawn.header


def read_transitions(study: Study) -> Own:
    """Labels of the first read against those of the other."""
    columns = (*ROW, "comparison", "terms", "from_label", "to_label", "n", "n_from", "n_tasks",
               "of_from_share", "of_from_lo", "of_from_hi", "development")  # fmt: skip
    rows = []
    for group, every in seen_units(study).items():
        for name, which, units, other in _comparisons(every):
            if (name, which) == ("order_flip", "retested"):
                continue
            for terms in ("endpoint", "slot"):
                for row in _transitions(units, other, terms):
                    rows.append((*group, name, terms, *row, group[1] in study.development))
    return Own(name="read_transitions", columns=columns, rows=rows, keys=columns[:8])


def _transitions(
    units: list[Seen], other: Callable[[Seen], int], terms: str
) -> Iterator[tuple[Any, ...]]:
    said: Counter[tuple[str, str]] = Counter()
    tasks: dict[tuple[str, str], set[str]] = {}
    for unit in units:
        codes = (unit.first, other(unit))
        if min(codes) == UNREAD:
            continue
        if terms == "slot":
            labels = [_SLOT_WORDS.get(unit.slots(c, unit.alpha), "UNKNOWN") for c in codes]
        else:
            labels = [presence(c) for c in codes]
        said[labels[0], labels[1]] += 1
        tasks.setdefault((labels[0], labels[1]), set()).add(unit.task)
    starts: Counter[str] = Counter()
    for (start, _), n in said.items():
        starts[start] += n
    for key, n in said.items():
        yield (*key, n, starts[key[0]], len(tasks[key]), *share(n, starts[key[0]]))
