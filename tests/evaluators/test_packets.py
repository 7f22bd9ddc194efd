"""Units and blinded packets."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from draligned.evaluators.packets import (
    RequestMode,
    document_packet,
    document_units,
    plan_units,
    request_packet,
    request_units,
)
from draligned.schema.base import Record
from draligned.schema.errors import DesignError
from draligned.schema.labels import Side
from draligned.schema.observed import ObservedRun
from draligned.schema.packets import (
    DocumentPacket,
    PacketRequest,
    Paragraph,
    RequestPacket,
    SlotText,
)

from .scripted import card, draft, final, run

FACTOR = card().factor_id


def packets(observed: ObservedRun, mode: RequestMode, alpha: Side = Side.P) -> list[RequestPacket]:
    return [
        request_packet(u, card(), alpha, observed) for u in request_units(observed, FACTOR, mode)
    ]


@given(st.integers(0, 45), st.sampled_from(["whole_run", "batch_prev3"]))
def test_every_request_is_labelled_once(n: int, mode: RequestMode) -> None:
    observed = run(tuple(f"问题{i}" for i in range(n)))
    units = request_units(observed, FACTOR, mode)
    assert [no for u in units for no in u.request_nos] == list(range(1, n + 1))
    labelled = [r for p in packets(observed, mode) for r in p.requests if not r.context_only]
    assert [r.request for r in labelled] == [r.request for r in observed.requests]
    assert len({u.packet_id for u in units}) == len(units)


def test_batches_show_the_three_requests_before_them() -> None:
    first, second, third = packets(run(tuple(f"{i}" for i in range(1, 24))), "batch_prev3")
    assert [(r.no, r.context_only) for r in first.requests] == [(n, False) for n in range(1, 11)]
    assert [(r.no, r.context_only) for r in second.requests] == [(n, n <= 10) for n in range(8, 21)]
    assert [(r.no, r.context_only) for r in third.requests] == [(n, n <= 20) for n in range(18, 24)]


def test_a_whole_run_shows_later_requests_and_repeats() -> None:
    (packet,) = packets(run(("甲", "http://a", "甲")), "whole_run")
    assert [(r.no, r.tool, r.request) for r in packet.requests] == [
        (1, "search", "甲"),
        (2, "read", "http://a"),
        (3, "search", "甲"),
    ]


def test_numbers_are_positions_and_units_keep_the_runs_own_numbers() -> None:
    observed = run(("甲", "乙", "丙"))
    gapped = observed.model_copy(
        update={
            "requests": tuple(
                r.model_copy(update={"request_no": no})
                for r, no in zip(observed.requests, (9, 2, 5), strict=True)
            )
        }
    )
    (unit,) = request_units(gapped, FACTOR, "whole_run")
    assert unit.request_nos == (2, 5, 9)
    assert [(r.no, r.request) for r in packets(gapped, "whole_run")[0].requests] == [
        (1, "乙"),
        (2, "丙"),
        (3, "甲"),
    ]


@pytest.mark.parametrize("mode", ["whole_run", "batch_prev3"])
def test_mirrored_packets_differ_in_the_slots_alone(mode: RequestMode) -> None:
    observed = run(("杭州 西湖", "http://a"))
    (p,), (q,) = packets(observed, mode, Side.P), packets(observed, mode, Side.Q)
    assert p.alpha.sentence == "我常住在杭州。"
    assert p.model_copy(update={"alpha": p.beta, "beta": p.alpha}) == q


def test_packets_of_p_and_q_runs_with_the_same_behaviour_are_equal() -> None:
    """Nothing of the run's identity, arm, model, end or returns reaches the packet."""
    other = run(
        ("甲", "乙"),
        side=Side.Q,
        run_id="s" * 16,
        model_name="another",
        harness_name="H-W",
        replicate=3,
        drafts=(draft("x"),),
        final=final("x"),
    )
    assert packets(run(("甲", "乙")), "whole_run") == packets(other, "whole_run")


@pytest.mark.parametrize(
    ("record", "fields"),
    [
        (RequestPacket, {"kind", "lang", "question", "guidance", "alpha", "beta", "requests"}),
        (DocumentPacket, {"kind", "lang", "question", "guidance", "alpha", "beta", "paragraphs"}),
        (PacketRequest, {"no", "tool", "request", "context_only"}),
        (Paragraph, {"no", "text"}),
        (SlotText, {"sentence", "words"}),
    ],
)
def test_a_packet_has_no_field_for_what_it_must_not_say(
    record: type[Record], fields: set[str]
) -> None:
    assert set(record.model_fields) == fields


def test_identical_texts_are_one_unit_whoever_wrote_them() -> None:
    runs = [
        run(
            run_id="a" * 16, drafts=(draft("一"), draft("二", 2), draft("一", 3)), final=final("二")
        ),
        run(run_id="b" * 16, side=Side.Q, final=final("一")),
    ]
    assert len(document_units(runs[0], FACTOR)) == 2
    units = plan_units(runs, "whole_run")
    assert len(units) == 2
    assert all(u.run_id is None and u.kind == "document" for u in units)
    assert plan_units(reversed(runs), "whole_run") == units


def test_factors_beyond_the_assigned_ones_get_units_of_their_own() -> None:
    observed = run(("甲",), final=final("一"))
    units = plan_units([observed], "whole_run", lambda r: (FACTOR, "f" * 16))
    assert sorted((u.kind, u.factor_id) for u in units) == sorted(
        (kind, factor) for kind in ("requests", "document") for factor in (FACTOR, "f" * 16)
    )
    assert plan_units([run()], "whole_run") == ()


def test_the_document_packet_keeps_every_character() -> None:
    text = "# 一\r\n\r\n正文 {x}  \r\n"
    (unit,) = document_units(run(final=final(text)), FACTOR)
    packet = document_packet(unit, card(), Side.Q, text)
    assert "".join(p.text for p in packet.paragraphs) == text
    assert packet.alpha.words == ("深圳", "南山")


def test_a_packet_of_another_card_or_run_is_refused() -> None:
    observed = run(("甲",), final=final("一"))
    stranger = card(field_path="其他")
    requests, document = plan_units([observed], "whole_run")
    if requests.kind == "document":
        requests, document = document, requests
    with pytest.raises(DesignError, match="card"):
        request_packet(requests, stranger, Side.P, observed)
    with pytest.raises(DesignError, match="card"):
        document_packet(document, stranger, Side.P, "一")
    with pytest.raises(DesignError, match="belongs to run"):
        request_packet(requests, card(), Side.P, run(("甲",), run_id="s" * 16))
