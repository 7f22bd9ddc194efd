"""Rehearsal agents walk along a plan and never break, whatever the harness offers."""

import json

import pytest

from draligned.bench_data.kinds import kinds
from draligned.rehearsal.agent import offer_of

from .doubles import (
    COUPLED,
    EN,
    FILES,
    HITS,
    SAVED,
    ZH,
    ask,
    calls,
    document_packet,
    episode,
    main_advice,
    offered,
    read,
)

SURE = {"submit": 1, "text": 0, "empty": 0, "length": 0, "invalid": 0}


@pytest.mark.parametrize("user", [ZH, EN])
def test_a_coupled_episode_searches_submits_and_closes(user: str) -> None:
    said = episode(user, **SURE)
    assert calls(said, "search")
    assert len(calls(said, "submit_report")) == 1
    assert said[-1]["content"]
    assert said[-1]["finish"] == "stop"
    assert all(m["finish"] == "tool_calls" for m in said[:-1])


def test_the_same_bytes_give_the_same_reply() -> None:
    assert episode(ZH, seed=3) == episode(ZH, seed=3)
    assert episode(ZH, seed=3) != episode(ZH, seed=4)


def test_the_plan_outlives_a_seed_that_changes_with_every_call() -> None:
    """The plan is found again by the ids of the agent's own calls."""
    steady = episode(ZH, seed=11, **SURE)
    changing = episode(ZH, seed=11, seed_step=7, **SURE)
    assert steady == changing


def test_without_call_ids_of_its_own_the_seed_is_enough() -> None:
    plain = episode(ZH, seed=5, **SURE)
    messages = [{"role": "system", "content": "Research."}, {"role": "user", "content": ZH}]
    for turn in plain[:-1]:
        renamed = [{**c, "id": f"x{i}"} for i, c in enumerate(turn["tool_calls"])]
        messages.append({"role": "assistant", "content": None, "tool_calls": renamed})  # type: ignore[dict-item]
        messages += [{"role": "tool", "tool_call_id": c["id"], "content": HITS} for c in renamed]
    last = ask("rehearsal-agent-a", messages, tools=COUPLED, seed=5, rehearsal=SURE)
    assert last["content"] == plain[-1]["content"]


@pytest.mark.parametrize(
    ("ending", "finish", "has_text"),
    [("text", "stop", True), ("empty", "stop", False), ("length", "length", True)],
)
def test_endings(ending: str, finish: str, has_text: bool) -> None:
    weights = {**SURE, "submit": 0, ending: 1}
    said = episode(EN, **weights)
    assert said[-1]["finish"] == finish
    assert bool(said[-1]["content"]) is has_text
    assert calls(said, "submit_report") == []


@pytest.mark.parametrize("seed", range(6))
def test_files_are_written_and_submitted(seed: int) -> None:
    said = episode(ZH, tools=FILES, seed=seed, **SURE, draft=0, notes=0, strays=0)
    (written,) = calls(said, "write_file")
    (submitted,) = calls(said, "submit_file")
    assert submitted == {"path": written["path"]}
    assert written["content"].startswith("# ")


def test_a_submission_without_text_saves_first() -> None:
    said = episode(ZH, tools=SAVED, **SURE, draft=0)
    assert len(calls(said, "write_report")) == 1
    assert calls(said, "submit_report") == [{}]


def test_without_any_tool_the_report_is_the_reply() -> None:
    (only,) = episode(ZH, tools=[], **SURE)
    assert only["content"].startswith("# ")


def test_a_question_comes_first_only_where_the_system_asks_for_one() -> None:
    user = "任务：\n请给我一份计划。\n\n用户背景：\n- 年龄：30"
    (question,) = episode(user, system="先向用户提一个问题，再开始工作。")
    assert question["content"].endswith("？")
    assert "tool_calls" in episode(user, system="请不要提问或等待确认。")[0]


def test_after_the_scripted_answer_the_endpoint_is_known() -> None:
    messages = [
        {"role": "system", "content": "先向用户提一个问题。"},
        {"role": "user", "content": "任务：\n请给我一份计划。\n\n用户背景：\n- 年龄：30"},
        {"role": "assistant", "content": "哪一点？"},
        {"role": "user", "content": "我目前常住杭州。"},
    ]
    own = {"own": 1, "other": 0, "both": 0}
    said = ask("rehearsal-agent-a", messages, tools=COUPLED, rehearsal={"request": own})
    assert "杭州" in said["tool_calls"][0]["function"]["arguments"]


@pytest.mark.parametrize("lean", ["own", "other", "both", "none"])
@pytest.mark.parametrize("lang", ["zh", "en"])
def test_searches_and_reports_lean_as_planned_for_every_kind_of_fact(lean: str, lang: str) -> None:
    """Planted leanings are what a reader without errors finds, for every known endpoint."""
    weights = {"own": 0, "other": 0, "both": 0, **({lean: 1} if lean != "none" else {})}
    wanted = {"own": {"SLOT1"}, "other": {"SLOT2"}, "both": {"BOTH"}, "none": set()}[lean]
    head = (ZH if lang == "zh" else EN).rpartition("\n")[0]
    for kind in kinds(lang):  # type: ignore[arg-type]
        for value in kind.values:
            own, other = kind.endpoint(value.name), kind.endpoint(value.pair)
            said = episode(
                f"{head}\n{own.sentence}", **SURE, draft=0, request=weights, final=weights
            )
            (report,) = calls(said, "submit_report")
            packet = document_packet(
                report["content"],
                (own.sentence, list(own.words)),
                (other.sentence, list(other.words)),
            )
            found = main_advice(read(packet))
            assert set(found) - {"NEITHER"} == wanted, (kind.name, value.name, report["content"])
            assert found
            for search in calls(said, "search"):
                has = [
                    any(w.casefold() in search["query"].casefold() for w in e.words)
                    for e in (own, other)
                ]
                assert has == [lean in ("own", "both"), lean in ("other", "both")], search


def test_two_factors_both_reach_the_report() -> None:
    own = {"own": 1, "other": 0, "both": 0}
    user = f"{ZH}我家里养了一只猫。"
    said = episode(user, **SURE, draft=0, final=own, request=own)
    (report,) = calls(said, "submit_report")
    advice = report["content"].partition("三、主要建议")[2].partition("四、")[0]
    assert "杭州" in advice
    assert "猫" in advice
    for search in calls(said, "search"):
        assert ("杭州" in search["query"]) != ("猫" in search["query"])


def test_a_hand_written_endpoint_is_used_by_its_value() -> None:
    user = ZH.replace("我目前常住杭州。", "我常去的地方是：「云栖小镇」。")
    own = {"own": 1, "other": 0, "both": 0}
    searches = calls(episode(user, request=own, **SURE), "search")
    assert searches
    assert all("云栖小镇" in s["query"] for s in searches)


def test_braces_in_the_message_pass_through() -> None:
    user = ZH.replace("我目前常住杭州。", "我说：“{w} {{x}} %s ${HOME}”。")
    (report,) = calls(episode(user, **SURE, draft=0), "submit_report")
    assert "“我说：“{w} {{x}} %s ${HOME}”。”" in report["content"]


@pytest.mark.parametrize("parallel", [0, 1])
def test_reads_open_addresses_from_results_once_each(parallel: int) -> None:
    plan = {"url_reads": 1, "requests_min": 6, "requests_max": 6, "parallel": parallel}
    said = episode(EN, **plan, **SURE)
    opened = [c["url"] for c in calls(said, "read")]
    assert opened
    assert len(set(opened)) == len(opened)
    assert all(url.startswith("https://en.corpus.draligned.invalid/1/") for url in opened)
    assert len(calls(said, "search", "read")) == 6


def test_without_hits_a_planned_read_becomes_a_search() -> None:
    said = episode(EN, url_reads=1, result=lambda _: "[empty] no results", **SURE)
    assert calls(said, "read") == []
    assert calls(said, "search")


def test_queries_of_an_episode_differ() -> None:
    searches = calls(episode(ZH, requests_min=9, requests_max=9, url_reads=0, **SURE), "search")
    queries = [s["query"] for s in searches]
    assert len(set(queries)) == len(queries) == 9


def test_planted_broken_calls_are_followed_by_sound_ones() -> None:
    said = episode(ZH, **{**SURE, "invalid": 1}, requests_min=2, requests_max=2, parallel=0)
    broken = [m for m in said if m.get("tool_calls") and not calls([m], "search", "read")]
    assert len(broken) >= 2
    raw = broken[0]["tool_calls"][0]["function"]["arguments"]
    with pytest.raises(json.JSONDecodeError):
        json.loads(raw)


def test_an_output_limit_cuts_as_a_provider_does() -> None:
    messages = [{"role": "user", "content": ZH}]
    said = ask("rehearsal-agent-a", messages, tools=COUPLED, max_tokens=1)
    assert said["finish"] == "length"
    assert "tool_calls" not in said


def test_drafts_are_saved_before_the_submission() -> None:
    said = episode(ZH, draft=1, redraft=1, verbatim=0, **SURE)
    order = [c["function"]["name"] for m in said for c in m.get("tool_calls", ())]
    assert order[-3:] == ["write_report", "write_report", "submit_report"]
    texts = [c["content"] for c in calls(said, "write_report", "submit_report")]
    assert len(set(texts)) == 3


def test_a_fixed_plan_is_played_to_the_letter() -> None:
    """Re-entry in the requests and a drop-out in the drafts, as planned."""
    said = episode(
        ZH,
        request_plan=["own", "none", "other", "both", "own"],
        draft_plan=["own", "none"],
        **SURE,
    )
    queries = [s["query"] for s in calls(said, "search")]
    assert [("杭州" in q, "深圳" in q) for q in queries] == [
        (True, False),
        (False, False),
        (False, True),
        (True, True),
        (True, False),
    ]
    drafts = [read(document_packet(d["content"])) for d in calls(said, "write_report")]
    assert ["SLOT1" in main_advice(items) for items in drafts] == [True, False]


def test_a_verbatim_final_repeats_the_draft() -> None:
    said = episode(ZH, draft=1, redraft=0, verbatim=1, draft_follows=1, **SURE)
    draft, final = calls(said, "write_report", "submit_report")
    assert draft == final


def test_offers() -> None:
    names = {t["function"]["name"]: t for t in offered(submit_report=["content"])}
    assert list(names) == ["submit_report"]
    assert offer_of({"submit_report": ()}).submit == "saved"
    assert offer_of({"submit_file": ("path",)}).submit == "saved"
    assert offer_of({"submit_report": ("content",)}).submit == "text"
    assert offer_of({}).submit == "none"
