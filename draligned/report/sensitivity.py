"""The main estimates with one setting changed at a time, each in a box of its own."""

from dataclasses import dataclass

from draligned.report.boxes import Box, make_box
from draligned.report.data import ReportData
from draligned.report.nulls import control_line
from draligned.report.rows import each_group, only
from draligned.report.texts import Texts


@dataclass(frozen=True, kw_only=True)
class Choice:
    """Boxes of one harness under one choice of one setting."""

    title: str
    boxes: tuple[Box, ...]


def choices_of(data: ReportData, evaluator: str, texts: Texts) -> tuple[Choice, ...]:
    """By setting, choice and harness, in alphabetical order."""
    frame = only(data.table("sensitivity"), evaluator=evaluator, model="all")
    out = []
    for (setting, choice, harness), found in each_group(frame, "setting", "choice", "harness"):
        title = texts(
            "sensitivity.title",
            setting=texts.word("setting", setting),
            choice=texts.word("choice", choice),
            harness=harness,
        )
        boxes = tuple(
            make_box(row, texts, control_line(data, row, texts))
            for row in found
            if not str(row["estimand"]).startswith("readability")
        )
        out.append(Choice(title=title, boxes=boxes))
    return tuple(out)
