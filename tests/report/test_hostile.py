"""Untrusted text stays text: it never changes the page's elements."""

from dataclasses import replace

import pytest

from draligned.report.data import ModelFacts
from draligned.report.page import render_report

from . import html
from .made import data_of
from .world import World

HOSTILE = [
    "<script>alert(1)</script>",
    "</details></section></main><h1>forged</h1>",
    "</style><img src=x onerror=alert(1)>",
    '"><a href="javascript:alert(1)">x</a>',
    "' onmouseover='alert(1)",
    "{{ 7*7 }} {% raw %} ${HOME} %s {0.__class__} {texts}",
    "<!-- --> <![CDATA[ ]]> &lt;b&gt; &#60;",
    "<scratchpad>kept</scratchpad>",
    "[link](javascript:alert(1))",
]
PLAIN = World(tasks=1, models=("m",))


def page_with(text: str) -> str:
    """A page with `text` at every place where a model, a page or a user may write."""
    world = replace(
        PLAIN, name=text, request_text=text, final_text=text, endpoint=text, models=(text,)
    )
    data = data_of(world)
    card = data.design.cards[0]
    fields = ("decision", "evidence_quote", "field_path")
    changed = card.model_copy(
        update=dict.fromkeys(fields, text)
        | {
            "axis": card.axis.model_copy(update={"guidance": text}),
            "removed_from_both": (card.removed_from_both[0].model_copy(update={"text": text}),),
        }
    )
    return render_report(
        replace(
            data,
            design=data.design.model_copy(update={"cards": (changed,)}),
            models=(ModelFacts(name=text, role="agent", requested=text, echoed=(text,)),),
        )
    )


@pytest.mark.parametrize("text", [" ".join(HOSTILE), HOSTILE[1], HOSTILE[3]])
def test_markup_in_data_stays_text(text: str) -> None:
    page = page_with(text)
    assert html.shape(page) == html.shape(page_with("x" * len(text)))
    assert html.nesting_faults(page) == []
    assert " ".join(text.split()) in html.text(html.sections(page)["runs"])
    assert " ".join(text.split()) in html.text(html.sections(page)["cards"])


def test_templates_in_data_are_not_evaluated() -> None:
    page = page_with("{{ 7*7 }}")
    assert "{{ 7*7 }}" in html.text(html.sections(page)["runs"])
    assert ">49<" not in page


def test_bidi_controls_are_written_out() -> None:
    page = page_with("abc\u202etxt.exe\u2066")
    assert "\u202e" not in page
    assert "\u2066" not in page
    assert "abc⟨U+202E⟩txt.exe⟨U+2066⟩" in page


def test_a_line_of_a_megabyte_is_cut_with_its_length() -> None:
    world = replace(PLAIN, request_text="x" * 1_000_000, final_text="y" * 1_000_000)
    page = render_report(data_of(world))
    assert len(page) < 1_000_000
    assert "the first 600 of 1,000,000 characters" in page
    assert "y" * 1_000_000 not in page
