"""H-W: files, refusals by name, and the saved file itself as the final (DR-23)."""

from pathlib import Path

from draligned.harnesses.registry import H_W
from draligned.schema.base import sha256_text
from draligned.schema.endings import Outcome
from draligned.schema.events import CodeRun, DraftSaved, Submitted, ToolRefused, WorkspaceRead
from draligned.store.blobs import Blobs
from draligned.study.observe import observe

from .doubles import World, condition, header, made, says, script, tool_texts

WITH_CODE = H_W.model_copy(
    update={
        "name": "H-C",
        "workspace": (*H_W.workspace, "python"),
        "tool_order": (*H_W.tool_order, "python"),
    }
)


def write(path: str, content: str) -> object:
    return made("write_file", path=path, content=content)


async def test_a_file_written_edited_and_submitted_in_one_turn(tmp_path: Path) -> None:
    world = World(tmp_path, spec=H_W)
    turn = says(
        None,
        made("write_file", "a", path="r.md", content="初稿：杭州"),
        made("edit_file", "b", path="r.md", old="初稿", new="终稿"),
        made("submit_file", "c", path="r.md"),
    )
    end = await world.run(script(turn, says("完")))
    assert end is not None
    assert (end.outcome, end.work_done_by_state) == (Outcome.SUBMITTED, True)
    assert end.final_sha256 == sha256_text("终稿：杭州")
    submitted = [b for b in world.bodies() if isinstance(b, Submitted)]
    assert [b.path for b in submitted] == ["r.md"]


async def test_other_files_are_notes_and_every_content_is_a_version(tmp_path: Path) -> None:
    world = World(tmp_path, spec=H_W)
    lines = [
        says(None, write("notes.md", "笔记"), write("r.md", "一")),
        says(None, write("r.md", "一"), write("r.md", "二")),
        says(None, made("submit_file", path="r.md")),
        says("完"),
    ]
    await world.run(script(*lines))
    cond = condition()
    seen = observe(header(cond), cond, world.events())
    assert [d.text_sha256 for d in seen.drafts] == [sha256_text("一"), sha256_text("二")]
    assert seen.final is not None
    assert seen.final.text_sha256 == seen.drafts[-1].text_sha256


async def test_without_a_submission_no_file_is_a_draft(tmp_path: Path) -> None:
    world = World(tmp_path, spec=H_W)
    end = await world.run(script(says(None, write("report", "一")), says("答案")))
    cond = condition()
    seen = observe(header(cond), cond, world.events())
    assert end is not None
    assert end.outcome is Outcome.TEXT_REPLY
    assert seen.drafts == ()


async def test_what_the_workspace_refuses_is_told_by_name_and_charged(tmp_path: Path) -> None:
    spec = H_W.model_copy(update={"budget": H_W.budget.model_copy(update={"tools": 7})})
    world = World(tmp_path, spec=spec)
    paths = ["../x", "/etc/passwd", "C:/x", "a\\b", "CON.md", "aa:b"]
    model = script(
        says(None, *(write(path, "x") for path in paths), made("submit_file", path="none.md")),
        says(None, write("r.md", "晚了")),
    )
    end = await world.run(model)
    refused = [b for b in world.bodies() if isinstance(b, ToolRefused)]
    reasons = [
        "parent_path", "absolute_path", "drive_path", "backslash", "reserved_name",
        "bad_character", "not_found",
    ]  # fmt: skip
    assert [str(b.reason) for b in refused] == reasons
    assert [b.path for b in refused] == [*paths, "none.md"]
    assert tool_texts(model.requests) == [f"已拒绝：{reason}" for reason in reasons]
    assert end is not None
    assert end.outcome is Outcome.BUDGET_TOOLS


async def test_files_are_listed_and_read(tmp_path: Path) -> None:
    world = World(tmp_path, spec=H_W)
    model = script(
        says(None, made("list_files")),
        says(None, write("乙.md", "b"), write("甲.md", "a")),
        says(None, made("list_files"), made("read_file", path="甲.md")),
        says("答案"),
    )
    await world.run(model)
    texts = [m.text for m in model.requests[-1].messages if m.role == "tool"]
    assert (texts[0], texts[3], texts[4]) == ("（没有文件）", "乙.md\n甲.md", "a")
    read = [b for b in world.bodies() if isinstance(b, WorkspaceRead)]
    assert [(b.tool, b.path) for b in read] == [
        ("list_files", None),
        ("list_files", None),
        ("read_file", "甲.md"),
    ]


async def test_a_blank_file_cannot_be_submitted(tmp_path: Path) -> None:
    world = World(tmp_path, spec=H_W)
    turn = says(
        None,
        write("r.md", "字"),
        made("edit_file", path="r.md", old="字", new=""),
        made("submit_file", path="r.md"),
    )
    end = await world.run(script(turn, says(None)))
    assert end is not None
    assert end.outcome is Outcome.EMPTY_REPLY
    assert [str(b.reason) for b in world.bodies() if isinstance(b, ToolRefused)] == [
        "nothing_saved"
    ]


async def test_code_changes_files_and_a_sandbox_that_dies_loses_nothing_saved(
    tmp_path: Path,
) -> None:
    world = World(tmp_path, spec=WITH_CODE)
    model = script(
        says(None, write("r.md", "稿"), made("python", code="print(1)")),
        says(None, made("python", code="die")),
        says(None, made("read_file", path="made.txt"), made("submit_file", path="r.md")),
        says("完"),
    )
    end = await world.run(model)
    runs = [b for b in world.bodies() if isinstance(b, CodeRun)]
    assert [b.exit for b in runs] == ["ok", "killed"]
    assert [f.path for f in runs[0].saved] == ["made.txt"]
    assert Blobs(world.store).get(runs[0].output_sha256) == "ok\nran print(1)"
    assert "print(1)" in [m.text for m in model.requests[3].messages]
    assert end is not None
    assert end.final_sha256 == sha256_text("稿")


async def test_no_saved_file_becomes_a_final_by_itself(tmp_path: Path) -> None:
    world = World(tmp_path, spec=H_W)
    end = await world.run(script(says(None, write("r.md", "终稿全文")), says(None)))
    assert end is not None
    assert (end.outcome, end.final_sha256) == (Outcome.EMPTY_REPLY, None)
    assert [b.tool for b in world.bodies() if isinstance(b, DraftSaved)] == ["write_file"]
