"""Stage tags out of what is observed of a run: packets, documents and distances never see one."""

from draligned.gates.marker_strip import strip_markers
from draligned.schema.observed import ObservedDraft, ObservedFinal, ObservedRequest, ObservedRun
from draligned.schema.progress import WORK_VALUES
from draligned.store.blobs import Blobs


def untagged(run: ObservedRun, blobs: Blobs) -> ObservedRun:
    """`run` as it is without its agent's stage tags, their number beside it.

    Hashes are of the texts without tags, which `blobs` gets; versions that differ by tags alone
    are one, and a text that held nothing but tags is none. The log stays as it was.
    """
    requests = [_request(request) for request in run.requests]
    shas = [text.text_sha256 for text in run.drafts]
    shas += [run.final.text_sha256] if run.final else []
    texts = {sha: strip_markers(blobs.get(sha), WORK_VALUES) for sha in dict.fromkeys(shas)}
    kept = {sha: blobs.put(found.text) if found.n_tags else sha for sha, found in texts.items()}
    chars = {sha: len(found.text) for sha, found in texts.items()}
    final = _text(run.final, kept, chars) if run.final else None
    n_in_texts = sum(found.n_tags for found in texts.values())
    return run.model_copy(
        update={
            "requests": tuple(request for request, _ in requests),
            "drafts": tuple(_versions(run, kept, chars)),
            "final": final,
            "n_tags_stripped": sum(n for _, n in requests) + n_in_texts,
        }
    )


def _request(request: ObservedRequest) -> tuple[ObservedRequest, int]:
    text, n_tags = strip_markers(request.request, WORK_VALUES)
    return request.model_copy(update={"request": text}), n_tags


def _versions(run: ObservedRun, kept: dict[str, str], chars: dict[str, int]) -> list[ObservedDraft]:
    out: list[ObservedDraft] = []
    for draft in run.drafts:
        if not chars[draft.text_sha256] and draft.chars:
            continue
        if not out or out[-1].text_sha256 != kept[draft.text_sha256]:
            changed = {"version_no": len(out) + 1, "chars": chars[draft.text_sha256],
                       "text_sha256": kept[draft.text_sha256]}  # fmt: skip
            out.append(draft.model_copy(update=changed))
    return out


def _text(
    final: ObservedFinal, kept: dict[str, str], chars: dict[str, int]
) -> ObservedFinal | None:
    if not chars[final.text_sha256] and final.chars:
        return None
    changed = {"text_sha256": kept[final.text_sha256], "chars": chars[final.text_sha256]}
    return final.model_copy(update=changed)
