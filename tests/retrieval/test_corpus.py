"""The bundled pages: how many, how long, and which of them lean to an endpoint."""

import pytest

from draligned.bench_data.kinds import kinds
from draligned.retrieval.corpus import LANGUAGES, Page, load_pages, parse_pages
from draligned.schema.design import Lang
from draligned.schema.errors import ConfigError, DamageError

WORDS = {
    "zh-1": ("杭州", "深圳"),
    "zh-2": ("健身房", "户外"),
    "zh-3": ("青年旅舍", "精品酒店"),
    "zh-4": ("稳健", "进取"),
    "zh-5": ("猫", "狗"),
    "zh-6": ("清晨", "夜晚"),
    "zh-7": ("成都", "青岛"),
    "zh-8": ("内向", "外向"),
    "en-1": ("Leeds", "Bristol"),
    "en-2": ("hostel", "boutique"),
    "en-3": ("cautious", "adventurous"),
    "en-4": ("gym", "outdoors"),
}
ALL_PAGES = [page for lang in LANGUAGES for page in load_pages(lang)]


def _of(task: str) -> list[Page]:
    return [page for page in ALL_PAGES if page.id.rpartition("-")[0] == task]


def _names(page: Page, word: str) -> bool:
    return word.lower() in page.title.lower()


@pytest.mark.parametrize("task", WORDS)
def test_a_task_has_ten_pages_that_lean_both_ways_and_neither(task: str) -> None:
    own, other = WORDS[task]
    leaning = [(_names(page, own), _names(page, other)) for page in _of(task)]
    assert len(leaning) == 10
    assert leaning.count((True, False)) == 2
    assert leaning.count((False, True)) == 2
    assert leaning.count((True, True)) == 1


def _public(lang: Lang, word: str) -> tuple[str, ...]:
    values = [value for kind in kinds(lang) for value in kind.values]
    return next(v.public for v in values if any(word in w.lower() for w in (v.name, *v.public)))


@pytest.mark.parametrize("task", WORDS)
def test_only_pages_whose_title_leans_hold_public_words_of_an_endpoint(task: str) -> None:
    lang: Lang = "zh" if task.startswith("zh") else "en"
    for word in WORDS[task]:
        public = _public(lang, word.lower())
        for page in _of(task):
            held = [w for w in public if w.lower() in f"{page.title}\n{page.text}".lower()]
            assert bool(held) is _names(page, word), (page.id, held)


def test_there_are_no_further_pages_and_they_are_in_order() -> None:
    for lang in LANGUAGES:
        ids = [page.id for page in load_pages(lang)]
        assert ids == sorted(ids)
    assert len(ALL_PAGES) == 10 * len(WORDS)


@pytest.mark.parametrize("page", ALL_PAGES, ids=lambda page: page.id)
def test_a_page_has_structure_and_a_modest_length(page: Page) -> None:
    size = len(page.text) if page.lang == "zh" else len(page.text.split())
    assert 120 <= size <= 450
    assert sum(block.startswith("## ") for block in page.blocks()) >= 2
    assert "- " in page.text
    assert "%" not in page.text
    assert "http" not in page.text


def test_some_slugs_are_chinese_and_some_are_not() -> None:
    slugs = [page.slug for page in load_pages("zh")]
    assert 20 < sum(not slug.isascii() for slug in slugs) < 60


def test_another_language_is_a_clear_user_error() -> None:
    with pytest.raises(ConfigError, match=r"'fr'.*zh, en"):
        load_pages("fr")


def test_pages_are_parsed_from_one_file() -> None:
    text = "<!-- page: a -->\n# A\n\nOne.\n\n<!-- page: 乙 -->\n# B\n\n## H\n\n- x\n- y\n"
    first, second = parse_pages("zh", "9", text)
    assert (first.id, first.slug, first.title, first.text) == ("zh-9-01", "a", "A", "One.")
    assert (second.id, second.slug, second.blocks()) == ("zh-9-02", "乙", ("## H", "- x\n- y"))


def test_a_page_without_a_title_is_damage() -> None:
    with pytest.raises(DamageError, match="'a'"):
        parse_pages("en", "1", "<!-- page: a -->\nno title\n")
