"""A streamed chat completion, put together as if it had not been streamed."""

from typing import Any, NamedTuple

from draligned.models.call_deltas import CallAssembler, CallDraft
from draligned.models.content import join_pieces, part_text
from draligned.models.payload import Payload, unexpected
from draligned.models.returned import AT_MESSAGE, DetailsDraft
from draligned.models.stops import stop_reason
from draligned.models.toolcalls import as_text
from draligned.schema.chat import StopReason

_TEXTS = ("reasoning_content", "reasoning", "refusal")


class PartDraft(NamedTuple):
    """A part of a content list under way."""

    kind: Any
    texts: list[str]

    def payload(self) -> dict[str, Any]:
        """The part as it stands in a completion that is not streamed."""
        return {"type": self.kind, "text": join_pieces(self.texts)}


class ChoiceDraft:
    """One choice under way."""

    def __init__(self) -> None:
        self.finish: Any = None
        self._rest: dict[str, Any] = {}
        self._content: list[Any] = []
        self._odd: dict[str, Any] = {}
        self._texts: dict[str, list[str]] = {}
        self._calls = CallAssembler()
        self._details = DetailsDraft()
        self._old: CallDraft | None = None
        self._whole: dict[str, Any] | None = None

    def add(self, choice: dict[str, Any]) -> None:
        """Take in one chunk of this choice."""
        self._rest.update({k: v for k in ("error", "usage") if (v := choice.get(k))})
        if finish := choice.get("finish_reason"):
            self._finish(finish)
        delta = choice.get("delta")
        if isinstance(delta, dict):
            self._delta(delta)
        if isinstance(choice.get("message"), dict):
            self._whole = choice["message"]

    def _finish(self, finish: Any) -> None:
        """A plain stop that follows another reason does not replace it."""
        if self.finish is None or stop_reason(finish) is not StopReason.STOP:
            self.finish = finish

    def _delta(self, delta: dict[str, Any]) -> None:
        self._add_content(delta.get("content"))
        for field in _TEXTS:
            if isinstance(delta.get(field), str):
                self._texts.setdefault(field, []).append(delta[field])
        self._details.add(delta.get(AT_MESSAGE))
        calls = delta.get("tool_calls")
        if isinstance(calls, list):
            for place, raw in enumerate(calls):
                self._calls.add(raw, beside=place > 0)
        elif calls:
            self._odd["tool_calls"] = calls
        if isinstance(old := delta.get("function_call"), dict):
            self._old = self._old or CallDraft()
            self._old.add(None, str(old.get("name") or ""), as_text(old.get("arguments")))

    def _add_content(self, content: Any) -> None:
        if isinstance(content, str):
            self._content.append(content)
        elif isinstance(content, list):
            for part in content:
                self._add_part(part)
        elif content is not None:
            self._odd["content"] = content

    def _add_part(self, part: Any) -> None:
        """Pieces of one part of the content become one again: they carry parts of a text."""
        text = part_text(part) if isinstance(part, dict) else ""
        before = self._content[-1] if self._content else None
        if not text:
            self._content.append(part)
        elif isinstance(before, PartDraft) and before.kind == part.get("type"):
            before.texts.append(text)
        else:
            self._content.append(PartDraft(part.get("type"), [text]))

    def payload(self) -> dict[str, Any]:
        """The choice as it stands in a completion that is not streamed."""
        return {"message": self._message(), "finish_reason": self.finish, **self._rest}

    def _message(self) -> dict[str, Any]:
        if self._whole is not None:
            return self._whole
        message: dict[str, Any] = {k: join_pieces(v) for k, v in self._texts.items()}
        message["content"] = self._whole_content()
        message["tool_calls"] = self._calls.payload()
        if details := self._details.payload():
            message[AT_MESSAGE] = details
        if self._old is not None:
            message["function_call"] = {"name": self._old.name, "arguments": self._old.arguments}
        return {**message, **self._odd}

    def _whole_content(self) -> str | list[Any] | None:
        texts = [part for part in self._content if isinstance(part, str)]
        if len(texts) == len(self._content):
            return join_pieces(texts) if texts else None
        return [p.payload() if isinstance(p, PartDraft) else p for p in self._content]


class ChatChunks:
    """Takes the chunks of one completion. It is whole once it has said why it stopped."""

    def __init__(self) -> None:
        self.done = False
        self._choices: dict[Any, ChoiceDraft] = {}
        self._head: dict[str, Any] = {}

    def add(self, name: str, chunk: Payload) -> None:
        """Take in one chunk. An error ends the stream."""
        error = chunk.get("error") or (chunk if name == "error" else None)
        if error:
            self._head, self._choices, self.done = {"error": error}, {}, True
            return
        self._head.update({k: v for k in ("model", "usage") if (v := chunk.get(k))})
        choices = chunk.get("choices") or []
        if not isinstance(choices, list) or not all(isinstance(c, dict) for c in choices):
            raise unexpected("choices of an unknown shape", chunk)
        for choice in choices:
            index = choice.get("index")
            index = index if isinstance(index, int) else 0
            self._choices.setdefault(index, ChoiceDraft()).add(choice)

    def close(self) -> None:
        """The provider says that nothing follows."""
        self.done = True

    def payload(self) -> Payload | None:
        """The completion; None where the stream ended before it was whole."""
        ended = self._choices and all(c.finish is not None for c in self._choices.values())
        if not self.done and not ended:
            return None
        return {**self._head, "choices": [c.payload() for c in self._choices.values()]}
