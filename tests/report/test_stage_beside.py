"""Beside the shares: reasons in both languages, regressions, examples, the prompt, the crosses."""

import pytest

from draligned.progress.corruption import LeakyMetric, require_tight
from draligned.progress.manipulation import Manipulation
from draligned.report.stage_data import DesignPart, ExampleReply
from draligned.report.stage_page import render_stage_report
from draligned.report.stage_said import reason_said, silence_said
from draligned.report.texts import load_texts
from draligned.schema.design import Lang
from draligned.schema.progress import Layer

from . import html
from .test_stage_page import HOSTILE, data, lane, part, reply, small

EXAMPLE = ExampleReply(
    layer="malformed", deployment="alpha", scenario_id="sched-01", point="step", last="{}",
    required="post_observation_continue", text="two <stage>ready</stage> <stage>x</stage>",
    calls=("move {}",), position_id="0123456789abcdef",
)  # fmt: skip


@pytest.fixture(scope="module")
def stage() -> DesignPart:
    return part("stage", "beta", "alpha")


def with_examples(known: DesignPart, *examples: ExampleReply) -> DesignPart:
    return DesignPart(
        design=known.design, lanes=known.lanes, tables=known.tables, examples=examples
    )


@pytest.mark.parametrize(
    ("reason", "said"),
    [
        ("precheck: 3 of 20 good; 0 readable tool calls, not one",
         "预检：20 问中 3 问合格；可读的工具调用有 0 次，不是恰好一次"),
        ("precheck: 17 of 20 good; another model is named in the answer",
         "预检：20 问中 17 问合格；回答中写的是别的模型名"),
        ("precheck: 1 of 20 good; HTTP 400", "预检：20 问中 1 问合格；HTTP 400"),
        (Manipulation(on=9, on_reasoned=0, off=8, off_reasoned=1).reason,
         "操纵检查：推理开时 9 条回复中 0 条见到推理，推理关时 8 条中 1 条"),
        ("something new", "something new"),
        ("", ""),
    ],
)  # fmt: skip
def test_reasons_are_said_in_chinese_and_stay_in_english(reason: str, said: str) -> None:
    assert reason_said(reason, load_texts("zh")) == said
    assert reason_said(reason, load_texts("en")) == reason


def test_a_leak_is_said_in_chinese() -> None:
    known = small("bundle")
    stored = [reply(known, s, 1, "alpha") for s in known.stimuli]

    with pytest.raises(LeakyMetric) as leak:
        require_tight(known, stored, _always_clean)
    said = silence_said(str(leak.value), load_texts("zh"))
    assert f"破坏检验：bundle 的 {len(stored)} 条回复中，清空后仍有 {len(stored)} 条合格" in said
    assert silence_said(str(leak.value), load_texts("en")) == str(leak.value)


def _always_clean(asked: object, answer: object) -> object:
    from draligned.progress.score import score

    return score(asked, answer).model_copy(update={"layer": Layer.CLEAN})  # type: ignore[arg-type]


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_regressions_stand_on_the_page(stage: DesignPart, lang: Lang) -> None:
    """The small design agrees over scenarios: what cannot be fitted says why, in words."""
    texts = load_texts(lang)
    section = html.sections(render_stage_report(data(stage, lang=lang)))["design-stage"]
    words = html.text(section)
    assert texts("stage.models") in words
    assert {"mixed", "gee"} <= set(stage.tables)
    for name in ("mixed", "gee"):
        table = stage.tables[name]
        for reason in table.loc[table["status"] != "ok", "reason"].unique():
            assert texts("stage.unknown", reason=texts.word("p_unfit", str(reason))) in words


def test_crosses_mark_the_observed_gap_beside_arms_alone(stage: DesignPart) -> None:
    """One a contrast between arms and deployment: E1 and E2 of two deployments."""
    page = render_stage_report(data(stage))
    assert page.count('class="cross"') == 4
    assert 'class="cross"' not in render_stage_report(data(part("bundle", "alpha")))


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_an_example_says_where_what_and_how_to_see_it_whole(stage: DesignPart, lang: Lang) -> None:
    texts = load_texts(lang)
    page = render_stage_report(data(with_examples(stage, EXAMPLE), lang=lang))
    (item,) = html.find(page, "examples")[0].iter("li")
    words = html.text(item)
    for said in (texts.word("p_layer", "malformed"), texts.word("p_layer_told", "malformed"),
                 "<stage>ready</stage> <stage>x</stage>", "move {}", "post_observation_continue",
                 "draligned progress show 0123456789abcdef"):  # fmt: skip
        assert said in words
    assert "<stage>" not in page


def test_a_hostile_example_is_text(stage: DesignPart) -> None:
    wild = EXAMPLE.__class__(
        **{**EXAMPLE.__dict__, "text": HOSTILE, "last": HOSTILE, "calls": (HOSTILE,)}
    )
    made = [render_stage_report(data(with_examples(stage, e))) for e in (EXAMPLE, wild)]
    assert html.shape(made[0]) == html.shape(made[1])
    assert "<script" not in made[1]
    assert "\u202e" not in made[1]


def test_the_prompt_is_the_frozen_one(stage: DesignPart) -> None:
    page = render_stage_report(data(stage))
    words = html.text(html.find(page, "prompt")[0])
    assert words.split() == (stage.design.stimuli[0].messages[0].text or "").split()


def test_a_follow_up_is_linked_to_its_section() -> None:
    known = small("bundle").model_copy(update={"name": "replay"})
    line = lane(known.model_copy(update={"name": "replay-0123456789abcdef"}), "alpha")
    page = render_stage_report(
        data(DesignPart(design=known, lanes=(line,), tables={}, silence="no_lane"))
    )
    links = [a.get("href") for a in html.find(page, "lanes")[0].iter("a")]
    assert links == ["#design-replay"]
    assert "design-replay" in html.sections(page)


def test_other_arms_have_their_own_lines(stage: DesignPart) -> None:
    page = render_stage_report(data(stage))
    texts = load_texts("en")
    captions = [html.text(f) for f in html.parse(page).iter("figcaption")]
    for arm in ("gold_injected", "static"):
        assert any(c.startswith("alpha") and f"{texts.word('p_arm', arm)} · XML" in c
                   for c in captions)  # fmt: skip
