"""What an evaluator is sent says nothing of a run but what the run wrote, in both languages."""

from typing import Any

import pytest

from draligned.evaluators.orientation import ReadPlan, planned_reads
from draligned.evaluators.packets import RequestMode, document_packet, plan_units, request_packet
from draligned.evaluators.protocol import load_protocol
from draligned.evaluators.render import render
from draligned.schema.chat import Message
from draligned.schema.design import Lang
from draligned.schema.labels import Side
from draligned.schema.observed import ObservedRun
from draligned.schema.retrieval import ReturnStatus

from .scripted import card, draft, final, run

TEXT = "# 建议\n\n- 参加西湖边的演讲俱乐部。\n"
REQUESTS = ("演讲俱乐部", "https://a.example/%E6%B7%B1", "演讲俱乐部", "public speaking Leeds")
OTHER: dict[str, Any] = {
    "run_id": "s" * 16,
    "attempt": 3,
    "condition_id": "x" * 16,
    "model_name": "another-agent",
    "model_key": "n" * 16,
    "harness_name": "H-D",
    "harness_key": "k" * 16,
    "environment": "snapshot-2",
    "replicate": 4,
    "delegation_offered": True,
    "delegations": 2,
    "n_tags_stripped": 7,
}


def twins(lang: Lang) -> tuple[ObservedRun, ObservedRun]:
    """Two runs that wrote the same and differ in all else: arm, harness, model, order, returns."""
    factor = card(lang).factor_id
    told = [{"assigned": ({"factor_id": factor, "side": side},)} for side in Side]
    one = run(REQUESTS, drafts=(draft(TEXT),), **told[0])
    requests = tuple(
        r.model_copy(
            update={"seq": 900 + r.seq, "parent": 1, "return_status": ReturnStatus.BLOCKED}
        )
        for r in one.requests
    )
    two = run(final=final(TEXT), **OTHER, **told[1])
    return one, two.model_copy(update={"requests": requests})


def sent(observed: ObservedRun, lang: Lang, mode: RequestMode) -> dict[str, set[tuple[Any, ...]]]:
    """All that evaluators are sent of a run, by the side that stands first."""
    out: dict[str, set[tuple[Any, ...]]] = {}
    for unit in plan_units([observed], mode):
        for alpha in Side:
            if unit.kind == "requests":
                messages: tuple[Message, ...] = render(
                    request_packet(unit, card(lang), alpha, observed), load_protocol(lang, mode)
                )
            else:
                packet = document_packet(unit, card(lang), alpha, TEXT)
                messages = render(packet, load_protocol(lang, mode))
            out.setdefault(alpha, set()).add(messages)
    return out


@pytest.mark.parametrize("lang", ["zh", "en"])
@pytest.mark.parametrize("mode", ["whole_run", "batch_prev3"])
def test_runs_that_wrote_the_same_are_sent_as_the_same_bytes(lang: Lang, mode: RequestMode) -> None:
    one, two = twins(lang)
    assert sent(one, lang, mode) == sent(two, lang, mode)
    known = {v for v in OTHER.values() if isinstance(v, str)}
    known |= {one.run_id, one.condition_id, one.model_name, one.model_key, one.harness_key, "User1"}
    for messages in sent(two, lang, mode)[Side.P]:
        assert not [word for word in known for m in messages if word in (m.text or "")]


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_a_mirrored_packet_has_the_slots_changed_and_no_other_byte(lang: Lang) -> None:
    one, _ = twins(lang)
    by_side = sent(one, lang, "whole_run")
    p, q = card(lang).p, card(lang).q

    def turned(text: str) -> str:
        for a, b in ((p.sentence, q.sentence), *zip(p.words, q.words, strict=True)):
            text = text.replace(f'"{a}"', "\0").replace(f'"{b}"', f'"{a}"').replace("\0", f'"{b}"')
        return text

    mirrored = {tuple(turned(m.text or "") for m in messages) for messages in by_side[Side.P]}
    assert mirrored == {tuple(m.text or "" for m in messages) for messages in by_side[Side.Q]}


def test_which_side_stands_first_tells_no_arm() -> None:
    """By hash of the packet, so that of many runs of either arm half begin with P."""
    plan = ReadPlan(seed=7, mirrored=True)
    for arm in Side:
        runs = [run(("甲",), side=arm, run_id=f"{arm}{n:015d}") for n in range(400)]
        units = plan_units(runs, "whole_run")
        first = sum(planned_reads(u.packet_id, plan)[0].alpha is Side.P for u in units)
        assert 160 < first < 240
