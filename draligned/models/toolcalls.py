"""Tool calls as sent by providers of either interface, and names that can go back to them."""

import json
import re
from typing import Any

from draligned.models.content import Cleaner
from draligned.schema.chat import ToolCall

UNKNOWN_NAME = "unknown_tool"
"""Stands in an earlier call for a name that no server takes back."""

_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")


def sent_name(name: str) -> str:
    """The name of an earlier call as it goes back.

    Servers refuse a whole history over a name that is empty, too long or has other
    characters. No tool has such a name; the model reads in the result what was wrong.
    """
    return name if _NAME.fullmatch(name) else UNKNOWN_NAME


def tool_call(call_id: Any, name: Any, arguments: Any, cleaner: Cleaner) -> ToolCall:
    """One call as sent. A missing id stays empty: the loop gives ids that P and Q share."""
    return ToolCall(
        call_id=cleaner.text(call_id) if isinstance(call_id, str) else "",
        name=cleaner.text(name) if isinstance(name, str) else "",
        arguments=cleaner.arguments(as_text(arguments)),
    )


def as_text(arguments: Any) -> str:
    """Arguments as raw text; some providers send the object itself."""
    if arguments is None:
        return ""
    return arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
