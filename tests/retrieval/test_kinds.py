"""First bytes decide what a body is, then the header: hard case 14."""

import pytest

from draligned.retrieval.kinds import Kind, kind_of


@pytest.mark.parametrize(
    ("body", "content_type", "kind"),
    [
        (b"", "text/html", Kind.EMPTY),
        (b" \n\t", "text/html", Kind.EMPTY),
        (b"%PDF-1.7\n...", "application/pdf", Kind.PDF),
        (b"%PDF-1.7\n...", "text/html; charset=utf-8", Kind.PDF),
        (b"junk\n%PDF-1.4\n1 0 obj\n", "text/html", Kind.PDF),
        (b"<!DOCTYPE html><title>%PDF-1.4</title><p>1 0 obj", "text/html", Kind.HTML),
        (b"files begin with %PDF-1.4", "text/plain", Kind.TEXT),
        (b"no magic here", "application/pdf", Kind.OTHER),
        (b"<!DOCTYPE html><p>x", "application/pdf", Kind.HTML),
        (b"\xef\xbb\xbf\n<HTML>", "application/octet-stream", Kind.HTML),
        (b"<p>x</p>", "text/html", Kind.HTML),
        (b"<p>x</p>", "", Kind.HTML),
        (b"a < b, no tag at all", "text/html", Kind.TEXT),
        (b"plain", "", Kind.TEXT),
        (b"plain", "TEXT/PLAIN; charset=utf-8", Kind.TEXT),
        (b"\x89PNG\r\n\x1a\n\x00\x00", "text/html", Kind.OTHER),
        (b"{}", "application/json", Kind.TEXT),
        (b"a,b\n1,2", "text/csv", Kind.TEXT),
        (b"<?xml version='1.0'?>\n<!-- x -->\n<html>", "application/xml", Kind.HTML),
        (b"<?xml version='1.0'?><rss>", "application/xml", Kind.TEXT),
        (b"{}", "application/octet-stream", Kind.OTHER),
        (b"GIF89a....", "text/plain", Kind.OTHER),
        (b"PK\x03\x04....", "text/html", Kind.OTHER),
        (b"\x1f\x8b....", "text/html", Kind.OTHER),
        (b"a\x01b", "text/plain", Kind.OTHER),
        (b"<p>a\x01b", "text/html", Kind.HTML),
        (b"\xff\xfe<\x00p\x00>\x00", "text/html", Kind.HTML),
        ("<p>".encode("utf-16-le"), "text/html; charset=utf-16", Kind.HTML),
    ],
)
def test_kinds(body: bytes, content_type: str, kind: Kind) -> None:
    assert kind_of(body, content_type) is kind
