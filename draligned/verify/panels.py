"""What is estimated over a panel of pairs: values, readability, populations, limits."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from draligned.verify.pairs import Pair

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Ends = tuple[float, float]
Limits = tuple[Floats, Floats]


@dataclass(frozen=True, kw_only=True)
class Panel:
    """Pairs of one evaluator × harness × model, with codes of their tasks in order of names."""

    pairs: Sequence[Pair]
    task_names: tuple[str, ...]
    tasks: NDArray[np.int64]
    a: Flags
    f: Flags

    def column(self, of: Callable[[Pair], float]) -> Floats:
        """One number a pair."""
        return np.array([of(pair) for pair in self.pairs], dtype=np.float64)

    def read(self, channel: str, side: str) -> Flags:
        """Whether the channel of an arm was read."""
        return np.array([not p.reason(channel, side) for p in self.pairs], dtype=bool)

    def codes(self, of: Callable[[Pair], str]) -> NDArray[np.int64]:
        """Names as codes."""
        names = [of(pair) for pair in self.pairs]
        place = {name: n for n, name in enumerate(sorted(set(names)))}
        return np.array([place[name] for name in names], dtype=np.int64)


def panel_of(pairs: Sequence[Pair]) -> Panel:
    """The panel of some pairs."""
    names = tuple(sorted({p.cell[0] for p in pairs}))
    return Panel(
        pairs=pairs,
        task_names=names,
        tasks=np.array([names.index(p.cell[0]) for p in pairs], dtype=np.int64),
        a=np.array([p.status("a") == "readable" for p in pairs], dtype=bool),
        f=np.array([p.status("f") == "readable" for p in pairs], dtype=bool),
    )


@dataclass(frozen=True, kw_only=True)
class Target:
    """One estimand over one population."""

    estimand: str
    channel: str
    operator: str | None
    population: str
    ends: Ends
    values: Floats
    readable: Flags
    member: Flags
    weighting: str = "task"
    contrast: bool = False
    binomial: bool = False
    sharp: Limits | None = None
    opened: Limits | None = None
    n_readable: int | None = None


def members(panel: Panel, population: str) -> Flags:
    """Which pairs belong to a population."""
    zero = np.array([p.d_a_zero for p in panel.pairs], dtype=bool)
    if population == "common_readable":
        return panel.a & panel.f
    if population in ("dA_zero", "dA_nonzero"):
        both: Flags = panel.a & (zero if population == "dA_zero" else ~zero)
        return both
    return np.ones(len(panel.pairs), dtype=bool)


def over(panel: Panel, target: Target, population: str) -> Target:
    """A target over a population; bounds only where membership is known."""
    bounded = population != "common_readable"
    return replace(
        target, population=population, member=members(panel, population),
        sharp=target.sharp if bounded else None, opened=target.opened if bounded else None,
    )  # fmt: skip


def _arm(panel: Panel, of: Callable[[Pair, str], float], channel: str, side: str) -> Limits:
    """An arm's readout where it was read, else anything in [−1, 1]."""
    values, known = panel.column(lambda p: of(p, side)), panel.read(channel, side)
    return np.where(known, values, -1.0), np.where(known, values, 1.0)


def _minus(p: Limits, q: Limits, signed: bool) -> Limits:
    low, high = p[0] - q[1], p[1] - q[0]
    return (np.sign(low), np.sign(high)) if signed else (low, high)


_READ: dict[str, Callable[[Pair, str], float]] = {
    "m": lambda p, side: p.counts(side).mean,
    "x": Pair.x,
    "acq_x": Pair.acq_x,
    "x_items": Pair.x_items,
}


def arm_values(panel: Panel, read: str, side: str) -> Floats:
    """What an arm shows: `m`, `x`, `acq_x` or `x_items`."""
    return panel.column(lambda p: _READ[read](p, side))


def arm_limits(panel: Panel, read: str, channel: str, side: str) -> Limits:
    """The same, as limits."""
    return _arm(panel, _READ[read], channel, side)


def _difference(
    panel: Panel, names: tuple[str, str, str], value: Callable[[Pair], float], read: str, top: float
) -> Target:
    """`names`: estimand, channel, operator; `read`: what each arm shows."""
    channel = names[1].lower()
    p, q = (_arm(panel, _READ[read], channel, side) for side in "pq")
    return Target(
        estimand=names[0], channel=names[1], operator=names[2], population="", ends=(-top, top),
        values=panel.column(value), readable=panel.a if channel == "a" else panel.f,
        member=np.ones(len(panel.pairs), dtype=bool), contrast=True,
        sharp=_minus(p, q, signed=top == 1.0),
    )  # fmt: skip


def d_a(panel: Panel) -> Target:
    """Difference of mean request readouts."""
    plain = _difference(panel, ("D_A", "A", "requests_mean"), lambda p: p.d_a, "m", 2.0)
    p, q = (_open_arm(panel, side) for side in "pq")
    return replace(plain, opened=_minus(p, q, signed=False))


def _open_arm(panel: Panel, side: str) -> Limits:
    """An arm's mean with each unresolved request at either extreme."""
    lows, highs = [], []
    for pair in panel.pairs:
        arm, counts = pair.arm(side), pair.counts(side)
        if arm is None or arm.unlimited or counts.n_requests == 0:
            lows.append(-1.0)
            highs.append(1.0)
        else:
            lows.append((counts.net - counts.n_unknown) / counts.n_requests)
            highs.append((counts.net + counts.n_unknown) / counts.n_requests)
    return np.array(lows), np.array(highs)


def d_f(panel: Panel) -> Target:
    """Sign of the difference of the finals' readouts."""
    return _difference(panel, ("D_F", "F", "finals_sign_of_or"), lambda p: p.d_f, "x", 1.0)


def raw(panel: Panel) -> Target:
    """The difference itself."""
    return _difference(panel, ("D_F", "F", "finals_sign_of_or"), lambda p: p.d_f_raw, "x", 2.0)


def halved(target: Target) -> Target:
    """Half of everything."""

    def half(limits: Limits | None) -> Limits | None:
        return None if limits is None else (limits[0] / 2, limits[1] / 2)

    return replace(
        target, ends=(target.ends[0] / 2, target.ends[1] / 2), values=target.values / 2,
        sharp=half(target.sharp), opened=half(target.opened),
    )  # fmt: skip


def main_targets(panel: Panel) -> Iterator[Target]:
    """Everything in the table of estimates."""
    for population in ("readable", "planned", "common_readable"):
        yield over(panel, d_a(panel), population)
    for population in ("readable", "planned", "common_readable", "dA_zero", "dA_nonzero"):
        yield over(panel, d_f(panel), population)
    yield from _levels(panel)
    for population in ("readable", "dA_zero", "dA_nonzero"):
        positive = replace(
            d_f(panel), estimand="share_dF_positive", ends=(0.0, 1.0), weighting="pair",
            values=panel.column(lambda p: float(p.d_f > 0)), contrast=False, binomial=True,
            sharp=None,
        )  # fmt: skip
        yield over(panel, positive, population)
    yield from readability(panel)


def _levels(panel: Panel) -> Iterator[Target]:
    for read, channel in (("m", "A"), ("x", "F")):
        for side in "pq":
            yield Target(
                estimand=f"{read}_{side.upper()}", channel=channel, operator=None,
                population="readable", ends=(-1.0, 1.0), values=arm_values(panel, read, side),
                readable=panel.a if channel == "A" else panel.f, member=members(panel, ""),
                sharp=_arm(panel, _READ[read], channel.lower(), side),
            )  # fmt: skip


def readability(panel: Panel) -> Iterator[Target]:
    """Shares of pairs and arms that were read."""
    every = members(panel, "")
    for channel, both in (("A", panel.a), ("F", panel.f)):
        flags = {"": both, "_P": panel.read(channel.lower(), "p"),
                 "_Q": panel.read(channel.lower(), "q")}  # fmt: skip
        for suffix, known in flags.items():
            yield Target(
                estimand=f"readability_{channel}{suffix}", channel=channel, operator=None,
                population="planned", ends=(0.0, 1.0), values=known.astype(np.float64),
                readable=every, member=every, weighting="pair", n_readable=int(known.sum()),
            )  # fmt: skip


def operator_targets(panel: Panel) -> Iterator[Target]:
    """The 2×2 of operator and channel."""
    signs = _difference(panel, ("D_A_sign", "A", "requests_sign_of_or"),
                        lambda p: p.d_requests_sign, "acq_x", 1.0)  # fmt: skip
    means = _difference(panel, ("D_F_mean", "F", "finals_mean"),
                        lambda p: p.d_finals_mean, "x_items", 2.0)  # fmt: skip
    for target in (d_a(panel), d_f(panel), signs, means):
        for population in ("readable", "common_readable"):
            yield over(panel, target, population)


def core_targets(panel: Panel) -> Iterator[Target]:
    """What the sensitivity table repeats."""
    for target in (d_a(panel), d_f(panel)):
        yield over(panel, target, "readable")
    yield from (t for t in readability(panel) if t.estimand in ("readability_A", "readability_F"))


def by_pair(panel: Panel) -> Iterator[Target]:
    """D_A and D_F with every readable pair counting once."""
    for target in (d_a(panel), d_f(panel)):
        yield replace(over(panel, target, "readable"), weighting="pair")


def coded(name: str) -> Callable[[Panel], Iterator[Target]]:
    """Other codings of the same pairs."""

    def make(panel: Panel) -> Iterator[Target]:
        own = {"sign": d_f(panel), "raw": raw(panel), "halved": halved(raw(panel))}[name]
        yield over(panel, own, "readable")
        if name == "halved":
            yield over(panel, halved(d_a(panel)), "readable")

    return make
