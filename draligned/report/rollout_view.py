"""The section on validating rollouts: how sessions ended under each gate (SI-91 … SI-96)."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import pandas as pd

from draligned.progress.rehearsed import ALL
from draligned.progress.rollout.frame import REPLIES
from draligned.report import numbers
from draligned.report import stage_rows as sr
from draligned.report.rows import Row, rows
from draligned.report.stage_data import RolloutPart
from draligned.report.stage_figures import Reach, Stack, edge_of, reaches, stacks
from draligned.report.stage_grid import Grid
from draligned.report.stage_views import Figure
from draligned.report.texts import Texts
from draligned.schema.rollout import RolloutOutcome

OUTCOMES = tuple(outcome.value for outcome in RolloutOutcome)
NONE = "–"
INPUTS = ("user", "tools", "instructions", "reporting")


@dataclass(frozen=True, kw_only=True)
class RolloutView:
    """All of the section; without tables where no line counts."""

    size: str
    evidence: str
    standing: Grid
    outcomes: tuple[tuple[str, str], ...]
    """Css class and word of each outcome, for the legend."""
    bars: Figure | None = None
    gates: Grid | None = None
    deployments: Grid | None = None
    causes: Grid | None = None
    causes_by: Grid | None = None
    """The same by deployment."""
    contrasts: tuple[Figure, ...] = ()
    concentration: str = ""
    reports: Grid | None = None
    inputs: Grid | None = None


def rollout_view(part: RolloutPart, texts: Texts) -> RolloutView:
    """The section of `part`."""
    words = tuple((o, texts.word("r_outcome", o)) for o in OUTCOMES)
    base = RolloutView(
        size=texts(
            "rollout.size", planned=numbers.count(sum(s.planned for s in part.lines)),
            ended=numbers.count(sum(s.ended for s in part.lines)), lines=len(part.lines),
            counting=sum(s.counts for s in part.lines),
        ),
        evidence=texts.word("p_evidence", "Observational"),
        standing=_standing(part, texts),
        outcomes=words,
    )  # fmt: skip
    return base if not part.tables else _full(base, part.tables, texts)


def _full(base: RolloutView, tables: Mapping[str, pd.DataFrame], t: Texts) -> RolloutView:
    found = {name: rows(table) for name, table in tables.items()}
    possible = {(r["arm"], r["outcome"]): bool(r["possible"]) for r in found["outcomes"]}
    bars = stacks([_bar(r, t) for r in found["gates"]], t("rollout.bars_label"))
    return RolloutView(
        size=base.size, evidence=base.evidence, standing=base.standing, outcomes=base.outcomes,
        bars=Figure(deployment=t("rollout.together"), title="", drawn=bars, wide=True),
        gates=_counts(found["gates"], possible, t, pooled=True),
        deployments=_counts(found["deployments"], possible, t, pooled=False),
        causes=_causes(found["causes"], t, pooled=True),
        causes_by=_causes(found["causes"], t, pooled=False),
        contrasts=tuple(_contrasts(found["contrasts"], t)),
        concentration=_concentration(found["concentration"], t),
        reports=_reports(found["reports"], t),
        inputs=_inputs(found["inputs"], t),
    )  # fmt: skip


def _heads(t: Texts, names: Iterable[str]) -> tuple[str, ...]:
    return tuple(t.word("r_head", name) for name in names)


def _standing(part: RolloutPart, t: Texts) -> Grid:
    names = ("deployment", "gate", "lang", "planned", "ended", "begun", "transport", "superseded",
             "counts", "reason")  # fmt: skip
    body = tuple(
        (s.deployment, t.word("r_arm", s.arm), s.lang, *map(numbers.count, (
            s.planned, s.ended, s.begun, s.transport, s.superseded)),
         t("stage.yes") if s.counts else t("stage.no"),
         t.word("r_reason", s.reason.split(":")[0]) if s.reason else "")
        for s in part.lines
    )  # fmt: skip
    return Grid(deployment="", head=_heads(t, names), rows=body)


def _bar(row: Row, t: Texts) -> Stack:
    parts = tuple((f"end-{o}", t.word("r_outcome", o), int(row[o])) for o in OUTCOMES)
    return Stack(label=t.word("r_arm", row["arm"]), parts=parts)


def _counts(
    found: list[Row], possible: Mapping[tuple[str, str], bool], t: Texts, *, pooled: bool
) -> Grid:
    """Counts by outcome, with shares where deployments stand together."""
    outcomes = tuple(t.word("r_outcome", o) for o in OUTCOMES)
    first = ("panel", "gate") if pooled else ("gate", "deployment")
    body = []
    for row in found:
        arm = t.word("r_arm", row["arm"])
        cells = [_count(row, o, possible, pooled=pooled) for o in OUTCOMES]
        lead = (row["panel"], arm) if pooled else (arm, row["deployment"])
        body.append((*lead, *cells, numbers.count(int(row["n"]))))
    head = (*_heads(t, first), *outcomes, t.word("r_head", "n"))
    return Grid(deployment="", head=head, rows=tuple(body))


def _count(
    row: Row, outcome: str, possible: Mapping[tuple[str, str], bool], *, pooled: bool
) -> str:
    n = int(row[outcome])
    if not n and not possible[row["arm"], outcome]:
        return NONE
    return f"{n} ({100 * n / int(row['n']):.1f} %)" if pooled else str(n)


def _causes(found: list[Row], t: Texts, *, pooled: bool) -> Grid | None:
    """A row a gate and outcome, or one a deployment more; a column a kind of last reply."""
    cells: dict[tuple[str, ...], dict[str, str]] = {}
    for row in found:
        if (row["deployment"] == ALL) is not pooled:
            continue
        who = () if pooled else (row["deployment"],)
        key = (t.word("r_arm", row["arm"]), *who, t.word("r_outcome", row["outcome"]))
        k, of = int(row["k"]), int(row["of"])
        said = f"{k} ({100 * k / of:.1f} %)" if pooled else str(k)
        cells.setdefault(key, {"n": numbers.count(of)})[row["cause"]] = said
    head = (
        *_heads(t, ("gate", "outcome") if pooled else ("gate", "deployment", "outcome")),
        *(t.word("r_cause", name) for name in REPLIES),
        t.word("r_head", "n"),
    )
    body = tuple(
        (*key, *(own.get(name, NONE) for name in (*REPLIES, "n"))) for key, own in cells.items()
    )
    return Grid(deployment="", head=head, rows=body) if body else None


def _contrasts(found: list[Row], t: Texts) -> Iterable[Figure]:
    for name in dict.fromkeys(str(r["contrast"]) for r in found):
        own = [r for r in found if r["contrast"] == name and r["points"] is not None]
        reach = [_reach(r, t) for r in own]
        label = t("rollout.contrast_label", what=name)
        if reach:
            drawn = reaches(reach, label, edge_of(reach))
            title = " − ".join(t.word("r_arm", arm) for arm in name.split(" - "))
            yield Figure(deployment=title, title="", drawn=drawn)


def _reach(row: Row, t: Texts) -> Reach:
    together = row["deployment"] == ALL
    low, high = row["ci_lo"], row["ci_hi"]
    said = f"{numbers.signed(row['points'], 1)} {_span(low, high)}"
    return Reach(
        label=t("rollout.together") if together else row["deployment"],
        value=row["points"] / 100, interval=(low / 100, high / 100), said=said,
        strong=bool(row["excludes_zero"]),
    )  # fmt: skip


def _span(low: float, high: float) -> str:
    return f"[{numbers.signed(low, 1)}, {numbers.signed(high, 1)}]"


def _concentration(found: list[Row], t: Texts) -> str:
    """How many deployments hold four dead ends in five."""
    said = []
    for arm in dict.fromkeys(str(r["arm"]) for r in found):
        own = [r for r in found if r["arm"] == arm]
        enough = next((r for r in own if r["of"] and 5 * r["dead_ends"] >= 4 * r["of"]), None)
        if enough is not None:
            said.append(
                t(
                    "rollout.concentration", dead=enough["dead_ends"], of=enough["of"],
                    arm=t.word("r_arm", arm), n=enough["n_deployments"],
                    all=enough["deployments_in_all"],
                )
            )  # fmt: skip
    return " ".join(said)


def _reports(found: list[Row], t: Texts) -> Grid | None:
    names = ("gate", "deployment", "reading", "place", "share", "ci", "n")
    body = []
    for row in found:
        low, high = sr.interval(row)
        name = t("rollout.together") if row["deployment"] == ALL else row["deployment"]
        body.append(
            (t.word("r_arm", row["arm"]), name, t.word("r_reading", row["reading"]),
             t.word("r_reading", row["place"]), f"{sr.percent(row['share'])} %",
             f"[{sr.percent(low)}, {sr.percent(high)}]", f"{row['k']}/{row['n']}")
        )  # fmt: skip
    return Grid(deployment="", head=_heads(t, names), rows=tuple(body)) if body else None


def _inputs(found: list[Row], t: Texts) -> Grid | None:
    names = ("gate", "other", *INPUTS)
    body = tuple(
        (t.word("r_arm", r["arm"]), t.word("r_arm", r["other"]),
         *(_same(r[f"same_{name}"], t) for name in INPUTS))
        for r in found
    )  # fmt: skip
    return Grid(deployment="", head=_heads(t, names), rows=body) if body else None


def _same(value: bool | None, t: Texts) -> str:
    if value is None:
        return NONE
    return t("rollout.same") if value else t("rollout.differs")
