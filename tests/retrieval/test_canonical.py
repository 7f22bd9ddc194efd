"""One key for one page: HARD_CASES 18."""

from urllib.parse import unquote_to_bytes

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from draligned.retrieval.canonical import canonical_key, host_key

BAIDU = "https://baike.example/item/%E7%99%BE%E5%BA%A6"
SAME = [
    [
        BAIDU,
        "https://baike.example/item/百度",
        "https://baike.example/item/%e7%99%be%e5%ba%a6",
        "HTTPS://Baike.EXAMPLE:443/item/百%E5%BA%A6#top",
        " https://baike.example./%69tem/./百度\n",
        "https://baike.example:0443/x/../item/百度",
    ],
    [
        "http://例子.测试/",
        "http://xn--fsqu00a.xn--0zwm56d",
        "http://XN--FSQU00A.xn--0zwm56d:80/",
        "http://例子。测试./",
        "http://例子．测试:/",
        "http://例子｡测试:0080",
        "http://%E4%BE%8B%E5%AD%90.%E6%B5%8B%E8%AF%95/",
        "http://%e4%be%8b子.%e6%b5%8b%E8%AF%95",
        "http://例\n子.测试\t/",
    ],
    ["http://a/百度/x", "http://a/百\n度/\r\nx", "http://a/%E7%99%BE%E5\t%BA%A6/x"],
    ["http://ＢＡＩＤＵ.com/", "http://baidu。com", "http://baidu.com/"],
    ["http://a/%7Eu/%2D", "http://a/~u/-"],
    ["http://[2606:2800:0:0:0:0:0:1]/", "http://[2606:2800::1]"],
    ["http://a/?q=百度", "http://a/?q=%E7%99%BE%e5%ba%a6"],
    ["http://a/b c", "http://a/b%20c"],
]
APART = [
    "http://a/", "https://a/", "http://a/b", "http://a/b/", "http://a/B", "http://a/?", "http://a/?b",
    "http://a/x%2Fy", "http://a/x/y", "http://a/%25E7", "http://a/%E7", "http://a:81/",
    "http://a/?b=1&a=2", "http://a/?a=2&b=1", "http://a/%B0%D9%B6%C8", "http://a/百度",
    "http://a/x%3Fy", "http://a/x?y", "http://a/%23", "http://u@a/", "http://a//", "http://a/+",
    "http://a/%20", "http://a/%2B", "ftp://a/", "a", "",
]  # fmt: skip


@pytest.mark.parametrize("spellings", SAME, ids=lambda group: group[0])
def test_spellings_of_one_page_have_one_key(spellings: list[str]) -> None:
    assert len({canonical_key(url) for url in spellings}) == 1


def test_pages_that_differ_keep_their_keys_apart() -> None:
    assert len({canonical_key(url) for url in APART}) == len(APART)


@pytest.mark.parametrize(
    ("url", "key"),
    [
        ("https://baike.example/item/百度", BAIDU),
        ("http://a/%b0%d9%b6%c8", "http://a/%B0%D9%B6%C8"),
        ("http://a/x%2fy", "http://a/x%2Fy"),
        ("http://a/%25e7", "http://a/%25e7"),
        ("http://a/%zz%", "http://a/%zz%"),
        ("http://a/\ud835", "http://a/%ED%A0%B5"),
        ("mailto:a@b", "mailto:a@b"),
        ("http://", "http://"),
        ("http://a:x/", "http://a:x/"),
        ("http://a/%2e%2e/b/.", "http://a/b/"),
        ("http://%41.example/", "http://a.example/"),
        ("http://a%2Fb/", "http://a%2fb/"),
        ("http://a%2540b/", "http://a%2540b/"),
        ("http://%B0%D9.cn/", "http://%b0%d9.cn/"),
    ],
)
def test_keys(url: str, key: str) -> None:
    assert canonical_key(url) == key


@given(st.text(max_size=60))
def test_a_key_is_its_own_key(text: str) -> None:
    for url in (text, f"http://a/{text}", f"http://{text}/", f"https://a?{text}",
                f"http://%{text.encode().hex('%')}/"):  # fmt: skip
        key = canonical_key(url)
        assert canonical_key(key) == key


@given(st.text(st.characters(codec="utf-8", exclude_characters="#?%"), max_size=30))
def test_what_is_sent_has_the_key_of_what_was_given(text: str) -> None:
    url = f"http://a/x{text.strip()}"
    try:
        sent = str(httpx.URL(url))
    except httpx.InvalidURL:
        return
    assert canonical_key(sent) == canonical_key(url)


@given(st.binary(min_size=1, max_size=20))
def test_percent_codes_of_any_bytes_survive(raw: bytes) -> None:
    path = "".join(f"%{byte:02x}" for byte in raw)
    key = canonical_key(f"http://a/x{path}")
    assert httpx.URL(key).raw_path.decode().upper().count("%") <= len(raw)
    assert unquote_to_bytes(key)[len(b"http://a/x") :] == raw or b"." in raw


def test_hosts() -> None:
    assert host_key("EXAMPLE.com.") == "example.com"
    assert host_key("a_b") == "a_b"
    assert host_key("☃☃.例子") in ("xn--n3ha.xn--fsqu00a", "☃☃.例子")
