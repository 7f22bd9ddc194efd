"""Attacks on the machine around the sandbox, and on its limits."""

import json
import os

from draligned.harnesses.sandbox.protocol import Workspace

from .base import LIMITS, MARK, attack, lines, works


@attack
async def fork_bomb(workspace: Workspace) -> None:
    got = await lines(
        workspace,
        "import time\n"
        "made = 0\n"
        "try:\n"
        "    while True:\n"
        "        if os.fork() == 0:\n"
        "            time.sleep(60); os._exit(0)\n"
        "        made += 1\n"
        "except OSError as full:\n"
        "    print(made, errno.errorcode[full.errno], flush=True)\n",
    )
    made, end = got[0].split()
    # In one kind the waiting launcher is a process of the same user too.
    assert int(made) in {LIMITS.processes - 1, LIMITS.processes - 2}, got
    assert end == "EAGAIN", got
    await works(workspace)


@attack
async def wild_fork_bomb(workspace: Workspace) -> None:
    code = (
        "import os\n"
        "while True:\n"
        "    try:\n"
        "        os.fork(); os.setsid()\n"
        "    except OSError:\n"
        "        pass\n"
    )
    result = await workspace.run_python(code)
    assert result.exit == "timeout", result
    await works(workspace)


@attack
async def processes_left_behind(workspace: Workspace) -> None:
    got = await lines(
        workspace,
        "import time\n"
        "if os.fork() == 0:\n"
        "    os.setsid()\n"
        "    if os.fork() == 0:\n"
        "        while True: open('ghost.md', 'w').write('boo')\n"
        "    os._exit(0)\n"
        "os.wait(); time.sleep(0.1)\n",
    )
    assert got == [], got
    found = await lines(
        workspace,
        "if os.path.exists('ghost.md'): os.remove('ghost.md')\n"
        "import time; time.sleep(0.2); print(os.path.exists('ghost.md'))",
    )
    assert found == ["False"], found


@attack
async def memory_bomb(workspace: Workspace) -> None:
    got = await lines(
        workspace,
        "import mmap\n"
        "attempt('at once', bytearray, 10 << 30)\n"
        "def slowly():\n"
        "    kept = []\n"
        "    while True: kept.append(bytearray(1 << 22))\n"
        "attempt('slowly', slowly)\n"
        "attempt('map', mmap.mmap, -1, 10 << 30)\n"
        "attempt('memory file', os.memfd_create, 'x')\n"
        "attempt('shared', libc.shmget, 0, 1 << 20, 0o1600)\n",
    )
    wanted = ["at once MemoryError", "slowly MemoryError", "map ENOMEM"]
    assert got == [*wanted, "memory file EPERM", "shared EPERM"], got


@attack
async def endless_loop(workspace: Workspace) -> None:
    result = await workspace.run_python("print('begun', flush=True)\nwhile True: pass")
    assert (result.exit, result.output) == ("timeout", "begun\n"), result
    result = await workspace.run_python("import signal, time\nsignal.pause()")
    assert result.exit == "timeout", result
    await works(workspace)


@attack
async def sockets(workspace: Workspace) -> None:
    got = await lines(
        workspace,
        "import socket\n"
        "for name in ['AF_INET', 'AF_INET6', 'AF_UNIX', 'AF_NETLINK', 'AF_PACKET', 'AF_VSOCK']:\n"
        "    attempt(name, socket.socket, getattr(socket, name), socket.SOCK_STREAM)\n"
        "attempt('datagram', socket.socket, socket.AF_INET, socket.SOCK_DGRAM)\n"
        "attempt('connect', socket.create_connection, ('127.0.0.1', 80), 1)\n",
    )
    assert {line.split()[1] for line in got} == {"EPERM"}, got
    assert len(got) == 8, got


@attack
async def files_of_the_host(workspace: Workspace) -> None:
    got = await lines(
        workspace,
        "for path in ['/etc/shadow', '/etc/passwd', '/proc/self/maps', '/proc/1/environ', '/sys',\n"
        "             '/tmp', '/home', '/var', '/dev/shm', '/dev/sda', '/dev/vda', '/dev/kmsg']:\n"
        "    attempt(path, os.stat, path)\n"
        "for path in ['/x', '/dev/x', '/usr/x']:\n"
        "    attempt(path, lambda: open(path, 'w'))\n"
        "print(sorted(set(os.listdir('/')) - {'lib', 'lib32', 'lib64', 'libx32', 'python'}))\n",
    )
    assert {line.split()[1] for line in got[:12]} == {"ENOENT"}, got
    assert {line.split()[1] for line in got[12:15]} <= {"EROFS", "EACCES", "EPERM"}, got
    assert got[15] == "['bin', 'dev', 'files', 'usr']", got


@attack
async def environment_of_the_host(workspace: Workspace) -> None:
    got = await lines(workspace, "import json; print(json.dumps(dict(os.environ)))")
    known = {"PATH", "HOME", "TMPDIR", "LANG", "PYTHONUTF8", "PYTHONHASHSEED", "LD_LIBRARY_PATH"}
    assert os.environ[MARK]
    assert set(json.loads(got[0])) <= known | {"LC_CTYPE"}, got
    name = await lines(workspace, "print(os.uname().nodename)")
    assert name == ["sandbox"], name


@attack
async def processes_of_the_host(workspace: Workspace) -> None:
    code = f"attempt('driver', os.kill, {os.getpid()}, 0)\nprint(os.getpid() < 1000)"
    got = await lines(workspace, code)
    assert got == ["driver ESRCH", "True"], got
    await lines(workspace, "attempt('all', os.kill, -1, 9)")
    await works(workspace)


@attack
async def new_namespaces_and_mounts(workspace: Workspace) -> None:
    got = await lines(
        workspace,
        "for name, flag in [('user', 0x10000000), ('mount', 0x20000), ('net', 0x40000000)]:\n"
        "    attempt(name, libc.unshare, flag)\n"
        "attempt('mount', libc.mount, b't', b'/files', b'tmpfs', 0, None)\n"
        "attempt('umount', libc.umount2, b'/files', 2)\n"
        "attempt('chroot', os.chroot, '/files')\n"
        "attempt('open_tree', libc.syscall, 428, -100, b'/', 1)\n"
        "attempt('fsopen', libc.syscall, 430, b'tmpfs', 0)\n"
        "attempt('io_uring', libc.syscall, 425, 8, 0)\n"
        "attempt('bpf', libc.syscall, 321 if os.uname().machine == 'x86_64' else 280, 0, 0, 0)\n",
    )
    assert {line.split()[1] for line in got} == {"EPERM"}, got
    cloned = await lines(
        workspace,
        "number = 56 if os.uname().machine == 'x86_64' else 220\n"
        "attempt('clone', libc.syscall, number, 0x10000000 | 17, 0, 0, 0, 0)\n"
        "attempt('clone3', libc.syscall, 435, 0, 0)\n",
    )
    assert cloned == ["clone EPERM", "clone3 ENOSYS"], cloned


@attack
async def powers(workspace: Workspace) -> None:
    got = await lines(
        workspace,
        "import struct\n"
        "held = ctypes.create_string_buffer(24)\n"
        "libc.capget(struct.pack('Ii', 0x20080522, 0), held)\n"
        "print(held.raw == bytes(24), 0 in os.getresuid() + os.getresgid(), os.getgroups())\n"
        "print('no new powers', libc.prctl(39, 0, 0, 0, 0), 'filter', libc.prctl(21, 0, 0, 0, 0))\n"
        "attempt('root', os.setuid, 0)\n",
    )
    assert got[0].startswith("True False "), got
    got[2] = got[2].replace("EPERM", "REFUSED").replace("EINVAL", "REFUSED")
    assert got[1:] == ["no new powers 1 filter 2", "root REFUSED"], got
