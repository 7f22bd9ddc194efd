"""Where the answer to a request is recorded: equal requests, one place."""

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from draligned.retrieval.canonical import canonical_key
from draligned.schema.base import short_id

ToolName = Literal["search", "read"]


def request_key(tool: ToolName, request: str) -> str:
    """The canonical form of a request: a query exactly as sent, an address as its page's one."""
    return request if tool == "search" else canonical_key(request)


@dataclass(frozen=True)
class Place:
    """One request of one environment."""

    environment: str
    scope: str
    tool: ToolName
    request: str
    """In canonical form."""

    @cached_property
    def name(self) -> str:
        """16 hex digits that name the request."""
        return short_id(self.tool, self.request)

    @cached_property
    def key(self) -> str:
        """Its key in the study's store."""
        return f"retrieval/{self.environment}/{self.scope}/{self.name}.json"
