"""Who may look: this machine's own browser, with the token, and nobody by way of another page.

The address is printed with the token in it. Its first use sets a cookie and leads on to the same
address without it. Every request must name this server as its host, so that a page whose name was
pointed at this machine (DNS rebinding) gets nothing, cookie or not.
"""

import hmac
import secrets
from collections.abc import Callable, Iterable
from html import escape
from urllib.parse import parse_qsl, urlencode

from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from draligned.schema.base import sha256_text

TOKEN = "token"
READS = frozenset({"GET", "HEAD"})
MAX_TARGET = 8_000
"""Bytes of path and query that are looked at."""


def policy(style: str = "'self'") -> str:
    """What a page may load: nothing but pictures from here, and style sheets from `style`."""
    return (
        f"default-src 'none'; style-src {style}; img-src 'self'; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    )


HEADERS = (
    ("content-security-policy", policy()),
    ("x-content-type-options", "nosniff"),
    ("x-frame-options", "DENY"),
    ("referrer-policy", "no-referrer"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
    ("permissions-policy", "camera=(), geolocation=(), microphone=()"),
    ("cache-control", "no-store"),
)
"""On every answer; a header that the answer brings itself stays."""

Say = Callable[[str], str]
"""A sentence of the pages by its key."""


class Guard:
    """Stands before the app: host, method, origin and token are judged before any page is made.

    `writes`: paths under which forms may be sent; nothing else takes more than GET and HEAD.
    """

    def __init__(self, app: ASGIApp, *, token: str, say: Say, writes: Iterable[str] = ()) -> None:
        self._app = app
        self.token = token
        self._say = say
        self._writes = tuple(writes)
        # The cookie holds another secret than the address, which histories and terminals keep.
        self._secret = sha256_text(f"cookie {token}")
        self._tickets: set[str] = set()
        self.cookie = f"draligned-{sha256_text(f'name {token}')[:12]}"

    def ticket(self) -> str:
        """A token that works once: for the command line of a browser, which others may see."""
        made = secrets.token_urlsafe(24)
        self._tickets.add(made)
        return made

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, or hand on."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
        elif scope["type"] == "http":
            refused = self._judge(Request(scope))
            await (refused or self._app)(scope, receive, _with_headers(send))
        else:
            await send({"type": "websocket.close"})

    def _judge(self, request: Request) -> Response | None:
        """What to say instead of a page, if anything."""
        if not is_own_host(request):
            return PlainTextResponse("this is not the host that is served here\n", 421)
        if len(request.scope["path"]) + len(request.scope["query_string"]) > MAX_TARGET:
            return PlainTextResponse("the address is too long\n", 414)
        if request.method not in READS and not self._may_write(request):
            return PlainTextResponse("only GET and HEAD\n", 405, {"allow": "GET, HEAD"})
        if self._opens(request.query_params.get(TOKEN, "")):
            return self._let_in(request)
        if _equal(request.cookies.get(self.cookie, ""), self._secret):
            return None
        return self._ask_for_token(request)

    def _opens(self, given: str) -> bool:
        """Whether it is the token, or a ticket, which is spent by that."""
        if given in self._tickets:
            self._tickets.discard(given)
            return True
        return _equal(given, self.token)

    def _may_write(self, request: Request) -> bool:
        """A form of one of our own pages, and a path that takes forms."""
        path = request.scope["path"]
        takes = any(path == p or path.startswith(f"{p}/") for p in self._writes)
        return request.method == "POST" and takes and _is_own_origin(request)

    def _let_in(self, request: Request) -> Response:
        """Set the cookie and go on without the token.

        A page that leads on, not a redirect: where another page led here, a redirect would still
        count as coming from it, and the browser would keep the strict cookie back.
        """
        onward = escape(own_target(request), quote=True)
        page = HTMLResponse(
            f'<!doctype html><html lang="en"><meta charset="utf-8"><title>DRaligned</title>'
            '<link rel="icon" href="/static/icon.svg" type="image/svg+xml">'
            f'<meta http-equiv="refresh" content="0;url={onward}">'
            f'<p><a href="{onward}">{escape(self._say("view.go_on"))}</a></p></html>'
        )
        page.set_cookie(self.cookie, self._secret, httponly=True, samesite="strict", path="/")
        return page

    def _ask_for_token(self, request: Request) -> Response:
        """403, with a way back for who has a cookie that was not sent along with a link."""
        again = escape(own_target(request), quote=True)
        return HTMLResponse(
            f'<!doctype html><html lang="en"><meta charset="utf-8"><title>DRaligned</title>'
            f"<h1>{escape(self._say('view.no_token'))}</h1>"
            f"<p>{escape(self._say('view.no_token_help'))}</p>"
            f'<p><a href="{again}">{escape(self._say("view.again"))}</a></p></html>',
            403,
        )


def is_own_host(request: Request) -> bool:
    """Whether the request names the address at which it arrived."""
    server = request.scope.get("server")
    if server is None:
        return False
    named = request.headers.getlist("host")
    return len(named) == 1 and named[0].lower() in {f"{h}:{server[1]}" for h in _NAMES}


_NAMES = ("127.0.0.1", "localhost")


def _is_own_origin(request: Request) -> bool:
    """Whether a page of ours sent it; browsers say so with every form (Origin)."""
    origin = request.headers.get("origin", "")
    return origin == f"http://{request.headers['host'].lower()}"


def own_target(request: Request) -> str:
    """Path and query of the request on this server, without the token."""
    query = [(k, v) for k, v in parse_qsl(query_of(request), keep_blank_values=True) if k != TOKEN]
    path = "/" + request.scope["path"].lstrip("/\\")
    quoted = urlencode({"": path}, safe="/")[1:]
    return f"{quoted}?{urlencode(query)}" if query else quoted


def query_of(request: Request) -> str:
    """The query as sent."""
    return bytes(request.scope["query_string"]).decode("latin-1")


def _equal(given: str, wanted: str) -> bool:
    return hmac.compare_digest(given.encode("utf-8", "replace"), wanted.encode())


def _with_headers(send: Send) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = list(message.get("headers", []))
            own = {name.lower() for name, _ in headers}
            headers += [(k.encode(), v.encode()) for k, v in HEADERS if k.encode() not in own]
            message = {**message, "headers": headers}
        await send(message)

    return sending
