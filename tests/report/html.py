"""Reading the page in tests: elements, text, and a strict check of nesting."""

from html.parser import HTMLParser

from lxml import html
from lxml.html import HtmlElement

VOID = {"meta", "br", "rect", "path", "circle"}


def parse(page: str) -> HtmlElement:
    """The page's elements."""
    return html.document_fromstring(page)


def text(element: HtmlElement) -> str:
    """Visible text with single spaces."""
    return " ".join(element.text_content().split())


def lines(element: HtmlElement) -> str:
    """Visible text, one line a piece of text."""
    pieces = (" ".join(piece.split()) for piece in element.itertext())
    return "\n".join(piece for piece in pieces if piece) + "\n"


def find(page: str | HtmlElement, css_class: str) -> list[HtmlElement]:
    """Elements of a class."""
    root = parse(page) if isinstance(page, str) else page
    wanted = f"contains(concat(' ', normalize-space(@class), ' '), ' {css_class} ')"
    found: list[HtmlElement] = root.xpath(f"descendant-or-self::*[{wanted}]")
    return found


def sections(page: str) -> dict[str, HtmlElement]:
    """Sections by id."""
    return {s.get("id", ""): s for s in parse(page).iter("section")}


def shape(page: str) -> list[tuple[str, tuple[str, ...]]]:
    """Tags and names of attributes in order: what untrusted text must not change."""
    return [
        (str(e.tag), tuple(sorted(e.attrib))) for e in parse(page).iter() if isinstance(e.tag, str)
    ]


class _Nesting(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.faults: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = [name for name, _ in attrs]
        if len(set(names)) != len(names):
            self.faults.append(f"<{tag}> has an attribute twice")
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in VOID:
            self.faults.append(f"<{tag}/> is no void element")

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            self.faults.append(f"</{tag}> closes nothing")


def nesting_faults(page: str) -> list[str]:
    """What is wrong with the page's nesting; empty if every element is closed in order."""
    checker = _Nesting()
    checker.feed(page)
    checker.close()
    return checker.faults + [f"<{tag}> is left open" for tag in checker.open]
