"""Ranking with answers known by hand."""

from pathlib import Path

import pytest

from draligned.retrieval.corpus import Page, load_pages
from draligned.retrieval.index import PageIndex


def _page(number: int, title: str, text: str = "", lang: str = "en") -> Page:
    number_id = f"{lang}-1-{number:03d}"
    return Page(id=number_id, task_id="1", lang=lang, title=title, slug=number_id, text=text)


def _ids(index: PageIndex, query: str, top: int = 6) -> list[str]:
    return [page.id[-3:].removeprefix("0") for page, _ in index.search(query, top)]


def test_rare_words_weigh_more_and_repeats_saturate() -> None:
    index = PageIndex(
        [
            _page(1, "x", "walk walk walk walk walk walk"),
            _page(2, "x", "walk harbour run swim read cook"),
            _page(3, "x", "walk run swim read cook sing"),
        ]
    )
    assert _ids(index, "harbour walk") == ["02", "01", "03"]


def test_a_score_is_bm25_by_hand() -> None:
    # Two documents of one token each, one holds the word: idf = ln(1 + 1.5 / 1.5) = ln 2,
    # tf part = 3 / (3 + 1.2) for a title counted three times at average length.
    index = PageIndex([_page(1, "harbour"), _page(2, "museum")])
    [(page, score)] = index.search("harbour", 6)
    assert page.id == "en-1-001"
    assert score == pytest.approx(0.693147 * 3 / 4.2, rel=1e-5)


def test_equal_scores_are_ordered_by_id_however_pages_come() -> None:
    pages = [_page(number, "words" if number % 3 else "more words") for number in range(1, 300)]
    for order in (pages, pages[::-1]):
        assert _ids(PageIndex(order), "words", top=4) == ["01", "02", "04", "05"]


def test_pages_without_the_words_are_no_hits() -> None:
    index = PageIndex([_page(1, "harbour"), _page(2, "museum")])
    assert _ids(index, "museum") == ["02"]
    assert _ids(index, "castle") == []
    assert _ids(index, "") == []


def test_an_empty_corpus_answers() -> None:
    assert PageIndex([]).search("anything", 6) == []


@pytest.mark.parametrize(
    ("lang", "query", "first"),
    [
        ("zh", "杭州 演讲俱乐部 线下", "zh-1-03"),
        ("zh", "深圳新任主管", "zh-1-06"),
        ("zh", "户外跑步怎么开始", "zh-2-05"),
        ("zh", "猫砂 材质", "zh-5-04"),
        ("zh", "SQL 连接 分组", "zh-6-02"),
        ("en", "public speaking clubs in Bristol", "en-1-05"),
        ("en", "hostel dorm Lisbon", "en-2-03"),
        ("en", "emergency fund how much", "en-3-02"),
        ("en", "running outdoors beginner", "en-4-05"),
    ],
)
def test_known_answers_in_the_bundled_corpus(lang: str, query: str, first: str) -> None:
    found = PageIndex(load_pages(lang)).search(query, 6)
    assert found[0][0].id == first
    assert found == PageIndex(load_pages(lang)).search(query, 6)


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_a_title_finds_its_page(lang: str) -> None:
    index = PageIndex(load_pages(lang))
    for page in load_pages(lang):
        assert index.search(page.title, 6)[0][0] == page


def test_nothing_is_printed_and_no_file_written(
    capfd: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    PageIndex(load_pages("en")).search("hostel", 6)
    assert capfd.readouterr() == ("", "")
    assert list(tmp_path.iterdir()) == []
