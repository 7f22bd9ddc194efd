"""How far one text is from another: content-token edit distance, sentences kept (DR-97, Q14)."""

from collections.abc import Sequence
from dataclasses import dataclass

from rapidfuzz.distance import Levenshtein

from draligned.measure.tokens import Content, Cut, content

NO_TOKENS = "no_content_tokens"
NO_TEXT = "text_missing"


@dataclass(frozen=True, kw_only=True)
class Edit:
    """One text compared with another; numbers are none where the reason is given."""

    n_tokens_from: int | None = None
    n_tokens_to: int | None = None
    distance: float | None = None
    n_sentences: int | None = None
    n_verbatim: int | None = None
    reason: str | None = None


def token_distance(before: Sequence[str], after: Sequence[str]) -> float | None:
    """Levenshtein distance over tokens by the longer length, in [0, 1]; none of two empty ones."""
    if not before and not after:
        return None
    return Levenshtein.normalized_distance(before, after)


def compare(before: Content, after: Content) -> Edit:
    """Distance of two texts, and how many sentences of the first stand whole in the second.

    The distance is symmetric, the sentences are not.
    """
    distance = token_distance(before.tokens, after.tokens)
    if distance is None:
        return Edit(n_tokens_from=0, n_tokens_to=0, reason=NO_TOKENS)
    kept = set(after.sentences)
    return Edit(
        n_tokens_from=len(before.tokens),
        n_tokens_to=len(after.tokens),
        distance=distance,
        n_sentences=len(before.sentences),
        n_verbatim=sum(sentence in kept for sentence in before.sentences),
    )


def compare_texts(before: str, after: str, cut: Cut = "characters") -> Edit:
    """`compare` of two texts."""
    return compare(content(before, cut), content(after, cut))
