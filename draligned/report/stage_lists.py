"""One design of progress reports as tables: what was reported, contrasts and shares."""

import re
from collections.abc import Iterable, Iterator
from typing import Any

from draligned.progress.contrasts import ALL, INTERMEDIATE, NONTERMINAL, TERMINAL, UNDUE
from draligned.progress.metrics import CALLED, MALFORMED, METRICS, NO_REPORT
from draligned.report import numbers
from draligned.report import stage_rows as sr
from draligned.report.rows import Row, rows
from draligned.report.stage_data import DesignPart
from draligned.report.stage_grid import Grid, grid_of
from draligned.report.texts import Texts
from draligned.schema.progress import Arm, Point, Stage

OFF_DIAGONAL = (
    "speaks", "task_passed", "omitted_but_task_passed", "clean_but_task_failed", "marker_only",
)  # fmt: skip
POPULATIONS = {"omitted_but_task_passed": NONTERMINAL, "clean_but_task_failed": Point.WAIT.value}
"""Where the paper counts each quadrant: a question can be missed where one is due (SI-57)."""
_METRICS = [m.name for m in METRICS]
_JOINTS = re.compile(r"(: | - | × | \(|\))")


class Lists:
    """A design's tables, written out."""

    def __init__(self, part: DesignPart, texts: Texts) -> None:
        self.design, self.tables, self.texts = part.design, part.tables, texts
        self.names = sr.factors(part.design)
        self.places = sr.places_of(part.design)
        if part.tables:
            self.encoding = sr.pooled(part.tables["shares"])
            found = rows(part.tables["shares"][["arm"]].drop_duplicates())
            self.n_arms = len(found)

    def _point(self, row: Row) -> int:
        return sr.place(sr.POINTS, str(row["group"]))

    def _said(self, made: sr.Condition) -> str:
        return sr.said(self.texts, made, self.n_arms) or self.texts.word("p_arm", made[0])

    def confusion(self) -> Iterator[Grid]:
        """True by reported stage, one grid a deployment; the baseline's conditions apart."""
        t = self.texts
        for deployment, own in sr.of_deployment(self.tables["confusion"], self.encoding):
            own = [r for r in own if r["arm"] == "baseline"]
            if own:
                said = _reported(own)
                made = sr.conditions(own, self.names)
                named = (t.word("p_head", "condition"),) if len(made) > 1 else ()
                head = (*named, t("stage.true"), *(t.word("p_reported", c) for c in said), "n")
                lines = [(c, stage) for c in made for stage in self._true(own, c)]
                right = self._required()
                yield Grid(
                    deployment=deployment, head=head,
                    rows=tuple(self._confused(own, at, said, bool(named)) for at in lines),
                    strong=frozenset(
                        (i, len(named) + 1 + said.index(right[at]))
                        for i, at in enumerate(lines) if right.get(at) in said
                    ),
                )  # fmt: skip

    def _true(self, own: list[Row], made: sr.Condition) -> list[str]:
        there = {r["stage"] for r in own if sr.condition(r, self.names) == made}
        return [stage for stage in sr.STAGES if stage in there]

    def _required(self) -> dict[tuple[sr.Condition, str], str]:
        """What a baseline's report must say, by condition and true stage."""
        return {
            ((s.arm.value, *(s.factors.get(n, "") for n in self.names)), s.gold.stage.value): value
            for s in self.design.stimuli
            if s.arm is Arm.BASELINE and (value := s.required.value) is not None
        }

    def _confused(
        self, own: list[Row], at: tuple[sr.Condition, str], said: list[str], named: bool
    ) -> tuple[str, ...]:
        made, stage = at
        cells = {
            r["reported"]: int(r["n"])
            for r in own if r["stage"] == stage and sr.condition(r, self.names) == made
        }  # fmt: skip
        numbers_of = [cells.get(column, 0) for column in said]
        first = (sr.said(self.texts, made, 1),) if named else ()
        return (*first, self.texts.word("p_stage", stage), *map(_n, numbers_of),
                numbers.count(sum(numbers_of)))  # fmt: skip

    def _named(self, row: Row) -> str:
        said = contrast_said(row, self.texts)
        where = self.texts.word("p_group", row["group"])
        return said if row["group"] == ALL else f"{said} ({where})"

    def contrast_rows(self) -> Grid | None:
        """Every contrast in every encoding; whether wordings agree where there are several, and
        whether it was frozen with the design where one was not."""
        t, table = self.texts, self.tables["contrasts"]
        beside = [name for name, shown in (
            ("wordings_agree", table["wordings_agree"].notna().any()),
            ("registered", not table["registered"].fillna(False).all()),
        ) if shown]  # fmt: skip
        keys = ("deployment", "encoding", "contrast", "metric", "value", "ci_t", "ci_boot", "p",
                "scenarios", *beside)  # fmt: skip
        body = (
            (r["deployment"], t.word("p_encoding", r["encoding"]), self._named(r),
             t.word("p_metric", r["metric"]), points(r["value"]), _ends(r, "t"), _ends(r, "ci"),
             numbers.p_value(r["signflip_p"]),
             f"{r['n_scenarios']}{t('stage.flat') if r['degenerate'] else ''}",
             *(self._flag(r[name]) for name in beside))
            for r in sorted(rows(table), key=by_metric)
        )  # fmt: skip
        return grid_of(t, keys, tuple(body))

    def _flag(self, value: Any) -> str:
        if value is None:
            return "–"
        return self.texts("stage.yes" if value else "stage.no")

    def off_diagonal(self) -> Grid | None:
        """The task part by its proxy: over all checkpoints, and each quadrant in its own population
        (SI-56, SI-57)."""
        table = self.tables["shares"]
        own = table["group"] == table["metric"].map(POPULATIONS)
        chosen = table[table["metric"].isin(OFF_DIAGONAL) & ((table["group"] == ALL) | own)]
        return self._shares(rows(chosen[chosen["encoding"] == self.encoding]))

    def over_arms(self) -> Grid | None:
        """Shares of all arms together before, at and without completion, encodings apart."""
        table = self.tables.get("over_arms")
        if table is None:
            return None
        groups = (NONTERMINAL, TERMINAL, UNDUE)
        chosen = table[table["group"].isin(groups) & ~table["metric"].isin(OFF_DIAGONAL)]
        return self._shares(rows(chosen.assign(arm="")), ("condition",))

    def shares(self) -> Grid | None:
        """All shares at checkpoints and groups, without the task part."""
        table = self.tables["shares"]
        return self._shares(rows(table[~table["metric"].isin(OFF_DIAGONAL)]))

    def _shares(self, found: Iterable[Row], without: tuple[str, ...] = ()) -> Grid | None:
        written = [self._share(r) for r in sorted(found, key=self._order)]
        keys = [key for key in written[0] if key not in without] if written else []
        body = tuple(tuple(row[key] for key in keys) for row in written)
        return grid_of(self.texts, tuple(keys), body)

    def _order(self, row: Row) -> tuple[object, ...]:
        made = sr.condition(row, self.names)
        groups = (*sr.POINTS, NONTERMINAL, TERMINAL, UNDUE, INTERMEDIATE, ALL)
        return (row["deployment"], row["encoding"], sr.place(sr.ARMS, made[0]), made,
                sr.place(groups, row["group"]), by_metric(row))  # fmt: skip

    def _share(self, row: Row) -> dict[str, str]:
        t = self.texts
        low, high = sr.interval(row)
        flat = t("stage.flat") if row["degenerate"] else ""
        return {
            "deployment": row["deployment"],
            "encoding": t.word("p_encoding", row["encoding"]),
            "condition": self._said(sr.condition(row, self.names)),
            "group": t.word("p_group", row["group"]),
            "metric": t.word("p_metric", row["metric"]),
            "share": sr.percent(row["share"]),
            "ci": f"[{sr.percent(low)}, {sr.percent(high)}]{flat}",
            "kn": f"{numbers.count(row['k'])}/{numbers.count(row['n'])}",
            "evidence": t.word("p_evidence", row["evidence"]),
        }


def by_metric(row: Row) -> int:
    """Place of a row's metric: θ first."""
    return sr.place(_METRICS, row["metric"])


def _reported(found: list[Row]) -> list[str]:
    """Columns of a confusion matrix: the four stages, other values, then what is no report."""
    stages = [stage.wire for stage in Stage]
    last = [MALFORMED, NO_REPORT, CALLED]
    there = {str(r["reported"]) for r in found}
    known = [s for s in stages if s in there] if not there & set(stages) else stages
    return [*known, *sorted(there - {*stages, *last}), *last]


def contrast_said(row: Row, texts: Texts) -> str:
    """A contrast in words: its parts, each by its word if it has one."""
    pieces = _JOINTS.split(str(row["contrast"]))
    return "".join(texts.word("p_token", piece) for piece in pieces)


def _ends(row: Row, name: str) -> str:
    return f"[{points(row[f'{name}_lo'])},\u00a0{points(row[f'{name}_hi'])}]"


def points(value: float) -> str:
    """A difference of shares in percentage points."""
    return numbers.signed(100 * value, 1)


def _n(value: int) -> str:
    return numbers.count(value) if value else "·"
