"""The page of progress reports: what stands on it, in both languages, whatever names there are."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path

import pandas as pd
import pytest

from draligned.progress.designs import DESIGNS, design
from draligned.progress.followups import BOUNDARY, KINDS
from draligned.progress.frame import scored
from draligned.progress.prompts import marker
from draligned.progress.statistics import Settings
from draligned.progress.tables import build
from draligned.report.stage_data import DesignPart, LaneLine, StageData
from draligned.report.stage_page import render_stage_report
from draligned.report.texts import load_texts
from draligned.schema.chat import ToolCall
from draligned.schema.design import Lang
from draligned.schema.progress import (
    Layer,
    Point,
    Position,
    ReplyStatus,
    Stage,
    StageDesign,
    StageReply,
    Stimulus,
)

from . import html

GOLDEN = Path(__file__).parent / "golden"
HOSTILE = '<script>alert(1)</script>{{ 7*7 }}"\u202e&amp;'


def reply(known: StageDesign, asked: Stimulus, number: int, name: str) -> StageReply:
    """The first repetition is clean; the second is a report too early, or a call where one is
    due at the end."""
    value = asked.required.value if number == 1 else Stage.COMPLETED.wire
    text = marker(value, asked.encoding) if asked.required.duty and value else "…"
    late = number == 2 and asked.point is Point.DONE
    position = Position(
        design=known.name, deployment=name, model_key=name[:8], repetition=number,
        stimulus_id=asked.stimulus_id,
    )  # fmt: skip
    return StageReply(
        position=position, status=ReplyStatus.OK, text="" if late else text,
        tool_calls=(ToolCall(call_id="c", name="x", arguments="{}"),) if late else (),
    )  # fmt: skip


@cache
def small(name: str) -> StageDesign:
    """A design cut down to two scenarios, twice each."""
    known = design(name)
    kept = sorted({s.scenario_id for s in known.stimuli})[:2]
    stimuli = tuple(s for s in known.stimuli if s.scenario_id in kept)
    return known.model_copy(update={"stimuli": stimuli, "repetitions": 2})


def tables(known: StageDesign, names: tuple[str, ...]) -> Mapping[str, pd.DataFrame]:
    replies = [reply(known, s, r, n) for n in names for s in known.stimuli for r in (1, 2)]
    return build(known, scored(known, replies), Settings(draws=50))


def lane(known: StageDesign, name: str, reason: str = "", *, rehearsal: bool = False) -> LaneLine:
    planned = len(known.stimuli) * known.repetitions
    return LaneLine(
        design=known.name, deployment=name, planned=planned, replied=planned, transport=0,
        identity=0, probes=20, good=20, counts=not reason, reason=reason, rehearsal=rehearsal,
    )  # fmt: skip


def part(name: str, *names: str, rehearsal: bool = False) -> DesignPart:
    known = small(name)
    lanes = tuple(lane(known, n, rehearsal=rehearsal) for n in names)
    return DesignPart(design=known, lanes=lanes, tables=tables(known, names))


def data(*parts: DesignPart, lang: Lang = "en") -> StageData:
    return StageData(name="study", lang=lang, version="0", seed=1, draws=50, designs=parts)


@pytest.fixture(scope="module")
def stage() -> DesignPart:
    return part("stage", "beta", "alpha")


def test_a_stage_page_says_what_its_tables_say(stage: DesignPart) -> None:
    """θ at the five checkpoints by hand: the first repetition is clean, the second only at CP3."""
    page = render_stage_report(data(stage))
    titles = [t.text for t in html.parse(page).iter("title") if "θ" in (t.text or "")]
    assert titles
    assert all("50.0 %" in str(t) and "2/4" in str(t) for t in titles)
    assert "[50.0, 50.0], 2/4" not in page, "all scenarios agree: a bootstrap has nothing to draw"
    silent = [t.text for t in html.parse(page).iter("title") if "ω" in (t.text or "")]
    assert silent
    assert all("100.0 %" in str(t) for t in silent)


def test_the_page_in_words(stage: DesignPart) -> None:
    found = html.sections(render_stage_report(data(stage)))
    lines = html.lines(found["design-stage"]).splitlines()
    golden = (GOLDEN / "stage_en.txt").read_text(encoding="utf-8")
    assert "\n".join(lines[:60]).replace(stage.design.sha256()[:16], "HASH") + "\n" == golden


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_every_figure_stands_there(stage: DesignPart, lang: Lang) -> None:
    page = render_stage_report(data(stage, part("factorial", "alpha"), lang=lang))
    drawn = [str(s.get("class")) for s in html.parse(page).iter("svg")]
    assert {d.split()[-1] for d in drawn} == {"course", "stacks", "reaches"}
    assert html.nesting_faults(page) == []
    assert "http" not in page.replace("http-equiv", "")
    assert {"admission", "map", "design-stage", "design-factorial", "limits"} == set(
        html.sections(page)
    )


def cells(section: html.HtmlElement, summary: str) -> list[list[str]]:
    """Head and rows of the folded table with this summary."""
    folded = next(d for d in section.iter("details") if html.text(d[0]).startswith(summary))
    return [[html.text(c) for c in row] for row in folded.iter("tr")]


def test_right_reports_stand_out_whatever_their_form() -> None:
    """SI-32, SI-53: what a duty requires, not what its neighbour would."""
    known = small("obligations")
    replies = [reply(known, s, r, "alpha") for s in known.stimuli for r in (1, 2)]
    forms = {"machine_report": "{}", "status_sentence": "{}", "deferred_terminal": "<sig>{}</sig>"}
    told = [
        r.model_copy(update={"text": forms[s.duty].format(s.required.value)})
        if s.duty != "machine_report" and s.required.duty else r
        for s, r in zip((s for s in known.stimuli for _ in (1, 2)), replies, strict=True)
    ]  # fmt: skip
    built = build(known, scored(known, told), Settings(draws=50))
    whole = DesignPart(design=known, lanes=(lane(known, "alpha"),), tables=built)
    strong = [html.text(c) for c in html.find(render_stage_report(data(whole)), "strong")]
    assert len(strong) == 1 + 4 + 4, "one stage has a signal due, four a report or a sentence"
    assert "·" not in strong


def test_arms_together_stand_apart_from_each_arm(stage: DesignPart) -> None:
    """SI-34: θ = φ × the share without a call, by hand 2 × (3 + 1 + 0) of 24 at the end."""
    found = html.sections(render_stage_report(data(stage)))["design-stage"]
    head, *body = cells(found, "All arms together")
    at = [r for r in body if r[0] == "alpha" and r[1] == "both" and r[2] == "at completion"]
    shares = {r[3]: float(r[4]) for r in at}
    assert "condition" not in head
    assert shares["θ clean where due"] == pytest.approx(
        shares["φ clean, of turns without a call"] * shares["no call where a report is due"] / 100
    )
    assert shares["no call where a report is due"] == 50.0


def test_contrasts_say_whether_wordings_agree_and_what_was_frozen(stage: DesignPart) -> None:
    """SI-66, SI-67: a column where there is something to say."""
    crossed = part("factorial", "alpha")
    found = html.sections(render_stage_report(data(stage, crossed)))
    head, *body = cells(found["design-factorial"], "Contrasts as a table")
    assert head[-1] == "each wording has its sign"
    assert {r[-1] for r in body if "all wordings" in r[2]} <= {"yes", "no"}
    assert {r[-1] for r in body if "all wordings" not in r[2]} == {"–"}
    assert body[0][3] == "θ clean where due"
    assert cells(found["design-stage"], "Contrasts as a table")[0][-1] == "scenarios"
    known = small("bundle").model_copy(update={"notes": {}})
    bare = DesignPart(design=known, lanes=(lane(known, "alpha"),), tables=tables(known, ("alpha",)))
    old = html.sections(render_stage_report(data(bare)))["design-bundle"]
    assert "not yet part" in html.text(old)
    head, *body = cells(old, "Contrasts as a table")
    assert (head[-1], {r[-1] for r in body}) == ("frozen with the design", {"–"})


def test_deployments_stand_in_alphabetical_order(stage: DesignPart) -> None:
    found = html.sections(render_stage_report(data(stage)))["design-stage"]
    names = [
        html.text(f[0]) for f in html.parse(render_stage_report(data(stage))).iter("figcaption")
    ]
    first = [n for n in names if n]
    assert first.index(next(n for n in first if n.startswith("alpha"))) < first.index(
        next(n for n in first if n.startswith("beta"))
    )
    assert "rank" not in html.text(found).lower()


def test_what_does_not_count_is_there_with_its_reason(stage: DesignPart) -> None:
    known = small("bundle")
    out = lane(known, "gamma", "precheck: 3 of 20 good; another model answered")
    quiet = DesignPart(design=known, lanes=(out,), tables={}, silence="no_lane")
    for lang, words, why in (
        ("en", "no lane is admitted", "3 of 20 good"), ("zh", "没有一条线", "20 问中 3 问合格"),
    ):  # fmt: skip
        found = html.sections(render_stage_report(data(stage, quiet, lang=load_texts(lang).lang)))
        assert why in html.text(found["admission"])
        assert words in html.text(found["design-bundle"])
        assert list(found["design-bundle"].iter("svg")) == []


def test_every_page_of_a_rehearsal_says_so(stage: DesignPart) -> None:
    played = part("bundle", "rehearsal", rehearsal=True)
    page = render_stage_report(data(stage, played))
    assert "no evidence about any language model" in page
    for section in html.sections(page).values():
        assert "rehearsal" in html.text(section)
    assert "no evidence about any" not in render_stage_report(data(stage))


def test_hostile_names_are_text() -> None:
    tame, wild = (render_stage_report(data(part("bundle", name))) for name in ("abc", HOSTILE))
    assert html.shape(tame) == html.shape(wild)
    assert "<script" not in wild
    assert "49" not in html.text(html.find(wild, "lanes")[0])
    assert "\u202e" not in wild


def test_english_sentences_are_the_designs_own() -> None:
    texts = load_texts("en")
    for name in DESIGNS:
        assert texts(f"p_question.{name}") == design(name).question
        assert texts(f"p_boundary.{name}") == design(name).boundary
    for name, kind in KINDS.items():
        assert texts(f"p_question.{name}") == kind.question
        assert texts(f"p_boundary.{name}") == BOUNDARY


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_closed_sets_have_words(lang: Lang) -> None:
    known = load_texts(lang).entries
    for group, codes in (
        ("p_layer", [x.value for x in Layer]), ("p_group", [x.value for x in Point]),
        ("p_stage", [x.value for x in Stage]), ("p_reported", [x.wire for x in Stage]),
    ):  # fmt: skip
        assert [c for c in codes if f"{group}.{c}" not in known] == []
