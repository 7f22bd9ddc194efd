"""Reading a page: what came back, as a status."""

import gzip
import hashlib
from collections.abc import AsyncIterator, Callable

import httpx
import pytest

from draligned.retrieval import document
from draligned.retrieval import reader as reader_module
from draligned.retrieval.extract import Extracted, Part
from draligned.retrieval.fetch import ReadingClient
from draligned.retrieval.reader import PageReader
from draligned.retrieval.web import web_reader
from draligned.retrieval.worker import Job
from draligned.retrieval.workshop import Workshop
from draligned.schema.config import ReadingConfig
from draligned.schema.retrieval import Flag, RetrievalAnswer, ReturnStatus

SENTENCE = "朱镕基的镕字不在旧国标里，这是一个常见的例子，我们说的话都可以这样写。"
PAGE = f"<html><head><title>例</title></head><body><article><p>{SENTENCE * 5}</p></article>"
URL = "https://a.invalid/x"


def reader(response: httpx.Response, limits: ReadingConfig | None = None) -> PageReader:
    def handler(_request: httpx.Request) -> httpx.Response:
        return httpx.Response(
            response.status_code, headers=response.headers, stream=response.stream
        )

    return PageReader(ReadingClient(httpx.MockTransport(handler)), limits)


async def read(
    content: bytes, content_type: str = "text/html", code: int = 200, **limits: float
) -> RetrievalAnswer:
    response = httpx.Response(code, content=content, headers={"Content-Type": content_type})
    pages = reader(response, ReadingConfig.model_validate(limits))
    try:
        return await pages.read(URL)
    finally:
        await pages.aclose()


async def test_a_gb18030_page_with_a_gb2312_label_is_read() -> None:
    answer = await read(PAGE.encode("gb18030"), "text/html; charset=gb2312")
    assert answer.status is ReturnStatus.OK
    assert answer.title == "例"
    assert answer.text == SENTENCE * 5
    assert (answer.truncated, answer.detail) == (False, "")


@pytest.mark.parametrize("content_type", ["text/html", "application/pdf", ""])
async def test_a_damaged_pdf_is_a_type_mismatch_whatever_the_header(content_type: str) -> None:
    answer = await read(b"%PDF-1.7\n\xe2\xe3\xcf\xd3", content_type)
    assert (answer.status, answer.text) == (ReturnStatus.TYPE_MISMATCH, "")
    assert "PDF" in answer.detail


async def test_other_bytes_never_become_text() -> None:
    answer = await read(b"\x89PNG\r\n\x1a\n\x00\x00", "text/html")
    assert (answer.status, answer.text) == (ReturnStatus.TYPE_MISMATCH, "")


@pytest.mark.parametrize("body", [b"", b"  \n", b"<html><body></body></html>"])
async def test_a_page_without_text_says_so(body: bytes) -> None:
    assert (await read(body)).status is ReturnStatus.NO_TEXT


async def test_plain_text_is_given_as_it_is() -> None:
    answer = await read(b"one <b>\r\ntwo", "text/plain")
    assert (answer.status, answer.text) == (ReturnStatus.OK, "one <b>\ntwo")


async def test_text_that_cannot_be_decoded_is_not_shown() -> None:
    answer = await read(bytes(range(128, 256)) * 20, "text/html; charset=utf-8")
    assert (answer.status, answer.text) == (ReturnStatus.DECODE_SUSPECT, "")
    assert answer.charset == "utf-8"
    assert answer.detail == "100% of the non-ASCII characters are no utf-8"


@pytest.mark.parametrize(
    ("code", "status"),
    [
        (202, ReturnStatus.BLOCKED),
        (204, ReturnStatus.NO_TEXT),
        (304, ReturnStatus.ERROR),
        (400, ReturnStatus.ERROR),
        (401, ReturnStatus.REFUSED),
        (403, ReturnStatus.REFUSED),
        (404, ReturnStatus.NOT_FOUND),
        (410, ReturnStatus.NOT_FOUND),
        (429, ReturnStatus.RATE_LIMITED),
        (451, ReturnStatus.REFUSED),
        (500, ReturnStatus.ERROR),
        (503, ReturnStatus.ERROR),
    ],
)
async def test_codes_have_statuses_and_error_pages_are_not_shown(
    code: int, status: ReturnStatus
) -> None:
    answer = await read(PAGE.encode(), code=code)
    assert (answer.status, answer.text, answer.detail) == (status, "", f"HTTP {code}")


async def test_an_oversize_page_is_too_large_and_keeps_its_beginning() -> None:
    body = PAGE.encode() + f"<p>{SENTENCE}</p>".encode() * 1_000
    answer = await read(body, "text/html; charset=utf-8", wire_bytes=3_001)
    assert (answer.status, answer.truncated) == (ReturnStatus.TOO_LARGE, True)
    assert answer.text.startswith(SENTENCE)
    assert "\ufffd" not in answer.text


async def test_a_compressed_bomb_is_too_large() -> None:
    bomb = gzip.compress(b"<p>" + b"word " * 2_000_000)
    response = httpx.Response(
        200, stream=httpx.ByteStream(bomb), headers={"Content-Encoding": "gzip"}
    )
    answer = await reader(response, ReadingConfig(body_bytes=50_000)).read(URL)
    assert answer.status is ReturnStatus.TOO_LARGE
    assert len(answer.text) <= 50_000


async def test_long_text_is_cut_and_says_so() -> None:
    answer = await read(PAGE.encode(), text_chars=10)
    assert answer.status is ReturnStatus.OK
    assert (answer.text, answer.truncated) == (SENTENCE[:10], True)


async def test_a_broken_exchange_is_an_error_with_its_part() -> None:
    class Broken(httpx.AsyncByteStream):
        async def __aiter__(self) -> AsyncIterator[bytes]:
            yield PAGE.encode()
            raise httpx.ReadError("reset")

    answer = await reader(httpx.Response(200, stream=Broken())).read(URL)
    assert (answer.status, answer.truncated) == (ReturnStatus.ERROR, True)
    assert answer.text == SENTENCE * 5


async def test_a_page_no_parser_survives_is_a_status(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_html: str) -> Extracted:
        raise RecursionError

    monkeypatch.setattr(document, "extract", fail)
    answer = await read(PAGE.encode())
    assert answer.status is ReturnStatus.NO_TEXT
    assert answer.detail == "no parser reads it (RecursionError)"


@pytest.mark.parametrize("depth", [300, 20_000])
async def test_deep_nesting_is_survived(depth: int) -> None:
    body = b"<div>" * depth + b"text " * 100 + b"</div>" * depth
    assert (await read(body)).status in (ReturnStatus.OK, ReturnStatus.NO_TEXT)


async def test_a_page_is_extracted_once_and_the_store_is_bounded(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen: list[str] = []

    def count(html: str) -> Extracted:
        seen.append(html)
        return Extracted("", html)

    monkeypatch.setattr(document, "extract", count)
    monkeypatch.setattr(reader_module, "_CACHED_PAGES", 2)

    def handler(request: httpx.Request) -> httpx.Response:
        return httpx.Response(200, html=f"<p>{request.url.path}</p>")

    pages = PageReader(ReadingClient(httpx.MockTransport(handler)))
    for path in ("a", "b", "a?again", "c", "a", "b"):
        answer = await pages.read(f"https://a.invalid/{path}")
        assert answer.request == f"https://a.invalid/{path}"
    assert [html[4:5] for html in seen] == ["a", "b", "c", "b"]


@pytest.mark.parametrize(("padding", "beside"), [(0, False), (200_000, True)])
async def test_a_large_page_is_extracted_by_a_worker(
    padding: int, beside: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    jobs: list[Job] = []
    real = Workshop.part

    async def note(self: Workshop, job: Job, body: bytes) -> Part | None:
        jobs.append(job)
        return await real(self, job, body)

    monkeypatch.setattr(Workshop, "part", note)
    answer = await read(PAGE.encode() + b"<!-- " + b"x" * padding + b" -->")
    assert answer.text == SENTENCE * 5
    assert [job.kind for job in jobs] == ["html"] * beside


async def pages_of(
    blocked: bool, benchmark: Callable[[str, str], bool]
) -> tuple[RetrievalAnswer, bytes]:
    def handler(request: httpx.Request) -> httpx.Response:
        if request.url.path == "/x":
            return httpx.Response(302, headers={"Location": "/y"})
        return httpx.Response(200, html=PAGE)

    client = ReadingClient(httpx.MockTransport(handler))
    pages = PageReader(client, ReadingConfig(block_benchmark=blocked), benchmark=benchmark)
    page = await pages.read_page(URL)
    await pages.aclose()
    return page


async def test_the_answer_names_its_bytes_and_where_they_came_from() -> None:
    answer, raw = await pages_of(False, lambda _url, _text: False)
    assert raw == PAGE.encode()
    assert answer.raw_sha256 == hashlib.sha256(raw).hexdigest()
    assert (answer.request, answer.final_url) == (URL, "https://a.invalid/y")
    assert (answer.charset, answer.flags) == ("utf-8", ())


@pytest.mark.parametrize("blocked", [False, True])
async def test_pages_of_the_benchmark_are_flagged_or_kept_back(blocked: bool) -> None:
    seen: list[tuple[str, str]] = []
    answer, _ = await pages_of(blocked, lambda url, text: not seen.append((url, text)))
    assert seen == [("https://a.invalid/y", SENTENCE * 5)]
    assert answer.flags == (Flag.BENCHMARK,)
    expected = (
        (ReturnStatus.BENCHMARK, "", "") if blocked else (ReturnStatus.OK, "例", SENTENCE * 5)
    )
    assert (answer.status, answer.title, answer.text) == expected


@pytest.mark.parametrize("host", ["xn--", "xn--i-7iq.ws", "xn--a.com"])
async def test_hosts_that_are_no_proper_names_are_answered(host: str) -> None:
    asked: list[str] = []

    def handler(request: httpx.Request) -> httpx.Response:
        asked.append(request.url.raw_host.decode())
        return httpx.Response(302, headers={"Location": f"http://{host}/there"})

    pages = PageReader(ReadingClient(httpx.MockTransport(handler)), ReadingConfig(redirects=1))
    try:
        answers = [await pages.read(f"http://{host}/"), await pages.read(URL)]
    finally:
        await pages.aclose()
    assert [answer.status for answer in answers] == [ReturnStatus.ADDRESS] * 2
    assert asked == ["a.invalid"]


@pytest.mark.parametrize(
    ("given", "asked"),
    [
        ("http://a.invalid/百\n度", "http://a.invalid/%E7%99%BE%E5%BA%A6"),
        ("http://%E4%BE%8B%E5%AD%90.invalid/x", "http://xn--fsqu00a.invalid/x"),
        ("http://a.invalid/%b0%d9", "http://a.invalid/%b0%d9"),
    ],
)
async def test_an_address_that_was_encoded_or_broken_over_lines_is_opened(
    given: str, asked: str
) -> None:
    sent: list[str] = []

    def handler(request: httpx.Request) -> httpx.Response:
        sent.append(str(request.url))
        return httpx.Response(404)

    pages = PageReader(ReadingClient(httpx.MockTransport(handler)))
    answer = await pages.read(given)
    assert (sent, answer.request) == ([asked], given)
    await pages.aclose()


@pytest.mark.parametrize(
    "url", ["http://%6c%6Fcalhost/", "http://%31%32%37.0.0.1/", "http://%5B::1%5D/"]
)
async def test_an_encoded_host_is_judged_by_what_it_says(url: str) -> None:
    pages = web_reader(ReadingConfig(robots=False), resolver=_nowhere)
    assert (await pages.read(url)).status in (ReturnStatus.ADDRESS, ReturnStatus.REFUSED)
    await pages.aclose()


async def _nowhere(host: str, port: int) -> list[str]:
    raise AssertionError(f"{host} was looked up")
