"""The picture of a pair: every step once, in its channel's row, with words that stay text."""

from dataclasses import replace

import pytest
from lxml import etree, html
from lxml.html import HtmlElement

from draligned.report.data import ReportData
from draligned.report.texts import load_texts
from draligned.report.trajectories import Lane, pair_figure, pair_lanes, standalone
from draligned.schema.endings import Outcome
from draligned.schema.labels import Channel, Observes, Presence, ReadRole, Side, UnknownReason
from draligned.schema.retrieval import ReturnStatus
from draligned.schema.trajectory import Evidence, PairTrajectory, ReadSaid, Step, Trajectory

from .html import find, parse, text

EN = load_texts("en")
HOSTILE = "</div></foreignObject><script>alert(1)</script>\u202e"


def said(presence: Presence | None) -> ReadSaid:
    return ReadSaid(status="missing" if presence is None else "ok", presence=presence)


def request(no: int, first: Presence, mirror: Presence, request: str = "where to meet") -> Step:
    alike = first is mirror
    return Step(
        seq=4 * no,
        unit="request",
        no=no,
        first=said(first),
        mirror=said(mirror),
        presence=first if alike else Presence.UNKNOWN,
        reason=None if alike else UnknownReason.MIRROR_DISAGREEMENT,
        evidence=(Evidence(read=ReadRole.FIRST, presence=first, quote="meet"),),
        tool="search",
        request=request,
        return_status=ReturnStatus.OK,
    )


def document(unit: str, seq: int, presence: Presence) -> Step:
    return Step(
        seq=seq,
        unit="draft" if unit == "draft" else "final",
        no=1 if unit == "draft" else None,
        first=said(presence),
        mirror=said(presence),
        presence=presence,
        reason=None,
        evidence=tuple(
            Evidence(read=read, presence=presence, entity="club", paragraphs=(2,))
            for read in (ReadRole.FIRST, ReadRole.MIRROR)
        ),
        text_sha256="ab" * 32,
        chars=20,
    )


def run(side: Side, *steps: Step, workspace: Observes = Observes.FULL) -> Trajectory:
    return Trajectory(
        run_id=side.value * 16,
        attempt=1,
        task_id="1",
        user_id="User1",
        factor_id="f" * 16,
        side=side,
        model="model-a",
        harness="coupled",
        environment="embedded",
        replicate=1,
        evaluator="reader",
        outcome=Outcome.SUBMITTED,
        observes={
            Channel.ACQUISITION: Observes.FULL,
            Channel.WORKSPACE: workspace,
            Channel.FINALIZATION: Observes.FULL,
        },
        steps=steps,
    )


P = run(
    Side.P,
    request(1, Presence.P_ONLY, Presence.P_ONLY),
    request(2, Presence.P_ONLY, Presence.Q_ONLY, HOSTILE),
    document("draft", 12, Presence.BOTH),
    document("final", 16, Presence.P_ONLY),
)
Q = run(Side.Q, request(1, Presence.NEITHER, Presence.NEITHER), workspace=Observes.NONE)
PAIR = PairTrajectory(pair_id="a" * 16, factor_id="f" * 16, evaluator="reader", p=P, q=Q)
TEXTS = {"ab" * 32: "# Title\n\nGo to the club.\n"}


def lanes(pair: PairTrajectory = PAIR) -> tuple[Lane, Lane]:
    return pair_lanes(pair, {Side.P: "Leeds", Side.Q: HOSTILE}, EN)


def drawn(pair: PairTrajectory = PAIR) -> HtmlElement:
    figure = pair_figure(lanes(pair), EN, name="t", text_of=TEXTS.__getitem__)
    return html.fragment_fromstring(str(figure))


def letters(root: HtmlElement) -> list[str]:
    return [text(e) for e in find(root, "letter")]


def test_every_step_is_one_mark_in_the_row_of_its_channel() -> None:
    root = drawn()
    assert letters(root) == ["P", "≠", "PQ", "P", "–"]
    places = [(float(e.get("x")), float(e.get("y"))) for e in find(root, "letter")]
    p, q = places[:4], places[4]
    assert [x for x, _ in p] == sorted({x for x, _ in p})  # one place each, in order
    assert p[0][0] == q[0]  # the first step of both stands at the same place
    assert len({y for _, y in places}) == 4  # P: three rows; Q: one more


def test_the_halves_of_a_disagreement_say_what_each_read_said() -> None:
    halves = [e.get("class") for e in find(drawn(), "half")]
    assert halves == ["half p_only", "half q_only"]


def test_a_mark_has_the_words_that_carried_its_label() -> None:
    tips = [text(e) for e in find(drawn(), "tip")]
    assert tips[0].startswith("Request 1, search (answered). where to meet Label: P only.")
    assert tips[0].endswith("First read P only meet")
    assert tips[3].endswith("Both reads P only club: ¶2 Go to the club.")


def test_marks_are_reached_by_keyboard_and_named_by_their_tip() -> None:
    root = drawn()
    ids = [e.get("id") for e in root.iter() if e.get("id")]
    assert len(ids) == len(set(ids))
    for mark in find(root, "step"):
        assert mark.get("tabindex") == "0"
        assert mark.get("aria-labelledby") in ids


def test_nothing_to_see_is_said_apart_from_not_observed() -> None:
    root = drawn()
    assert [text(e) for e in find(root, "none")] == ["not observed", "none"]
    gone = PAIR.model_copy(update={"q": None, "absent_q": "run_failed"})
    assert [text(e) for e in find(drawn(gone), "none")] == ["run failed"]


def test_hostile_words_stay_text() -> None:
    page = standalone(lanes(), EN, name="t", text_of=TEXTS.__getitem__)
    root = parse(page)
    assert not root.xpath("//script")
    assert len(root.xpath("//*[local-name()='foreignobject']")) == 5
    assert "\u202e" not in page
    assert "<script>alert(1)</script>⟨U+202E⟩" in text(root)
    etree.fromstring(str(pair_figure(lanes(), EN, name="t")).encode())  # well-formed by itself


def test_one_run_alone_and_none_at_all() -> None:
    one = pair_figure(lanes()[:1], EN, name="t")
    assert letters(html.fragment_fromstring(str(one))) == ["P", "≠", "PQ", "P"]
    empty = replace(lanes()[0], trajectory=run(Side.P))
    assert letters(html.fragment_fromstring(str(pair_figure((empty,), EN, name="t")))) == []


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_marks_of_the_page_lead_to_events_that_are_there(lang: str, small: ReportData) -> None:
    from draligned.report.page import render_report

    root = parse(render_report(replace(small, lang="zh" if lang == "zh" else "en")))
    ids = {e.get("id") for e in root.iter() if e.get("id")}
    marks = [e.get("href") for e in find(root, "step")]
    assert marks
    assert {href.removeprefix("#") for href in marks} <= ids


def test_a_part_of_the_steps_keeps_their_numbers() -> None:
    figure = pair_figure(lanes(), EN, name="t", places=range(2, 4))
    root = html.fragment_fromstring(str(figure))
    assert [text(e) for e in find(root, "no")] == ["2", "3"]
    assert letters(root) == ["≠", "PQ"]
    whole = drawn()
    assert float(find(root, "letter")[0].get("x")) == float(find(whole, "letter")[0].get("x"))
    absent = [[text(e) for e in find(r, "none")] for r in (root, whole)]
    assert absent[0] == absent[1]  # of the whole run, not of the part that is drawn
