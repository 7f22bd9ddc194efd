"""What a results file says beside the words: reasoning tokens, caches, who simulated the customer.

Providers leave this where they like; what is not there stays unknown (SI-81, SI-82).
"""

from collections.abc import Iterator, Mapping
from statistics import median
from typing import Any, Literal, NamedTuple

from draligned.progress.tau2.reading import PLAIN
from draligned.schema.strictjson import clean_text
from draligned.schema.tau2 import TauArgs, TauMessage, TauRun

Cache = Literal["cached", "uncached", "unknown"]
_DETAILS = ("completion_tokens_details", "output_tokens_details")
_CACHED = (("prompt_tokens_details", "cached_tokens"), ("input_tokens_details", "cached_tokens"))


class Reasoning(NamedTuple):
    """Reasoning tokens of a set of calls."""

    calls: int
    known: int
    """Calls that say how many reasoning tokens they took."""
    nonzero: int
    median: float | None
    """Over the calls that say it."""
    median_present: float | None
    """Over those of them that took any."""


def reasoning_of(messages: list[TauMessage]) -> Reasoning:
    """Reasoning tokens of the agent's calls; the greeting is none."""
    found = [tokens_of(m) for m in messages]
    known = [tokens for tokens in found if tokens is not None]
    some = [tokens for tokens in known if tokens]
    return Reasoning(
        calls=len(found), known=len(known), nonzero=len(some),
        median=float(median(known)) if known else None,
        median_present=float(median(some)) if some else None,
    )  # fmt: skip


def tokens_of(message: TauMessage) -> int | None:
    """Reasoning tokens of one call, if they are told anywhere."""
    for usage in _usages(message):
        for name in _DETAILS:
            told = _whole(_at(usage, name, "reasoning_tokens"))
            if told is not None:
                return told
        told = _whole(usage.get("reasoning_tokens"))
        if told is not None:
            return told
    return None


def _usages(message: TauMessage) -> Iterator[Mapping[str, Any]]:
    for usage in (message.usage, (message.raw_data or {}).get("usage")):
        if isinstance(usage, dict):
            yield usage


def _at(held: Mapping[str, Any], *path: str) -> Any:
    found: Any = held
    for name in path:
        found = found.get(name) if isinstance(found, dict) else None
    return found


def _whole(value: Any) -> int | None:
    told = isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**53
    return value if told else None


def requested(args: TauArgs | None) -> str:
    """Whether reasoning was asked for, as far as the file tells: a word of its settings."""
    if args is None:
        return "unknown"
    if args.reasoning_effort is not None:
        return f"effort {_word(args.reasoning_effort, 'effort')}"
    return "not requested" if args.thinking is None else f"thinking {_word(args.thinking, 'type')}"


def _word(setting: Any, key: str) -> str:
    """A setting, or what an object holds under `key`, where it is one plain word."""
    held = setting.get(key) if isinstance(setting, dict) else setting
    return held if isinstance(held, str) and PLAIN.fullmatch(held) else "given"


def cache_of(run: TauRun) -> Cache:
    """Whether any prompt of the agent came from a cache."""
    told = [
        _whole(_at(usage, *path))
        for m in run.messages if m.role == "assistant"
        for usage in _usages(m) for path in _CACHED
    ]  # fmt: skip
    known = [tokens for tokens in told if tokens is not None]
    if not known:
        return "unknown"
    return "cached" if any(known) else "uncached"


def simulators_of(run: TauRun, planned: str | None) -> str:
    """Who simulated the customer: the models that answered where that is told, else the planned
    one."""
    told = {
        clean_text(name).text for m in run.messages if m.role == "user"
        for name in [(m.raw_data or {}).get("model")] if isinstance(name, str)
    }  # fmt: skip
    return " + ".join(sorted(told)) or planned or "unknown"
