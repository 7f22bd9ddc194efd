"""The corpus as a web site."""

from urllib.parse import unquote, urlsplit

import httpx

from draligned.retrieval.corpus import Page
from draligned.retrieval.site import build_site, host_of, page_html, url_of

PAGE = Page(
    id="zh-1-01",
    task_id="1",
    lang="zh",
    title="甲 <b> & 乙",
    slug="甲 乙/丙?",
    text='段 <script>alert("1")</script>\n\n## 小标题\n\n说明：\n- 一\n- 二',
)


def test_addresses_are_percent_encoded_on_a_reserved_host() -> None:
    parts = urlsplit(url_of(PAGE))
    assert parts.hostname == host_of("zh") == "zh.corpus.draligned.invalid"
    assert parts.path.isascii()
    assert unquote(parts.path.rpartition("/1/")[2]) == "甲 乙/丙?"


def test_markdown_becomes_escaped_html() -> None:
    html = page_html(PAGE, [PAGE])
    assert "<title>甲 &lt;b&gt; &amp; 乙</title>" in html
    assert "<p>段 &lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;</p>" in html
    assert "<h2>小标题</h2>\n<p>说明：</p>\n<ul><li>一</li><li>二</li></ul>" in html


def test_every_page_has_boilerplate_around_it() -> None:
    html = page_html(PAGE, [PAGE])
    assert html.count(f'<a href="{url_of(PAGE)}">') == 2
    assert "<nav" in html
    assert "<footer" in html


async def test_pages_and_404_are_served_as_utf8_html() -> None:
    page = PAGE.model_copy(update={"slug": "甲"})
    transport = httpx.ASGITransport(app=build_site("zh", [page]))
    async with httpx.AsyncClient(transport=transport, trust_env=False) as client:
        found = await client.get(url_of(page))
        missing = [await client.get(f"https://{host_of('zh')}{path}") for path in ("/", "/1/x")]
    assert found.status_code == 200
    assert found.headers["content-type"] == "text/html; charset=utf-8"
    assert found.text == page_html(page, [page])
    assert [answer.status_code for answer in missing] == [404, 404]
    assert "页面不存在" in missing[0].text
