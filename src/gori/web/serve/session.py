"""What is served: a machine, a recording, a live run, a drive, a playground. One object for all watchers."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gori.web.packet import pack
from gori.web.serve.messages import MessageError, PageMessage

if TYPE_CHECKING:
    from gori.web.serve.watchers import Watcher


def error_packet(message: str) -> bytes:
    """A sentence for a person who did something that cannot be."""
    return pack({"type": "error", "message": message}, {})


def notice_packet(message: str) -> bytes:
    """A sentence for a person."""
    return pack({"type": "notice", "message": message}, {})


class Session:
    """What a server asks of a session. Methods may be called from several threads at once.

    page      which page shows it: view, drive or play
    changed   called, from any thread, when there is a new frame or another packet for all watchers
    number    of the latest frame; it grows
    heavy     whether making a frame takes long, and is done in a thread
    """

    page = "view"
    heavy = False

    def __init__(self) -> None:
        self.number = 0
        self.options: dict[str, Any] = {}
        """window.gori.options of the page"""
        self.changed: Callable[[], None] = lambda: None
        self.say: Callable[[bytes], None] = lambda packet: None
        """sends a packet to all watchers"""

    def start(self) -> None:
        """Begin: threads and processes of its own."""

    def stop(self) -> None:
        """End them."""

    def joined(self, watcher: "Watcher") -> list[bytes]:
        """A page has come: packets that it gets first."""
        return [self.scene()]

    def left(self, watcher: "Watcher") -> None:
        """A page has gone."""

    def scene(self) -> bytes:
        """The scene packet."""
        raise NotImplementedError

    def film(self) -> bytes | None:
        """All poses of a recording; None: there is none."""
        return None

    def grains(self, frame: int, most: int) -> bytes | None:
        """Grains of a frame."""
        return None

    def series(self, name: str) -> bytes | None:
        """A channel over time."""
        return None

    def arrows(self, kind: str) -> bytes | None:
        """Contacts, reactions or forces as arrows."""
        return None

    def recording(self) -> Path | None:
        """The file that may be downloaded."""
        return None

    def frame(self, watcher: "Watcher") -> tuple[int, bytes] | None:
        """Number and packet of the latest frame for a watcher; None: there is none yet."""
        return None

    def act(self, watcher: "Watcher", message: PageMessage) -> bytes | list[bytes] | None:
        """What a page asks for, other than `shown`; answers for that page. Called in a thread, one by one."""
        if message.kind == "ask":
            asked: Callable[..., bytes | None] = getattr(self, message.what)
            answer = asked(**message.fields)
            if answer is None:
                raise MessageError(f"there are no {message.what} here")
            return answer
        raise MessageError(f"{message.kind} {message.what}".strip() + ": not here")

    def act_at_once(self, watcher: "Watcher", message: PageMessage) -> bool:
        """What takes no time and must not wait, such as pedals; whether it was that. Called in the server's loop."""
        return False


def state_of(**values: Any) -> dict[str, Any]:
    """The `state` of a frame: what is not None."""
    return {name: value for name, value in values.items() if value is not None}
