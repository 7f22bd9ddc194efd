"""PDFs: text up to its limits, typed failures, and a worker that may die without harm."""

import random
import time

import pytest

from draligned.retrieval.body import Cut
from draligned.retrieval.document import part_of
from draligned.retrieval.fetch import Fetched
from draligned.retrieval.pdf import pdf_text
from draligned.retrieval.workshop import Workshop
from draligned.schema.config import ReadingConfig
from draligned.schema.retrieval import ReturnStatus

from .web import pdfs

LINES = [f"Page number {n} of the report." for n in range(1, 8)]


def test_text_title_and_limits() -> None:
    whole = pdf_text(pdfs.pdf(LINES, "A title"), 200, 40_000)
    assert (whole.status, whole.title, whole.truncated) == (ReturnStatus.OK, "A title", False)
    assert whole.text == "\n\n".join(LINES)
    few = pdf_text(pdfs.pdf(LINES), 3, 40_000)
    assert (few.text, few.truncated) == ("\n\n".join(LINES[:3]), True)
    short = pdf_text(pdfs.pdf(LINES), 200, 40)
    assert (len(short.text), short.truncated) == (40, True)


@pytest.mark.parametrize("seed", range(30))
def test_damage_anywhere_is_a_part_or_a_typed_failure(seed: int) -> None:
    draw = random.Random(seed)
    body = bytearray(pdfs.pdf(LINES[:2]))
    for _ in range(draw.randrange(1, 40)):
        body[draw.randrange(8, len(body))] = draw.randrange(256)
    part = pdf_text(bytes(body[: draw.randrange(100, len(body))]), 200, 40_000)
    known = (ReturnStatus.OK, ReturnStatus.TYPE_MISMATCH, ReturnStatus.PDF_NO_TEXT,
             ReturnStatus.PDF_ENCRYPTED)  # fmt: skip
    assert part.status in known
    assert "\x00" not in part.text


async def read(body: bytes, cut: Cut | None = None, **limits: float) -> tuple[str, str, bool]:
    shop = Workshop()
    try:
        fetched = Fetched(200, "application/pdf", body, cut)
        part = await part_of(fetched, ReadingConfig.model_validate(limits), shop)
    finally:
        shop.close()
    return str(part.status), part.detail, part.truncated


async def test_a_bomb_is_given_up_within_its_time_and_the_next_pdf_is_read() -> None:
    shop = Workshop()
    config = ReadingConfig(extract_seconds=1.0)
    try:
        start = time.monotonic()
        bomb = Fetched(200, "application/pdf", pdfs.bomb(60))
        assert (await part_of(bomb, config, shop)).status is not ReturnStatus.OK
        assert time.monotonic() - start < 10
        sound = Fetched(200, "application/pdf", pdfs.pdf(LINES))
        assert (await part_of(sound, config, shop)).status is ReturnStatus.OK
    finally:
        shop.close()


async def test_a_cut_pdf_is_too_large_with_what_can_be_read() -> None:
    whole = pdfs.pdf([line * 20 for line in LINES * 20])
    status, detail, truncated = await read(whole[: len(whole) // 2], Cut.BYTES)
    assert (status, truncated) == ("too_large", True)
    assert "size limit" in detail


async def test_an_encrypted_pdf_is_that_whatever_its_size() -> None:
    assert (await read(pdfs.encrypted("x")))[0] == "pdf_encrypted"
