"""A browser without a window, driven by its DevTools protocol: Chromium, Chrome or Edge, as the machine has it."""

import base64
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from gori.errors import BrowserError, InputError, MissingPackageError

VARIABLE = "GORI_BROWSER"
NAMES = (
    "chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "microsoft-edge",
    "microsoft-edge-stable", "msedge",
)  # fmt: skip
PLACES = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
    r"C:\Program Files\Google\Chrome\Application\chrome.exe",
    r"C:\Program Files (x86)\Google\Chrome\Application\chrome.exe",
    r"C:\Program Files (x86)\Microsoft\Edge\Application\msedge.exe",
    r"C:\Program Files\Microsoft\Edge\Application\msedge.exe",
)
CURE = (
    f"install Chromium, Chrome or Edge (Debian, Ubuntu: apt install chromium), or set {VARIABLE} to the path of the "
    "program"
)
OPTIONS = (
    "--headless=new", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-quic",
    "--no-first-run", "--no-default-browser-check", "--disable-background-networking", "--disable-component-update",
    "--disable-sync", "--disable-extensions", "--mute-audio", "--hide-scrollbars", "--disable-dev-shm-usage",
    "--disable-background-timer-throttling", "--disable-renderer-backgrounding", "--force-color-profile=srgb",
)  # fmt: skip
"""software WebGL: the same picture on every machine"""
STARTING, ANSWER = 60.0, 300.0
"""time for the browser to start, and for one answer [s]"""


def find_browser() -> Path:
    """The program: GORI_BROWSER, else what is on PATH or at the usual places; a MissingPackageError with the cure."""
    if given := os.environ.get(VARIABLE):
        if found := shutil.which(given):
            return Path(found)
        raise MissingPackageError(f"{VARIABLE}={given}: there is no such program; {CURE}")
    for name in NAMES:
        if found := shutil.which(name):
            return Path(found)
    for place in PLACES:
        if Path(place).is_file():
            return Path(place)
    raise MissingPackageError(f"pictures of the viewer need a browser, and none was found: {CURE}")


class Browser:
    """A page of a size [pixels] in a browser of its own, which ends with the `with` block."""

    def __init__(self, width: int, height: int, program: Path | None = None):
        self.program, self.size = program or find_browser(), (width, height)
        self._id, self._errors = 0, list[str]()
        self._socket: Any = None
        self._links = ExitStack()

    def __enter__(self) -> "Browser":
        self._folder = tempfile.TemporaryDirectory(prefix="gori-browser-", ignore_cleanup_errors=True)
        options = [*OPTIONS, f"--window-size={self.size[0]},{self.size[1]}", f"--user-data-dir={self._folder.name}"]
        if sys.platform != "win32" and os.geteuid() == 0:
            options.append("--no-sandbox")  # it refuses to start as root with one
        command = [str(self.program), *options, "--remote-debugging-port=0", "about:blank"]
        self._log = open(Path(self._folder.name) / "log.txt", "w+b")
        try:
            self._process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=self._log, stderr=self._log)
        except OSError as error:
            self._log.close()
            self._folder.cleanup()
            raise BrowserError(f"{self.program} does not start: {error.strerror or error}; {CURE}") from None
        try:
            self._connect()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        if self._socket is not None:
            try:
                self._call("Browser.close", session=False, wait=False)
                self._links.close()
            except Exception:  # it is going down
                pass
        try:
            self._process.wait(5.0)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._log.close()
        self._folder.cleanup()

    def _connect(self) -> None:
        from websockets.sync.client import connect

        note, end = Path(self._folder.name) / "DevToolsActivePort", time.monotonic() + STARTING
        lines: list[str] = []
        while len(lines) < 2:
            if self._process.poll() is not None or time.monotonic() > end:
                self._log.seek(0)
                words = self._log.read().decode(errors="replace").strip().splitlines()[-3:]
                raise BrowserError(f"{self.program} did not start: {' / '.join(words) or 'it said nothing'}; {CURE}")
            time.sleep(0.02)
            lines = note.read_text().split() if note.is_file() else []
        url = f"ws://127.0.0.1:{lines[0]}{lines[1]}"
        link = connect(url, max_size=None, open_timeout=STARTING, compression=None)
        self._socket = self._links.enter_context(link)
        page = next(t for t in self._call("Target.getTargets", session=False)["targetInfos"] if t["type"] == "page")
        attached = self._call("Target.attachToTarget", session=False, targetId=page["targetId"], flatten=True)
        self._session = attached["sessionId"]
        width, height = self.size
        self._call("Page.enable")
        self._call("Runtime.enable")
        self._call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def _call(self, method: str, session: bool = True, wait: bool = True, **params: Any) -> dict[str, Any]:
        """One call of the protocol and its answer."""
        self._id += 1
        message: dict[str, Any] = {"id": self._id, "method": method, "params": params}
        if session:
            message["sessionId"] = self._session
        try:
            self._socket.send(json.dumps(message))
            end = time.monotonic() + ANSWER
            while wait:
                answer = json.loads(self._socket.recv(timeout=max(0.0, end - time.monotonic())))
                if answer.get("id") == self._id:
                    if "error" in answer:
                        raise BrowserError(f"{method}: {answer['error'].get('message')}")
                    return answer.get("result", {})
                self._note(answer)
        except TimeoutError:
            raise BrowserError(f"the browser did not answer {method} within {ANSWER:g} s") from None
        except (OSError, EOFError) as error:
            raise BrowserError(f"the browser has ended: {error}") from None
        return {}

    def _note(self, event: dict[str, Any]) -> None:
        """Keep errors of the page."""
        params = event.get("params", {})
        if event.get("method") == "Runtime.exceptionThrown":
            details = params.get("exceptionDetails", {})
            self._errors.append(details.get("exception", {}).get("description") or details.get("text", "?"))
        elif event.get("method") == "Runtime.consoleAPICalled" and params.get("type") == "error":
            self._errors.append(" ".join(str(a.get("value", a.get("description", ""))) for a in params.get("args", ())))

    @property
    def errors(self) -> list[str]:
        """What the page has complained about so far."""
        return list(self._errors)

    def open(self, url: str) -> None:
        """Load a page, such as path.as_uri()."""
        answer = self._call("Page.navigate", url=url)
        if answer.get("errorText"):
            raise BrowserError(f"the browser cannot open {url}: {answer['errorText']}")

    def prefer(self, dark: bool) -> None:
        """Let pages see that a dark, or a light, colour scheme is preferred."""
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self._call("Emulation.setEmulatedMedia", features=[scheme])

    def run(self, script: str) -> Any:
        """The value of a JavaScript expression; promises are waited for."""
        answer = self._call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        if details := answer.get("exceptionDetails"):
            words = details.get("exception", {}).get("description") or details.get("text")
            raise BrowserError(f"the page failed: {words}")
        return answer.get("result", {}).get("value")

    def wait_for(self, script: str, what: str, seconds: float = 60.0) -> Any:
        """The value of an expression as soon as it is true."""
        end = time.monotonic() + seconds
        while not (value := self.run(script)):
            if time.monotonic() > end:
                words = f": {self._errors[0]}" if self._errors else ""
                raise BrowserError(f"{what} did not come within {seconds:g} s{words}")
            time.sleep(0.05)
        return value

    def screenshot(self) -> bytes:
        """PNG of all that the page shows."""
        return base64.b64decode(self._call("Page.captureScreenshot", format="png")["data"])


def png_of(url: Any) -> bytes:
    """The bytes of a PNG as a data URL, as `picture()` of a page returns it."""
    start = "data:image/png;base64,"
    if not isinstance(url, str) or not url.startswith(start):
        raise InputError(f"the page gave no picture, but {str(url)[:40]!r}")
    return base64.b64decode(url[len(start) :])
