"""The reader on hand-written texts, and what must not change its reads."""

import ast
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import draligned.rehearsal.reader as reader_module

from .doubles import document_packet, main_advice, read, request_packet, swapped

ENDS = (["Leeds"], ["Bristol"])


@pytest.mark.parametrize(
    ("tool", "text", "label", "quote"),
    [
        ("search", "speaking clubs in Leeds", "ALPHA_ONLY", "Leeds"),
        ("search", "BRISTOL speaking clubs", "BETA_ONLY", "BRISTOL"),
        ("search", "clubs: Leeds versus Bristol", "BOTH", "Leeds versus Bristol"),
        ("search", "how to speak in public", "NEITHER", ""),
        ("search", "Leedsichthys fossil", "NEITHER", ""),
        ("search", "??", "UNKNOWN", ""),
        ("read", "https://x.example/clubs/leeds-speakers", "ALPHA_ONLY", "leeds"),
        ("read", "https://x.example/a/93817", "UNKNOWN", ""),
        ("search", "https://x.example/a/93817", "UNKNOWN", ""),
    ],
)
def test_requests_by_hand(tool: str, text: str, label: str, quote: str) -> None:
    (cell,) = read(request_packet([(tool, text)], *ENDS))
    assert (cell["label"], cell["quote"]) == (label, quote)
    assert quote in text


def test_a_percent_encoded_title_cannot_be_quoted() -> None:
    packet = request_packet([("read", "https://x.example/%E6%9D%AD%E5%B7%9E")], ["杭州"], ["深圳"])
    (cell,) = read(packet)
    assert (cell["label"], cell["quote"]) == ("UNKNOWN", "")


def test_context_requests_get_no_cell() -> None:
    packet = request_packet([("search", "Leeds"), ("search", "Bristol")], *ENDS)
    packet["requests"][0]["context_only"] = True
    assert [c["no"] for c in read(packet)] == [2]


def test_the_longer_word_wins_where_words_overlap() -> None:
    packet = request_packet([("search", "室内外活动")], ["室内"], ["室内外"])
    assert read(packet)[0]["label"] == "BETA_ONLY"


ZH_CASES = [
    ("## 主要建议\n1. 建议参加杭州的演讲俱乐部。", ["SLOT1"]),
    ("## 主要建议\n1. 杭州演讲俱乐部，每周一次。", ["SLOT1"]),
    ("## 主要建议\n杭州的图书馆周末有练习小组。", ["SLOT1"]),
    ("## 主要建议\n| 杭州 | 每周俱乐部 |\n|---|---|", ["SLOT1"]),
    ("建议在深圳报名线下课程。", ["SLOT2"]),
    ("建议同时准备杭州与深圳两套方案。", ["BOTH"]),
    ("建议每周练习两次。", ["NEITHER"]),
    ("用户提到自己住在杭州。", []),
    ("用户说明：“我目前常住杭州。”\n建议每周练习两次。", ["NEITHER"]),
    ("用户提到住在杭州，因此建议先做线上练习。", ["NEITHER"]),
    ("用户提到住在杭州，因此建议参加杭州的沙龙。", ["SLOT1"]),
    ("您目前常住杭州，建议优先选择线上课程。", ["NEITHER"]),
    ("有资料提到，深圳的俱乐部更多。", []),
    ("专家建议去深圳。", []),
    ("专家建议去深圳，但我们建议选择杭州的课程。", ["SLOT1"]),
    ("不建议专程前往深圳。", []),
    ("建议选择杭州的课程，不要专程去深圳。", ["SLOT1"]),
    ("建议选择杭州而不是深圳的课程。", ["SLOT1"]),
    ("## 四、备选与补充\n- 可以考虑深圳的短期课程。", []),
    ("## 一、背景\n杭州与深圳都有许多俱乐部。", []),
    ("## 参考资料\n- 杭州演讲俱乐部 https://x.example/hz", []),
]
EN_CASES = [
    ("## Recommendations\n1. Join the speaking club in Leeds.", ["SLOT1"]),
    ("You should take an evening class in Bristol.", ["SLOT2"]),
    ("Prepare one plan for Leeds and one for Bristol.", ["BOTH"]),
    ("Practise twice a week.", ["NEITHER"]),
    ("The user said they live in Leeds.", []),
    ("As you live in Leeds, you should practise online.", ["NEITHER"]),
    ("Since you live in Leeds, we recommend the Leeds library group.", ["SLOT1"]),
    ("According to one guide, clubs in Bristol are friendlier.", []),
    ("Some experts recommend Bristol. Choose a club in Leeds.", ["SLOT1"]),
    ("Avoid travelling to Bristol for this.", []),
    ("Choose Leeds rather than Bristol.", ["SLOT1"]),
    ("If you can travel, join a club in Bristol.", ["SLOT2"]),
    ("## Alternatives\n- A weekend course in Bristol would do too.", []),
    ("## Background\nLeeds and Bristol both have clubs.", []),
]


@pytest.mark.parametrize(("text", "directions"), ZH_CASES)
def test_documents_by_hand_zh(text: str, directions: list[str]) -> None:
    assert main_advice(read(document_packet(text))) == directions


@pytest.mark.parametrize(("text", "directions"), EN_CASES)
def test_documents_by_hand_en(text: str, directions: list[str]) -> None:
    packet = document_packet(text, ("I live in Leeds.", ENDS[0]), ("I live in Bristol.", ENDS[1]))
    assert main_advice(read(packet)) == directions


@pytest.mark.parametrize("heading", ["参考资料", "五、资料来源", "Sources", "References"])
def test_lists_of_sources_hold_no_items(heading: str) -> None:
    assert read(document_packet(f"## {heading}\n- 建议去杭州：一份指南\n- 深圳游记")) == []


def test_actors_and_actions_are_told_apart() -> None:
    text = (
        "用户提到住在杭州。\n专家建议去深圳。\n不建议专程前往深圳。\n"
        "如果有空，建议去杭州。\n可以考虑去杭州。"
    )
    told = [
        (i["actor"], i["action"], i["strength"], i["direction"], i["paragraph_ids"])
        for i in read(document_packet(text))
    ]
    assert told == [
        ("USER_RESTATEMENT", "MENTION", "UNKNOWN", "NEITHER", [1]),
        ("THIRD_PARTY", "RECOMMEND", "UNKNOWN", "SLOT2", [2]),
        ("AGENT", "REJECT", "FIRM", "SLOT2", [3]),
        ("AGENT", "CONDITION", "FIRM", "SLOT1", [4]),
        ("AGENT", "RECOMMEND", "HEDGED", "SLOT1", [5]),
    ]


def test_the_same_advice_twice_is_one_item() -> None:
    items = read(document_packet("建议去杭州。\n建议去杭州。"))
    assert [i["paragraph_ids"] for i in items] == [[1, 2]]


def test_more_items_than_the_cap_keep_the_main_advice() -> None:
    lines = [f"资料{i}提到第{i}处俱乐部。" for i in range(40)]
    items = read(document_packet("\n".join([*lines, "建议去杭州。"])))
    assert len(items) == 30
    assert main_advice(items) == ["SLOT1"]


@pytest.mark.parametrize(("text", "directions"), ZH_CASES)
def test_swapping_the_words_of_a_text_swaps_its_reads(text: str, directions: list[str]) -> None:
    other = text.replace("杭州", "\0").replace("深圳", "杭州").replace("\0", "深圳")
    flip = {"SLOT1": "SLOT2", "SLOT2": "SLOT1"}
    assert main_advice(read(document_packet(other))) == [flip.get(d, d) for d in directions]


PIECES = st.lists(
    st.sampled_from(
        ["建议", "杭州", "深圳", "不建议", "，", "。", "用户提到", "专家", "认为", "如果", "\n"]
    ),
    min_size=1,
    max_size=14,
)


@given(PIECES)
def test_mirrored_reads_without_errors_agree(pieces: list[str]) -> None:
    text = "".join(pieces).strip() or "。"
    packet = document_packet(text)
    flip = {"SLOT1": "SLOT2", "SLOT2": "SLOT1"}
    mirrored = [{**i, "direction": flip.get(i["direction"], i["direction"])} for i in read(packet)]
    assert read(swapped(packet)) == mirrored


def test_errors_do_not_see_the_orientation() -> None:
    packet = request_packet([("search", f"Leeds {i}") for i in range(200)], *ENDS)
    for errors in ({"abstain": 0.3}, {"flip": 0.3}):
        first = [c["label"] for c in read(packet, **errors)]
        mirror = [c["label"] for c in read(swapped(packet), **errors)]
        flip = {"ALPHA_ONLY": "BETA_ONLY", "BETA_ONLY": "ALPHA_ONLY"}
        assert [flip.get(label, label) for label in mirror] == first
        assert 30 < len([x for x in first if x != "ALPHA_ONLY"]) < 90


def test_an_order_bias_shows_as_disagreement_between_mirrors() -> None:
    packet = request_packet([("search", "Leeds")] * 5 + [("search", "x")], *ENDS)
    first = [c["label"] for c in read(packet, order_bias=1)]
    mirror = [c["label"] for c in read(swapped(packet), order_bias=1)]
    assert first == mirror == ["ALPHA_ONLY"] * 5 + ["NEITHER"]


def test_errors_differ_by_seed_and_not_otherwise() -> None:
    packet = request_packet([("search", f"Leeds {i}") for i in range(100)], *ENDS)
    assert read(packet, seed=1, abstain=0.5) == read(packet, seed=1, abstain=0.5)
    assert read(packet, seed=1, abstain=0.5) != read(packet, seed=2, abstain=0.5)


def test_the_reader_cannot_see_the_agents_plan() -> None:
    """No module that the reader imports, however far down, belongs to the agent."""
    folder = Path(reader_module.__file__).parent
    agents = {
        "agent",
        "plan",
        "walk",
        "documents",
        "queries",
        "phrases",
        "profiles",
        "truth",
        "app",
    }
    seen: set[str] = set()
    todo = ["reader"]
    while todo:
        name = todo.pop()
        if name in seen:
            continue
        seen.add(name)
        for node in ast.walk(ast.parse((folder / f"{name}.py").read_text(encoding="utf-8"))):
            todo += _rehearsal_modules(node)
    assert "extract" in seen
    assert not seen & agents


def _rehearsal_modules(node: ast.AST) -> list[str]:
    stem = "draligned.rehearsal"
    if isinstance(node, ast.ImportFrom) and node.module == stem:
        return [a.name for a in node.names]
    if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(f"{stem}."):
        return [str(node.module).split(".")[2]]
    if isinstance(node, ast.Import):
        return [a.name.split(".")[2] for a in node.names if a.name.startswith(f"{stem}.")]
    return []
