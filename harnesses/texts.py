"""Fixed texts shown to the agent: tool descriptions and receipts, no numbers in any (DR-31)."""

from typing import NamedTuple

from draligned.schema.design import Lang


class Receipts(NamedTuple):
    """What the agent is told after a call; the same for P and Q (DR-17)."""

    draft_saved: str
    submitted: str
    invalid: str
    """Followed by the problem."""
    exhausted: str


RECEIPTS: dict[Lang, Receipts] = {
    "zh": Receipts(
        draft_saved="草稿已保存。",
        submitted="报告已提交。",
        invalid="tool_call_invalid：该调用未执行。问题：",
        exhausted="budget_exhausted：该调用未执行。",
    ),
    "en": Receipts(
        draft_saved="The draft was saved.",
        submitted="The report was submitted.",
        invalid="tool_call_invalid: the call was not executed. Problem: ",
        exhausted="budget_exhausted: the call was not executed.",
    ),
}


class ToolText(NamedTuple):
    """A tool's description and those of its arguments, in order."""

    tool: str
    arguments: tuple[str, ...]


SEARCH: dict[Lang, ToolText] = {
    "zh": ToolText("搜索网页，返回标题、网址和摘要。", ("搜索词。",)),
    "en": ToolText(
        "Search the web; returns titles, addresses and snippets.", ("What to search for.",)
    ),
}
READ: dict[Lang, ToolText] = {
    "zh": ToolText("读取一个网页的正文。", ("网页的网址。",)),
    "en": ToolText("Read the text of one web page.", ("Address of the page.",)),
}
SUBMIT_REPORT: dict[Lang, ToolText] = {
    "zh": ToolText("提交报告。可以再次提交，以最后一次为准。", ("报告全文。",)),
    "en": ToolText(
        "Submit the report. It may be submitted again; the last submission counts.",
        ("Full text of the report.",),
    ),
}
WRITE_REPORT: dict[Lang, ToolText] = {
    "zh": ToolText("保存报告草稿。保存草稿不等于提交。", ("草稿全文。",)),
    "en": ToolText(
        "Save a draft of the report. Saving a draft does not submit it.",
        ("Full text of the draft.",),
    ),
}
