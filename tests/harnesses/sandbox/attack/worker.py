"""Attacks on the worker that serves the files."""

from draligned.harnesses.sandbox.protocol import CodeResult, Workspace

from .base import LIMITS, attack, lines, works


@attack
async def signals_to_the_worker(workspace: Workspace) -> None:
    await lines(
        workspace,
        "for number in range(1, 65): attempt(number, os.kill, 1, number)\n"
        "import time; time.sleep(0.1)",
    )
    await works(workspace)


@attack
async def hands_on_the_worker(workspace: Workspace) -> None:
    got = await lines(
        workspace,
        "import resource, struct\n"
        "attempt('attach', libc.ptrace, 16, 1, 0, 0)\n"
        "attempt('seize', libc.ptrace, 0x4206, 1, 0, 0)\n"
        "attempt('read', libc.process_vm_readv, 1, None, 0, None, 0, 0)\n"
        "attempt('write', libc.process_vm_writev, 1, None, 0, None, 0, 0)\n"
        "attempt('limit', resource.prlimit, 1, resource.RLIMIT_AS, (4096, 4096))\n"
        "attempt('pidfd', libc.syscall, 438, os.pidfd_open(1), 0, 0)\n"
        "attempt('nice', os.setpriority, os.PRIO_PROCESS, 1, 19)\n"
        "attempt('processor', os.sched_setaffinity, 1, {0})\n"
        "attempt('idle', os.sched_setscheduler, 1, os.SCHED_IDLE, os.sched_param(0))\n"
        "attempt('raise', resource.setrlimit, resource.RLIMIT_AS, (1 << 40, 1 << 40))\n"
        "attempt('files', resource.setrlimit, resource.RLIMIT_FSIZE, (-1, -1))\n",
    )
    assert {line.split()[1] for line in got[:9]} == {"EPERM"}, got
    assert got[9:] == ["raise ValueError", "files ValueError"], got
    await works(workspace)


@attack
async def pipes_of_the_worker(workspace: Workspace) -> None:
    got = await lines(
        workspace,
        "import stat\n"
        "for number in range(256):\n"
        "    try: print(number, stat.S_ISFIFO(os.fstat(number).st_mode))\n"
        "    except OSError: pass\n",
    )
    assert got == ["0 True", "1 True", "2 True"], got


@attack
async def forged_answers(workspace: Workspace) -> None:
    forged = '{"done": "forged"}\n'
    code = (
        f"import os\nline = {forged!r}.encode()\n"
        "for number in range(256):\n"
        "    try: os.write(number, line)\n"
        "    except OSError: pass\n"
    )
    result = await workspace.run_python(code)
    assert result == CodeResult("ok", forged * 2), result
    await works(workspace)


@attack
async def huge_output(workspace: Workspace) -> None:
    result = await workspace.run_python("print('x' * 5_000_000); print('{\"done\": 1}' * 100)")
    assert result.output == "x" * LIMITS.output_bytes + "\n[output_cut]\n", len(result.output)
    await works(workspace)
