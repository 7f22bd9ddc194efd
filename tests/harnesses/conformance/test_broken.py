"""Harnesses broken on purpose: the suite names the rule that each of them breaks."""

import itertools
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from draligned.harnesses import act, decide, episode, graph, jobs, texts, toolbox
from draligned.harnesses.budget import EpisodeLedger
from draligned.harnesses.compiled import CompiledStage
from draligned.harnesses.conformance.lab import Lab
from draligned.harnesses.conformance.suite import RUN_RULES
from draligned.harnesses.endings import Stop, failure_of
from draligned.harnesses.registry import HARNESSES
from draligned.harnesses.transcript import EpisodeState
from draligned.schema.chat import Message
from draligned.schema.endings import EndedBy
from draligned.schema.events import DraftSaved, Submitted, ToolCallInvalid
from tests.harnesses.doubles import opened

Patch = pytest.MonkeyPatch
Break = Callable[[Patch], None]


def answers(patch: Patch, more: Callable[[Any], str]) -> None:
    """Add something to every tool result."""
    real = act._answer

    async def answer(episode: Any, plan: Any) -> Any:
        given = await real(episode, plan)
        return given._replace(text=given.text + more(episode))

    patch.setattr(act, "_answer", answer)


def tells_a_limit(patch: Patch) -> None:
    receipts = texts.RECEIPTS["zh"]._replace(draft_saved="草稿已保存，共可调用 192 次。")
    patch.setitem(texts.RECEIPTS, "zh", receipts)


def tells_a_limit_in_a_tool(patch: Patch) -> None:
    tool = toolbox.TOOLS["search"]
    text = {lang: said._replace(tool=f"{said.tool} (128,000)") for lang, said in tool.text.items()}
    patch.setitem(toolbox.TOOLS, "search", replace(tool, text=text))


def tells_what_is_left(patch: Patch) -> None:
    answers(patch, lambda e: f" {e.rules.spec.budget.tools - e.state.ledger.tools} left")


def warns_near_the_end(patch: Patch) -> None:
    def near(e: Any) -> str:
        return "快用完了" if e.rules.spec.budget.tools - e.state.ledger.tools < 5 else ""

    answers(patch, near)


def shows_the_endpoint_in_a_result(patch: Patch) -> None:
    answers(patch, lambda e: e.condition.turns[-1][-3:])


def speaks_after_the_endpoint(patch: Patch) -> None:
    real = episode.first_messages

    def first(condition: Any, rules: Any) -> Any:
        system, user = real(condition, rules)
        return system, user.model_copy(update={"text": f"{user.text}\n请开始。"})

    patch.setattr(episode, "first_messages", first)


def speaks_as_the_user(patch: Patch) -> None:
    real = EpisodeState._result

    def result(self: EpisodeState, body: Any, text: Any) -> None:
        real(self, body, text)
        if self.top.pending is None:
            self.top.say(Message(role="user", text="请继续。"))

    patch.setattr(EpisodeState, "_result", result)


def declares_backwards(patch: Patch) -> None:
    real = CompiledStage.declared
    patch.setattr(CompiledStage, "declared", lambda self, lang: real(self, lang)[::-1])


def loses_an_event(patch: Patch) -> None:
    real = act._entries

    def entries(*given: Any) -> Any:
        return (e for e in real(*given) if not isinstance(e.body, ToolCallInvalid))

    patch.setattr(act, "_entries", entries)


def counts_twice(patch: Patch) -> None:
    real = EpisodeLedger.charge

    def charge(self: EpisodeLedger, *, acquires: bool) -> None:
        real(self, acquires=acquires)
        real(self, acquires=acquires)

    patch.setattr(EpisodeLedger, "charge", charge)


def answers_by_the_clock(patch: Patch) -> None:
    clock = itertools.count()
    answers(patch, lambda e: f"#{'x' * next(clock)}")


def never_guards(patch: Patch) -> None:
    patch.setattr(decide, "BARREN_TURNS", 10**6)


def calls_all_failures_one(patch: Patch) -> None:
    def failure(error: Any, sequence: int) -> Any:
        return failure_of(error, sequence).model_copy(update={"failure": "provider_error"})

    patch.setattr(episode, "failure_of", failure)


def promotes_a_draft(patch: Patch) -> None:
    real = EpisodeState._outcome

    def outcome(self: EpisodeState, body: Any) -> None:
        real(self, body)
        if isinstance(body, DraftSaved):
            self.submission = Submitted(
                sequence=body.sequence,
                call_index=body.call_index,
                text_sha256=body.text_sha256,
                chars=body.chars,
            )

    patch.setattr(EpisodeState, "_outcome", outcome)


def forgets_a_submission(patch: Patch) -> None:
    real = episode.conclude
    patch.setattr(episode, "conclude", lambda stop, submission, reply: real(stop, None, reply))


def names_another_gate(patch: Patch) -> None:
    real = decide._gate_stop

    def stop(*given: Any) -> Stop:
        return real(*given)._replace(ended_by=EndedBy.MARKER)

    patch.setattr(decide, "_gate_stop", stop)


def denies_nothing(patch: Patch) -> None:
    patch.setattr(jobs, "_lacks", lambda episode, name: None)


def executes_what_it_denies(patch: Patch) -> None:
    answers(patch, lambda e: "")
    patch.setitem(texts.RECEIPTS, "zh", texts.RECEIPTS["zh"]._replace(denied="好的。"))


def forgets_the_parent(patch: Patch) -> None:
    real = act.CallSite
    patch.setattr(act, "CallSite", lambda *place: real(*place[:3]))


BROKEN: list[tuple[Break, str, str, str]] = [
    (tells_a_limit, "coupled", "no_budget_number", "the budget number 192 is shown"),
    (tells_a_limit_in_a_tool, "H-W", "no_budget_number", "the budget number 128,000 is shown"),
    (tells_what_is_left, "coupled", "no_budget_number", "budget"),
    (warns_near_the_end, "H-D", "no_budget_number", "changes with the budget"),
    (shows_the_endpoint_in_a_result, "coupled", "pair_check", "differ outside the endpoint"),
    (speaks_after_the_endpoint, "coupled", "pair_check", "not the last sentence"),
    (speaks_as_the_user, "handoff-aw", "no_extra_user_turn", "user message"),
    (declares_backwards, "coupled", "tool_order", "declares write_report, submit_report"),
    (loses_an_event, "coupled", "one_event_schema", "has 0 events"),
    (counts_twice, "initial", "one_event_schema", "counted"),
    (answers_by_the_clock, "coupled", "resume", "the events are others"),
    (never_guards, "coupled", "every_outcome_reachable", "loop_guard was not reached"),
    (calls_all_failures_one, "H-W", "every_outcome_reachable", "bad_response was not reached"),
    (promotes_a_draft, "coupled", "no_draft_promoted", "the final is the draft"),
    (promotes_a_draft, "H-W", "no_draft_promoted", "the final is the draft"),
    (promotes_a_draft, "handoff-wf", "no_draft_promoted", "the final is the draft"),
    (forgets_a_submission, "coupled", "no_draft_promoted", "the submission is not the final"),
    (names_another_gate, "coupled", "end_names_its_gate", "the end names marker"),
    (denies_nothing, "handoff-both", "access", "was not denied"),
    (denies_nothing, "coupled", "access", "was not denied"),
    (executes_what_it_denies, "H-D", "access", "not answered with access_denied"),
    (forgets_the_parent, "H-D", "delegation", "does not carry its number"),
]


@pytest.fixture(autouse=True)
def _compiled_anew() -> Any:
    graph._compiled.cache_clear()
    yield
    graph._compiled.cache_clear()


@pytest.mark.parametrize(
    ("broken", "name", "rule", "said"), BROKEN, ids=lambda p: getattr(p, "__name__", str(p))
)
async def test_the_rule_that_is_broken_is_named(
    broken: Break, name: str, rule: str, said: str, monkeypatch: Patch
) -> None:
    lab = Lab(spec=HARNESSES[name], open_workspace=opened)
    broken(monkeypatch)
    problem = await RUN_RULES[rule](lab)
    assert problem is not None
    assert said in problem
