"""The worker's program as compiled code, sent through its channel.

So no file of this package need be seen from inside, it starts without compiling, and it starts
also where the package lies in a folder that the sandbox's user may not enter.
"""

import marshal
from functools import cache
from importlib.abc import InspectLoader
from importlib.util import find_spec
from types import CodeType

ROOM = "draligned.harnesses.sandbox"
MODULES = (
    "draligned.schema.refusals",
    "draligned.schema.errors",
    f"{ROOM}.paths",
    f"{ROOM}.texts",
    f"{ROOM}.inside.libc",
    f"{ROOM}.inside.landlock",
    f"{ROOM}.inside.seccomp",
    f"{ROOM}.inside.confine",
    f"{ROOM}.inside.files",
    f"{ROOM}.inside.sweep",
    f"{ROOM}.inside.code",
    f"{ROOM}.inside.main",
    f"{ROOM}.inside.enter",
)
"""Each after those that it imports."""
BOOT = f"""
import marshal, os, sys
data = b""
while len(data) < int(sys.argv[1]):
    more = os.read(0, int(sys.argv[1]) - len(data))
    if not more:
        os._exit(0)
    data += more
sys.modules["{ROOM}.inside"] = type(sys)("{ROOM}.inside")
for name, code in marshal.loads(data):
    sys.modules[name] = module = type(sys)(name)
    exec(code, module.__dict__)
sys.modules["{ROOM}.inside." + sys.argv[2]].main(sys.argv[3])
"""
"""Reads the bundle from the channel, and nothing after it, then starts a module's `main`."""


@cache
def bundle() -> bytes:
    """What a worker reads before its first request; both ends are the same interpreter."""
    return marshal.dumps([(name, _code(name)) for name in MODULES])


def options(module: str) -> list[str]:
    """Options of an isolated interpreter that starts a module of the bundle.

    One more argument follows: the settings as JSON.
    """
    return ["-I", "-S", "-B", "-c", BOOT, str(len(bundle())), module]


def _code(name: str) -> CodeType:
    spec = find_spec(name)
    if spec is None or not isinstance(spec.loader, InspectLoader):
        raise ImportError(f"no source of {name}")
    code = spec.loader.get_code(name)
    if not isinstance(code, CodeType):
        raise ImportError(f"no code of {name}")
    return code
