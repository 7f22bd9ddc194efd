"""The rehearsal app on a loopback port, for other programs and for tests of the wire."""

import socket
from collections.abc import Callable

from draligned.rehearsal.app import make_app

LOOPBACK = "127.0.0.1"


def serve(port: int = 0, *, ready: Callable[[str], None] = lambda _url: None) -> None:
    """Serve until stopped. Port 0 takes a free one; `ready` is told the base URL.

    Only the loopback address is bound: the app has no keys and trusts nobody.
    """
    import uvicorn

    with socket.socket() as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((LOOPBACK, port))
        ready(f"http://{LOOPBACK}:{listener.getsockname()[1]}/v1")
        config = uvicorn.Config(make_app(), log_level="warning", lifespan="off")
        uvicorn.Server(config).run(sockets=[listener])
