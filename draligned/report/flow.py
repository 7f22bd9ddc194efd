"""From starts to finals to what could be read, by arm and cause (DR-36, DR-85)."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from draligned.report import numbers
from draligned.report.data import ReportData
from draligned.report.groups import group_title
from draligned.report.rows import Row, only, rows
from draligned.report.texts import Texts

ARMS = ("P", "Q")


@dataclass(frozen=True, kw_only=True)
class Bar:
    """n of N runs of an arm."""

    arm: str
    n: int
    total: int
    text: str

    @property
    def percent(self) -> float:
        """Length of the bar."""
        return 100 * self.n / self.total if self.total else 0.0


@dataclass(frozen=True, kw_only=True)
class Step:
    """One step of the flow, both arms."""

    name: str
    bars: tuple[Bar, ...]


@dataclass(frozen=True, kw_only=True)
class Cause:
    """How many runs of each arm are unreadable in a channel for one reason."""

    channel: str
    reason: str
    n_p: int
    n_q: int


@dataclass(frozen=True, kw_only=True)
class Flow:
    """Flow of one evaluator × harness."""

    harness: str
    title: str
    steps: tuple[Step, ...]
    causes: tuple[Cause, ...]


Test = Callable[[Row], bool]


def _ended(row: Row) -> bool:
    return str(row["run_state"]) != "open"


def _done(row: Row) -> bool:
    return str(row["run_state"]) == "done"


STEPS: tuple[tuple[str, Test], ...] = (
    ("planned", lambda row: True),
    ("ended", _ended),
    ("done", _done),
    ("requested", lambda row: _done(row) and (row["n_requests"] or 0) > 0),
    ("a_read", lambda row: row["acq_reason"] is None),
    ("final", lambda row: row["final_sha256"] is not None),
    ("f_read", lambda row: row["final_reason"] is None),
)


def flow_of(data: ReportData, evaluator: str, harness: str, texts: Texts) -> Flow:
    """Counts over every planned run of a harness, as one evaluator read them."""
    found = rows(only(data.table("matrix"), evaluator=evaluator, harness=harness))
    return Flow(
        harness=harness,
        title=group_title(harness, any(row["development"] for row in found), texts),
        steps=tuple(_step(name, test, found, texts) for name, test in STEPS),
        causes=tuple(_causes(found, texts)),
    )


def _step(name: str, test: Test, found: list[Row], texts: Texts) -> Step:
    bars = []
    for arm in ARMS:
        own = [row for row in found if row["arm"] == arm]
        n = sum(test(row) for row in own)
        bars.append(Bar(arm=arm, n=n, total=len(own), text=numbers.share(n, len(own))))
    return Step(name=texts(f"flow.{name}"), bars=tuple(bars))


def _causes(found: list[Row], texts: Texts) -> list[Cause]:
    out = []
    for channel, column in (("A", "acq_reason"), ("F", "final_reason")):
        by_arm = {
            arm: Counter(str(r[column]) for r in found if r["arm"] == arm and r[column] is not None)
            for arm in ARMS
        }
        for reason in sorted(by_arm["P"] | by_arm["Q"]):
            n_p, n_q = by_arm["P"][reason], by_arm["Q"][reason]
            word = texts.word("reason", reason)
            out.append(Cause(channel=channel, reason=word, n_p=n_p, n_q=n_q))
    return out
