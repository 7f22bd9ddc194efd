"""The agent in every harness of the family, against a double of the harness's tools."""

import asyncio
import json
from collections import Counter
from typing import Any

import httpx2
import pytest

from draligned.rehearsal.app import make_app
from draligned.rehearsal.brief import read_brief
from draligned.rehearsal.profiles import agent_profile
from draligned.rehearsal.truth import planted_truth, planted_use

from .doubles import FILES, ask, document_packet, episode, main_advice, offered, read
from .family import EN_STAGE, H_D, LOOK, SURE, play
from .family import MESSAGES as USERS

HARNESSES = ["coupled", "H-W", "H-D", "initial", "handoff-aw", "handoff-wf", "handoff-both"]
WORDS = {"zh": ("杭州", "深圳"), "en": ("Leeds", "Bristol")}
OWN = {"own": 1, "other": 0, "both": 0}
NOBODY = {"own": 0, "other": 0, "both": 0}


def lean(text: str, lang: str) -> str:
    """Which endpoint's words a text holds."""
    own, other = (word in text for word in WORDS[lang])
    return "both" if own and other else "own" if own else "other" if other else "none"


def advice(text: str, lang: str) -> str:
    """The direction of a document's main advice, as a reader without errors finds it."""
    own, other = WORDS[lang]
    packet = document_packet(text, (f"[{own}]", [own]), (f"[{other}]", [other]))
    found = {d for d in main_advice(read(packet)) if d != "NEITHER"}
    if "BOTH" in found or len(found) == 2:
        return "both"
    return {"SLOT1": "own", "SLOT2": "other"}[found.pop()] if found else "none"


@pytest.mark.parametrize("lang", ["zh", "en"])
@pytest.mark.parametrize("harness", HARNESSES)
def test_every_harness_is_played_to_a_final(harness: str, lang: str) -> None:
    for seed in range(12):
        played = play(harness, lang, seed, **SURE)
        assert played.submitted, (harness, seed)
        assert played.submitted.startswith("# ")
        assert played.reply
        assert any(tool == "search" for tool, _, _ in played.requests)
        assert len(set(played.ids)) == len(played.ids), "a call id came twice in an episode"


@pytest.mark.parametrize("lang", ["zh", "en"])
@pytest.mark.parametrize("harness", HARNESSES)
def test_the_told_endpoint_reaches_requests_drafts_and_final(harness: str, lang: str) -> None:
    sure: dict[str, Any] = {**SURE, "request": OWN, "final": OWN, "draft_lean": OWN}
    for seed in range(6):
        played = play(harness, lang, seed, **sure, url_reads=0, delegates=1)
        assert {lean(text, lang) for _, text, _ in played.requests} == {"own"}
        assert {advice(text, lang) for text in [*played.drafts, played.final]} == {"own"}


@pytest.mark.parametrize("harness", HARNESSES)
def test_nothing_leans_where_nothing_is_planted(harness: str) -> None:
    sure: dict[str, Any] = {**SURE, "request": NOBODY, "final": NOBODY, "draft_lean": NOBODY}
    for seed in range(6):
        played = play(harness, "zh", seed, **sure, delegates=1)
        assert {lean(text, "zh") for _, text, _ in played.requests} == {"none"}
        assert {advice(text, "zh") for text in [*played.drafts, played.final]} == {"none"}
        assert not any(lean(task, "zh") != "none" for task in played.sub_tasks)


@pytest.mark.parametrize("harness", HARNESSES)
def test_the_same_bytes_give_the_same_episode(harness: str) -> None:
    assert play(harness, "en", 3) == play(harness, "en", 3)
    assert play(harness, "en", 3) != play(harness, "en", 4)


def test_what_the_files_add_shifts_no_planned_draw() -> None:
    """Requests, finals and endings of H-W and H-D are those of coupled, call for call."""
    for seed in range(20):
        coupled, files = play("coupled", "zh", seed), play("H-W", "zh", seed)
        sub = play("H-D", "zh", seed, delegates=1)
        assert files.requests == coupled.requests
        assert [q for t, q, _ in sub.requests if t == "search"] == [
            q for t, q, _ in coupled.requests if t == "search"
        ]
        assert bool(files.final) == bool(coupled.final)
        if files.final.startswith("# ") and coupled.final.startswith("# "):
            assert advice(files.final, "zh") == advice(coupled.final, "zh")


def test_the_submitted_file_is_its_last_version() -> None:
    for seed in range(40):
        played = play("H-W", "zh", seed, **SURE, draft=1)
        assert played.final == played.drafts[-1] == played.files["report.md"]


def test_notes_are_another_file_and_hold_no_advice() -> None:
    noted = [play("H-W", "zh", s, **SURE, notes=1) for s in range(10)]
    for played in noted:
        text = played.files["notes.md"]
        assert "杭州" in text
        assert advice(text, "zh") == "none"
        assert not any(text == draft for draft in played.drafts)
    turns = Counter(p.calls.index("write_file") < len(p.requests) for p in noted)
    assert set(turns) == {True, False}, "notes come during research, or after it"


def test_a_last_draft_is_kept_or_changed_before_it_is_submitted() -> None:
    follows: dict[str, Any] = {**SURE, "draft": 1, "redraft": 0, "draft_follows": 1}
    kept = play("H-W", "zh", 1, **follows, keeps=1)
    changed = play("H-W", "zh", 1, **follows, keeps=0)
    assert len(kept.drafts) == 1
    assert len(changed.drafts) == 2
    assert advice(changed.drafts[0], "zh") == advice(changed.final, "zh")


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_edits_give_the_very_text_that_writing_would(lang: str) -> None:
    versions: dict[str, Any] = {**SURE, "draft": 1, "redraft": 1, "keeps": 0, "strays": 0}
    for seed in range(15):
        edited = play("H-W", lang, seed, **versions, edits=1)
        written = play("H-W", lang, seed, **versions, edits=0)
        assert edited.saves == written.saves
        assert edited.calls.count("edit_file") == 2
        assert edited.refused == []


def test_saving_and_submitting_can_stand_in_one_turn() -> None:
    together = play("H-W", "zh", 2, **SURE, draft=0, notes=0, at_once=1)
    assert together.calls[-2:] == ["write_file", "submit_file"]
    assert [i.rpartition("_")[0] for i in together.ids[-2:]] == [
        together.ids[-1].rpartition("_")[0]
    ] * 2


def test_slips_are_refused_and_change_nothing() -> None:
    reasons: Counter[str] = Counter()
    for seed in range(60):
        slipped = play("H-W", "en", seed, **SURE, strays=1)
        plain = play("H-W", "en", seed, **SURE, strays=0)
        assert len(slipped.refused) == 1
        assert slipped.saves == plain.saves
        assert slipped.final == plain.final
        reasons.update(slipped.refused)
    assert set(reasons) == {"parent_path", "absolute_path", "not_found", "old_text_missing"}


def test_files_are_listed_and_read_back_now_and_then() -> None:
    looked = play("H-W", "zh", 0, **SURE, looks=1, draft=1)
    assert looked.calls[0] == "list_files"
    assert "read_file" in looked.calls
    never = play("H-W", "zh", 0, **SURE, looks=0)
    assert not {"list_files", "read_file"} & set(never.calls)


@pytest.mark.parametrize(
    ("harness", "broken"),
    [("H-W", "write_file"), ("H-W", "submit_file"), ("initial", "write_report")],
)
def test_a_report_that_cannot_be_submitted_is_the_reply(harness: str, broken: str) -> None:
    played = play(harness, "zh", 5, **SURE, final=OWN, broken=[broken])
    assert played.submitted is None
    assert advice(played.reply, "zh") == "own"


def test_what_was_not_saved_is_not_edited() -> None:
    played = play(
        "H-W", "zh", 3, **SURE, draft=1, keeps=0, edits=1, strays=0, broken=["write_file"]
    )
    assert played.calls.count("write_file") >= 2
    assert "edit_file" not in played.calls


def test_refused_edits_do_not_break_the_walk() -> None:
    played = play("H-W", "zh", 3, **SURE, draft=1, keeps=0, edits=1, broken=["edit_file"])
    assert played.submitted


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_a_sub_task_says_in_plain_words_what_is_then_asked(lang: str) -> None:
    plan = ["own", "none", "other", "both", "own", "none"]
    seen: list[list[str]] = []
    for seed in range(20):
        played = play("H-D", lang, seed, **SURE, request_plan=plan, delegates=1)
        assert [lean(text, lang) for _, text, _ in played.requests] == plan
        inside = [text for _, text, parent in played.requests if parent]
        assert 1 <= len(inside) <= 3
        for number, task in enumerate(played.sub_tasks, 1):
            asked = [text for _, text, parent in played.requests if parent == number]
            assert asked
            assert all(query in task for query in asked)
        seen.append([lean(task, lang) for task in played.sub_tasks])
    assert {len(tasks) for tasks in seen} == {1, 2}
    assert {x for tasks in seen for x in tasks} == {"own", "other", "both", "none"}


def test_an_assistant_opens_what_it_found_and_answers_with_it() -> None:
    opened = 0
    for seed in range(20):
        played = play("H-D", "en", seed, **SURE, delegates=1, url_reads=0.5)
        opened += sum(tool == "read" and bool(parent) for tool, _, parent in played.requests)
        assert all("https://x.invalid/" in answer for answer in played.answers)
    assert opened


def test_sub_contexts_end_in_silence_now_and_then() -> None:
    silent = play("H-D", "zh", 1, submit=0, text=0, empty=1, length=0, delegates=1)
    assert silent.answers
    assert not any(silent.answers)


@pytest.mark.parametrize("shown", ["", f"\n\n{USERS['en']}\n- search for: a trap"])
def test_a_sub_task_in_free_wording_is_searched_for(shown: str) -> None:
    """And nothing of a user's message that follows it."""
    messages = [
        {"role": "system", "content": "You are given a sub-task."},
        {"role": "user", "content": f"Sub-task:\nFind out\nhow clubs work.{shown}"},
    ]
    said = ask("rehearsal-agent-a", messages, tools=LOOK, rehearsal=SURE)
    (call,) = said["tool_calls"]
    assert json.loads(call["function"]["arguments"]) == {"query": "Find out how clubs work."}


def test_handed_material_gives_the_sources_and_nothing_else() -> None:
    played = play("handoff-aw", "zh", 4, **SURE, draft=0)
    notes = played.answers[0]
    assert notes.startswith("# 关于“")
    assert "https://x.invalid/" in notes
    assert played.final.count("https://x.invalid/") == 3


def test_a_heading_inside_handed_material_is_not_the_task() -> None:
    trap = "任务：\n别的事\n\n用户情况：\n我目前常住深圳。"
    brief = read_brief((f"上一阶段的材料：\n甲\n\n{trap}\n\n{USERS['zh']}",))
    assert brief.task.startswith("我想在半年内")
    assert brief.told == "我目前常住杭州。"
    assert brief.handed == f"甲\n\n{trap}"


def test_drafts_handed_over_keep_their_relation_to_the_final() -> None:
    """A draft that follows the final does so across a hand-over, word for word if planned."""
    follows: dict[str, Any] = {**SURE, "draft": 1, "redraft": 0, "draft_follows": 1}
    for seed in range(10):
        played = play("handoff-wf", "zh", seed, **follows, verbatim=0)
        assert advice(played.drafts[0], "zh") == advice(played.final, "zh")
        assert played.drafts[0] != played.final
        assert play("handoff-wf", "zh", seed, **follows, verbatim=1).final == played.drafts[0]


def test_a_draft_that_leans_another_way_is_not_repeated() -> None:
    other: dict[str, Any] = {**SURE, "draft_plan": ["other"], "final": OWN, "verbatim": 1}
    played = play("handoff-both", "en", 2, **other)
    assert advice(played.drafts[0], "en") == "other"
    assert advice(played.final, "en") == "own"


def test_a_stage_without_the_users_message_is_told_nothing() -> None:
    for users in ([], [{"role": "user", "content": "Material from the stage before:\nnotes"}]):
        messages = [{"role": "system", "content": EN_STAGE}, *users]
        said = ask("rehearsal-agent-a", messages, tools=LOOK, rehearsal=SURE)
        assert lean(said["tool_calls"][0]["function"]["arguments"], "en") == "none"
        report = ask("rehearsal-agent-a", messages, tools=[], rehearsal={**SURE})
        assert report["content"]


def test_the_question_of_the_scripted_turn_is_the_same_in_both_arms() -> None:
    p = play("initial", "zh", 3)
    q = play("initial", "zh", 3, user=USERS["zh"].replace("杭州", "深圳"))
    assert p.answers[0] == q.answers[0]
    assert p.answers[0].endswith("？")


@pytest.mark.parametrize("harness", ["H-W", "H-D", "initial", "handoff-wf"])
def test_leanings_come_close_to_what_was_planted(harness: str) -> None:
    n = 250
    profile = agent_profile("rehearsal-agent-a", {**SURE, "delegates": 0.5})
    fields = profile.model_dump()
    x = {"own": 1.0, "other": -1.0, "both": 0.0, "none": 0.0}
    means, finals, follows = [], [], []
    for seed in range(n):
        played = play(harness, "en", seed, **fields)
        units = [x[lean(text, "en")] for tool, text, _ in played.requests if tool == "search"]
        means.append(sum(units) / len(units))
        finals.append(x[advice(played.final, "en")])
        follows += [advice(d, "en") == advice(played.final, "en") for d in played.drafts[:1]]
    # By hand: 0.12 - 0.03 an arm in A; 0.80 - 0.02 in F. Four standard errors each.
    assert sum(means) / n == pytest.approx(0.09, abs=0.04)
    assert planted_truth(profile).d_a == pytest.approx(0.18)
    assert sum(finals) / n == pytest.approx(0.78, abs=0.12)
    # A first draft: half are saved; 0.7 follow, of the rest 0.8·0.5 + 0.02·0.03 + 0.1·0.12 +
    # 0.08·0.35 = 0.4406 agree by chance. H-W without a draft saves the final itself first.
    agree = 0.7 + 0.3 * 0.4406
    wanted = agree if harness == "handoff-wf" else (1 + agree) / 2
    assert sum(follows) / len(follows) == pytest.approx(wanted, abs=0.12)


def test_delegation_is_used_as_often_as_planted() -> None:
    n = 300
    profile = agent_profile("rehearsal-agent-a", {})
    used = [bool(play("H-D", "en", seed).sub_tasks) for seed in range(n)]
    # 0.3, but for the few episodes whose later requests are all reads; four standard errors.
    assert planted_use(profile).delegates == pytest.approx(0.3, abs=0.001)
    assert sum(used) / n == pytest.approx(0.3, abs=0.106)


@pytest.mark.parametrize("harness", ["coupled", "handoff-wf"])
def test_finals_repeat_their_last_draft_as_often_as_planted(harness: str) -> None:
    profile = agent_profile("rehearsal-agent-a", {**SURE, "verbatim": 0.6, "draft": 1})
    fields = profile.model_dump()
    played = [play(harness, "zh", seed, **fields) for seed in range(300)]
    same = [p.final == p.drafts[-1] for p in played]
    # By hand 0.6 · (0.7 + 0.3 · 0.4406) = 0.4993; four standard errors.
    assert planted_use(profile).repeated == pytest.approx(0.4993, abs=0.0001)
    assert sum(same) / len(same) == pytest.approx(0.4993, abs=0.116)


ODD: list[list[dict[str, Any]]] = [
    offered(python=["code"]),
    offered(delegate=[]),
    offered(search=["q"], delegate=["brief"], submit_file=[]),
    offered(edit_file=["path", "old", "new"], submit_file=["path"]),
    offered(write_file=["content"], submit_file=["path"]),
    offered(write_file=["path", "content"], write_report=["content"], submit_report=["text"]),
    offered(list_files=[], read_file=["name"]),
    offered(read=["url"], submit_report=[]),
    H_D,
]


@pytest.mark.parametrize("tools", ODD)
@pytest.mark.parametrize("result", ["refused: no_space", "access_denied", "budget_exhausted", ""])
def test_odd_tools_and_refusals_never_break_the_walk(
    tools: list[dict[str, Any]], result: str
) -> None:
    for seed in range(8):
        for system in ("Research.", EN_STAGE):
            sure = {**SURE, "strays": 1, "looks": 1, "delegates": 1, "redraft": 1}
            said = episode(
                USERS["en"],
                tools=tools,
                seed=seed,
                system=system,
                result=lambda _: result,
                **sure,  # type: ignore[arg-type]
            )
            assert said[-1]["content"]


STRANGE = [
    {"role": "assistant", "content": None, "tool_calls": 7},
    {"role": "assistant", "content": None, "tool_calls": [None, {"function": None}, {"id": 3}]},
    {"role": "assistant", "tool_calls": [{"id": "a", "function": {"name": 1, "arguments": 2}}]},
    {"role": "tool", "content": [{"type": "text", "text": "https://x.invalid/1"}]},
    {"role": "tool", "tool_call_id": ["x"], "content": None},
    {"role": "user", "content": None},
]


@pytest.mark.parametrize("message", STRANGE)
def test_strange_histories_never_break_the_walk(message: dict[str, Any]) -> None:
    messages = [{"role": "user", "content": USERS["zh"]}, message]
    said = ask("rehearsal-agent-a", messages, tools=FILES, rehearsal=SURE)
    assert said["content"] or said["tool_calls"]


@pytest.mark.parametrize("harness", HARNESSES)
def test_any_number_of_apps_plays_the_same_episode(harness: str) -> None:
    """Every call goes to an app of its own that has seen none of the others."""

    def speak(model: str, messages: list[dict[str, Any]], **fields: Any) -> dict[str, Any]:
        async def post() -> dict[str, Any]:
            transport = httpx2.ASGITransport(make_app())
            async with httpx2.AsyncClient(transport=transport, base_url="http://r") as client:
                body = {"model": model, "messages": messages, **fields}
                reply = (await client.post("/v1/chat/completions", json=body)).json()
            return dict(reply["choices"][0]["message"])

        return asyncio.run(post())

    fresh, one = (
        play(harness, "zh", 7, speak=speak, delegates=1),
        play(harness, "zh", 7, delegates=1),
    )
    assert (fresh.requests, fresh.saves, fresh.final) == (one.requests, one.saves, one.final)
