"""A streamed answer of the responses interface, put together as if it had not been streamed."""

from typing import Any

from draligned.models.content import join_pieces
from draligned.models.payload import Payload, unexpected

_ENDS = {
    "response.completed": "completed",
    "response.incomplete": "incomplete",
    "response.failed": "failed",
    "response.cancelled": "cancelled",
}
_TEXT_DELTAS = {
    "response.output_text.delta": "output_text",
    "response.refusal.delta": "refusal",
    "response.reasoning_text.delta": "reasoning_text",
}


class ItemDraft:
    """One output item under way."""

    def __init__(self) -> None:
        self.item: dict[str, Any] = {}
        self.whole = False
        self._texts: dict[tuple[Any, str], list[str]] = {}
        self._summary: dict[Any, list[str]] = {}
        self._arguments: list[str] = []

    def take(self, item: Any, *, whole: bool) -> None:
        """The item as announced, or as it is in the end."""
        if isinstance(item, dict):
            self.item, self.whole = item, whole

    def delta(self, kind: str, event: dict[str, Any]) -> None:
        """A piece of its text or of its arguments."""
        piece = event.get("delta")
        if not isinstance(piece, str):
            return
        if kind in _TEXT_DELTAS:
            part = (_place(event, "content_index"), _TEXT_DELTAS[kind])
            self._texts.setdefault(part, []).append(piece)
        elif kind == "response.reasoning_summary_text.delta":
            self._summary.setdefault(_place(event, "summary_index"), []).append(piece)
        elif kind == "response.function_call_arguments.delta":
            self._arguments.append(piece)

    def payload(self) -> dict[str, Any]:
        """The item; of one that was never called whole, what its pieces make."""
        if self.whole:
            return self.item
        out = dict(self.item)
        if self._texts:
            parts = self._texts.items()
            out["content"] = [{"type": kind, "text": join_pieces(t)} for (_, kind), t in parts]
            out.setdefault("type", "reasoning" if self._reasons() else "message")
        if self._summary:
            texts = [join_pieces(t) for t in self._summary.values()]
            out["summary"] = [{"type": "summary_text", "text": t} for t in texts]
            out.setdefault("type", "reasoning")
        if self._arguments:
            out["arguments"] = join_pieces(self._arguments)
            out.setdefault("type", "function_call")
        return out

    def _reasons(self) -> bool:
        return all(kind == "reasoning_text" for _, kind in self._texts)


def _place(event: dict[str, Any], field: str) -> int:
    value = event.get(field)
    return value if isinstance(value, int) else 0


class ResponseEvents:
    """Takes the events of one answer. Only its last event makes it whole."""

    def __init__(self) -> None:
        self.done = False
        self._items: dict[int, ItemDraft] = {}
        self._by_id: dict[str, int] = {}
        self._final: Payload | None = None

    def add(self, name: str, event: Payload) -> None:
        """Take in one event. An error ends the stream."""
        kind = event.get("type")
        kind = kind if isinstance(kind, str) else name
        if kind in _ENDS:
            self._end(kind, event)
        elif kind == "error" or event.get("error"):
            self._final, self.done = {"error": event.get("error") or event}, True
        elif kind.startswith("response."):
            self._piece(kind, event)

    def close(self) -> None:
        """Says nothing here: an answer ends with an event of its own."""

    def _end(self, kind: str, event: Payload) -> None:
        response = event.get("response")
        if not isinstance(response, dict):
            raise unexpected("a last event without its response", event)
        self._final, self.done = {"status": _ENDS[kind], **response}, True

    def _piece(self, kind: str, event: Payload) -> None:
        draft = self._items.setdefault(self._number(event), ItemDraft())
        if kind == "response.output_item.added":
            draft.take(event.get("item"), whole=False)
        elif kind == "response.output_item.done":
            draft.take(event.get("item"), whole=True)
        else:
            draft.delta(kind, event)

    def _number(self, event: Payload) -> int:
        """The item's number, or the order of its id where a server leaves numbers out."""
        if "output_index" in event:
            return _place(event, "output_index")
        item = event.get("item")
        item_id = event.get("item_id") or (item.get("id") if isinstance(item, dict) else None)
        return self._by_id.setdefault(str(item_id), len(self._by_id))

    def payload(self) -> Payload | None:
        """The answer; None where the stream ended before its last event.

        Some servers leave the output of the last event empty: then it is what was
        streamed. One that holds fewer calls than were streamed has lost some.
        """
        final = self._final
        if final is None or final.get("error") or ("output" not in final and not self._items):
            return final
        streamed = [d.payload() for _, d in sorted(self._items.items())]
        streamed = [item for item in streamed if item]
        output = final.get("output") or streamed
        if _calls(output) < _calls(streamed):
            raise unexpected("the last event lacks calls that were streamed", final)
        return {**final, "output": output}


def _calls(output: Any) -> int:
    items = output if isinstance(output, list) else []
    return sum(isinstance(i, dict) and i.get("type") == "function_call" for i in items)
