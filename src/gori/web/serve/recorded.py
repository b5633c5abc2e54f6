"""A recording: its film, grains by number, channels, arrows; read again while a run still writes it."""

import os
import threading
from pathlib import Path

import numpy as np

from gori.errors import GoriError
from gori.record import Recording
from gori.web.drawings import Drawings
from gori.web.film import Film
from gori.web.ghost import Ghost, names_of_both
from gori.web.poses import body_order
from gori.web.serve.session import Session, error_packet
from gori.web.serve.watchers import Watcher

LOOKS = 1.0
"""time between two looks at a file that grows [s]"""
FILM_BYTES, MOST_SAMPLES = 16_000_000, 50_000
"""poses of a film may take so much, and are of so many samples at most"""


class RecordedSession(Session):
    """A Recording, or the file or folder of one.

    ghost   a second recording of the same bodies, drawn transparent
    """

    def __init__(
        self,
        recording: Recording | str | os.PathLike,
        title: str = "",
        drawings: Drawings | None = None,
        channels: list[str] | None = None,
        ghost: Recording | str | os.PathLike | None = None,
    ):
        super().__init__()
        self._film = Film(recording, title=title, channels=channels)
        if not self._film.growing:  # one that grows is sent again and again
            bodies = len(body_order(self._film.model))
            self._film.most_frames = int(np.clip(FILM_BYTES // (28 * bodies), self._film.most_frames, MOST_SAMPLES))
        self._ghost = None if ghost is None else Ghost(self._film.model, ghost)
        self._film.ghost = None if self._ghost is None else self._ghost.recording
        self.drawings = drawings
        self._lock, self._made = threading.RLock(), dict[str, bytes | None]()
        self._ended, self._end = threading.Event(), lambda: None

    def start(self) -> None:
        """Look at a file that grows, follow the drawings of the user."""
        if self.drawings is not None:
            self._end = self.drawings.subscribe(lambda packet: self.say(packet), body_order(self._film.model))
        if self._film.growing:
            threading.Thread(target=self._grow, name="gori recording", daemon=True).start()

    def stop(self) -> None:
        """No longer."""
        self._ended.set()
        self._end()

    def _grow(self) -> None:
        while not self._ended.wait(LOOKS):
            try:
                with self._lock:
                    if not self._film.refresh():
                        continue
                    self._made = {}
                    packet = self.film()
            except GoriError as error:
                self.say(error_packet(str(error)))
                continue
            if packet is not None:
                self.say(packet)
            if not self._film.growing:
                return

    def _once(self, name: str, make) -> bytes | None:
        with self._lock:
            if name not in self._made:
                self._made[name] = make()
            return self._made[name]

    def scene(self) -> bytes:
        """The scene packet."""
        packet = self._once("scene", lambda: self._film.scene().packet())
        assert packet is not None
        return packet

    def film(self) -> bytes | None:
        """All poses."""
        return self._once("film", self._film.packet)

    def joined(self, watcher: Watcher) -> list[bytes]:
        """The scene, ruts, and what the user has drawn."""
        packets = [self.scene()]
        if (ruts := self._once("ruts", self._film.ruts)) is not None:
            packets.append(ruts)
        if self._ghost is not None and (film := self._once("ghost", self._ghost_film)) is not None:
            packets.append(film)
        if self.drawings is not None:
            packets.append(self.drawings.packet(body_order(self._film.model)))
        return packets

    def _ghost_film(self) -> bytes:
        assert self._ghost is not None
        names = names_of_both(self._film.title, self._film.path, self._ghost)
        return self._ghost.packet(names, kind="ghost-film")

    def grains(self, frame: int, most: int) -> bytes | None:
        """Particles of a frame."""
        with self._lock:
            return self._film.grains(frame, most)

    def series(self, name: str) -> bytes | None:
        """A channel."""
        with self._lock:
            return self._film.series(name)

    def arrows(self, kind: str) -> bytes | None:
        """Arrows of all frames."""
        with self._lock:
            return self._once(f"arrows {kind}", lambda: self._film.arrows(kind))

    def recording(self) -> Path | None:
        """The file itself."""
        return self._film.path
