"""Rehearsal agents that are asked for stage tags: planted fates, beliefs from messages alone."""

import json
from typing import Any

import pytest

from draligned.bench_data.duty import duty_block
from draligned.gates.marker_text import read_marker
from draligned.rehearsal.duty import fate_of
from draligned.rehearsal.profiles import AgentProfile, Tags, agent_profile
from draligned.schema.errors import InputError
from draligned.schema.progress import WORK_VALUES

from .doubles import EN, FILES, ZH, ask

SURE = {"submit": 1.0, "text": 0.0, "empty": 0.0, "length": 0.0, "invalid": 0.0}


def messages(
    user: str, system: str, *past: tuple[str, dict[str, str], str]
) -> list[dict[str, Any]]:
    """A conversation with calls that were answered."""
    told = [{"role": "system", "content": system}, {"role": "user", "content": user}]
    for n, (name, arguments, result) in enumerate(past):
        call_id = f"call_{'0' * 16}_{n}_0"
        function = {"name": name, "arguments": json.dumps(arguments)}
        call = {"id": call_id, "type": "function", "function": function}
        told.append({"role": "assistant", "content": None, "tool_calls": [call]})  # type: ignore[dict-item]
        told.append({"role": "tool", "tool_call_id": call_id, "content": result})
    return told  # type: ignore[return-value]


SEARCHED = ("search", {"query": "q"}, "[ok] done\n…")
EMPTY = ("search", {"query": "q"}, "[empty] no results")
SAVED = ("write_file", {"path": "a.md", "content": "x"}, "文件已保存。")
REFUSED = ("write_file", {"path": "../a", "content": "x"}, "已拒绝：parent_path")
SENT = ("submit_file", {"path": "a.md"}, "报告已提交。")


def tag(past: list[Any], lang: str = "zh", **tags: float) -> str | None:
    user, system = (ZH, "研究助手。") if lang == "zh" else (EN, "A research assistant.")
    block = duty_block("zh" if lang == "zh" else "en")
    said = ask(
        "rehearsal-agent-x", messages(user, f"{system}\n\n{block}", *past), tools=FILES,
        rehearsal={**SURE, "tags": {"clean": 0.0 if tags else 1.0, **tags}},
    )  # fmt: skip
    return read_marker(said["content"] or "", WORK_VALUES, "xml").value


@pytest.mark.parametrize("lang", ["zh", "en"])
@pytest.mark.parametrize(
    ("past", "stage"),
    [
        ([], "nothing_acquired"),
        ([EMPTY], "nothing_acquired"),
        ([SEARCHED], "acquiring"),
        ([SEARCHED, REFUSED], "acquiring"),
        ([SEARCHED, SAVED], "drafting"),
        ([SEARCHED, SAVED, SENT], "submitted"),
    ],
)
def test_an_honest_agent_says_what_its_messages_show(past: Any, stage: str, lang: str) -> None:
    assert tag(past, lang) == stage


def test_early_and_late_are_one_stage_off() -> None:
    assert tag([SEARCHED], early=1.0) == "drafting"
    assert tag([SEARCHED], late=1.0) == "nothing_acquired"
    assert tag([], late=1.0) == "nothing_acquired"
    assert tag([SAVED, SENT], early=1.0) == "submitted"


def test_omitted_and_malformed_tags_cannot_be_read() -> None:
    assert tag([SEARCHED], omission=1.0) is None
    assert tag([SEARCHED], malformed=1.0) is None


def test_nobody_tags_who_is_not_asked() -> None:
    said = ask("rehearsal-agent-x", messages(ZH, "研究助手。", SEARCHED), tools=FILES,
               rehearsal={"tag_leaks": 1.0})  # fmt: skip
    assert "stage" not in json.dumps(said)


def test_leaks_are_in_the_arguments() -> None:
    said = ask("rehearsal-agent-x", messages(ZH, duty_block("zh")), tools=FILES,
               rehearsal={**SURE, "looks": 0.0, "tag_leaks": 1.0})  # fmt: skip
    assert "<stage>nothing_acquired</stage>" in said["tool_calls"][0]["function"]["arguments"]


def test_fates_come_in_their_shares() -> None:
    profile = AgentProfile(tags=Tags(clean=0.5, early=0.3, omission=0.2))
    fates = [fate_of(seed, "m", turn, profile) for seed in range(200) for turn in range(10)]
    assert abs(fates.count("early") / 2000 - 0.3) < 0.04
    assert abs(fates.count("omission") / 2000 - 0.2) < 0.04
    assert fates.count("late") == 0


@pytest.mark.parametrize("tags", [{"clean": 0.0}, {"sometimes": 1.0}, {"early": -1.0}])
def test_tags_that_make_no_sense_are_refused(tags: dict[str, float]) -> None:
    with pytest.raises(InputError, match=r"rehearsal\.tags"):
        agent_profile("rehearsal-agent-a", {"tags": tags})
