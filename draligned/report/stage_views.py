"""One design of progress reports, ready to be laid out: figures and tables by deployment."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from markupsafe import Markup

from draligned.progress.contract import contract
from draligned.progress.contrasts import ALL, NONTERMINAL, TERMINAL
from draligned.progress.followups import kind_of
from draligned.report import numbers
from draligned.report import stage_rows as sr
from draligned.report.rows import Row
from draligned.report.stage_beside import ExampleCard, examples_of, gee_of, mixed_of, prompt_of
from draligned.report.stage_data import DesignPart, LaneLine
from draligned.report.stage_figures import (
    Reach,
    Spot,
    Stack,
    edge_of,
    line,
    reaches,
    room_for,
    stacks,
)
from draligned.report.stage_grid import FEW, Grid
from draligned.report.stage_lists import Lists, by_metric, points
from draligned.report.stage_said import reason_said, silence_said
from draligned.report.texts import Texts
from draligned.schema.progress import StageDesign


@dataclass(frozen=True, kw_only=True)
class Figure:
    """A picture of one deployment, with what stands above it."""

    deployment: str
    title: str
    drawn: Markup
    wide: bool = False
    """Whether it needs the page's full width."""


@dataclass(frozen=True, kw_only=True)
class DesignView:
    """All of a design's section."""

    name: str
    id: str
    question: str
    boundary: str
    evidence: str
    kind: str
    size: str
    frozen: str
    lanes: tuple[LaneLine, ...]
    silence: str
    lines: tuple[Figure, ...]
    more_lines: tuple[Figure, ...]
    """The same in the other encoding."""
    arm_lines: tuple[Figure, ...]
    """The other arms, in the first encoding."""
    outcomes: tuple[Figure, ...]
    more_outcomes: tuple[Figure, ...]
    """Arms beside the baseline."""
    confusion: tuple[Grid, ...]
    arms: tuple[Figure, ...]
    more_arms: tuple[Figure, ...]
    """Those with many conditions."""
    contrasts: tuple[Figure, ...]
    contrast_rows: Grid | None
    off_diagonal: Grid | None
    over_arms: Grid | None
    shares: Grid | None
    mixed: Grid | None
    gee: Grid | None
    examples: tuple[ExampleCard, ...]
    prompt: str


def lane_said(lane: LaneLine, texts: Texts) -> LaneLine:
    """A lane with its reason in the page's language, a follow-up's part by the follow-up's name."""
    name = kind_of(lane.design) or lane.design
    return replace(lane, design=name, reason=reason_said(lane.reason, texts))


def view_of(part: DesignPart, texts: Texts) -> DesignView:
    """A design's section; without numbers where no lane counts."""
    known = part.design
    kind = kind_of(known.name) or known.name
    made = _Part(part, texts)
    full = bool(part.tables)
    drawn = list(made.lines()) if full else []
    bars = list(made.outcomes()) if full else []
    arms = list(made.arms()) if full else []
    return DesignView(
        name=known.name,
        id=f"design-{known.name}",
        question=texts.entries.get(f"p_question.{kind}", known.question),
        boundary=texts.entries.get(f"p_boundary.{kind}", known.boundary),
        evidence=texts.word("p_evidence", known.evidence),
        kind=known.evidence.split()[0].split("/")[0].lower(),
        size=texts(
            "stage.size", stimuli=numbers.count(len(known.stimuli)), repetitions=known.repetitions,
            planned=numbers.count(len(known.stimuli) * known.repetitions),
        ),
        frozen=_frozen(known, texts),
        lanes=tuple(lane_said(lane, texts) for lane in part.lanes),
        silence=silence_said(part.silence, texts),
        lines=tuple(f for place, f in drawn if place == "first"),
        more_lines=tuple(f for place, f in drawn if place == "other encoding"),
        arm_lines=tuple(f for place, f in drawn if place == "other arm"),
        outcomes=tuple(f for first, f in bars if first),
        more_outcomes=tuple(f for first, f in bars if not first),
        confusion=tuple(made.confusion()) if full else (),
        arms=tuple(f for first, f in arms if first),
        more_arms=tuple(f for first, f in arms if not first),
        contrasts=tuple(made.contrasts()) if full else (),
        contrast_rows=made.contrast_rows() if full else None,
        off_diagonal=made.off_diagonal() if full else None,
        over_arms=made.over_arms() if full else None,
        shares=made.shares() if full else None,
        mixed=mixed_of(part, texts),
        gee=gee_of(part, texts),
        examples=examples_of(part, texts),
        prompt=prompt_of(part),
    )  # fmt: skip


def _frozen(known: StageDesign, texts: Texts) -> str:
    """By which hash a design is frozen, and what of its analysis with it (SI-67)."""
    found, sha = contract(known), known.sha256()[:16]
    if kind_of(known.name) is not None:
        return ""
    if found is None:
        return texts("stage.frozen_alone", sha=sha)
    words = [texts.word("p_metric", name) for name in found.primary]
    return texts(
        "stage.frozen", sha=sha, primary=texts("stage.and").join(words),
        contrasts=numbers.count(len(found.contrasts)),
    )  # fmt: skip


class _Part(Lists):
    """The same design in pictures."""

    def lines(self) -> Iterator[tuple[str, Figure]]:
        """One figure a deployment, encoding and condition with several points, and its place:
        the baseline first, then its other encoding; other arms in the first encoding."""
        table, t = self.tables["shares"], self.texts
        for nth, encoding in enumerate(sr.encodings(table)):
            for deployment, own in sr.of_deployment(table, encoding):
                spoken = [r for r in own if r["group"] in sr.POINTS
                          and r["metric"] in ("theta", "omega")]  # fmt: skip
                for made in sr.conditions(spoken, self.names):
                    at = [r for r in spoken if sr.condition(r, self.names) == made]
                    base = made[0] == "baseline"
                    if len(at) > 2 and (base or not nth):
                        title = " · ".join(
                            filter(None, [sr.said(t, made, 1 if base else 2), encoding.upper()])
                        )
                        place = "other encoding" if nth else "first" if base else "other arm"
                        yield place, self._line(deployment, title, at)

    def _line(self, deployment: str, title: str, at: list[Row]) -> Figure:
        label = self.texts("stage.line_label", deployment=deployment, what=title)
        spots = [self._spot(r) for r in sorted(at, key=self._point)]
        return Figure(deployment=deployment, title=title, drawn=line(spots, label))

    def _spot(self, row: Row) -> Spot:
        point = str(row["group"])
        apart = row["metric"] == "omega"
        metric = self.texts.word("p_metric", row["metric"])
        return Spot(
            place=self.places[point], label=self.texts.word("p_mark", point), value=row["share"],
            interval=sr.interval(row), apart=apart,
            about=f"{metric}: {sr.share_said(row, self.texts)}",
        )  # fmt: skip

    def outcomes(self) -> Iterator[tuple[bool, Figure]]:
        """One figure a deployment and arm: what became of the positions at each checkpoint."""
        t = self.texts
        for deployment, own in sr.of_deployment(self.tables["layers"], self.encoding):
            at = [r for r in own if r["group"] in sr.POINTS]
            for arm in [a for a in sr.ARMS if any(r["arm"] == a for r in at)]:
                bars = self._bars([r for r in at if r["arm"] == arm])
                title = t.word("p_arm", arm) if self.n_arms > 1 else ""
                label = t("stage.bars_label", deployment=deployment, arm=t.word("p_arm", arm))
                made = Figure(
                    deployment=deployment, title=title, drawn=stacks(bars, label),
                    wide=_wide(b.label for b in bars),
                )  # fmt: skip
                yield arm == "baseline", made

    def _bars(self, found: list[Row]) -> list[Stack]:
        counted: dict[tuple[sr.Condition, str], dict[str, int]] = {}
        for r in found:
            key = (sr.condition(r, self.names), str(r["group"]))
            counted.setdefault(key, {})[str(r["layer"])] = int(r["n"])
        order = sorted(counted, key=lambda k: (k[0][1:], sr.place(sr.POINTS, k[1])))
        one = len({point for _, point in order}) == 1
        return [self._bar(made, point, counted[made, point], one) for made, point in order]

    def _bar(self, made: sr.Condition, point: str, n: dict[str, int], one: bool) -> Stack:
        words = [sr.said(self.texts, made, 1)]
        known = (one and words[0]) or point in made[1:]
        words += [] if known else [self.texts.word("p_short", point)]
        parts = tuple(
            (layer.value, self.texts.word("p_layer", layer.value), n.get(layer.value, 0))
            for layer in sr.LAYERS
        )
        return Stack(label=" · ".join(filter(None, words)), parts=parts)

    def arms(self) -> Iterator[tuple[bool, Figure]]:
        """θ before and at completion, and all checkpoints, by condition; few conditions first."""
        t = self.texts
        groups = (NONTERMINAL, TERMINAL, *((ALL,) if len(self.places) > 1 else ()))
        for deployment, own in sr.of_deployment(self.tables["shares"], self.encoding):
            for group in groups:
                metric = "broad" if group == ALL else "theta"
                at = [r for r in own if r["group"] == group and r["metric"] == metric]
                if len(at) > 1:
                    title = f"{t.word('p_metric', metric)}, {t.word('p_group', group)}"
                    label = t("stage.arms_label", deployment=deployment, what=title)
                    found = [self._arm(r) for r in self._ordered(at)]
                    yield len(at) <= FEW, Figure(
                        deployment=deployment, title=title, wide=_wide(r.label for r in found),
                        drawn=reaches(found, label),
                    )  # fmt: skip

    def _ordered(self, found: list[Row]) -> list[Row]:
        order = sr.conditions(found, self.names)
        return sorted(found, key=lambda r: order.index(sr.condition(r, self.names)))

    def _arm(self, row: Row) -> Reach:
        low, high = sr.interval(row)
        said = f"{sr.percent(row['share'])} [{sr.percent(low)}, {sr.percent(high)}]"
        label = self._said(sr.condition(row, self.names))
        return Reach(label=label, value=row["share"], interval=(low, high), said=said)

    def contrasts(self) -> Iterator[Figure]:
        """Differences with intervals, one figure a deployment and metric; one axis a metric."""
        t, grouped = self.texts, dict[tuple[str, str], list[Reach]]()
        for deployment, own in sr.of_deployment(self.tables["contrasts"], self.encoding):
            gap = _observed_gap(own)
            for row in sorted(own, key=by_metric):
                made = grouped.setdefault((deployment, str(row["metric"])), [])
                made.append(self._contrast(row, gap if row["metric"] == "broad" else None))
        for (deployment, metric), found in grouped.items():
            edge = edge_of(r for (_, m), rs in grouped.items() if m == metric for r in rs)
            title = t.word("p_metric", metric)
            label = t("stage.contrast_label", deployment=deployment, what=title)
            wide = _wide(r.label for r in found)
            drawn = reaches(found, label, edge)
            yield Figure(deployment=deployment, title=title, drawn=drawn, wide=wide)

    def _contrast(self, row: Row, gap: float | None) -> Reach:
        low, high = sr.interval_of_contrast(row)
        return Reach(
            label=self._named(row), value=row["value"], interval=(low, high),
            said=f"{points(row['value'])} [{points(low)}, {points(high)}]",
            strong=low > 0 or high < 0, cross=gap,
        )  # fmt: skip


def _wide(labels: Iterable[str]) -> bool:
    return room_for(list(labels)) > 240


def _observed_gap(found: Iterable[Row]) -> float | None:
    """How far the baseline's unfinished checkpoints lie below the end: what an arm would close."""
    own = (r for r in found if r["contrast"] == "nonterminal - terminal (baseline)")
    row = next(own, None)
    return None if row is None else -float(row["value"])
