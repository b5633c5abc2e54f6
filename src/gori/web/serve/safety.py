"""Who may talk to the server: Host, Origin and token, and which files may be read.

A page of another site can make a browser send requests to this machine. It cannot hide where it comes from: requests
and websockets carry its Origin, and a name that was bound to this address later (DNS rebinding) stands in Host.
"""

import hmac
import secrets
from collections.abc import Iterable
from http.cookies import CookieError, SimpleCookie
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

LOCAL = ("localhost", "127.0.0.1", "::1")
HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; "
        "media-src 'self' blob:; font-src 'self' data:; connect-src 'self'; worker-src 'self' blob:; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}
"""of every answer"""
REFUSED = 4403
"""code with which a websocket is closed before it opens"""


def is_loopback(host: str) -> bool:
    """Whether a host means this machine alone."""
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def new_token() -> str:
    """A token that cannot be guessed."""
    return secrets.token_urlsafe(24)


def host_name(header: str) -> str | None:
    """The name in a Host header without its port, in small letters; None if it is malformed."""
    if not header or any(c in header for c in "/\\@?# \t,") or not header.isascii():
        return None
    try:
        split = urlsplit(f"//{header}")
        _ = split.port
    except ValueError:
        return None
    return None if split.hostname is None else split.hostname.rstrip(".")


class Guard:
    """ASGI middleware: refuses what does not come from the server's own pages.

    host    that the server listens at; beside loopback addresses and given `names`, only numeric addresses are taken
            as Host: a name could belong to anyone
    token   that is asked for; None: none, for a server on a loopback address
    """

    def __init__(self, app: ASGIApp, host: str, token: str | None, names: Iterable[str] = ()):
        self.app, self.local, self.token = app, is_loopback(host), token
        self.names = {*LOCAL, host.lower(), *(name.lower() for name in names)}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        refusal = self._refusal(scope, headers)
        if scope["type"] == "websocket":
            if refusal is None:
                await self.app(scope, receive, send)
            else:
                await receive()
                await send({"type": "websocket.close", "code": REFUSED, "reason": refusal[:120]})
            return

        async def send_safely(message: Message) -> None:
            if message["type"] == "http.response.start":
                present = {name.lower() for name, _ in message["headers"]}
                extra = [(k.encode(), v.encode()) for k, v in HEADERS.items() if k.encode() not in present]
                message["headers"] = [*message["headers"], *extra]
            await send(message)

        if refusal is not None:
            answer: ASGIApp = PlainTextResponse(f"refused: {refusal}\n", 403)
        else:
            answer = self._first_visit(scope, headers) or self.app
        await answer(scope, receive, send_safely)

    def _refusal(self, scope: Scope, headers: Headers) -> str | None:
        """Why a request is refused; None: it is not."""
        hosts = headers.getlist("host")
        host = host_name(hosts[0]) if len(hosts) == 1 else None
        if host is None or not self._own(host):
            return "unknown Host. Use the address that the server has printed"
        origins = headers.getlist("origin")
        if origins and (len(origins) > 1 or not _same_origin(origins[0], hosts[0])):
            return "the request comes from another site (Origin)"
        site, mode = headers.get("sec-fetch-site"), headers.get("sec-fetch-mode")
        if site in ("cross-site", "same-site") and not (mode == "navigate" and scope["path"] == "/"):
            return "the request comes from another site"
        if self.token is not None and not self._has_token(scope, headers):
            return "a token is needed. Use the whole address that the server has printed"
        return None

    def _own(self, host: str) -> bool:
        if host in self.names:
            return True
        try:
            address = ip_address(host)
        except ValueError:
            return False
        return address.is_loopback or not self.local

    def cookie(self, scope: Scope) -> str:
        """Name of the cookie; it has the port in it, since cookies are shared by all ports of a host."""
        return f"gori-{(scope.get('server') or ('', 0))[1]}"

    def _has_token(self, scope: Scope, headers: Headers) -> bool:
        tries = [self._in_address(scope)]
        try:
            cookies = SimpleCookie("; ".join(headers.getlist("cookie")))
            if (kept := cookies.get(self.cookie(scope))) is not None:
                tries.append(kept.value)
        except CookieError:
            pass
        return any(list(map(self._matches, tries)))

    def _in_address(self, scope: Scope) -> str:
        query = scope.get("query_string", b"")
        if len(query) > 4096:
            return ""
        return parse_qs(query.decode("latin-1")).get("token", [""])[-1]

    def _matches(self, given: str) -> bool:
        """In a time that does not depend on how much of it is right."""
        return hmac.compare_digest(given.encode("utf-8", "replace"), (self.token or "").encode())

    def _first_visit(self, scope: Scope, headers: Headers) -> Response | None:
        """With the token in the address of a page: the cookie, and on to the address without it."""
        if self.token is None or scope["path"] != "/" or not self._matches(self._in_address(scope)):
            return None
        answer = RedirectResponse("/", 303)
        answer.set_cookie(self.cookie(scope), self.token, path="/", httponly=True, samesite="strict")
        return answer


def _same_origin(origin: str, host: str) -> bool:
    """Whether an Origin is that of the server's own pages."""
    try:
        split = urlsplit(origin)
        _ = split.port
    except ValueError:
        return False
    own = {host.lower(), host.lower().removesuffix(":80"), host.lower().removesuffix(":443")}
    return split.scheme in ("http", "https") and split.netloc.lower() in own and not (split.path or split.query)


def file_inside(folder: Path, name: str) -> Path | None:
    """A file below a folder by the path in a request; None if it is not there, or anywhere else."""
    for _ in range(3):  # encoded, and encoded again
        name = unquote(name)
    parts = name.split("/")
    if not name or "\0" in name or "\\" in name or ":" in name or any(part in ("", ".", "..") for part in parts):
        return None
    if any(part.startswith(".") for part in parts):
        return None
    root = folder.resolve()
    try:
        found = root.joinpath(*parts).resolve(strict=True)
        return found if found.is_file() and found.is_relative_to(root) else None
    except (OSError, ValueError, RuntimeError):
        return None
