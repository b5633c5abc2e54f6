"""A drive that pages watch and one of them steers."""

import threading
from pathlib import Path
from typing import Any

from gori.errors import InputError, SimulationError
from gori.web.packet import pack
from gori.web.serve.drive.frames import DriveFrames
from gori.web.serve.drive.process import Process
from gori.web.serve.drive.replay import DriveReplay, Piece
from gori.web.serve.drive.scenery import drive_scene
from gori.web.serve.drive.tape import Tape, play
from gori.web.serve.drive.truck import DriveOptions, driven
from gori.web.serve.keeping import RunFolder, recording_of
from gori.web.serve.messages import MessageError, PageMessage
from gori.web.serve.ruts import RutMap
from gori.web.serve.session import Session, error_packet, notice_packet
from gori.web.serve.watchers import Watcher


class DriveSession(Session):
    """One vehicle, simulated in a process of its own.

    options   what to drive, and where;  folder: for recordings; None: one that goes with the session
    failed    why there is nothing to drive any more, or at all; None: all is well
    """

    page = "drive"

    def __init__(self, options: DriveOptions | None = None, folder: Path | None = None):
        super().__init__()
        self.vehicle = driven(options or DriveOptions())
        self.model, self.size = self.vehicle.model, self.vehicle.size
        self._scene, grid = drive_scene(self.vehicle)
        self.ruts = None if grid is None else RutMap(grid[0] * grid[1])
        self.folder = RunFolder(folder)
        self.ready: dict[str, Any] | None = None
        self.latest: dict[str, Any] | None = None
        """frame that is shown; in a replay that of the time"""
        self.failed: str | None = None
        self.process = Process(self.vehicle.options, self._hear)
        self._frames, self._settled = DriveFrames(self.vehicle), threading.Event()
        self._watching: list[int] = []
        self._tape: Tape | None = None
        self._recording, self._file, self._run = False, None, -1
        self._replay, self._was_paused = DriveReplay(self.ruts), False
        self._cones = set[int]()
        self._lock, self._made = threading.RLock(), (0, {}, {})

    def start(self) -> None:
        """Start the process that simulates, unless it runs already."""
        self.process.start()

    def settle(self) -> None:
        """Start, and wait until the vehicle stands on its wheels; an error where the soil does not carry it."""
        self.start()
        self._settled.wait()
        if self.failed is not None:
            self.stop()
            raise SimulationError(self.failed, 0.0)

    def stop(self) -> None:
        """End it."""
        with self._lock:
            self._replay.end()
        self.process.stop()
        self.folder.close()

    # ---- what comes from the process

    def _hear(self, kind: str, given: Any) -> None:
        if kind == "frame":
            self._take(given)
        elif kind == "ready":
            self._frames.outputs, self.ready = given["outputs"], given
            self._settled.set()
        elif kind == "notice":
            self.say(notice_packet(given))
        elif self.failed is None:  # failed
            self.failed = given
            self._settled.set()
            self.say(error_packet(given))

    def _take(self, frame: dict[str, Any]) -> None:
        with self._lock:
            if frame["run"] != self._run:
                self._run, self._cones = frame["run"], set()
                self._replay.fresh()
                if self._recording:
                    self._finish()
            self._cones |= self._frames.cones_under(frame["row"])
            frame["cones"] = len(self._cones)
            cells = self._replay.press(frame.get("ruts"))
            if self._recording and self._tape is not None:
                self._tape.add(frame, self.ruts, cells)
                if self._tape.full:
                    self._finish()
            if self._replay.turn:
                return
            self.latest = frame
            self.number += 1
        self.changed()

    # ---- pages

    @property
    def driver(self) -> int | None:
        """Number of the page that steers: the first of those that are there."""
        return self._watching[0] if self._watching else None

    def joined(self, watcher: Watcher) -> list[bytes]:
        """The scene, and who steers."""
        with self._lock:
            self._watching.append(watcher.id)
            first = self.driver == watcher.id
        packets = [self._scene]
        if not first:
            packets.append(notice_packet("another page steers: you watch. You take over when it is closed"))
        if self.vehicle.note:
            packets.append(notice_packet(self.vehicle.note))
        if self.failed:
            packets.append(error_packet(self.failed))
        return packets

    def left(self, watcher: Watcher) -> None:
        """Pedals of a driver who leaves are released; the next page steers."""
        with self._lock:
            if watcher.id not in self._watching:
                return
            drove = self.driver == watcher.id
            self._watching.remove(watcher.id)
        if drove:
            self.process.tell("pedals", 0.0, 0.0, 0.0, True, "D", False, 0.0)

    def scene(self) -> bytes:
        """The scene packet."""
        return self._scene

    def frame(self, watcher: Watcher) -> tuple[int, bytes] | None:
        """The latest frame, with ruts that this page has not got."""
        with self._lock:
            if self.latest is None:
                return None
            number = self.number
            if self._made[0] != number:
                self._made = (number, *self._frames.make(self.latest, number, self._state()))
            _, head, arrays = self._made
            head = {**head, "number": number, "state": {**head["state"], "steers": watcher.id == self.driver}}
            arrays = dict(arrays)
            if self.ruts is not None and (news := self.ruts.news(watcher.memory)) is not None:
                cells, depth, fresh = news
                head["ruts"] = {"cells": "ruts.cells", "depth": "ruts.depth", "fresh": fresh}
                arrays |= {"ruts.cells": cells, "ruts.depth": depth}
        return number, pack(head, arrays)

    def _state(self) -> dict[str, Any]:
        return {
            "vehicle": self.size.vehicle, "recording": self._recording, "file": self._file is not None,
            "recorded": self._tape.length if self._tape else 0.0, "replay": self._replay.turn > 0,
            "gears": (self.ready or {}).get("gears", []),
        }  # fmt: skip

    # ---- what pages ask for

    def act_at_once(self, watcher: Watcher, message: PageMessage) -> bool:
        """Pedals of the driver; those of others are ignored."""
        if message.kind != "drive":
            return False
        if watcher.id == self.driver:
            m = message.fields
            pedals = m["throttle"], m["brake"], m["steering"], m["smooth"], m["gear"], m["low"], m["sent"]
            self.process.tell("pedals", *pedals)
        return True

    def act(self, watcher: Watcher, message: PageMessage) -> bytes | list[bytes] | None:
        """Pause, reset, record, replay: of the driver."""
        if message.kind != "do":
            return super().act(watcher, message)
        if watcher.id != self.driver:
            raise MessageError("another page steers")
        what = message.what
        if what in ("pause", "resume"):
            self._end_replay()
            self.process.tell("pause", what == "pause")
        elif what == "reset":
            self._end_replay()
            self.process.tell("pause", False)
            self.process.tell("reset")
        elif what == "record":
            with self._lock:
                self._end_replay()
                self._recording, self._tape = True, Tape(self.ruts)
            self.process.tell("record", True)
        elif what == "stop_record":
            self.process.tell("record", False)
            with self._lock:
                self._finish()
        elif what == "replay":
            self._start_replay()
        else:
            raise MessageError(f"do {what}: not here")
        return None

    # ---- recordings

    def _finish(self) -> None:
        """Write what was recorded, in a thread of its own."""
        self._recording, tape = False, self._tape
        if tape is None or not tape.rows or self.ready is None:
            return
        info, path = self.ready["info"], self.folder.new("drive")

        def save() -> None:
            try:
                recording_of(self.model, tape.rows, info).save(path)
                self._file = path
                self.say(notice_packet(f"recorded {tape.length:.1f} s: {path.name}"))
            except (OSError, InputError) as error:
                self.say(error_packet(f"the recording could not be written: {error}"))

        threading.Thread(target=save, name="gori recording", daemon=True).start()

    def recording(self) -> Path | None:
        """The latest recording."""
        return self._file

    def _start_replay(self) -> None:
        with self._lock:
            tape = self._tape
            if tape is None or not tape.frames or self._recording:
                raise MessageError("there is nothing to replay: record a drive first")
            self._was_paused = self.latest is not None and self.latest["paused"] and not self._replay.turn
            turn = self._replay.begin(tape.start)
        self.process.tell("pause", True)
        threading.Thread(target=self._play, args=(turn, tape), name="gori replay", daemon=True).start()

    def _play(self, turn: int, tape: Tape) -> None:
        """Recorded frames and ruts in the place of the present ones."""

        def show(frame: dict[str, Any], ruts: Piece | None) -> bool:
            with self._lock:
                if self._replay.turn != turn:
                    return False
                self._replay.show(ruts)
                self.latest = frame
                self.number += 1
            self.changed()
            return True

        play(tape, show)
        with self._lock:
            if self._replay.turn != turn:
                return
            self._replay.end()
        self.process.tell("pause", self._was_paused)

    def _end_replay(self) -> None:
        with self._lock:
            self._replay.end()
