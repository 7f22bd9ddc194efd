"""The viewer's server: on this machine's own address alone."""

import contextlib
import socket
import webbrowser
from collections.abc import Callable
from threading import Thread

import uvicorn

from draligned.schema.errors import ConfigError
from draligned.view.guard import TOKEN, Guard

HOST = "127.0.0.1"


def listen(port: int = 0) -> socket.socket:
    """A socket that listens on `port` of the loopback address; 0 takes a free one.

    Raises `ConfigError` where the port cannot be had.
    """
    made = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        made.bind((HOST, port))
    except (OSError, OverflowError) as error:
        made.close()
        raise ConfigError(
            f"port {port} cannot be used ({error}); give another one, or `--port 0` for a free one"
        ) from error
    made.listen(64)
    return made


def address(listening: socket.socket, token: str, path: str = "/") -> str:
    """Where the app is to be opened, with its token or a ticket."""
    return f"http://{HOST}:{listening.getsockname()[1]}{path}?{TOKEN}={token}"


def server_of(app: Guard) -> uvicorn.Server:
    """The server, not started. It logs no request: an address may hold the token."""
    config = uvicorn.Config(
        app,
        log_level="error",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        lifespan="off",
        ws="none",
        timeout_graceful_shutdown=2,
    )
    return uvicorn.Server(config)


def serve(
    app: Guard,
    listening: socket.socket,
    say: Callable[[str], None],
    *,
    path: str = "/",
    browser: bool = True,
) -> None:
    """Serve until ctrl-C; `say` is told the address of `path`, which a browser is sent to, too.

    What stands on the browser's command line opens the pages once.
    """
    with contextlib.closing(listening), contextlib.suppress(KeyboardInterrupt):
        say(address(listening, app.token, path))
        if browser:
            Thread(target=webbrowser.open, args=[address(listening, app.ticket(), path)]).start()
        server_of(app).run(sockets=[listening])
