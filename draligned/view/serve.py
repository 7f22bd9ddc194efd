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
STOP_SECONDS = 10


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
        why = (error.strerror if isinstance(error, OSError) else None) or str(error)
        raise ConfigError(
            f"port {port} cannot be used ({why.rstrip('.')}); give another one, or 0 for a free one"
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


class Viewer:
    """An app that is served by a thread of this process until `stop`, or until the process ends.

    `address` opens it, and holds its token. As a context manager it stops at the end.
    """

    def __init__(self, app: Guard, listening: socket.socket, *, path: str = "/") -> None:
        self.address = address(listening, app.token, path)
        self._listening = listening
        self._server = server_of(app)
        self._thread = Thread(
            target=self._server.run, kwargs={"sockets": [listening]}, daemon=True, name="viewer"
        )
        self._thread.start()

    def stop(self) -> None:
        """End it; pages that are under way are given two seconds. Calling it again does nothing."""
        self._server.should_exit = True
        self._thread.join(STOP_SECONDS)
        self._listening.close()

    @property
    def is_running(self) -> bool:
        """Whether pages are answered."""
        return self._thread.is_alive() and not self._server.should_exit

    def __enter__(self) -> "Viewer":
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def __repr__(self) -> str:
        return f"<viewer at {self.address}>" if self.is_running else "<viewer, stopped>"


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
