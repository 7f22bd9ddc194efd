"""Attacks by way of files and their names."""

from draligned.harnesses.sandbox.client import open_workspace
from draligned.harnesses.sandbox.limits import MIB
from draligned.harnesses.sandbox.protocol import Workspace
from draligned.schema.errors import WorkspaceRefusal
from draligned.schema.refusals import RefusalReason

from .base import LIMITS, Opened, attack, lines, refused, works


@attack
async def paths_outside(workspace: Workspace) -> None:
    wanted = {
        "/etc/shadow": RefusalReason.ABSOLUTE_PATH,
        "../x": RefusalReason.PARENT_PATH,
        "a/../../x": RefusalReason.PARENT_PATH,
        "F:\\a\\b.md": RefusalReason.DRIVE_PATH,
        "C:/x": RefusalReason.DRIVE_PATH,
        "..\\x": RefusalReason.BACKSLASH,
        "CON.md": RefusalReason.RESERVED_NAME,
        "a" * 300: RefusalReason.NAME_TOO_LONG,
        "/".join("abcdefghijklmnopqrstuvw"): RefusalReason.PATH_TOO_DEEP,
        "": RefusalReason.EMPTY_PATH,
    }
    for path, reason in wanted.items():
        assert await refused(workspace.write_file(path, "x")) is reason, path
        assert await refused(workspace.read_file(path)) is reason, path
        assert await refused(workspace.edit_file(path, "x", "y")) is reason, path
    assert [entry.path for entry in await workspace.list_files()] == ["first.md"]


@attack
async def symbolic_links(workspace: Workspace) -> None:
    code = "os.symlink('/etc/passwd', 'out.md'); os.symlink('/usr', 'folder')"
    notes = await lines(workspace, code)
    assert notes == ["[removed 'folder': symlink]", "[removed 'out.md': symlink]"], notes
    assert await refused(workspace.read_file("out.md")) is RefusalReason.NOT_FOUND
    await workspace.write_file("folder/x.md", "here")
    assert await workspace.read_file("folder/x.md") == "here"


@attack
async def links_in_place_of_the_folder(workspace: Workspace) -> None:
    got = await lines(workspace, "attempt('away', os.rename, '/files', '/elsewhere')")
    assert got[0].split()[1] in {"EBUSY", "EACCES", "EROFS", "EXDEV", "EPERM"}, got
    await lines(workspace, "attempt('closed', os.chmod, '.', 0)")
    await works(workspace)


@attack
async def devices_and_pipes(workspace: Workspace) -> None:
    got = await lines(
        workspace,
        "import stat\n"
        "attempt('char', os.mknod, 'c', stat.S_IFCHR | 0o666, os.makedev(1, 1))\n"
        "attempt('block', os.mknod, 'b', stat.S_IFBLK | 0o666, os.makedev(254, 0))\n"
        "attempt('pipe', os.mkfifo, 'p')\n"
        "print(sorted(os.listdir('/dev')))",
    )
    assert got[0].split()[1] in {"EPERM", "EACCES"}, got
    assert got[1].split()[1] in {"EPERM", "EACCES"}, got
    assert got[2:] == ["pipe DONE", "['null', 'urandom', 'zero']", "[removed 'p': not_a_file]"], got


@attack
async def names_that_no_agent_may_use(workspace: Workspace) -> None:
    result = await workspace.run_python(
        "import os\n"
        "for name in ['CON.md', 'a:b.md', 'dot.', b'\\xff.md', 'ok.md', ':unfinished']:\n"
        "    open(name, 'w').write('x')\n"
        "os.makedirs('/'.join('d' * 20)); os.mkdir('empty')\n"
    )
    assert result.saved == {"ok.md": "x"}, result
    assert result.output.splitlines() == [
        "[removed ':unfinished': bad_character]",
        "[removed 'CON.md': reserved_name]",
        "[removed 'a:b.md': drive_path]",
        "[removed 'd/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d': path_too_deep]",
        "[removed 'dot.': reserved_name]",
        "[removed '\\udcff.md': bad_character]",
    ], result.output
    await works(workspace)


@attack
async def what_is_no_text(workspace: Workspace) -> None:
    result = await workspace.run_python(
        "open('first.md', 'wb').write(b'\\xff\\xfe'); open('zero.md', 'w').write('a\\0b')"
    )
    assert result.removed == ("first.md",), result
    notes = "[removed 'first.md': not_text]\n[removed 'zero.md': not_text]\n"
    assert result.output == notes, result
    assert await refused(workspace.write_file("a.md", "\ud800")) is RefusalReason.NOT_TEXT
    assert await refused(workspace.write_file("a.md", "\0")) is RefusalReason.NOT_TEXT


@attack
async def rights_taken_away_and_very_deep_folders(workspace: Workspace) -> None:
    result = await workspace.run_python(
        "import os\n"
        "open('shut.md', 'w').write('x'); os.chmod('shut.md', 0)\n"
        "os.mkdir('a'); open('a/b.md', 'w').write('y'); os.chmod('a', 0)\n"
        "os.mkdir('deep'); os.chdir('deep')\n"
        "for number in range(400):\n"
        "    os.mkdir('d'); os.chdir('d')\n"
        "    if number > 390: open('1', 'w').close(); open(':1', 'w').close()\n"
        "os.chmod('../../d', 0)\n"
    )
    assert result.exit == "ok", result
    assert result.saved == {"shut.md": "x", "a/b.md": "y"}, result
    gone = "/".join(["deep", *"d" * 15])
    assert result.output == f"[removed '{gone}': path_too_deep]\n", result
    assert await workspace.read_file("shut.md") == "x"


@attack
async def ten_gigabytes(workspace: Workspace) -> None:
    got = await lines(
        workspace,
        "attempt('sparse', os.truncate, os.open('s', os.O_CREAT | os.O_RDWR), 10 << 30)\n"
        "attempt('seek', os.pwrite, os.open('s', os.O_RDWR), b'x', 10 << 30)\n"
        "def pour(name):\n"
        "    with open(name, 'wb', buffering=0) as file:\n"
        "        for _ in range(10 << 14): assert file.write(b'x' * 65536) == 65536\n"
        "attempt('one', pour, 'one')\n"
        "def many():\n"
        "    for number in range(10 << 10):\n"
        "        with open(f'm{number}', 'wb', buffering=0) as file:\n"
        "            assert file.write(b'x' * 1048576) == 1048576\n"
        "attempt('many', many)\n"
        "for name in os.listdir('.'):\n"
        "    if name != 'first.md': os.remove(name)\n",
    )
    assert got[:3] == ["sparse EFBIG", "seek EFBIG", "one EFBIG"], got
    assert got[3] in {"many ENOSPC", "many AssertionError"}, got
    await works(workspace)


@attack
async def full_disk_by_files(workspace: Workspace) -> None:
    too_large = await refused(workspace.write_file("big.md", "x" * (MIB + 1)))
    assert too_large is RefusalReason.TOO_LARGE
    reasons = [await _write(workspace, f"{n}.md", "x" * MIB) for n in range(6)]
    assert reasons[:3] == [None] * 3, reasons
    assert reasons[-1] is RefusalReason.NO_SPACE, reasons
    assert await refused(workspace.write_file("0.md", "y" * MIB)) is RefusalReason.NO_SPACE
    assert await workspace.read_file("0.md") == "x" * MIB


async def _write(workspace: Workspace, path: str, content: str) -> RefusalReason | None:
    try:
        await workspace.write_file(path, content)
    except WorkspaceRefusal as refusal:
        return refusal.reason
    return None


@attack
async def too_many_files(workspace: Workspace) -> None:
    reasons = [await _write(workspace, f"{n}.md", "x") for n in range(LIMITS.files)]
    assert reasons == [None] * (LIMITS.files - 1) + [RefusalReason.TOO_MANY_FILES], reasons
    result = await workspace.run_python("open('0more.md', 'w').write('x')")
    assert result.output == "[removed '0more.md': too_many_files]\n", result
    assert (dict(result.saved), result.removed) == ({}, ())
    code = "while True: open(str(len(__import__('os').listdir('.'))), 'w').close()"
    result = await workspace.run_python(code)
    assert result.exit in {"killed", "timeout", "error"}, result
    assert len(await workspace.list_files()) == LIMITS.files


@attack
async def files_of_another_episode(workspace: Workspace) -> None:
    assert isinstance(workspace, Opened)
    other = await open_workspace({"secret.md": "theirs"}, LIMITS, workspace.kind)
    try:
        got = await lines(
            workspace,
            "found = [os.path.join(at, name) for top in ['files', 'dev']\n"
            "         for at, _, names in os.walk('/' + top) for name in names]\n"
            "print([path for path in found if path.endswith('.md')])",
        )
        assert got == ["['/files/first.md']"], got
        assert await refused(workspace.read_file("secret.md")) is RefusalReason.NOT_FOUND
        await workspace.write_file("secret.md", "mine")
        assert await other.read_file("secret.md") == "theirs"
    finally:
        await other.aclose()
