"""Bytes to text: hard case 13."""

import codecs
import encodings.aliases

import pytest
from hypothesis import given
from hypothesis import strategies as st

from draligned.retrieval.charset import SUSPECT_SHARE, codec_of, decode, header_charset

ARTICLE = "朱镕基的镕字不在旧国标里，这是一个常见的例子。我们说的话和他们的书都可以这样写。"
RARE = ARTICLE + "㐂𠮷"
TRADITIONAL = "這是一個常見的例子，我們說的話和他們的書都可以這樣寫，沒有什麼問題。"
JAPANESE = "これはよくある例です。私たちの本はこのように書くことができます。"
KOREAN = "이것은 흔한 예입니다. 우리의 책은 이렇게 쓸 수 있다고 합니다."


@pytest.mark.parametrize("label", ["gb2312", "GBK", "gb18030", "x-gbk", "GB_2312-80"])
def test_gb_labels_are_read_as_gb18030(label: str) -> None:
    decoded = decode(RARE.encode("gb18030"), f"text/html; charset={label}")
    assert decoded == (RARE, "gb18030", "header", 0.0)


@pytest.mark.parametrize(
    ("text", "codec"),
    [
        (ARTICLE, "utf-8"),
        (ARTICLE, "gbk"),
        (RARE, "gb18030"),
        (TRADITIONAL, "big5"),
        (JAPANESE, "shift_jis"),
        (JAPANESE, "euc_jp"),
        (KOREAN, "euc_kr"),
        ("Un café à la carte, déjà vu", "cp1252"),
    ],
)
@pytest.mark.parametrize("ascii_first", [0, 15_000])
def test_without_a_label_the_text_decides(text: str, codec: str, ascii_first: int) -> None:
    markup = "<i class='x'></i>" * (ascii_first // 17)
    decoded = decode((markup + text).encode(codec), "text/html")
    assert decoded.text == markup + text
    assert decoded.source == "detection"


def test_a_meta_label_behind_much_markup_is_found() -> None:
    head = "<html>" + " " * 15_000 + '<meta http-equiv=C content="text/html; charset=gb2312">'
    decoded = decode((head + RARE).encode("gb18030"), "text/html")
    assert (decoded.text, decoded.source) == (head + RARE, "meta")


def test_the_order_is_bom_header_meta() -> None:
    meta = '<meta charset="big5">'
    with_bom = decode(codecs.BOM_UTF8 + (meta + ARTICLE).encode(), "text/html; charset=gbk")
    header = decode((meta + ARTICLE).encode("gbk"), "text/html; charset=gbk")
    assert (with_bom.source, with_bom.text) == ("bom", meta + ARTICLE)
    assert (header.source, header.text) == ("header", meta + ARTICLE)


def test_a_header_that_cannot_be_right_gives_way() -> None:
    meta = '<meta charset="gb2312">'
    assert decode((meta + RARE).encode("gb18030"), "text/html; charset=utf-8").source == "meta"
    assert decode(ARTICLE.encode(), "text/html; charset=iso-8859-1").text == ARTICLE
    french = "Un café à la carte"
    assert decode(french.encode(), "text/html; charset=iso-8859-1").text == french
    assert decode(ARTICLE.encode(), "text/html; charset=klingon").text == ARTICLE


def test_utf16_needs_no_more_than_its_mark() -> None:
    for codec, mark in (("utf-16-le", codecs.BOM_UTF16_LE), ("utf-16-be", codecs.BOM_UTF16_BE)):
        assert decode(mark + ARTICLE.encode(codec), "text/html").text == ARTICLE


@pytest.mark.parametrize(
    "text",
    [
        "姓名,城市\n张伟,杭州\n李娜,深圳\n",
        "联系电话：0571-88888888",
        "糖醋排骨 红烧牛肉",
        "名,龄\n安,3\n",
    ],
)
def test_a_few_words_of_chinese_without_a_label_are_read(text: str) -> None:
    assert decode(text.encode("gbk"), "text/plain").text == text
    latin = decode(text.encode("gbk"), "text/plain; charset=iso-8859-1")
    assert latin.text == text or text.startswith("名")  # six bytes in pairs: the label stands


@pytest.mark.parametrize(
    ("text", "codec"),
    [("Москва, ул. Тверская", "cp1251"), ("Москва сегодня", "koi8-r"), ("Αθήνα Ελλάδα", "cp1253"),
     ("กรุงเทพมหานคร", "cp874"), ("カフェ・メニュー", "cp932")],
)  # fmt: skip
def test_what_no_label_and_no_western_language_explains_is_suspect(text: str, codec: str) -> None:
    for label in ("", "; charset=iso-8859-1"):
        assert decode(text.encode(codec), f"text/plain{label}").replaced > SUSPECT_SHARE
    assert decode(text.encode(codec), f"text/plain; charset={codec}").text == text


@pytest.mark.parametrize(
    "text",
    ["Crème brûlée à la façon d'Éric", "Größe, Äpfel, schön", "¡Olé! ¿Qué? créée",
     "naïve – “a” … Zoë’s", "1°C, 20°C, ±5 ½ ¼ §3", "Øre, Åse og Æble på øen",
     "Ação, coração, não, são"],
)  # fmt: skip
def test_western_text_without_a_label_is_read(text: str) -> None:
    assert decode(text.encode("cp1252"), "text/plain") == (text, "cp1252", "detection", 0.0)
    assert decode(text.encode("cp1252"), "text/plain; charset=latin1").source == "header"


def test_an_xml_declaration_counts_as_meta() -> None:
    text = f'<?xml version="1.0" encoding="gbk"?><html>{ARTICLE}</html>'
    assert decode(text.encode("gbk"), "") == (text, "gb18030", "meta", 0.0)


def test_a_body_cut_inside_a_character_stays_clean() -> None:
    for codec in ("utf-8", "gb18030"):
        body = ARTICLE.encode(codec)[:-1]
        decoded = decode(body, f"text/html; charset={codec}", complete=False)
        assert decoded.replaced == 0.0
        assert decoded.text == ARTICLE[:-1]


def test_bytes_that_are_no_text_show_in_the_share() -> None:
    noise = bytes(range(128, 256)) * 20
    decoded = decode(noise, "text/html; charset=utf-8")
    assert decoded.replaced > SUSPECT_SHARE


@pytest.mark.parametrize("label", ["", "none", "unicode_escape", "punycode", "base64", "rot13"])
def test_labels_that_are_no_charset_are_unknown(label: str) -> None:
    assert codec_of(label) is None


@pytest.mark.parametrize("label", sorted(set(encodings.aliases.aliases.values()) - {"mbcs", "oem"}))
def test_no_label_breaks_decoding(label: str) -> None:
    decode(ARTICLE.encode(), f"text/html; charset={label}")


@given(st.binary(max_size=300), st.text(max_size=30))
def test_any_bytes_under_any_header_give_text(body: bytes, header: str) -> None:
    decoded = decode(body, header)
    assert 0.0 <= decoded.replaced <= 1.0
    assert decoded.text.encode("utf-8") is not None


def test_the_charset_of_a_header() -> None:
    assert header_charset('text/html; Charset="GBK"; x=1') == "GBK"
    assert header_charset("text/html") == ""
