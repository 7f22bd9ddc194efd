"""A document as sentences, each with the section it stands in and its paragraph's number."""

import re
from collections.abc import Iterable, Iterator
from enum import StrEnum
from typing import Any, NamedTuple


class Section(StrEnum):
    """What a heading says of the text below it."""

    OPEN = "open"
    """No heading yet, or one that says nothing."""
    BACKGROUND = "background"
    USER = "user"
    MAIN = "main"
    SECONDARY = "secondary"
    SOURCES = "sources"


class Sentence(NamedTuple):
    """A sentence; `listed` says whether it stands in a list item."""

    text: str
    paragraph: int
    section: Section
    listed: bool


_HEADINGS: tuple[tuple[Section, re.Pattern[str]], ...] = tuple(
    (section, re.compile(pattern, re.IGNORECASE))
    for section, pattern in (
        (
            Section.SOURCES,
            "资料来源|参考|引用|文献|sources|references|bibliography|further reading",
        ),
        (Section.USER, "用户|您的情况|你的情况|about (?:the user|you)|user (?:profile|situation)"),
        (Section.SECONDARY, "备选|其他|补充|附录|可选|alternative|addition|other options|appendix"),
        (
            Section.MAIN,
            "建议|推荐|方案|计划|结论|行动|安排|recommend|plan|advice|conclusion|action|steps",
        ),
        (
            Section.BACKGROUND,
            "背景|概述|引言|简介|说明|现状|background|overview|introduction|context",
        ),
    )
)
_HEADING = re.compile(r"^\s{0,3}(?:#{1,6}\s+(?P<hash>.+?)\s*#*|\*\*(?P<bold>[^*]+)\*\*[:：]?)\s*$")
_LABEL = re.compile(r"^\s*(?P<label>[^。.!！?？，,]{2,24})[:：]\s*$")
_MARK = re.compile(r"^\s*(?:[-*+•|]|\d{1,3}[.)、．]|[（(]\d{1,3}[)）])\s*")
_BREAK = re.compile(r"(?<=[。！？!?；;])\s*|(?<=[a-z0-9”\"')]\.)\s+(?=[A-Z“\"])")
_NOTHING = re.compile(r"^[\s|:*_`~>-]*$")
_ADDRESS = re.compile(r"https?://\S+")


def sentences(paragraphs: Iterable[Any]) -> Iterator[Sentence]:
    """All sentences of a packet's paragraphs, in order; headings set the section."""
    section = Section.OPEN
    for paragraph in paragraphs:
        if not isinstance(paragraph, dict) or type(paragraph.get("no")) is not int:
            continue
        for line in str(paragraph.get("text", "")).splitlines():
            named = _heading(line)
            if named is not None:
                section = section_of(named)
            elif section is not Section.SOURCES:
                yield from _line(line, paragraph["no"], section)


def _heading(line: str) -> str | None:
    match = _HEADING.match(line)
    if match:
        return match["hash"] or match["bold"]
    label = _LABEL.match(line)
    return label["label"] if label else None


def section_of(heading: str) -> Section:
    """The section that a heading opens."""
    return next((s for s, p in _HEADINGS if p.search(heading)), Section.OPEN)


def _line(line: str, number: int, section: Section) -> Iterator[Sentence]:
    body = _MARK.sub("", line, count=1)
    listed = body != line.lstrip() and body != line
    for piece in _BREAK.split(body.strip()):
        text = _ADDRESS.sub("", piece).replace("**", "").strip()
        if not _NOTHING.match(text):
            yield Sentence(text, number, section, listed)
