"""Pages that send their visitor on by an element."""

import httpx
import pytest

from draligned.retrieval.refresh import goes_on

HERE = httpx.URL("http://a.example/link?url=x")


@pytest.mark.parametrize(
    ("meta", "target"),
    [
        ('<meta http-equiv="refresh" content="0;url=/goal">', "http://a.example/goal"),
        ("<META HTTP-EQUIV=Refresh CONTENT='3; URL=http://b.example/x'>", "http://b.example/x"),
        ("<meta content=\"0;URL='http://b.example/'\" http-equiv='refresh'>", "http://b.example/"),
        ('<meta http-equiv=refresh content="0, http://b.example/">', "http://b.example/"),
        ('<meta http-equiv=refresh content="0.5;url=goal?a=1&amp;b=2">',
         "http://a.example/goal?a=1&b=2"),
        ('<meta http-equiv=refresh content="0;url=/百度">', "http://a.example/%E7%99%BE%E5%BA%A6"),
        ('<meta charset=utf-8><meta http-equiv=refresh content=0;url=/goal>',
         "http://a.example/goal"),
        ('<meta http-equiv="refresh" content="30;url=/goal">', None),
        ('<meta http-equiv="refresh" content="0">', None),
        ('<meta http-equiv="refresh" content="0;url=">', None),
        ('<meta http-equiv="refresh">', None),
        ('<meta http-equiv="refresh" content="0;url=/link?url=x#top">', None),
        ('<meta http-equiv="refresh" content="0;url=javascript:alert(1)">', None),
        ('<meta http-equiv="refresh" content="0;url=file:///etc/passwd">', None),
        ('<meta http-equiv="refresh" content="0;url=http://[">', None),
        ('<meta name="refresh" content="0;url=/goal">', None),
        ("<p>refresh content=0;url=/goal", None),
    ],
)  # fmt: skip
def test_where_a_page_sends_on(meta: str, target: str | None) -> None:
    found = goes_on(HERE, "", f"<html><head>{meta}</head></html>")
    assert (None if found is None else str(found)) == target


def test_a_page_with_a_text_of_its_own_is_read() -> None:
    meta = '<meta http-equiv="refresh" content="0;url=/goal">'
    assert goes_on(HERE, "You are sent on.", meta) is not None
    assert goes_on(HERE, "A long text. " * 40, meta) is None


@pytest.mark.parametrize("unit", ["<meta ", "<meta http-equiv=refresh ", "content=", "<meta a>"])
def test_hostile_markup_takes_no_time(unit: str) -> None:
    goes_on(HERE, "", unit * (50_000 // len(unit)))
