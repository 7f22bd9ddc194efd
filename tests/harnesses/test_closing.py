"""Closing replies of models whose raw output was handed on: reasoning in tags, calls in text."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from draligned.harnesses.closing import spoken, written_call
from draligned.harnesses.registry import COUPLED, H_D, HARNESSES
from draligned.schema.base import sha256_text
from draligned.schema.endings import EndedBy, EpisodeEnd, Outcome
from draligned.schema.events import DelegationClosed, HandedOver
from draligned.schema.harness import HarnessSpec
from draligned.study.observe import observe

from .doubles import World, call, condition, header, made, says, script

NAMES = frozenset(COUPLED.tool_order)
ARGS = '{"query": "杭州 演讲"}'
JSON = f'{{"name": "search", "arguments": {ARGS}}}'
REPORT = "# 报告\n\n建议在杭州练习。\n\n```json\n{}\n```\n\n（完）"
BEGIN, SEP, END = "<｜tool▁call▁begin｜>", "<｜tool▁sep｜>", "<｜tool▁call▁end｜>"

CALLS = {
    "hermes": f"<tool_call>\n{JSON}\n</tool_call>",
    "hermes, not closed": f"<tool_call>\n{JSON}",
    "after words": f"我先查一下。\n\n<tool_call>{JSON}</tool_call>",
    "xml": "<tool_call>\n<function=search>\n<parameter=query>\nx\n</parameter>\n</function>",
    "keys and values": "<tool_call>search\n<arg_key>query</arg_key>\n<arg_value>x</arg_value>\n"
    "</tool_call>",
    "invoke": '<function_calls>\n<invoke name="search">\n<parameter name="query">x</parameter>\n'
    "</invoke>\n</function_calls>",
    "bars": f"{BEGIN}function{SEP}search\n```json\n{ARGS}\n```{END}",
    "dsml": '<｜DSML｜function_calls>\n<｜DSML｜invoke name="search">…</｜DSML｜invoke>',
    "section": f"<|tool_calls_section_begin|><|tool_call_begin|>functions.search:0"
    f"<|tool_call_argument_begin|>{ARGS}<|tool_call_end|><|tool_calls_section_end|>",
    "brackets": f"[TOOL_CALLS]search{ARGS}",
    "channel": f"<|channel|>commentary to=functions.search<|message|>{ARGS}<|call|>",
    "bare": JSON,
    "parameters": '{"name": "functions.search", "parameters": {"query": "x"}}',
    "as sent": f'{{"tool_calls": [{{"type": "function", "function": {JSON}}}]}}',
    "a list": f"[{JSON}, {JSON}]",
    "function by name": f'{{"function": "search", "args": {ARGS}}}',
    "fenced": f"我先查一下。\n```json\n{JSON}\n```",
    "a report inside": '```json\n{"name": "submit_report", "arguments": {"content": '
    '"```a```"}}\n```',
    "python": 'search(query="杭州 (演讲)")',
    "python list": '[search(query="x"), read(url="y")]',
    "tool code": '```tool_code\nprint(default_api.search(query="x"))\n```',
}
REPLIES = {
    "report": REPORT,
    "report with links": "见 [1](https://a.example/search)",
    "json of its own": '{"name": "杭州", "arguments": ["便宜"]}',
    "another tool": f"<tool_call>{JSON.replace('search', 'execute')}</tool_call>",
    "a name alone": '{"name": "search"}',
    "no json": '{"name": "search", "arguments": {…}}',
    "tag in code": "模型先输出 `<tool_call>{search}</tool_call>` 再等结果。",
    "fence in the middle": f"例如：\n```json\n{JSON}\n```\n这是一次搜索。",
    "tag with words behind": f"<tool_call>{JSON}</tool_call> 是一次搜索的写法。",
    "code of its own": "print(1)",
    "words in brackets": "（search 与 read 都用过）",
    "nothing": "",
    "deep": "[" * 5_000 + "]" * 5_000,
}


@pytest.mark.parametrize("name", CALLS)
def test_a_call_written_as_text_is_seen(name: str) -> None:
    text = CALLS[name]
    wanted = "submit_report" if name == "a report inside" else "search"
    assert written_call(text, NAMES) == wanted
    assert written_call(f"\n{text}\n ", NAMES) == wanted


@pytest.mark.parametrize("name", REPLIES)
def test_a_reply_is_no_call(name: str) -> None:
    assert written_call(REPLIES[name], NAMES) is None


@given(st.text(alphabet=st.sampled_from('<>[]{}()`"｜|:=\n search') | st.characters()))
def test_any_text_is_judged(text: str) -> None:
    assert written_call(text, NAMES) in {None, *NAMES}
    assert len(spoken(text)) <= len(text)


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("<think>用户在杭州</think>\n\n报告", "报告"),
        ("\n<THINKING>a</thinking> 报告", "报告"),
        ("[THINK]a[/THINK]报告", "报告"),
        ("<think>a</think><think>b</think>报告", "报告"),
        ("<think><think>a</think>报告", "报告"),
        ("先想一想，用户在杭州。\n</think>\n报告", "报告"),
        ("<think>a</think>b</think>报告", "报告"),
        ("<think>没有想完", ""),
        ("◁think▷a◁/think▷报告", "报告"),
        ("<thought>\na\n</thought>\n报告", "报告"),
        ("<|channel|>analysis<|message|>a<|end|><|channel|>final<|message|>报告", "报告"),
        ("<|channel|>analysis<|message|>只有思考", ""),
        ("<think>a</think>", ""),
        ("<think>a</think> \n\u200b", "\u200b"),
        ("  报告\n", "  报告\n"),
        ("报告说 `</think>` 是结束标记", "报告说 `</think>` 是结束标记"),
        ("```\na</think>\n```\n报告", "```\na</think>\n```\n报告"),
        ("报告\n<think>后来又想</think>", "报告\n"),
        ("报告\n<think>又\n想</think>\n完", "报告\n完"),
        ("用 <think> 和 </think> 两个标签", "用 <think> 和 </think> 两个标签"),
        ("```\n<think>a</think>\n```", "```\n<think>a</think>\n```"),
        ("报告\n<think>没有想完", "报告\n<think>没有想完"),
        ("a</think>b</think>报告", "报告"),
        ("报告 <thinker> 与 [THINKING]", "报告 <thinker> 与 [THINKING]"),
    ],
)
def test_reasoning_is_not_spoken(text: str, left: str) -> None:
    assert spoken(text) == left


MANY = ("<think>", "</think>", "\n<think>", "`<think>", "x<think>\n`", "x<think>", "`<tool_call>",
        "```\n", "\n")  # fmt: skip


@pytest.mark.parametrize("tag", MANY)
def test_many_tags_take_one_pass(tag: str) -> None:
    """Forty thousand of them: a second pass a tag would never come back."""
    many = tag * 40_000
    assert len(spoken(many)) <= len(many)
    for text in (many, f"{many}>", f"search({many}", f"```{many}`}}"):
        assert written_call(text, NAMES) is None


async def ended(root: Path, *lines: str, spec: HarnessSpec = COUPLED) -> tuple[World, EpisodeEnd]:
    world = World(root, spec=spec)
    end = await world.run(script(says(None, call("search", "一")), *(says(x) for x in lines)))
    assert end is not None
    return world, end


async def test_the_final_is_what_was_said(tmp_path: Path) -> None:
    world, end = await ended(tmp_path, "<think>用户住在杭州</think>\n\n建议练习。")
    assert (end.outcome, end.final_sha256) == (Outcome.TEXT_REPLY, sha256_text("建议练习。"))
    run = observe(header(condition()), condition(), world.events())
    assert run.final is not None
    assert run.final.chars == len("建议练习。")


async def test_reasoning_alone_is_an_empty_reply(tmp_path: Path) -> None:
    _, end = await ended(tmp_path, "<think>用户住在杭州</think>\n")
    assert (end.outcome, end.final_sha256) == (Outcome.EMPTY_REPLY, None)


@pytest.mark.parametrize("name", ["hermes", "bare", "after words"])
async def test_a_call_written_as_text_is_no_report(tmp_path: Path, name: str) -> None:
    _, end = await ended(tmp_path, f"<think>查</think>{CALLS[name]}")
    assert (end.ended_by, end.outcome) == (EndedBy.PROVIDER, Outcome.BAD_RESPONSE)
    assert (end.final_sha256, end.detail) == (
        None,
        "the reply is a call of search, written as text",
    )


async def test_what_was_submitted_before_stays_the_final(tmp_path: Path) -> None:
    world = World(tmp_path)
    end = await world.run(script(says(None, call("submit_report", "终稿")), says(CALLS["bare"])))
    assert end is not None
    assert (end.outcome, end.final_sha256) == (Outcome.SUBMITTED, sha256_text("终稿"))
    assert end.detail.startswith("bad_response: ")


async def test_a_sub_context_and_a_stage_hand_on_what_was_said(tmp_path: Path) -> None:
    world = World(tmp_path / "d", spec=H_D)
    asked = says(None, made("delegate", task="查"))
    await world.run(script(asked, says("<think>x</think>答"), says("报告")))
    (closed,) = (b for b in world.bodies() if isinstance(b, DelegationClosed))
    assert closed.text_sha256 == sha256_text("答")
    world, end = await ended(
        tmp_path / "h", "<think>x</think>材料", "报告", spec=HARNESSES["handoff-aw"]
    )
    (handed,) = (b for b in world.bodies() if isinstance(b, HandedOver))
    assert handed.text_sha256 == sha256_text("材料")
    assert end.final_sha256 == sha256_text("报告")
