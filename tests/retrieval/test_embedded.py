"""The embedded environment as an agent meets it."""

import socket
from urllib.parse import unquote

import httpx
import pytest

from draligned.retrieval.corpus import LANGUAGES, Page, load_pages
from draligned.retrieval.embedded import EmbeddedRetrieval, OneHostTransport, content_hash
from draligned.retrieval.protocol import Retrieval
from draligned.retrieval.site import url_of
from draligned.schema.retrieval import ReturnStatus


def _bare(text: str) -> str:
    return "".join(text.replace("- ", "").split())


@pytest.mark.parametrize("lang", LANGUAGES)
async def test_every_page_comes_back_nearly_whole_through_the_site(lang: str) -> None:
    retrieval: Retrieval = EmbeddedRetrieval(lang)
    for page in load_pages(lang):
        answer = (await retrieval.read(url_of(page))).answer
        assert answer.status is ReturnStatus.OK, page.id
        assert answer.title == page.title
        lines = [_bare(line) for line in page.text.splitlines() if line.strip()]
        found = [line for line in lines if line in _bare(answer.text)]
        assert len(found) >= 0.8 * len(lines), page.id


@pytest.mark.parametrize("lang", LANGUAGES)
async def test_navigation_and_footer_are_left_out(lang: str) -> None:
    retrieval = EmbeddedRetrieval(lang)
    for page in load_pages(lang):
        answer = (await retrieval.read(url_of(page))).answer
        others = [p.title for p in load_pages(lang) if p.task_id == page.task_id and p != page]
        assert not [title for title in others if title in answer.text], page.id
        assert "本站文字" not in answer.text
        assert "Texts of this site" not in answer.text


async def test_raw_and_encoded_addresses_are_one_page_and_stay_as_sent() -> None:
    retrieval = EmbeddedRetrieval("zh")
    encoded = next(url for url in map(url_of, load_pages("zh")) if "%" in url)
    raw = unquote(encoded)
    for sent in (encoded, raw, encoded.replace("%E", "%e"), f"  {raw}\n"):
        answer = (await retrieval.read(sent)).answer
        assert answer.request == sent
        assert answer.status is ReturnStatus.OK
        assert answer.text == (await retrieval.read(encoded)).answer.text


async def test_gbk_encoded_and_twice_encoded_addresses_are_other_pages() -> None:
    retrieval = EmbeddedRetrieval("zh")
    page = next(page for page in load_pages("zh") if not page.slug.isascii())
    gbk = "".join(f"%{byte:02X}" for byte in page.slug.encode("gbk"))
    base = f"https://zh.corpus.draligned.invalid/{page.task_id}/"
    for sent in (base + gbk, url_of(page).replace("%", "%25")):
        assert (await retrieval.read(sent)).answer.status is ReturnStatus.NOT_FOUND


@pytest.mark.parametrize(
    ("url", "status"),
    [
        ("https://example.com/", ReturnStatus.NOT_FOUND),
        ("https://zh.corpus.draligned.invalid.example.com/1/listening", ReturnStatus.NOT_FOUND),
        ("https://zh.corpus.draligned.invalid:8443/1/listening", ReturnStatus.NOT_FOUND),
        ("https://zh.corpus.draligned.invalid/1/none", ReturnStatus.NOT_FOUND),
        ("https://zh.corpus.draligned.invalid/", ReturnStatus.NOT_FOUND),
        ("http://127.0.0.1/", ReturnStatus.NOT_FOUND),
        ("file:///etc/passwd", ReturnStatus.ADDRESS),
        ("", ReturnStatus.REFUSED),
        ("不是地址", ReturnStatus.REFUSED),
        ("https://", ReturnStatus.REFUSED),
        ("http://[::1", ReturnStatus.REFUSED),
        ("https://a\x00b/", ReturnStatus.REFUSED),
    ],
)
async def test_addresses_outside_the_corpus_fail_without_a_socket(
    url: str, status: ReturnStatus, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:9")
    answer = (await EmbeddedRetrieval("zh").read(url)).answer
    assert (answer.request, answer.status, answer.text) == (url, status, "")


async def test_searching_and_reading_open_no_socket(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_args: object, **_more: object) -> None:
        raise AssertionError("a socket was wanted")

    retrieval = EmbeddedRetrieval("en")
    for name in ("connect", "connect_ex", "bind"):
        monkeypatch.setattr(socket.socket, name, refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    for hit in (await retrieval.search("hostels in Lisbon")).answer.hits:
        assert (await retrieval.read(hit.url)).answer.status is ReturnStatus.OK
    elsewhere = await retrieval.read("https://example.com/")
    assert elsewhere.answer.status is ReturnStatus.NOT_FOUND


async def test_search_gives_hits_that_can_be_read() -> None:
    retrieval = EmbeddedRetrieval("zh")
    served = await retrieval.search("杭州 沟通")
    assert served.answer.status is ReturnStatus.OK
    assert served.environment_hit is True
    assert 0 < len(served.answer.hits) <= 6
    for hit in served.answer.hits:
        assert (await retrieval.read(hit.url)).answer.title == hit.title


@pytest.mark.parametrize("query", ["", "  ", "的 了", "?!", "zzqx", "\ud835"])
async def test_a_query_without_words_is_empty_not_an_error(query: str) -> None:
    answer = (await EmbeddedRetrieval("zh").search(query)).answer
    assert (answer.request, answer.status, answer.hits) == (query, ReturnStatus.EMPTY, ())


async def test_two_environments_give_the_same_answers_in_any_order() -> None:
    one, two = EmbeddedRetrieval("zh"), EmbeddedRetrieval("zh")
    urls = [url_of(page) for page in load_pages("zh")]
    forward = [(await one.read(url)).answer for url in urls]
    backward = [(await two.read(url)).answer for url in reversed(urls)]
    assert forward == backward[::-1]
    assert await one.search("领导力 课程") == await two.search("领导力 课程")
    assert one.environment == two.environment


def test_the_environment_is_named_by_its_content() -> None:
    pages = load_pages("zh")
    changed = (pages[0].model_copy(update={"text": "other"}), *pages[1:])
    assert EmbeddedRetrieval("zh").environment == f"embedded-zh-{content_hash(pages)}"
    assert content_hash(changed) != content_hash(pages)


async def test_another_host_never_reaches_the_app() -> None:
    async def app(_scope: object, _receive: object, _send: object) -> None:
        raise AssertionError("reached")

    transport = OneHostTransport("a.invalid", app)
    request = httpx.Request("GET", "https://b.invalid/")
    assert (await transport.handle_async_request(request)).status_code == 404


def test_page_ids_and_addresses_are_unique() -> None:
    pages: list[Page] = [page for lang in LANGUAGES for page in load_pages(lang)]
    assert len({page.id for page in pages}) == len({url_of(page) for page in pages}) == len(pages)
