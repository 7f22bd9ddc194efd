"""A small task, persona and card for tests."""

from typing import Any

from draligned.bench_data.kinds import Kind, kind_named
from draligned.bench_data.relevance import row_for
from draligned.constructors.cards import rule_card
from draligned.constructors.values import recognise
from draligned.schema.design import Detail, FactorCard, Persona, TaskRecord

TASK = TaskRecord(
    task_id="1", domain="Career", lang="zh", text="想提升领导力，请安排课程与活动。", users=("U",)
)
RESIDENCE = "基础属性/长期空间特征/常住地"
DETAILS = (
    ("基础属性/身份特征/姓名", "林一"),
    ("基础属性/身份特征/职业", "软件工程师"),
    ("基础属性/身份特征/教育背景/研究生", "浙江大学计算机学院"),
    (RESIDENCE, "杭州，租住在公司附近"),
    ("基础属性/长期空间特征/老家", "武汉，父母住在老城区"),
    ("基础属性/长期空间特征/空间影响", "杭州的互联网氛围影响了林一"),
    ("环境/地理位置/常去地点", "林一常去图书馆 {task} {0.__class__} ${HOME} %s"),
)


def persona(*extra: tuple[str, str]) -> Persona:
    """The sample persona with further details."""
    return Persona(
        user_id="U",
        lang="zh",
        details=tuple(Detail(path=p, text=t) for p, t in (*DETAILS, *extra)),
    )


def kind(name: str) -> Kind:
    """A kind by name."""
    found = kind_named(name, "zh")
    assert found is not None
    return found


def residence_card(*extra: tuple[str, str], task: TaskRecord = TASK) -> FactorCard:
    """The residence card of the sample persona, not yet reviewed."""
    row = row_for("residence", task.domain, "zh")
    assert row is not None
    found = recognise(kind("residence"), DETAILS[3][1])
    return rule_card(task, persona(*extra), RESIDENCE, kind("residence"), found, row)


def own_kind() -> dict[str, Any]:
    """A hand-written card of a kind that no rule knows; it fits the bundled English set."""
    return {
        "task_id": "1",
        "user_id": "User1",
        "kind": "tea_or_coffee",
        "field_path": ("Basic Attributes/Long-term Spatial Characteristics/Permanent Residence"),
        "evidence_quote": "Leeds",
        "p": {"sentence": "I drink tea.", "words": ["tea"]},
        "q": {"sentence": "I drink coffee.", "words": ["coffee"]},
        "decision": "where meetings are held",
        "order_p": ["a teahouse meeting", "an office meeting", "an espresso bar meeting"],
        "order_q": ["an espresso bar meeting", "an office meeting", "a teahouse meeting"],
        "axis": {"question": "which drink is planned for", "guidance": "name the drink"},
    }
