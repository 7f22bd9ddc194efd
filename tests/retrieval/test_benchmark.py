"""Pages of the benchmark: known by where they stand, or by what they quote."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from draligned.retrieval.benchmark import CHARACTERS, BenchmarkPages, is_benchmark_place, units_of

EN = (
    "Draw up a plan for twelve months of saving and investing, step by step, for a first-time saver"
)
ZH = "请为一位初次理财的年轻人制定一份十二个月的储蓄与投资计划，并逐步说明每一步的理由和风险"


@pytest.mark.parametrize(
    "url",
    [
        "https://github.com/OPPO-PersonalAI/PersonalizedDeepResearchBench",
        "HTTPS://GitHub.com/oppo-personalai/PersonalizedDeepResearchBench/blob/main/README.md",
        "https://raw.githubusercontent.com/OPPO-PersonalAI/PersonalizedDeepResearchBench/main/a",
        "https://huggingface.co/datasets/PersonalAILab/PersonalizedDeepResearchBench/tree/main",
        "https://hf-mirror.com/datasets/someone/PDR-Bench",
        "https://www.modelscope.cn/datasets/x/PersonalizedDeepResearchBench",
        "https://github.com/someone/%50ersonalizedDeepResearchBench",
        "https://arxiv.org/abs/2509.25106v2",
        "https://arxiv.org/pdf/2509.25106",
        "https://huggingface.co/papers/2509.25106",
        "https://www.alphaxiv.org/abs/2509.25106",
    ],
)
def test_places(url: str) -> None:
    assert is_benchmark_place(url)
    assert BenchmarkPages([])(url, "")


@pytest.mark.parametrize(
    "url",
    [
        "https://github.com/OPPO-PersonalAI/OtherRepository",
        "https://arxiv.org/abs/2509.25107",
        "https://example.org/2509.25106",
        "https://huggingface.co/datasets/squad",
        "https://en.wikipedia.org/wiki/Benchmark",
        "not an address",
        "",
    ],
)
def test_other_places(url: str) -> None:
    assert not is_benchmark_place(url)


@pytest.mark.parametrize("task", [EN, ZH])
def test_a_long_stretch_word_for_word_counts_however_it_is_set(task: str) -> None:
    pages = BenchmarkPages([EN, ZH])
    middle = task[5:] if task == ZH else task.partition(" ")[2]
    for text in (task, f"x {middle} y", task.upper(), task.replace(" ", "\n"), f"«{task}»"):
        assert pages("https://a.example/", text)


def test_a_page_on_the_same_matter_does_not_count() -> None:
    pages = BenchmarkPages([EN, ZH])
    text = (
        "A first-time saver may draw up a plan for twelve months of saving. Investing comes later, "
        "step by step. 年轻人初次理财，可以先制定储蓄计划，再考虑投资的风险。"
        "请为自己制定一份十二个月的计划。"
    )
    assert not pages("https://a.example/", text)
    assert not pages("https://a.example/", "")


def test_a_short_task_counts_as_a_whole_and_a_tiny_one_never() -> None:
    short = "How do I learn to swim as an adult"
    assert BenchmarkPages([short])("", f"He asked: {short}?")
    assert not BenchmarkPages([short])("", "How do I learn to swim")
    assert not BenchmarkPages(["Learn to swim"])("", "Learn to swim")


@given(st.text(max_size=200), st.integers(0, 20))
def test_any_text_can_be_a_task_and_is_found_again(text: str, start: int) -> None:
    pages = BenchmarkPages([text])
    enough = len(units_of(text)) >= CHARACTERS
    assert pages.quotes_task(text) or not enough
    pages.quotes_task(text[start:])
