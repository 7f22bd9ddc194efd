"""Where the driver's CPU goes: its stack looked at every millisecond of CPU time.

A sampling profile leaves the shares as they are; one that traces every call would not.
"""

import signal
import sys
from collections import Counter
from collections.abc import Callable
from types import FrameType

INTERVAL_SECONDS = 0.001
PLACES = (
    ("/draligned/models/encode", "encoding the body"),
    ("/draligned/models/pieces", "encoding the body"),
    ("/draligned/models/tokens", "encoding the body"),
    ("/draligned/models/parse", "reading the reply"),
    ("/draligned/models/content", "reading the reply"),
    ("/draligned/models/turn", "reading the reply"),
    ("/draligned/study/ledger", "attempt ledger"),
    ("/draligned/study/log", "event log"),
    ("/draligned/store/", "writing to the disk"),
    ("/draligned/schema/", "records (pydantic)"),
    ("/draligned/models/", "model client: limits, retries, accounts"),
    ("/harnesses/sandbox/", "sandbox"),
    ("/harnesses/", "harness loop"),
    ("/draligned/retrieval/", "rendering results"),
    ("/langgraph/", "LangGraph"),
    ("/langchain_core/", "LangGraph"),
    ("/langsmith/", "LangGraph"),
    ("/openai/", "SDK and HTTP"),
    ("/httpx2/", "SDK and HTTP"),
    ("/httpcore2/", "SDK and HTTP"),
    ("/h11/", "SDK and HTTP"),
    ("/anyio/", "SDK and HTTP"),
    ("/draligned/", "claims, plan, launches"),
    ("/asyncio/", "event loop"),
)
REST = "everything else"


def place_of(frame: FrameType | None) -> str:
    """The part of the program to which the innermost known frame belongs."""
    while frame is not None:
        name = frame.f_code.co_filename
        for fragment, place in PLACES:
            if fragment in name:
                return place
        frame = frame.f_back
    return REST


def shares(work: Callable[[], object]) -> dict[str, float]:
    """Share of CPU time by place while `work` ran, the largest first; they add up to 1."""
    seen: Counter[str] = Counter()

    def look(_signal: int, frame: FrameType | None) -> None:
        seen[place_of(frame)] += 1

    before = signal.signal(signal.SIGPROF, look)
    signal.setitimer(signal.ITIMER_PROF, INTERVAL_SECONDS, INTERVAL_SECONDS)
    try:
        work()
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        signal.signal(signal.SIGPROF, before)
    total = sum(seen.values())
    if not total:
        sys.exit("the profile is empty: there is no CPU timer on this system")
    return {place: n / total for place, n in seen.most_common()}
