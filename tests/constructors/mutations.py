"""Five ways to spoil an accepted card, one a fatal problem; wording of their own."""

from collections.abc import Callable

from draligned.schema.design import Detail, FactorCard, TaskRecord
from draligned.schema.labels import Problem

Spoil = Callable[[FactorCard, TaskRecord], tuple[FactorCard, TaskRecord]]

FOREIGN = {"residence": "稳健型", "pet": "民宿", "risk": "哈尔滨"}
"""A value of another kind, by kind; else a city."""

CLASH = {
    "residence": "在{q}上班，每天走路去公司",
    "pet": "朋友来家里总要先逗一逗那只{q}",
    "chronotype": "一到{q}就精神百倍",
    "personality": "同事都说他很{q}",
    "lodging": "上次出门住的也是{q}",
    "exercise_place": "办了一年的{q}月卡",
}
"""A detail that does not fit the recorded endpoint."""

FIXED = {
    "residence": "我住在{p}。",
    "pet": "家里是一只{p}。",
    "child_age": "孩子正在读{p}。",
    "chronotype": "我只有{p}有空。",
    "personality": "我这个人很{p}。",
}
"""What a task would say if it fixed the fact."""


def _with(card: FactorCard, **q: str) -> FactorCard:
    return card.model_copy(update={"q": card.q.model_copy(update=q)})


def contradict(card: FactorCard, task: TaskRecord) -> tuple[FactorCard, TaskRecord]:
    """A background detail contradicts the recorded endpoint."""
    text = CLASH.get(card.kind, "身边人都知道他与“{q}”分不开").replace("{q}", card.q.value)
    detail = Detail(path="行为特征/其他/见闻", text=text)
    return card.model_copy(update={"background": (*card.background, detail)}), task


def misplace(card: FactorCard, task: TaskRecord) -> tuple[FactorCard, TaskRecord]:
    """The counterfactual's value is of another kind."""
    foreign = FOREIGN.get(card.kind, "青岛")
    sentence = card.q.sentence.replace(card.q.value, foreign)
    return _with(card, sentence=sentence, value=foreign), task


def force(card: FactorCard, task: TaskRecord) -> tuple[FactorCard, TaskRecord]:
    """The task already says the fact."""
    said = FIXED.get(card.kind, "我的情况是{p}。").replace("{p}", card.p.value)
    return card, task.model_copy(update={"text": task.text + said})


def reveal(card: FactorCard, task: TaskRecord) -> tuple[FactorCard, TaskRecord]:
    """The endpoint states the decision's answer."""
    sentence = card.q.sentence.rstrip("。") + "，" + card.order_q[0] + "。"
    return _with(card, sentence=sentence), task


def double(card: FactorCard, task: TaskRecord) -> tuple[FactorCard, TaskRecord]:
    """A second fact changes along."""
    sentence = card.q.sentence.rstrip("。") + "，每天要坐两小时的车。"
    return _with(card, sentence=sentence), task


ALL: dict[Problem, Spoil] = {
    Problem.CONTRADICTION: contradict,
    Problem.IMPLAUSIBLE: misplace,
    Problem.TASK_FORCED: force,
    Problem.ANSWER_REVEALING: reveal,
    Problem.MULTIPLE_FACTORS: double,
}
