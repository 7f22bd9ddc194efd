"""The page of progress reports: one self-contained HTML file over every design begun."""

from dataclasses import dataclass
from functools import cache
from importlib import resources

from markupsafe import Markup

from draligned.report import numbers
from draligned.report.overview import Stamp
from draligned.report.page import environment
from draligned.report.regate_view import RegateView, regate_view
from draligned.report.rollout_view import RolloutView, rollout_view
from draligned.report.shown import reveal
from draligned.report.stage_data import LaneLine, StageData
from draligned.report.stage_rows import LAYERS
from draligned.report.stage_views import DesignView, lane_said, view_of
from draligned.report.tau2_view import Tau2View, tau2_view
from draligned.report.texts import Texts, load_texts
from draligned.schema.progress import Point, Stage

DUE = (Point.WAIT, Point.READY, Point.CALL, Point.STEP, Point.DONE)
_TRUTH = {
    Point.WAIT: Stage.NEEDS_INFO, Point.READY: Stage.READY, Point.CALL: Stage.READY,
    Point.STEP: Stage.POST_OBS, Point.DONE: Stage.COMPLETED,
}  # fmt: skip
METRICS = ("theta", "omega", "broad", "emission", "false_completion", "phi", "no_call",
           "false_completion_of_reports")  # fmt: skip
EVIDENCE = ("Observational", "Controlled intervention", "Post-treatment descriptive",
            "Audit/engineering")  # fmt: skip
LIMITS = ("bundle", "sampling", "total", "survival", "behaviour", "scripted", "scenarios",
          "ranking")  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class PointLine:
    """One checkpoint of the map."""

    name: str
    truth: str
    happened: str
    right: str
    due: bool


@dataclass(frozen=True, kw_only=True)
class StageView:
    """All that the template lays out."""

    stamps: tuple[Stamp, ...]
    sentence: str
    lanes: tuple[LaneLine, ...]
    designs: tuple[DesignView, ...]
    points: tuple[PointLine, ...]
    layers: tuple[str, ...]
    metrics: tuple[str, ...]
    evidence: tuple[str, ...]
    limits: tuple[str, ...]
    rollout: RolloutView | None
    regate: RegateView | None
    tau2: tuple[Tau2View, ...]


def render_stage_report(data: StageData) -> str:
    """The page as text. Depends on `data` alone: the same data, the same bytes."""
    texts = load_texts(data.lang)
    page = environment().get_template("stage_page.html").render(
        t=texts, n=numbers, d=data, v=_view(data, texts), css=Markup(_css()), lang=data.lang
    )  # fmt: skip
    return reveal(page)


def _view(data: StageData, texts: Texts) -> StageView:
    return StageView(
        stamps=_stamps(data, texts),
        sentence=_sentence(data, texts),
        lanes=tuple(lane_said(lane, texts) for lane in data.lanes),
        designs=tuple(view_of(part, texts) for part in data.designs),
        points=tuple(_point(point, texts) for point in DUE),
        layers=tuple(layer.value for layer in LAYERS),
        metrics=METRICS,
        evidence=EVIDENCE,
        limits=LIMITS,
        rollout=None if data.rollout is None else rollout_view(data.rollout, texts),
        regate=None if data.regate is None else regate_view(data.regate, texts),
        tau2=tuple(tau2_view(part, texts) for part in data.tau2),
    )


def _stamps(data: StageData, texts: Texts) -> tuple[Stamp, ...]:
    if not data.rehearsal:
        return ()
    short, text = texts("stage.rehearsal_short"), texts("stage.rehearsal")
    return (Stamp(kind="rehearsal", short=short, tag=texts("stage.rehearsal_tag"), text=text),)


def _sentence(data: StageData, texts: Texts) -> str:
    counting = {lane.deployment for lane in data.lanes if lane.counts}
    return texts(
        "stage.sentence",
        designs=len(data.designs),
        lanes=len(data.lanes),
        counting=sum(lane.counts for lane in data.lanes),
        deployments=len(counting),
        replies=numbers.count(sum(lane.replied for lane in data.lanes if lane.counts)),
    )


def _point(point: Point, texts: Texts) -> PointLine:
    return PointLine(
        name=texts.word("p_point", point.value),
        truth=texts.word("p_stage", _TRUTH[point].value),
        happened=texts.word("p_happened", point.value),
        right=texts.word("p_right", point.value),
        due=point is not Point.CALL,
    )


@cache
def _css() -> str:
    folder = resources.files("draligned.report").joinpath("templates")
    names = ("report.css", "stage.css")
    return "\n".join(folder.joinpath(name).read_text(encoding="utf-8") for name in names)
