"""Runs without their agents' stage tags: hashes, versions and counts."""

from pathlib import Path

import pytest

from draligned.schema.base import sha256_text
from draligned.schema.observed import ObservedDraft, ObservedFinal, ObservedRequest, ObservedRun
from draligned.schema.retrieval import ReturnStatus
from draligned.store.blobs import Blobs
from draligned.store.local import LocalStore
from draligned.study.untagged import untagged

from .test_reading import observed

TAG = "\n\n<stage>drafting</stage>"


@pytest.fixture
def blobs(tmp_path: Path) -> Blobs:
    return Blobs(LocalStore(tmp_path))


def run(blobs: Blobs, drafts: list[str], final: str | None, query: str = "q") -> ObservedRun:
    request = ObservedRequest(
        request_no=1, seq=1, tool="search", request=query, return_status=ReturnStatus.OK
    )
    plain = observed(
        drafts=tuple(
            ObservedDraft(version_no=n, seq=10 * n, text_sha256=blobs.put(t), chars=len(t))
            for n, t in enumerate(drafts, start=1)
        ),
        final=None if final is None else ObservedFinal(
            seq=90, text_sha256=blobs.put(final), chars=len(final), by="submission"
        ),
    )  # fmt: skip
    return plain.model_copy(update={"requests": (request,)})


def test_texts_are_named_by_what_is_left_and_can_be_read(blobs: Blobs) -> None:
    seen = untagged(run(blobs, ["一" + TAG, "二" + TAG], "二<stage>submitted</stage>"), blobs)
    assert [(d.version_no, d.seq, d.chars, blobs.get(d.text_sha256)) for d in seen.drafts] == [
        (1, 10, 1, "一"), (2, 20, 1, "二"),
    ]  # fmt: skip
    assert seen.final is not None
    assert (seen.final.text_sha256, seen.final.chars) == (sha256_text("二"), 1)
    assert seen.n_tags_stripped == 3


def test_versions_that_differ_by_a_tag_alone_are_one(blobs: Blobs) -> None:
    seen = untagged(run(blobs, ["一", "一" + TAG, "二", "一"], "一" + TAG), blobs)
    assert [(d.version_no, d.seq) for d in seen.drafts] == [(1, 10), (2, 30), (3, 40)]
    assert seen.n_tags_stripped == 1, "the final is a draft's text: its tag is counted once"


def test_a_query_loses_its_tag(blobs: Blobs) -> None:
    seen = untagged(run(blobs, [], None, "杭州 演讲" + TAG), blobs)
    assert [r.request for r in seen.requests] == ["杭州 演讲"]
    assert seen.n_tags_stripped == 1


def test_what_is_nothing_but_a_tag_is_no_text(blobs: Blobs) -> None:
    seen = untagged(run(blobs, [TAG, "一"], TAG), blobs)
    assert [(d.version_no, d.seq) for d in seen.drafts] == [(1, 20)]
    assert seen.final is None
    assert seen.n_tags_stripped == 1, "one text, one tag"


def test_a_run_without_tags_is_as_it_was(blobs: Blobs) -> None:
    plain = run(blobs, ["一\n\n", ""], "二  \n")
    assert untagged(plain, blobs) == plain
