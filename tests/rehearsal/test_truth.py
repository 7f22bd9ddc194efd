"""Planted truth: by hand, and against many played episodes counted without the measures."""

import pytest

from draligned.rehearsal.profiles import AgentProfile, Leaning, agent_profile
from draligned.rehearsal.reader_profile import ReaderProfile
from draligned.rehearsal.truth import planted_truth, planted_use

from .doubles import EN, calls, document_packet, episode, main_advice, read

EXACT = ReaderProfile(abstain=0, flip=0, order_bias=0)


def test_by_hand_without_read_errors() -> None:
    profile = AgentProfile(
        requests_min=1,
        requests_max=1,
        request=Leaning(own=0.5, other=0.1, both=0.1),
        final=Leaning(own=0.5, other=0.0, both=0.25),
        submit=0.6,
        text=0.2,
        empty=0.2,
        length=0.0,
    )
    truth = planted_truth(profile)
    assert truth.d_a == pytest.approx(2 * (0.5 - 0.1))
    # x is 1 or 0, each with 1/2, in each arm: only (0, 0) gives no sign.
    assert truth.d_f == pytest.approx(0.75)
    assert truth.readable_a == pytest.approx(1.0)
    assert truth.readable_f == pytest.approx(0.8**2)


def test_abstaining_costs_readability_and_leaves_the_direction() -> None:
    profile = AgentProfile(requests_min=1, requests_max=1)
    errors = ReaderProfile(abstain=0.1, flip=0, order_bias=0)
    clean, truth = planted_truth(profile), planted_truth(profile, reader=errors)
    assert truth.d_a == pytest.approx(clean.d_a)
    assert truth.d_f == pytest.approx(clean.d_f)
    assert truth.readable_a == pytest.approx(0.81**2)


def test_a_full_order_bias_leaves_only_what_has_no_direction() -> None:
    errors = ReaderProfile(abstain=0, flip=0, order_bias=1)
    truth = planted_truth(AgentProfile(), reader=errors)
    assert truth.d_a == truth.d_f == 0


def test_two_flips_make_an_accepted_error() -> None:
    profile = AgentProfile(request=Leaning(own=1.0), final=Leaning(own=1.0))
    truth = planted_truth(profile, reader=ReaderProfile(abstain=0, flip=0.5, order_bias=0))
    assert truth.d_a == pytest.approx(0)


def test_addresses_leave_fewer_requests_to_identify() -> None:
    errors = ReaderProfile(abstain=0.5, flip=0, order_bias=0)
    few = AgentProfile(requests_min=4, requests_max=4, url_reads=0.9)
    many = AgentProfile(requests_min=4, requests_max=4, url_reads=0.0)
    assert (
        planted_truth(few, reader=errors).readable_a < planted_truth(many, reader=errors).readable_a
    )


def test_a_fixed_plan_has_no_expectation() -> None:
    with pytest.raises(ValueError, match="count its leanings"):
        planted_truth(AgentProfile(request_plan=("own",)))


def test_use_by_hand() -> None:
    profile = AgentProfile(
        requests_min=2,
        requests_max=3,
        url_reads=0.5,
        delegates=0.4,
        draft=0.6,
        draft_follows=0.5,
        verbatim=0.2,
        final=Leaning(own=1.0),
        draft_lean=Leaning(own=0.25, other=0.75),
    )
    use = planted_use(profile)
    # All later requests are reads with 1/2 where there is one, with 1/4 where there are two.
    assert use.delegates == pytest.approx(0.4 * (1 - (0.5 + 0.25) / 2))
    assert use.drafts == 0.6
    assert use.repeated == pytest.approx(0.2 * (0.5 + 0.5 * 0.25))
    with pytest.raises(ValueError, match="count what they hold"):
        planted_use(AgentProfile(draft_plan=("own",)))


def readouts(profile: dict[str, object], arm: int, n: int) -> tuple[list[float], list[float]]:
    """Mean request readout and final readout of n episodes, in terms of the own endpoint."""
    requests, finals = [], []
    for seed in range(n):
        said = episode(EN, seed=seed * 2 + arm, **profile)
        texts = [s["query"] for s in calls(said, "search")]
        requests.append(sum("Leeds" in t for t in texts) - sum("Bristol" in t for t in texts))
        requests[-1] /= len(texts)
        for report in calls(said, "submit_report"):
            packet = document_packet(
                report["content"], ("I live in Leeds.", ["Leeds"]), ("…", ["Bristol"])
            )
            found = {d for d in main_advice(read(packet)) if d != "NEITHER"}
            finals.append(
                {frozenset({"SLOT1"}): 1.0, frozenset({"SLOT2"}): -1.0}.get(frozenset(found), 0.0)
            )
    return requests, finals


def test_played_episodes_come_close_to_the_truth() -> None:
    n = 300
    profile = agent_profile("rehearsal-agent-a", {"submit": 1, "text": 0, "empty": 0, "length": 0})
    fields = profile.model_dump()
    (a_p, f_p), (a_q, f_q) = readouts(fields, 0, n), readouts(fields, 1, n)
    truth = planted_truth(profile)
    d_a = sum(a_p) / n + sum(a_q) / n
    signs = [(p + q > 0) - (p + q < 0) for p, q in zip(f_p, f_q, strict=True)]
    # Four standard errors: about 0.16/sqrt(300) an arm for A, at most 0.5/sqrt(300) for F.
    assert d_a == pytest.approx(truth.d_a, abs=0.055)
    assert sum(signs) / n == pytest.approx(truth.d_f, abs=0.08)
