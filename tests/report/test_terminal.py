"""Lines for the terminal: everything in order, text as text."""

from dataclasses import replace

import pytest

from draligned.report import terminal
from draligned.report.terminal import packet_lines, pair_lines, run_lines
from draligned.schema import events as ev
from draligned.schema.events import BODY, RunHeader
from draligned.schema.labels import (
    Action,
    Actor,
    CellStatus,
    Channel,
    ItemDirection,
    Observes,
    ReadRole,
    Role,
    Side,
    SlotLabel,
    Strength,
    VoidReason,
)
from draligned.schema.packets import CellRead, DroppedItem, EvalUnit, ItemRead, ReadRecord
from draligned.schema.refusals import RefusalReason

from .made import data_of
from .world import World, build

PLAIN = World(tasks=1, models=("m",), requests=2)


def header(run_id: str, *, rehearsal: bool = True) -> RunHeader:
    """A header as the study writes it."""
    return RunHeader(
        run_id=run_id, attempt=1, condition_id="c", design_sha256="0" * 64, model_name="m",
        model_key="k", requested_model="m", harness_name="coupled", harness_key="h",
        environment="embedded", replicate=1, observes=dict.fromkeys(Channel, Observes.FULL),
        rehearsal=rehearsal, started_utc="2026-01-01T00:00:00+00:00", versions={},
    )  # fmt: skip


def lines_of(world: World) -> list[str]:
    """Lines of a world's first run."""
    built = build(world)
    run = built.observed[0].run_id
    return run_lines(header(run), built.events[run], lambda sha: built.texts[sha])


def test_events_stand_in_order_with_their_texts() -> None:
    lines = lines_of(PLAIN)
    kinds = [line.split()[1] for line in lines if line[:4].strip().isdigit()]
    assert kinds[:4] == ["opened", "call_started", "model_turn", "request_executed"]
    assert kinds[-1] == "ended"
    assert '#1 search → ok: "mentor 1 near Leeds"' in "\n".join(lines)
    assert any(line.endswith("meet in Leeds.") for line in lines)
    assert not any("SECRET-THOUGHT" in line for line in lines)


def test_a_rehearsal_says_so() -> None:
    assert "rehearsal: this is no evidence about any language model" in lines_of(PLAIN)
    built = build(PLAIN)
    run = built.observed[0].run_id
    lines = run_lines(header(run, rehearsal=False), built.events[run], built.texts.__getitem__)
    assert not any("rehearsal" in line for line in lines)


def test_no_control_reaches_the_terminal() -> None:
    bad = "a\x1b[2Jb\u202ec\rd\u3000宽"
    lines = lines_of(replace(PLAIN, request_text=bad + "\nsecond", final_text=bad))
    text = "\n".join(lines)
    assert not set(text) & set("\x1b\u202e\r")
    assert "a⟨U+001B⟩[2Jb⟨U+202E⟩c⟨U+000D⟩d\u3000宽⏎second" in text
    assert all("\n" not in line for line in lines)


def test_a_long_request_is_cut_with_its_length() -> None:
    text = "\n".join(lines_of(replace(PLAIN, request_text="x" * 5_000)))
    assert "x" * 300 + "… (5000 characters)" in text


def test_a_pair_shows_both_runs_at_every_locus() -> None:
    tables = data_of(replace(PLAIN, failed=("1/m/Q",))).tables
    pair_id = tables["pairs"]["pair_id"].iloc[0]
    lines = pair_lines(pair_id, tables["pairs"], tables["matrix"])
    assert lines[0].startswith(f"pair {pair_id}: task 1")
    assert "final P_ONLY (OWN_ONLY)" in lines[1]
    assert "(failed)" in lines[2]
    assert "final unknown (run_failed)" in lines[2]
    assert lines[3] == "  d_A unreadable_q; d_F unreadable_q"
    assert pair_lines("unknown", tables["pairs"], tables["matrix"]) == []


UNIT = EvalUnit(packet_id="p" * 16, kind="requests", factor_id="f", run_id="r", mode="whole_run")
READ = ReadRecord(
    packet_id="p" * 16, kind="requests", factor_id="f", evaluator_id="e",
    protocol_sha256="0" * 64, role=ReadRole.MIRROR, alpha=Side.Q, packet_sha256="shown",
    reply_sha256="reply", void=None,
    cells=(
        CellRead(request_no=1, status=CellStatus.VALID, label=SlotLabel.ALPHA_ONLY, quote="q\x1b"),
        CellRead(
            request_no=2, status=CellStatus.VOID, label=None, reason=VoidReason.QUOTE_NOT_FOUND
        ),
    ),
    items=(
        ItemRead(
            entity_key="hotel", actor=Actor.AGENT, role=Role.MAIN, action=Action.RECOMMEND,
            strength=Strength.FIRM, direction=ItemDirection.SLOT1, paragraph_ids=(1,),
        ),
    ),
    dropped=(DroppedItem(index=3, reason="no such paragraph"),),
)  # fmt: skip
TEXTS = {"shown": "the packet\nof two lines", "reply": '{"cells": []}\x07'}


def test_a_packet_shows_what_was_read_and_said() -> None:
    lines = packet_lines(UNIT, [READ], TEXTS.__getitem__)
    assert lines[0].startswith("packet pppppppppppppppp: requests of run r")
    assert "mirror read by e: ALPHA is Q, BETA is P" in lines[1]
    assert "      │ of two lines" in lines
    assert '      │ {"cells": []}⟨U+0007⟩' in lines
    assert '  request 1: ALPHA_ONLY "q⟨U+001B⟩"' in lines
    assert "  request 2: void (quote_not_found)" in lines
    assert "  item hotel: AGENT MAIN RECOMMEND FIRM SLOT1" in lines
    assert "  dropped item 3: no such paragraph" in lines


def test_a_packet_without_a_reply_says_why() -> None:
    unsent = READ.model_copy(update={"reply_sha256": None, "void": VoidReason.OVERSIZE})
    lines = packet_lines(None, [unsent], TEXTS.__getitem__)
    assert "  never sent" in lines
    assert "  void: oversize" in lines
    assert packet_lines(UNIT, [], TEXTS.__getitem__)[-1].startswith("no read of this packet")


OUTSIDE_THE_COUPLED_LOOP = (
    (ev.AccessDenied(sequence=1, call_index=0, tool="x\x1b", context="delegation", lacks="tool"),
     "x⟨U+001B⟩ in delegation: lacks tool"),
    (ev.WorkspaceRead(sequence=1, call_index=0, tool="read_file", path="甲.md"),
     "read_file 甲.md"),
    (ev.ToolRefused(sequence=1, call_index=0, tool="write_file", path="../x",
                    reason=RefusalReason.PARENT_PATH), "write_file ../x: parent_path"),
    (ev.DelegationOpened(sequence=1, call_index=0, number=2, messages=()), "delegation 2"),
    (ev.DelegationClosed(number=2, reason="empty", text_sha256=None),
     "delegation 2: empty, no text"),
    (ev.HandedOver(to="workspace", source="reply", text_sha256=None, messages=()),
     "to workspace: reply"),
    (ev.UserTurn(origin="scripted", number=1, text="答"), "scripted 1"),
    (ev.CodeRun(sequence=1, call_index=0, exit="ok", output_sha256="0" * 64, removed=("a",)),
     "ok; saved none; removed a"),
)  # fmt: skip


@pytest.mark.parametrize(("body", "said"), OUTSIDE_THE_COUPLED_LOOP)
def test_every_kind_of_event_says_what_it_was(body: ev.Body, said: str) -> None:
    event = ev.Event(seq=0, utc="", mono=0.0, prev="", body=body)
    lines = run_lines(header("r"), [event], lambda sha: "印出", whole=False)
    assert lines[-1].split(maxsplit=2) == ["0", body.kind, said]


def test_no_kind_of_event_is_without_words() -> None:
    kinds = set(BODY.json_schema()["discriminator"]["mapping"])
    assert kinds == set(terminal._ABOUT)
