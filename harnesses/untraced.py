"""Tracing off, whatever the environment says: no episode is ever uploaded (DESIGN §6)."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

from langsmith import tracing_context

_EXTINCT = ("LANGCHAIN_TRACING", "LANGCHAIN_HANDLER")
"""Variables of a tracer that no longer exists: at their sight langchain-core refuses to run."""


@contextmanager
def untraced() -> Iterator[None]:
    """Run a graph without tracers, also inside a caller's own traced block.

    The extinct variables leave this process's environment for good: put back at the
    end of one episode, they would break those that still run beside it.
    """
    for name in _EXTINCT:
        os.environ.pop(name, None)
    with tracing_context(enabled=False):
        yield
