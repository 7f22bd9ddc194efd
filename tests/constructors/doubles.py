"""A scripted chat model."""

from collections.abc import Callable

from draligned.schema.chat import ChatReply, ChatRequest, Message, StopReason, Usage


def replied(text: str | None, stop: StopReason = StopReason.STOP) -> ChatReply:
    """A reply of that text."""
    return ChatReply(
        message=Message(role="assistant", text=text),
        stop=stop,
        usage=Usage(input_tokens=1, output_tokens=1),
        requested_model="fake",
        echoed_model=None,
        request_sha256="0" * 64,
    )


class Scripted:
    """Answers each request with what `script` makes of it, and keeps the requests."""

    def __init__(self, script: Callable[[ChatRequest], str | None], name: str = "fake") -> None:
        self.script = script
        self.name = name
        self.requested_model = name
        self.key = f"key-{name}"
        self.asked: list[ChatRequest] = []

    async def complete(self, request: ChatRequest) -> ChatReply:
        """The scripted answer."""
        self.asked.append(request)
        return replied(self.script(request))
