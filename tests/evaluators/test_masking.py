"""Which texts are masked, and their packets."""

from draligned.evaluators.masking import chosen_texts, holding, masked_units
from draligned.evaluators.packets import (
    assigned_factors,
    document_packet,
    document_units,
    masked_unit,
)
from draligned.schema.base import sha256_text
from draligned.schema.labels import Channel, Observes, Side

from .scripted import card, draft, final, run

TOLD = "您目前常住在杭州。\n\n建议参加西湖边的读书会。\n"
NOT_TOLD = "建议多读书。\n"
FACTOR = card().factor_id


def test_masked_packets_have_an_identity_of_their_own() -> None:
    unit = masked_unit(sha256_text(TOLD), FACTOR)
    observed = run(final=final(TOLD))
    assert unit.packet_id not in {u.packet_id for u in document_units(observed, FACTOR)}
    packet = document_packet(unit, card(), Side.Q, TOLD)
    assert [p.text for p in packet.paragraphs] == ["[…]。\n\n", "建议参加西湖边的读书会。\n"]
    assert packet.alpha.sentence == card().q.sentence


def test_a_share_of_texts_is_chosen_whatever_the_order_of_runs() -> None:
    runs = [run(run_id=f"{n:016}", final=final(f"text {n}")) for n in range(20)]
    some = chosen_texts(runs, assigned_factors, 0.1, seed=3)
    assert len(some) == 2
    assert some == chosen_texts(runs[::-1], assigned_factors, 0.1, seed=3)
    assert set(some) <= set(chosen_texts(runs, assigned_factors, 0.3, seed=3))
    assert chosen_texts(runs, assigned_factors, 0.0, seed=3) == ()
    assert len(chosen_texts(runs[:1], assigned_factors, 0.01, seed=3)) == 1


def test_texts_that_restate_nothing_are_not_read_again() -> None:
    texts = {sha256_text(t): t for t in (TOLD, NOT_TOLD)}
    units = masked_units([(s, FACTOR) for s in texts], {FACTOR: card()}, texts.__getitem__)
    assert [u.text_sha256 for u in units] == [sha256_text(TOLD)]
    assert {u.mode for u in units} == {"masked"}


def test_a_run_keeps_only_its_chosen_texts() -> None:
    observed = run(("甲",), drafts=(draft(TOLD), draft(NOT_TOLD, 2)), final=final(NOT_TOLD))
    kept = holding(observed, FACTOR, [(sha256_text(TOLD), FACTOR)])
    assert kept is not None
    assert [d.version_no for d in kept.drafts] == [1]
    assert (kept.final, kept.requests) == (None, ())
    assert kept.observes[Channel.ACQUISITION] is Observes.NONE
    assert holding(observed, "another factor", [(sha256_text(TOLD), FACTOR)]) is None
