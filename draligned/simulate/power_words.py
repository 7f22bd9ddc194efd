"""What `simulate power` says beside its numbers, in English and Chinese."""

from collections.abc import Iterator
from dataclasses import dataclass

import pandas as pd

from draligned.schema.errors import ConfigError
from draligned.simulate.power import CHANNELS, ENOUGH, Question


@dataclass(frozen=True, kw_only=True)
class Words:
    """The words of one language; placeholders are filled by name."""

    header: tuple[str, ...]
    study: str
    pilot: str
    smallest: str
    none: str
    nothing: str
    columns: tuple[str, ...]

    def about(self, question: Question, studies: int) -> str:
        """What is simulated."""
        shape = question.shape
        return self.study.format(
            tasks=shape.tasks, models=shape.models, replicates=shape.replicates,
            users=-(-shape.tasks // shape.tasks_per_user), studies=studies,
            a=question.readability["A"], f=question.readability["F"],
        )  # fmt: skip

    def pilot_lines(self, question: Question) -> Iterator[str]:
        """The variances used, by channel."""
        for channel in CHANNELS:
            if question.pilot is not None:
                parts = question.pilot[channel]
                yield self.pilot.format(
                    channel=channel, user=parts.user, task=parts.task, model=parts.model,
                    rest=parts.rest, pairs=parts.n_pairs, tasks=parts.n_tasks, mean=parts.mean,
                )  # fmt: skip

    def notes(self, found: pd.DataFrame, studies: int) -> Iterator[str]:
        """The smallest effect that is told from zero often enough, and how to read the table."""
        for estimand, rows in found.groupby("estimand", sort=True):
            seen = rows[(rows["interval"] >= ENOUGH) & (rows["planted"] != 0)]
            if len(seen):
                least = seen.iloc[int(seen["planted"].abs().to_numpy().argmin())]
                yield self.smallest.format(
                    estimand=estimand, effect=least["planted"], share=least["interval"] * 100
                )
            elif (rows["planted"] != 0).any():
                yield self.none.format(estimand=estimand, share=ENOUGH * 100)
        yield from self.columns
        error = 100 * (0.25 / studies) ** 0.5
        yield self.nothing.format(error=error)


_EN = Words(
    header=("quantity", "true D", "mean D̂", "readable pairs", "± half width", "covered",
            "interval", "test", "planned"),
    study=("{studies} studies for each effect: {tasks} tasks of {users} users × {models} models, "
           "{replicates} run(s) an arm; readable pairs A {a:.0%}, F {f:.0%}"),
    pilot=("D_{channel} of the pilot: variances user {user:.4f}, task {task:.4f}, "
           "model {model:.4f}, rest {rest:.4f}; mean {mean:.3f} over {pairs} readable pairs of "
           "{tasks} tasks"),
    smallest="{estimand}: {effect:g} is told from zero in {share:.0f} % of studies",
    none="{estimand}: none of these effects is told from zero in {share:.0f} % of studies",
    columns=(
        "covered: intervals (ci_union) that hold the true D; where they are fewer than 95 %, what "
        "is unreadable or misread biases D̂",
        "interval: studies whose recommended interval (ci_union) of readable pairs excludes zero",
        "test: studies whose task sign-flip test rejects zero at 5 %",
        "planned: studies whose interval of all planned pairs excludes zero, whatever the "
        "unreadable ones were",
        "true D 0: there both shares are false alarms, about 5 % where pairs are missing at random",
    ),
    nothing=("Each share is uncertain by up to ±{error:.1f} points (standard error). Simulated "
             "studies: no evidence about any language model."),
)  # fmt: skip
_ZH = Words(
    header=("量", "真实 D", "D̂ 均值", "可读配对", "± 半宽", "覆盖", "区间", "检验", "计划"),
    study=("每个效应模拟 {studies} 项研究：{tasks} 个任务（{users} 名用户）× {models} 个模型，每臂 "
           "{replicates} 次运行；可读配对 A {a:.0%}，F {f:.0%}"),
    pilot=("先导研究的 D_{channel}：方差 用户 {user:.4f}，任务 {task:.4f}，模型 {model:.4f}，"
           "其余 {rest:.4f}；{tasks} 个任务 {pairs} 个可读配对的均值 {mean:.3f}"),
    smallest="{estimand}：{effect:g} 在 {share:.0f} % 的研究中可与零区分",
    none="{estimand}：所列效应没有一个能在 {share:.0f} % 的研究中与零区分",
    columns=(
        "覆盖：推荐区间（ci_union）包含真实 D 的比例；明显低于 95 % 时，说明缺失或误读使 D̂ 有偏",
        "区间：可读配对的推荐区间（ci_union）不含零的研究所占比例",
        "检验：按任务符号翻转检验在 5 % 水平拒绝零的研究所占比例",
        "计划：无论不可读配对取何值，全部计划配对的区间都不含零的研究所占比例",
        "真实 D 为 0 的行：两个比例都是误报；随机缺失时约为 5 %",
    ),
    nothing="每个比例的标准误最多 ±{error:.1f} 个百分点。模拟研究不构成关于任何语言模型的证据。",
)  # fmt: skip


def words_in(lang: str) -> Words:
    """Words of a language. Raises `ConfigError` for one that there is not."""
    known = {"en": _EN, "zh": _ZH}
    if lang not in known:
        raise ConfigError(f"--lang {lang!r}: it is zh or en")
    return known[lang]
