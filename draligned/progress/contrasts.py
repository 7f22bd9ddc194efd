"""The contrasts that each design was made for, as weights of its cells (SI-18, SI-63 … SI-65).

A weight's key is (arm, *levels of the factors in alphabetical order[, group]).
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import NamedTuple

from draligned.schema.progress import Arm, StageDesign

BOTH, ALL, NONTERMINAL, TERMINAL, UNDUE = "both", "all", "nonterminal", "terminal", "undue"
INTERMEDIATE = "intermediate"
Weights = dict[tuple[str, ...], float]


class Contrast(NamedTuple):
    """A weighted sum of shares of one metric in one group of positions."""

    name: str
    metric: str
    group: str
    weights: Weights


class _Pair(NamedTuple):
    """Two levels of a design's only factor, in the baseline arm."""

    name: str
    plus: str
    minus: str
    of: tuple[tuple[str, str], ...]
    """Metric and group."""


_PAIRS: Mapping[str, tuple[_Pair, ...]] = {
    "bundle": (
        _Pair("withdrawn - present", "withdrawn", "present",
              (("theta", ALL), ("emission", ALL), ("false_completion", ALL))),
    ),
    "thinking": (_Pair("on - off", "on", "off", (("theta", NONTERMINAL), ("theta", TERMINAL))),),
    "protocol-demand": (
        _Pair("with - without", "with_protocol", "without_protocol",
              (("speaks", ALL), ("speaks", INTERMEDIATE), ("task_passed", ALL))),
    ),
    "obligations": (
        _Pair("status_sentence - machine_report", "status_sentence", "machine_report",
              (("theta", NONTERMINAL), ("theta", TERMINAL))),
        _Pair("deferred_terminal - machine_report", "deferred_terminal", "machine_report",
              (("theta", TERMINAL),)),
    ),
}  # fmt: skip
ARM_CONTRASTS = (
    ("gold hint", Arm.GOLD, Arm.BASELINE),
    ("constant value", Arm.STATIC, Arm.BASELINE),
    ("salience", Arm.REMINDER, Arm.BASELINE),
    ("semantics", Arm.INERT, Arm.STATIC),
    ("reminder × constant", Arm.REMINDER_STATIC, Arm.STATIC),
)
"""E1 and E2 of the stage study; E − A, C − B and D − B of the five arms (SI-18, SI-35)."""
FACTORS = {
    "ownership": ("other", "self"),
    "executability": ("withdrawn", "available"),
    "cue": ("problem", "resolved"),
}
"""Level that is asked about, and the one it is compared with."""
EVERY_WORDING, ONE_WORDING = "all wordings", "wording"


def planned(design: StageDesign) -> Iterator[Contrast]:
    """Every contrast of a design; none for one that only describes."""
    arms = sorted({s.arm.value for s in design.stimuli})
    levels = sorted({name for s in design.stimuli for name in s.factors})
    if not levels:
        yield from _gaps(arms)
        yield from _arms(arms)
    for pair in _PAIRS.get(design.name, ()):
        for metric, group in pair.of:
            yield Contrast(pair.name, metric, group, {
                (Arm.BASELINE.value, pair.plus): 1.0, (Arm.BASELINE.value, pair.minus): -1.0,
            })  # fmt: skip
    if design.name == "obligations":
        yield from _reminders(design)
    if design.name == "factorial":
        yield from _factorial(design, levels)


def _gaps(arms: Sequence[str]) -> Iterator[Contrast]:
    for arm in arms:
        yield Contrast(f"nonterminal - terminal ({arm})", "theta", ALL, {
            (arm, NONTERMINAL): 1.0, (arm, TERMINAL): -1.0,
        })  # fmt: skip


def _arms(arms: Sequence[str]) -> Iterator[Contrast]:
    for name, plus, minus in ARM_CONTRASTS:
        if plus.value in arms and minus.value in arms:
            full = f"{name}: {plus.value} - {minus.value}"
            yield Contrast(full, "broad", ALL, {(plus.value,): 1.0, (minus.value,): -1.0})


def _reminders(design: StageDesign) -> Iterator[Contrast]:
    """What a reminder does to each duty (SI-53)."""
    plus, minus = Arm.REMINDER.value, Arm.BASELINE.value
    for duty in sorted({s.factors["duty"] for s in design.stimuli}):
        weights: Weights = {(plus, duty): 1.0, (minus, duty): -1.0}
        yield Contrast(f"{plus} - {minus} ({duty})", "theta", ALL, weights)


def _factorial(design: StageDesign, levels: Sequence[str]) -> Iterator[Contrast]:
    """Main effects, averaged over the other factors, pooled over wordings and in each, and the
    interaction of ownership and executability as a difference of differences, unhalved (SI-65)."""
    wordings = sorted({s.factors["wording"] for s in design.stimuli})
    both = ("ownership", "executability")
    for metric in ("theta", "emission", "false_completion"):
        for chosen in ([*wordings], *([w] for w in wordings)):
            at = EVERY_WORDING if len(chosen) > 1 else f"{ONE_WORDING} {chosen[0]}"
            for names in (*((name,) for name in FACTORS), both):
                weights = _effect(levels, chosen, names)
                yield Contrast(f"{' × '.join(names)} ({at})", metric, ALL, weights)


def _effect(levels: Sequence[str], wordings: Sequence[str], names: Sequence[str]) -> Weights:
    averaged = 8 / 2 ** len(names) * len(wordings)
    out: Weights = {}
    for wording, *values in product(wordings, *FACTORS.values()):
        cell = {"wording": wording, **dict(zip(FACTORS, values, strict=True))}
        turned = sum(cell[name] != FACTORS[name][0] for name in names)
        key = (Arm.BASELINE.value, *(cell[level] for level in levels))
        out[key] = (-1.0) ** turned / averaged
    return out
