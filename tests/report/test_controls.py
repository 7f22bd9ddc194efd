"""Every kind of event has its line, on the page and in the terminal; text of agents stays text."""

from typing import get_args

import pytest

from draligned.report.controls import control_entry
from draligned.report.terminal import run_lines
from draligned.report.texts import load_texts
from draligned.schema import events as ev
from draligned.schema.chat import Message
from draligned.schema.refusals import RefusalReason

from .test_terminal import header

SHA = "ab" * 32
ASKED = (Message(role="system", text="a sub-task"), Message(role="user", text="Sub-task:\nfind"))
BODIES: tuple[tuple[ev.Body, str, str], ...] = (
    (
        ev.UserTurn(origin="scripted", number=1, text="About the user:\nLeeds"),
        "The harness spoke as the user, by its script (1): About the user:\nLeeds",
        "scripted 1",
    ),
    (
        ev.ToolRefused(
            sequence=1, call_index=0, tool="write_file", path="../x\u202e",
            reason=RefusalReason.PARENT_PATH,
        ),
        "Refused by write_file (parent_path): ../x⟨U+202E⟩",
        "write_file ../x⟨U+202E⟩: parent_path",
    ),
    (
        ev.AccessDenied(
            sequence=1, call_index=0, tool="search", context="workspace", lacks="tool"
        ),
        "Call that workspace may not make, lacking tool: search",
        "search in workspace: lacks tool",
    ),
    (
        ev.WorkspaceRead(sequence=1, call_index=0, tool="read_file", path="notes.md"),
        "Read a file: notes.md",
        "read_file notes.md",
    ),
    (ev.WorkspaceRead(sequence=1, call_index=0, tool="list_files"), "Listed its files", "list_"),
    (
        ev.CodeRun(
            sequence=1, call_index=0, exit="timeout", output_sha256=SHA,
            saved=(ev.SavedFile(path="a.md", text_sha256=SHA, chars=3),), removed=("b.md",),
        ),
        "Code ran in the sandbox (out of time); files changed: 2 a.md, b.md",
        "timeout; saved a.md; removed b.md",
    ),
    (
        ev.DelegationOpened(sequence=1, call_index=0, number=2, messages=ASKED),
        "Delegation 2 began: Sub-task:\nfind",
        "delegation 2",
    ),
    (
        ev.DelegationClosed(number=2, reason="length_cut", text_sha256=None),
        "Delegation 2 ended: cut by the provider",
        "delegation 2: length_cut",
    ),
    (
        ev.HandedOver(to="workspace", source="draft", text_sha256=SHA, messages=ASKED),
        "Handed over to workspace: the last saved draft",
        "to workspace: draft",
    ),
)  # fmt: skip


def event(body: ev.Body) -> ev.Event:
    return ev.Event(seq=7, utc="2026-01-01T00:00:00+00:00", mono=0.0, prev="0" * 64, body=body)


@pytest.mark.parametrize(("body", "said", "_"), BODIES, ids=lambda b: getattr(b, "kind", ""))
def test_on_the_page(body: ev.Body, said: str, _: str) -> None:
    entry = control_entry(event(body), load_texts("en"))
    assert entry is not None
    assert (entry.seq, entry.kind) == (7, "control")
    assert f"{entry.title} {entry.text.text if entry.text else ''}".strip() == said


@pytest.mark.parametrize(("body", "_", "said"), BODIES, ids=lambda b: getattr(b, "kind", ""))
def test_in_the_terminal(body: ev.Body, _: str, said: str) -> None:
    lines = run_lines(header("r"), [event(body)], lambda sha: "text")
    (line,) = (x for x in lines if x.startswith("   7  "))
    assert line.split(maxsplit=2)[1:] == [body.kind, line.split(maxsplit=2)[2]]
    assert said in line


def test_no_kind_of_event_is_without_a_line_in_the_terminal() -> None:
    from draligned.report import terminal

    (union, *_) = get_args(ev.Body)
    kinds = {kind.model_fields["kind"].default for kind in get_args(union)}
    assert len(kinds) > 15
    assert kinds == set(terminal._ABOUT)
