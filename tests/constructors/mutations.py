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


EN = {"residence": "cautious", "risk": "Glasgow"}
"""A value of another kind, English; else a city."""


def _with(card: FactorCard, **q: str) -> FactorCard:
    return card.model_copy(update={"q": card.q.model_copy(update=q)})


def _and(card: FactorCard, clause: str) -> str:
    mark, comma = ("。", "，") if card.lang == "zh" else (".", ", ")
    return card.q.sentence.rstrip(mark) + comma + clause + mark


def contradict(card: FactorCard, task: TaskRecord) -> tuple[FactorCard, TaskRecord]:
    """A background detail contradicts the recorded endpoint."""
    text = CLASH.get(card.kind, "身边人都知道他与“{q}”分不开")
    if card.lang == "en":
        text = "Last year it was still {q}, as the neighbours recall"
    detail = Detail(path="行为特征/其他/见闻", text=text.replace("{q}", card.q.value))
    return card.model_copy(update={"background": (*card.background, detail)}), task


def misplace(card: FactorCard, task: TaskRecord) -> tuple[FactorCard, TaskRecord]:
    """The counterfactual's value is of another kind."""
    foreign = FOREIGN.get(card.kind, "青岛")
    if card.lang == "en":
        foreign = EN.get(card.kind, "Edinburgh")
    sentence = card.q.sentence.replace(card.q.value, foreign)
    return _with(card, sentence=sentence, value=foreign), task


def force(card: FactorCard, task: TaskRecord) -> tuple[FactorCard, TaskRecord]:
    """The task already says the fact."""
    said = FIXED.get(card.kind, "我的情况是{p}。")
    if card.lang == "en":
        said = " With me it has always been {p}."
    return card, task.model_copy(update={"text": task.text + said.replace("{p}", card.p.value)})


def reveal(card: FactorCard, task: TaskRecord) -> tuple[FactorCard, TaskRecord]:
    """The endpoint states the decision's answer."""
    return _with(card, sentence=_and(card, card.order_q[0])), task


def double(card: FactorCard, task: TaskRecord) -> tuple[FactorCard, TaskRecord]:
    """A second fact changes along."""
    clause = "每天要坐两小时的车" if card.lang == "zh" else "and spend two hours a day on the bus"
    return _with(card, sentence=_and(card, clause)), task


ALL: dict[Problem, Spoil] = {
    Problem.CONTRADICTION: contradict,
    Problem.IMPLAUSIBLE: misplace,
    Problem.TASK_FORCED: force,
    Problem.ANSWER_REVEALING: reveal,
    Problem.MULTIPLE_FACTORS: double,
}
