"""The passage shown with a search result."""

from draligned.retrieval.corpus import Page, load_pages
from draligned.retrieval.snippets import snippet


def _page(text: str, lang: str = "en") -> Page:
    return Page(id="x", task_id="1", lang=lang, title="Title", slug="x", text=text)


def test_the_line_with_most_query_words_is_shown() -> None:
    page = _page(
        "First line.\n\n## Harbour museum\n\nAbout the harbour.\n\n- museum by the harbour"
    )
    assert snippet(page, "harbour museum") == "museum by the harbour"


def test_the_first_of_equals_is_shown() -> None:
    assert snippet(_page("One line.\n\nTwo line."), "nothing here") == "One line."


def test_long_lines_are_cut_between_words() -> None:
    shown = snippet(_page("word " * 100), "word")
    assert shown.endswith("word…")
    assert len(shown) <= 201


def test_long_chinese_lines_are_cut_by_characters() -> None:
    assert snippet(_page("海" * 200, "zh"), "海") == "海" * 90 + "…"


def test_a_page_of_headings_shows_its_title() -> None:
    assert snippet(_page("## Only"), "only") == "Title"


def test_a_snippet_is_one_line_of_its_page() -> None:
    for page in load_pages("zh"):
        assert snippet(page, page.title).rstrip("…") in page.text
