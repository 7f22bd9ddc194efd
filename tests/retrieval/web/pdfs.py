"""Small PDF files, made by hand or by pypdf's writer."""

import io
import zlib
from collections.abc import Sequence

from pypdf import PdfReader, PdfWriter


def pdf(pages: Sequence[str], title: str = "") -> bytes:
    """A PDF with one line of Latin text a page; an empty string gives a page without text."""
    objects = [b"<< /Type /Catalog /Pages 2 0 R >>", b""]
    kids = []
    font = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"
    objects.append(font)
    for text in pages:
        stream = f"BT /F1 12 Tf 72 700 Td ({text}) Tj ET".encode("latin-1") if text else b""
        packed = zlib.compress(stream)
        objects.append(
            b"<< /Length %d /Filter /FlateDecode >>\nstream\n%s\nendstream" % (len(packed), packed)
        )
        objects.append(
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents %d 0 R "
            b"/Resources << /Font << /F1 3 0 R >> >> >>" % len(objects)
        )
        kids.append(b"%d 0 R" % len(objects))
    objects[1] = b"<< /Type /Pages /Kids [%s] /Count %d >>" % (b" ".join(kids), len(kids))
    objects.append(b"<< /Title (%s) >>" % title.encode("latin-1"))
    return _file(objects, info=len(objects))


def encrypted(user_password: str) -> bytes:
    """A PDF encrypted with RC4, for which no further library is needed."""
    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(pdf(["Behind a password."]))))
    writer.encrypt(user_password, "owner", algorithm="RC4-128")
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


def bomb(megabytes: int) -> bytes:
    """A page whose stream unpacks to so many megabytes of drawing orders."""
    engine = zlib.compressobj(9)
    block = b"BT (a) Tj ET " * 80_000
    packed = b"".join(engine.compress(block) for _ in range(megabytes)) + engine.flush()
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [4 0 R] /Count 1 >>",
        b"<< /Length %d /Filter /FlateDecode >>\nstream\n%s\nendstream" % (len(packed), packed),
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Contents 3 0 R >>",
        b"<< /Title (bomb) >>",
    ]
    return _file(objects, info=5)


def _file(objects: Sequence[bytes], info: int) -> bytes:
    out = bytearray(b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n")
    places = []
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % place for place in places)
    out += b"trailer\n<< /Size %d /Root 1 0 R /Info %d 0 R >>\n" % (len(objects) + 1, info)
    return bytes(out + b"startxref\n%d\n%%%%EOF\n" % start)
