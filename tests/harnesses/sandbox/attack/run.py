"""Runs attacks; as a program, prints a JSON object of attack -> what went wrong, or null."""

import asyncio
import json
import os
import sys
import traceback

from draligned.harnesses.sandbox.client import open_workspace
from draligned.harnesses.sandbox.kinds import Kind

from . import files, machine, worker
from .base import ATTACKS, HASTY, LIMITS, MARK, Opened

__all__ = ["ATTACKS", "files", "machine", "mount_attack", "worker"]


async def mount_attack(name: str, kind: Kind) -> None:
    """Open a workspace, attack it, and close it. Raises what the attack raises."""
    os.environ.setdefault(MARK, "secret")
    limits = HASTY if name in {"wild_fork_bomb", "endless_loop"} else LIMITS
    workspace = await open_workspace({"first.md": "first"}, limits, kind)
    try:
        await ATTACKS[name](Opened(workspace, kind))  # type: ignore[arg-type]
    finally:
        await workspace.aclose()


async def all_attacks(kind: Kind) -> dict[str, str | None]:
    """What went wrong in each attack, none where the sandbox held; three run at a time."""
    turns = asyncio.Semaphore(3)

    async def one(name: str) -> str | None:
        async with turns:
            try:
                await mount_attack(name, kind)
            except Exception:
                return traceback.format_exc()
        return None

    return dict(zip(ATTACKS, await asyncio.gather(*map(one, ATTACKS)), strict=True))


if __name__ == "__main__":
    sys.stdout.write(json.dumps(asyncio.run(all_attacks(Kind(sys.argv[1])))))
