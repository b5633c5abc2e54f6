"""The server: pages, packets over HTTP, and a websocket for all that moves."""

import asyncio
import html
import json
import signal
import socket as sockets
import sys
import threading
import webbrowser
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import FileResponse, PlainTextResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.types import ASGIApp
from starlette.websockets import WebSocket

from gori.errors import GoriError, InputError
from gori.web.serve.messages import ARROWS, LONGEST, MessageError, name_of, one_of, whole
from gori.web.serve.safety import Guard, file_inside, is_loopback, new_token
from gori.web.serve.session import Session
from gori.web.serve.watchers import Watchers

STATIC = Path(__file__).parent.parent / "static"
"""where the built pages lie"""
PACKET = "application/octet-stream"
STARTING = 20.0
"""time that a server in a thread may need to begin [s]"""
LAST = 3
"""time that open pages get when the server ends [s]"""


def make_app(session: Session, host: str = "127.0.0.1", token: str | None = None, static: Path = STATIC) -> ASGIApp:
    """The ASGI application of one session, behind its Guard."""
    watchers = Watchers(session)

    async def page(request: Request) -> Response:
        return Response(page_of(session.page, static), media_type="text/html")

    async def start_script(request: Request) -> Response:
        settings = json.dumps({"mode": "server", "options": session.options})
        return Response(f"window.gori = {settings};\n", media_type="text/javascript")

    async def built_file(request: Request) -> Response:
        found = file_inside(static, request.path_params["path"])
        return PlainTextResponse("not found\n", 404) if found is None else FileResponse(found)

    async def recording(request: Request) -> Response:
        path = await run_in_threadpool(session.recording)
        if path is None:
            return PlainTextResponse("there is no recording\n", 404)
        return FileResponse(path, filename=path.name, media_type="application/x-hdf5")

    def packets(read: Callable[[Request], Callable[[], bytes | None]]) -> Callable[[Request], Any]:
        async def answer(request: Request) -> Response:
            try:
                packet = await run_in_threadpool(read(request))
            except (MessageError, GoriError) as error:
                return PlainTextResponse(f"{error}\n", 400)
            return PlainTextResponse("not here\n", 404) if packet is None else Response(packet, media_type=PACKET)

        return answer

    def grains(request: Request) -> Callable[[], bytes | None]:
        frame, most = _number(request.path_params["frame"]), _number(request.query_params.get("most", "60000"))
        return lambda: session.grains(whole(frame, "frame"), whole(most, "most"))

    def series(request: Request) -> Callable[[], bytes | None]:
        name = name_of(request.query_params.get("name"), "name")
        return lambda: session.series(name)

    def arrows(request: Request) -> Callable[[], bytes | None]:
        kind = one_of(request.query_params.get("kind"), "kind", ARROWS)
        return lambda: session.arrows(kind)

    async def watch(socket: WebSocket) -> None:
        await watchers.watch(socket)

    routes = [
        Route("/", page),
        Route("/start.js", start_script),
        Route("/static/{path:path}", built_file),
        Route("/api/scene", packets(lambda request: session.scene)),
        Route("/api/film", packets(lambda request: session.film)),
        Route("/api/grains/{frame}", packets(grains)),
        Route("/api/series", packets(series)),
        Route("/api/arrows", packets(arrows)),
        Route("/api/recording", recording),
        WebSocketRoute("/socket", watch),
    ]
    return Guard(Starlette(routes=routes), host, token, names=_own_names(host))


def _number(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 16 else None


def _own_names(host: str) -> list[str]:
    """Names of this machine, where it is open to a network."""
    if is_loopback(host):
        return []
    name = sockets.gethostname().lower()
    return [name, f"{name}.local"]


def page_of(name: str, static: Path = STATIC) -> str:
    """The HTML around a built page."""
    if not (static / f"{name}.js").is_file():
        text = f"The pages are not built: {static} has no {name}.js. Run: npm ci &amp;&amp; npm run build in web/."
        return f"<!doctype html><meta charset=utf-8><title>Gori</title><p>{text}</p>"
    style = f'<link rel="stylesheet" href="/static/{name}.css">' if (static / f"{name}.css").is_file() else ""
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<title>Gori: {html.escape(name)}</title>
<link rel="icon" href="data:,">
{style}
</head>
<body>
<div id="gori"></div>
<script src="/start.js"></script>
<script src="/static/{name}.js"></script>
</body>
</html>
"""


class Server:
    """A session on a port of its own, in the thread that calls `run`, or in another (`with Server(session) as server`).

    host    address to listen at; anything but a loopback address opens it to the network, and asks for a token
    port    0: one that is free
    token   that pages must have; None: none on a loopback address, else a new one
    """

    def __init__(
        self, session: Session, host: str = "127.0.0.1", port: int = 0, token: str | None = None, static: Path = STATIC
    ):
        if isinstance(port, bool) or not isinstance(port, int) or not 0 <= port < 65536:
            raise InputError(f"a port is a number from 0 to 65535, not {port!r}")
        if token is None and not is_loopback(host):
            token = new_token()
        self.session, self.host, self.token = session, host, token
        family = sockets.AF_INET6 if ":" in host else sockets.AF_INET
        self._socket = sockets.socket(family, sockets.SOCK_STREAM)
        self._socket.setsockopt(sockets.SOL_SOCKET, sockets.SO_REUSEADDR, 1)
        try:
            self._socket.bind((host, port))
            self._socket.listen(128)  # a page that comes before the server has started waits for it
        except OSError as error:
            self._socket.close()
            raise InputError(f"cannot listen at {host} port {port}: {error.strerror or error}") from None
        self.port: int = self._socket.getsockname()[1]
        self._server = uvicorn.Server(
            uvicorn.Config(
                make_app(session, host, token, static),
                log_level="error",
                access_log=False,
                lifespan="off",
                ws_max_size=LONGEST,
                ws_per_message_deflate=False,
                ws_ping_interval=20.0,
                ws_ping_timeout=60.0,
                timeout_graceful_shutdown=LAST,
                server_header=False,
                date_header=False,
                h11_max_incomplete_event_size=32 * 1024,
                limit_concurrency=200,
            )
        )
        self._server.capture_signals = _no_signals  # type: ignore[method-assign]
        self._thread: threading.Thread | None = None

    @property
    def address(self) -> str:
        """What to open in a browser."""
        host = {"0.0.0.0": sockets.gethostname(), "::": sockets.gethostname()}.get(self.host, self.host)
        host = f"[{host}]" if ":" in host else host
        return f"http://{host}:{self.port}/" + (f"?token={self.token}" if self.token else "")

    def run(self) -> None:
        """Serve until `stop`, SIGINT or SIGTERM."""
        self.session.start()
        try:
            asyncio.run(self._serve())
        finally:
            self._socket.close()
            self.session.stop()

    async def _serve(self) -> None:
        loop = asyncio.get_running_loop()
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGINT, signal.SIGTERM):
                with suppress(NotImplementedError):  # Windows
                    loop.add_signal_handler(number, self.stop)
        with suppress(KeyboardInterrupt):
            await self._server.serve(sockets=[self._socket])

    def stop(self) -> None:
        """End; from any thread."""
        self._server.should_exit = True

    def __enter__(self) -> "Server":
        self._thread = threading.Thread(target=self.run, name="gori server", daemon=True)
        self._thread.start()
        waited = threading.Event()
        for _ in range(int(STARTING / 0.01)):
            if self._server.started or not self._thread.is_alive():
                break
            waited.wait(0.01)
        if not self._server.started:
            self.stop()
            raise InputError("the server could not be started")
        return self

    def __exit__(self, *raised: object) -> None:
        self.stop()
        if self._thread is not None:
            self._thread.join(STARTING)


class _NoSignals:
    def __enter__(self) -> None:
        pass

    def __exit__(self, *raised: object) -> None:
        pass


def _no_signals() -> _NoSignals:
    """uvicorn raises a signal again after it has ended; here SIGINT and SIGTERM are a regular end."""
    return _NoSignals()


def serve(
    session: Session,
    host: str = "127.0.0.1",
    port: int = 0,
    open_browser: bool = True,
    token: str | None = None,
) -> None:
    """Serve a session until Ctrl-C or SIGTERM; prints the address, and opens it in a browser."""
    server = Server(session, host, port, token)
    print(f"{server.address}   (Ctrl-C ends)", flush=True)
    if not is_loopback(host):
        print("open to the network: whoever has this address can watch and steer", file=sys.stderr, flush=True)
    if open_browser:
        opened = threading.Timer(0.5, lambda: webbrowser.open(server.address))
        opened.daemon = True
        opened.start()
    server.run()
