"""Sentinels and their drift, made anew from raw replies and the known answers."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import comb
from typing import Any

from draligned.verify.asides import Aside
from draligned.verify.clustered import share
from draligned.verify.compare import Own
from draligned.verify.controls import how_many
from draligned.verify.ids import id_of
from draligned.verify.instrument import Known, sentinels
from draligned.verify.inventory import KINDS, asked_reads
from draligned.verify.packets import alpha_of
from draligned.verify.plan import Evaluator
from draligned.verify.reads import is_main
from draligned.verify.study import Study

_SEED = 20261130
"""Draws which end of a sentinel stands first, in every study."""
_OTHER = {"P": "Q", "Q": "P"}
_ENDS = {"SLOT1": (1,), "SLOT2": (2,), "BOTH": (1, 2), "NEITHER": ()}


@dataclass(frozen=True, slots=True)
class Unit:
    """One request or document of one wave."""

    evaluator: str
    wave: int
    sentinel_id: str
    number: int
    place: int
    right: str
    read: bool
    """Whether the packet was read."""
    label: str | None
    reason: str | None

    @property
    def correct(self) -> bool | None:
        """Whether the label is right."""
        return None if self.label is None else self.label == self.right

    @property
    def status(self) -> str:
        """Whether it has a label."""
        return "missing" if not self.read else "void" if self.label is None else "ok"


def _units(study: Study) -> Iterator[Unit]:
    lang = study.settings.evaluate.lang or study.design.lang
    asked = asked_reads(study)
    packets = sentinels(lang)
    for evaluator in study.plan.evaluators:
        n_reads = sum(len(asked[evaluator.name, kind]) for kind in KINDS)
        n = _how_many(study, evaluator, n_reads)
        for slot in range(n):
            wave, number = divmod(slot, len(packets))
            place = (2 * slot + 1) * n_reads // (2 * n)
            yield from _of_packet(study, evaluator, packets[number], (wave + 1, place))


def _how_many(study: Study, evaluator: Evaluator, n_reads: int) -> int:
    """The share of the reads, rounded up; never fewer than were made."""
    made = sum(of == evaluator.evaluator_id for of, _ in study.asides)
    return max(how_many(study.settings.controls.sentinel_share, n_reads), made)


def _of_packet(
    study: Study, evaluator: Evaluator, known: Known, at: tuple[int, int]
) -> Iterator[Unit]:
    packet = id_of("gold", known.gold_id, "sentinel", at[0])
    aside = study.asides.get((evaluator.evaluator_id, packet))
    alpha = alpha_of(known.gold_id, _SEED, "first")
    for number, right in known.right:
        label, reason = _said(aside, number, alpha) if aside else (None, None)
        yield Unit(evaluator.name, at[0], known.gold_id, number, at[1], right,
                   aside is not None, label, reason)  # fmt: skip


def _said(aside: Aside, number: int, alpha: str) -> tuple[str | None, str | None]:
    """Label, or none and why."""
    if number == 0:
        return (None, aside.void) if aside.void else (_of_items(aside, alpha), None)
    cell = next((c for c in aside.cells if c["request_no"] == number), None)
    if cell is None or cell["status"] != "valid":
        return None, aside.void or (cell or {}).get("reason")
    ends = {"ALPHA_ONLY": (1,), "BETA_ONLY": (2,)}.get(cell["label"])
    return (_side(ends, alpha) if ends else cell["label"]), None


def _side(ends: tuple[int, ...], alpha: str) -> str:
    return f"{alpha if ends == (1,) else _OTHER[alpha]}_ONLY"


def _of_items(aside: Aside, alpha: str) -> str:
    """The label of a document by one read; unresolved advice blocks the absence of both ends."""
    main = [item["direction"] for item in aside.items if is_main(item)]
    ends = tuple(sorted({end for said in main for end in _ENDS.get(said, ())}))
    open_items = main.count("UNKNOWN")
    if open_items == len(main) or (not ends and open_items):
        return "UNKNOWN"
    return "BOTH" if len(ends) == 2 else _side(ends, alpha) if ends else "NEITHER"


def sentinel_rows(study: Study) -> Own:
    """One row a request or document of a wave."""
    columns = ("evaluator", "harness", "wave", "sentinel_id", "read", "unit", "place", "status",
               "reason", "expected", "label", "correct", "development")  # fmt: skip
    rows = [
        (u.evaluator, None, u.wave, u.sentinel_id, "first", u.number, u.place, u.status, u.reason,
         u.right, u.label, u.correct, False)
        for u in _units(study)
    ]  # fmt: skip
    keys = ("evaluator", "wave", "sentinel_id", "read", "unit")
    return Own(name="sentinels", columns=columns, rows=rows, keys=keys)


def sentinel_drift(study: Study) -> Own:
    """Every wave beside the first."""
    columns = ("evaluator", "harness", "wave", "status", "reason", "n_asked", "n_answered",
               "n_correct", "correct_share", "correct_lo", "correct_hi", "n_again", "n_altered",
               "n_lost", "n_gained", "altered_share", "altered_lo", "altered_hi", "drift_p",
               "development")  # fmt: skip
    waves: dict[tuple[str, int], list[Unit]] = {}
    for unit in _units(study):
        waves.setdefault((unit.evaluator, unit.wave), []).append(unit)
    rows = [
        (name, None, wave, *_drift(found, waves[name, 1]), False)
        for (name, wave), found in waves.items()
    ]
    return Own(name="sentinel_drift", columns=columns, rows=rows, keys=("evaluator", "wave"))


def _drift(units: list[Unit], before: list[Unit]) -> Iterator[Any]:
    first = {(u.sentinel_id, u.number): u for u in before if u.label is not None}
    answered = [u for u in units if u.label is not None]
    right = sum(bool(u.correct) for u in answered)
    yield "estimated" if answered else "unknown"
    yield None if answered else "no_answer"
    yield from (len(units), len(answered), right, *share(right, len(answered)))
    again = [(first[u.sentinel_id, u.number], u) for u in answered
             if u.wave > 1 and (u.sentinel_id, u.number) in first]  # fmt: skip
    altered = sum(a.label != b.label for a, b in again)
    lost = sum(bool(a.correct and not b.correct) for a, b in again)
    gained = sum(bool(b.correct and not a.correct) for a, b in again)
    yield from (len(again), altered, lost, gained, *share(altered, len(again)))
    yield _two_sided(lost, gained) if again else None


def _two_sided(lost: int, gained: int) -> float:
    """Exact p of as uneven a split of fair coins."""
    n = lost + gained
    tail = Fraction(sum(comb(n, k) for k in range(min(lost, gained) + 1)), 2**n)
    return float(min(Fraction(1), 2 * tail))
