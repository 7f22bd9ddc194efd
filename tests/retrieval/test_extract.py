"""HTML to text, silently."""

import logging
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from draligned.retrieval.extract import clean, extract

ARTICLE = "<p>" + "The museum by the harbour opens in the morning. " * 6 + "</p>"


def test_the_main_text_comes_as_markdown_with_its_title() -> None:
    html = (
        "<html><head><title> A\n b </title></head><body><nav><a href=/>Home</a></nav>"
        f"<article><h1>Visit</h1>{ARTICLE}<h2>Hours</h2><ul><li>ten</li><li>noon</li></ul>"
        "</article><footer>Imprint</footer></body></html>"
    )
    page = extract(html)
    assert page.title == "A b"
    assert page.text.startswith("# Visit\n\nThe museum")
    assert "## Hours\n\n- ten\n- noon" in page.text
    assert "Home" not in page.text
    assert "Imprint" not in page.text


@pytest.mark.parametrize("html", ["", " ", "<", "<html></html>", "<p></p>", "\x00", "<!-- x -->"])
def test_nothing_gives_nothing(html: str) -> None:
    assert extract(html).text == ""


def test_an_xml_declaration_is_no_obstacle() -> None:
    html = f'<?xml version="1.0" encoding="gbk"?><html><body>{ARTICLE}</body></html>'
    assert extract(html).text.startswith("The museum")


def test_character_references_leave_no_control_or_surrogate() -> None:
    text = extract(f"<html><body>{ARTICLE}<p>x&#0;&#27;&#xD83D;y</p></body></html>").text
    assert text.encode("utf-8") is not None
    assert "\x1b" not in text


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.sampled_from(["<p>", "</p>", "<div", ">", "<table>", "<td>", "&#x1;", "字", "a"]))
)
def test_any_tag_soup_is_read(parts: list[str]) -> None:
    assert isinstance(extract("".join(parts)).text, str)


def test_the_same_page_gives_the_same_text_whatever_came_between() -> None:
    html = f"<html><body><article>{ARTICLE * 3}</article></body></html>"
    first = extract(html)
    for _ in range(5):
        extract(f"<html><body>{ARTICLE}</body></html>")
        assert extract(html) == first


def test_line_ends_and_controls_are_cleaned() -> None:
    assert clean("a\r\nb\rc\x00\x1b[31m\ud800\td") == "a\nb\nc[31m\td"


def test_logging_and_warnings_reach_no_terminal() -> None:
    code = (
        "import logging; logging.basicConfig(level=0)\n"
        "from draligned.retrieval.extract import extract\n"
        "from draligned.retrieval.index import PageIndex\n"
        "from draligned.retrieval.corpus import load_pages\n"
        "PageIndex(load_pages('en')).search('hostel', 6)\n"
        "for html in ('', '<', '<p>x', '<html><body><a>x</a></body></html>'): extract(html)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert (done.stdout, done.stderr) == (b"", b"")


def test_no_logger_but_the_extractors_is_changed() -> None:
    assert logging.getLogger().isEnabledFor(logging.CRITICAL)
    assert not logging.getLogger("trafilatura").isEnabledFor(logging.CRITICAL)
