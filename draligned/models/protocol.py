"""The one interface between the project and any chat model."""

from typing import Protocol

from draligned.schema.chat import ChatReply, ChatRequest


class ChatModel(Protocol):
    """A chat model as asked for; one instance serves many calls at once."""

    @property
    def name(self) -> str:
        """The name in study.toml."""
        ...

    @property
    def key(self) -> str:
        """Identity by content (`schema.ids.model_key`)."""
        ...

    @property
    def requested_model(self) -> str:
        """The model name sent to the provider; an echo of it verifies nothing (DR-40)."""
        ...

    async def complete(self, request: ChatRequest) -> ChatReply:
        """Answer one request, retried under the frozen attempt policy.

        Raises `RateLimited` (cell stays open), `RequestRefused` (4xx),
        `BadResponse` or `ProviderError` when the policy is used up, and
        `SpendLimit` before a call that the user's limits forbid.
        """
        ...
