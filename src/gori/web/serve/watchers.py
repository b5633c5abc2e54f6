"""Pages that watch: each gets the latest frame when it has shown those before, so that a slow page gets fewer frames
and never a queue of old ones.
"""

import asyncio
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from itertools import count
from typing import Any

from starlette.websockets import WebSocket, WebSocketDisconnect, WebSocketState

from gori.errors import GoriError
from gori.web.serve.messages import MessageError, PageMessage, parse_message
from gori.web.serve.session import Session, error_packet

AHEAD = 2
"""frames that a page may have got and not shown"""
MOST_WATCHERS = 32
MOST_WRONG = 100
"""messages after which a page is sent away"""
RATE, BURST = 400.0, 800.0
"""messages a second, and at once"""
WAITING = 256
"""packets and requests that may wait for one page"""
TOO_SLOW = 30.0
"""a page that takes no packet for so long is sent away [s]"""
POLICY, TRY_LATER = 1008, 1013
_NUMBERS = count(1)


class Allowance:
    """How many messages a page may still send: a bucket that fills at a constant rate."""

    def __init__(self, rate: float = RATE, burst: float = BURST):
        self.rate, self.burst, self.left, self.last = rate, burst, burst, time.monotonic()

    def take(self) -> bool:
        """Whether one more is allowed."""
        now = time.monotonic()
        self.left = min(self.burst, self.left + (now - self.last) * self.rate)
        self.last = now
        if self.left < 1.0:
            return False
        self.left -= 1.0
        return True


def _same(one: PageMessage, other: PageMessage) -> bool:
    """Whether two messages set the same thing."""
    return one.what == other.what and all(
        one.fields.get(key) == other.fields.get(key) for key in ("joint", "name", "example")
    )


class Watcher:
    """One page at its websocket.

    id     its number, in the order of coming
    most   grains that it wants at most, as it asked for last
    """

    def __init__(self, socket: WebSocket, session: Session):
        self.socket, self.session, self.id, self.most = socket, session, next(_NUMBERS), 60_000
        self.sent: deque[int] = deque()
        """numbers of frames that it has got and not shown"""
        self.last = 0
        """number of the latest frame that it got"""
        self.memory: dict = {}
        """what a session remembers of it"""
        self._packets: deque[bytes] = deque()
        self._asks: deque[PageMessage] = deque()
        self._asked = asyncio.Event()
        self._wake, self._wrong, self._allowance = asyncio.Event(), 0, Allowance()

    def wake(self) -> None:
        """There may be something to send. In the server's loop only."""
        self._wake.set()

    def give(self, packet: bytes) -> None:
        """A packet for this page. In the server's loop only."""
        if len(self._packets) < WAITING:
            self._packets.append(packet)
        self._wake.set()

    @property
    def ready(self) -> bool:
        """Whether it may get another frame."""
        return len(self.sent) < AHEAD

    async def run(self) -> None:
        """Until the page leaves."""
        loop = asyncio.get_running_loop()
        try:
            for packet in await loop.run_in_executor(None, self.session.joined, self):
                self.give(packet)
            tasks = [asyncio.create_task(part()) for part in (self._receive, self._send, self._answer)]
            done, others = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for task in others:
                task.cancel()
            await asyncio.gather(*others, return_exceptions=True)
            for task in done:
                error = task.exception()
                if error is not None and not isinstance(error, WebSocketDisconnect | RuntimeError | OSError):
                    raise error
        finally:
            self.session.left(self)

    async def _receive(self) -> None:
        while True:
            message = await self.socket.receive()
            if message["type"] == "websocket.disconnect":
                return
            try:
                if not self._allowance.take():
                    raise MessageError("too many messages")
                self._take(parse_message(message.get("text") or message.get("bytes") or ""))
            except MessageError as error:
                self._wrong += 1
                if self._wrong >= MOST_WRONG:
                    await self._close(POLICY, "too many messages that are wrong")
                    return
                self.give(error_packet(str(error)))

    def _take(self, message: PageMessage) -> None:
        if message.kind == "shown":
            while self.sent and self.sent[0] <= message.fields["number"]:
                self.sent.popleft()
            self._wake.set()
        elif self.session.act_at_once(self, message):
            if (
                message.kind == "drive"
            ):  # who turns the wheel sees what comes of it in the next picture, not the one after
                self.sent.clear()
                self._wake.set()
        else:
            if message.what == "grains":
                self.most = message.fields["most"]
            self._wait_for(message)

    def _wait_for(self, message: PageMessage) -> None:
        """Put a request behind those that wait, in place of older ones that it makes needless: of a slider that is
        dragged only the last position counts, and nothing of it after a reset.
        """
        if message.kind == "set" or message.what == "reset":
            old = [one for one in self._asks if one.kind == "set" and (message.what == "reset" or _same(one, message))]
            for one in old:
                self._asks.remove(one)
        if len(self._asks) >= WAITING:
            raise MessageError("too many requests are waiting")
        self._asks.append(message)
        self._asked.set()

    async def _answer(self) -> None:
        """Requests that may take long, one by one, in a thread."""
        loop = asyncio.get_running_loop()
        while True:
            while not self._asks:
                self._asked.clear()
                await self._asked.wait()
            message = self._asks.popleft()
            try:
                answer = await loop.run_in_executor(None, self.session.act, self, message)
            except (MessageError, GoriError) as error:
                answer = error_packet(str(error))
            for packet in answer if isinstance(answer, list) else [answer]:
                if packet is not None:
                    self.give(packet)

    async def _send(self) -> None:
        while True:
            await self._wake.wait()
            self._wake.clear()
            while self._packets:
                await self._out(self._packets.popleft())
            if self.ready and self.session.number > self.last:
                if self.session.heavy:
                    found = await asyncio.get_running_loop().run_in_executor(None, self.session.frame, self)
                else:
                    found = self.session.frame(self)
                if found is not None:
                    self.last, packet = found
                    self.sent.append(self.last)
                    await self._out(packet)

    async def _out(self, packet: bytes) -> None:
        async with asyncio.timeout(TOO_SLOW):
            await self.socket.send_bytes(packet)

    async def _close(self, code: int, reason: str) -> None:
        if self.socket.client_state == WebSocketState.CONNECTED:
            await self.socket.close(code, reason)


class Watchers:
    """All pages of a session."""

    def __init__(self, session: Session):
        self.session, self._all = session, dict[int, Watcher]()
        self._loop: asyncio.AbstractEventLoop | None = None
        session.changed, session.say = self.wake, self.say

    def __len__(self) -> int:
        return len(self._all)

    async def watch(self, socket: WebSocket) -> None:
        """Serve a page until it leaves."""
        self._loop = asyncio.get_running_loop()
        await socket.accept()
        if len(self._all) >= MOST_WATCHERS:
            await socket.send_bytes(error_packet(f"{MOST_WATCHERS} pages are open already: close one of them"))
            await socket.close(TRY_LATER)
            return
        watcher = Watcher(socket, self.session)
        self._all[watcher.id] = watcher
        try:
            await watcher.run()
        finally:
            del self._all[watcher.id]

    def wake(self) -> None:
        """There is a new frame; from any thread."""
        self._in_loop(lambda: [watcher.wake() for watcher in list(self._all.values())])

    def say(self, packet: bytes) -> None:
        """A packet for all pages; from any thread."""
        self._in_loop(lambda: [watcher.give(packet) for watcher in list(self._all.values())])

    def _in_loop(self, act: Callable[[], Any]) -> None:
        loop = self._loop
        if loop is not None and not loop.is_closed():
            with suppress(RuntimeError):  # closed in the meantime
                loop.call_soon_threadsafe(act)
