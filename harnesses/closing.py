"""What a reply without a call comes to, where a server handed the model's raw output on.

Without the right parser, reasoning stands in tags before the answer, and calls stand in the text
with no call beside it. The first is no part of what was said (HARD_CASES 3); the second is a call
that was lost on the way, and no report (HARD_CASES 1).
"""

import re
from collections.abc import Collection
from typing import Any

from draligned.schema.strictjson import loads

_TAG = re.compile(
    r"(?:<(?P<closes>/)?(?:think|thinking|thought|reasoning)>|\[(?P<ends>/)?THINK\]"
    r"|◁(?P<shuts>/)?think▷|<\|channel\|>(?:analysis|(?P<final>final))<\|message\|>)\s*",
    re.IGNORECASE,
)
_MARK = re.compile(
    r"<tool_calls?>|<function_calls>|<invoke\s|<function=|\[TOOL_CALLS\]|\bto=functions\."
    r"|<[|｜](?:DSML[|｜])?(?:tool|function)[\w▁]*[|｜>]|<[|｜]DSML[|｜]"
)
"""How chat templates of models in use begin a call."""
_INDENT_CHARS = 64
"""Most blanks before a tag that begins a line."""
_HEAD_CHARS = 200
"""After a mark, where the tool's name is looked for."""
_ENDS = ("}", "]", ">", "`")
_FENCES = (
    re.compile(r"```\w*[ \t]*\n(?P<body>[^`]*)```\Z"),
    re.compile(r"```\w*[ \t]*\n(?P<body>.*)```\Z", re.DOTALL),
)
"""The last fence, and all from the first on: a report inside a call may have its own."""
_CODE = re.compile(r"(?:print\()?\[?\s*(?:\w+\.)?(?P<name>\w+)\(.*\)\s*\]?", re.DOTALL)
_NAMES = ("name", "tool", "tool_name", "action", "function")
_ARGUMENTS = ("arguments", "parameters", "args", "input", "action_input")


def spoken(text: str) -> str:
    """`text` less the reasoning in tags; unchanged where there is none.

    Reasoning that is never closed leaves nothing. A closing tag that nothing opened ends reasoning
    that the prompt began. Later on only reasoning that begins a line is taken out, none in code.
    """
    kept = _Kept(text)
    for tag in _TAG.finditer(text):
        kept.meet(tag)
    return kept.all()


class _Kept:
    """What is kept of a text, tag by tag; each character is looked at once."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.parts: list[str] = []
        self.at = 0
        """Where the part begins that is still to be kept."""
        self.opened: int | None = None
        """Where the reasoning began that is not closed yet."""
        self.stray = False
        """Whether a tag within a line is open, as where a text speaks of tags."""
        self.ticks, self.seen = 0, 0

    def meet(self, tag: re.Match[str]) -> None:
        """Take in the next tag."""
        closes = any(tag.groupdict().values())
        if self.opened is not None:
            if closes:
                self._cut(self.opened, tag.end())
            return
        self.ticks += self.text.count("`", self.seen, tag.start())
        self.seen = tag.start()
        if self.ticks % 2:
            return
        if not closes:
            begins = self._begins_line(tag.start())
            self.opened, self.stray = (tag.start(), False) if begins else (None, True)
        elif self.stray:
            self.stray = False
        else:
            self.parts = []
            self._cut(self.at, tag.end())

    def _begins_line(self, place: int) -> bool:
        start = max(self.at, place - _INDENT_CHARS)
        _, newline, before = self.text[start:place].rpartition("\n")
        return not before.strip() and (bool(newline) or start == self.at)

    def _cut(self, start: int, end: int) -> None:
        self.parts.append(self.text[self.at : start])
        self.at = self.seen = end
        self.opened, self.ticks = None, 0

    def all(self) -> str:
        """All that was kept, once there are no more tags."""
        before = "".join((*self.parts, self.text[self.at : self.opened]))
        if self.opened is None:
            return before.lstrip() if self.at else before
        return before + self.text[self.opened :] if before.strip() else ""


def written_call(text: str, names: Collection[str]) -> str | None:
    """The tool whose call `text` ends with, written out; none where it is a reply.

    `names` are those of the tools of the harness: calls of others are no calls here.
    """
    bare = text.strip()
    if bare.endswith(_ENDS) and (tool := _marked(bare, names)):
        return tool
    fences = _FENCES if bare.endswith("```") else ()
    found = [bare, *(m["body"].strip() for fence in fences if (m := fence.search(bare)))]
    called = (_as_json(body, names) or _as_code(body, names) for body in found)
    return next((tool for tool in called if tool), None)


def _marked(text: str, names: Collection[str]) -> str | None:
    """The tool named behind the first mark outside code: where single backticks and fences of
    three are closed."""
    ticks, seen = 0, 0
    for mark in _MARK.finditer(text):
        ticks, seen = ticks + text.count("`", seen, mark.start()), mark.start()
        if ticks % 2 == 0:
            head = text[seen : mark.end() + _HEAD_CHARS]
            return next((w for w in re.findall(r"[A-Za-z_]\w*", head) if w in names), None)
    return None


def _as_json(text: str, names: Collection[str]) -> str | None:
    """The tool named by a text that is JSON and nothing else."""
    try:
        return _named(loads(text), names)
    except ValueError:
        return None


def _named(value: Any, names: Collection[str]) -> str | None:
    if isinstance(value, list):
        return _named(value[0], names) if value else None
    if not isinstance(value, dict):
        return None
    for inside in ("tool_calls", "function", "tool_call"):
        if isinstance(value.get(inside), dict | list):
            return _named(value[inside], names)
    name = next((value[key] for key in _NAMES if isinstance(value.get(key), str)), "")
    known = name.removeprefix("functions.")
    return known if known in names and any(key in value for key in _ARGUMENTS) else None


def _as_code(text: str, names: Collection[str]) -> str | None:
    """The tool of a text that is a function call and nothing else."""
    found = _CODE.fullmatch(text)
    return found["name"] if found and found["name"] in names else None
