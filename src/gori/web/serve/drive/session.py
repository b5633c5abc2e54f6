"""A drive that pages watch and one of them steers."""

import multiprocessing
import sys
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np

from gori.errors import InputError
from gori.web.grains import grains_part
from gori.web.packet import pack
from gori.web.poses import body_order, poses_of
from gori.web.scene import Scene
from gori.web.serve.drive.truck import DriveOptions, driven
from gori.web.serve.drive.worker import hurry, work
from gori.web.serve.keeping import LONGEST_KEPT, RunFolder, recording_of
from gori.web.serve.messages import MessageError, PageMessage
from gori.web.serve.ruts import RutMap
from gori.web.serve.session import Session, error_packet, notice_packet
from gori.web.serve.watchers import Watcher
from gori.web.vehicle_body import vehicle_shapes

CONE = {"type": "cone", "radius": 0.16, "length": 0.55, "top_radius": 0.03, "colour": "#e8682a"}
ENDING = 5.0
"""time that the process gets to end [s]"""
RADS = 60.0 / (2.0 * np.pi)


class DriveSession(Session):
    """One vehicle, simulated in a process of its own.

    options   what to drive, and where;  folder: for recordings; None: one that goes with the session
    """

    page = "drive"

    def __init__(self, options: DriveOptions | None = None, folder: Path | None = None):
        super().__init__()
        self.vehicle = driven(options or DriveOptions())
        self.model, self.size = self.vehicle.model, self.vehicle.size
        self._scene, self._grid = self._make_scene()
        self.ruts = None if self._grid is None else RutMap(self._grid[0] * self._grid[1])
        self.folder = RunFolder(folder)
        self.ready: dict[str, Any] | None = None
        self.latest: dict[str, Any] | None = None
        self.failed: str | None = None
        self._watching: list[int] = []
        self._rows: list[np.ndarray] = []
        self._recording, self._file, self._replay = False, None, 0
        self._cones: set[int] = set()
        self._lock, self._made = threading.RLock(), (0, {}, {})
        self._pipe: Any = None
        self._process: Any = None

    def _make_scene(self) -> tuple[bytes, tuple[int, int] | None]:
        """The scene packet, and the grid of soft soil."""
        course = self.vehicle.course
        room = ((*course.low, 0.0), (*course.high, 0.0))
        scene = Scene(self.model, "drive", title=course.title, room=room)
        head = scene.head()
        self._dress(scene, head)
        height = None if self.model.spec.terrain is None else self.model.spec.terrain.height
        if height is not None:
            for k, (x, y) in enumerate(course.cones):
                at = [float(x), float(y), float(height(x, y))]
                head["bodies"][0]["shapes"].append({**CONE, "name": f"cone {k}", "at": at, "quaternion": [1, 0, 0, 0]})
        head["drive"] = {
            "vehicle": self.vehicle.options.vehicle, "course": self.vehicle.options.course,
            "soil": self.vehicle.options.soil or course.soil, "note": self.vehicle.note,
            "wheels": list(self.model.spec.wheels), "chassis": body_order(self.model).index(self.size.chassis),
            "wheelbase": self.size.wheelbase, "width": self.size.width,
        }  # fmt: skip
        soft = head["terrain"]["soft"] if head["terrain"] else None
        return pack(head, scene.arrays), None if soft is None else tuple(soft["shape"])

    def _dress(self, scene: Scene, head: dict[str, Any]) -> None:
        """A vehicle with stones has a bed that they touch: its walls are drawn as the bodywork around them."""
        if self.vehicle.options.stones:

            def put(name: str, array: np.ndarray) -> str:
                scene.arrays[name] = array
                return name

            body = head["bodies"][body_order(self.model).index(self.size.chassis)]
            body["shapes"] = vehicle_shapes(self.model, self.size.chassis, put) or body["shapes"]

    # ---- the process

    def start(self) -> None:
        """Start the process that simulates, and pass on quickly what it and the driver say."""
        if sys.platform == "linux":  # there it is of this thread alone
            hurry()
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(
            target=work, args=(self.vehicle.options, theirs), name="gori drive", daemon=True
        )
        self._process.start()
        theirs.close()
        threading.Thread(target=self._listen, name="gori drive", daemon=True).start()

    def stop(self) -> None:
        """End it."""
        self._tell("end")
        if self._process is not None:
            self._process.join(ENDING)
            if self._process.is_alive():
                self._process.kill()
                self._process.join(ENDING)
        self.folder.close()

    def _tell(self, *message: Any) -> None:
        try:
            with self._lock:
                if self._pipe is not None:
                    self._pipe.send(message)
        except (OSError, ValueError):
            self.failed = self.failed or "the simulation has ended"

    def _listen(self) -> None:
        try:
            while True:
                kind, given = self._pipe.recv()
                if kind == "frame":
                    self._take(given)
                    self._tell("credit")
                elif kind == "ready":
                    self.ready = given
                elif kind == "notice":
                    self.say(notice_packet(given))
                else:
                    self.failed = given
                    self.say(error_packet(given))
        except (EOFError, OSError):
            if self.failed is None:
                self.failed = "the simulation has ended"

    def _take(self, frame: dict[str, Any]) -> None:
        with self._lock:
            before = self.latest
            if before is None or frame["run"] != before["run"]:
                self._cones = set()
                if self.ruts is not None:
                    self.ruts.clear()
                if self._recording:
                    self._finish()
            if self.ruts is not None and "ruts" in frame:
                self.ruts.change(*frame.pop("ruts"))
            if self._recording and (rows := frame.pop("rows", None)) is not None:
                self._rows.append(rows)
                if self._rows[-1][-1, 0] - self._rows[0][0, 0] > LONGEST_KEPT:
                    self._finish()
            self.latest = frame
            self._touch_cones(frame["row"])
            if not self._replay:
                self.number += 1
        self.changed()

    def _touch_cones(self, row: np.ndarray) -> None:
        """Cones that lie under the outline of the vehicle."""
        cones = self.vehicle.course.cones
        if not len(cones):
            return
        w, x, y, z, *at = row[1:][self.size.joint_q][:6]
        yaw = np.arctan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))
        c, s = np.cos(yaw), np.sin(yaw)
        away = cones - np.array(at)
        ahead, aside = away @ [c, s], away @ [-s, c]
        corners = self.size.outline
        inside = (ahead > corners[:, 0].min()) & (ahead < corners[:, 0].max()) & (np.abs(aside) < 0.5 * self.size.width)
        self._cones |= set(np.flatnonzero(inside).tolist())

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
            self._tell("pedals", 0.0, 0.0, 0.0, True, "D", False, 0.0)

    def scene(self) -> bytes:
        """The scene packet."""
        return self._scene

    def frame(self, watcher: Watcher) -> tuple[int, bytes] | None:
        """The latest frame, with ruts that this page has not got."""
        with self._lock:
            if self.latest is None:
                return None
            number, latest = self.number, self.latest
            if self._made[0] != number:
                self._made = (number, *self._common(latest))
            _, head, arrays = self._made
            head = {**head, "number": number, "state": {**head["state"], "steers": watcher.id == self.driver}}
            arrays = dict(arrays)
            if self.ruts is not None and (news := self.ruts.news(watcher.memory)) is not None:
                cells, depth, fresh = news
                head["ruts"] = {"cells": "ruts.cells", "depth": "ruts.depth", "fresh": fresh}
                arrays |= {"ruts.cells": cells, "ruts.depth": depth}
        return number, pack(head, arrays)

    def _common(self, latest: dict[str, Any]) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
        """What is the same for all pages."""
        row, outputs = latest["row"], (self.ready or {"outputs": {}})["outputs"]
        name = self.size.vehicle
        train = next(iter(self.model.spec.drivetrains))
        get = lambda channel: float(row[outputs[channel]]) if channel in outputs else 0.0  # noqa: E731
        q = row[1 : 1 + self.model.nq]
        v = row[1 + self.model.nq : 1 + self.model.nq + self.model.nv]
        values: dict[str, Any] = {
            "speed": float(v[self.size.joint_v][3]), "rpm": RADS * get(f"{train}.engine_speed"),
            "gear": get(f"{train}.gear"), **latest["values"], "cones": len(self._cones),
            "ratio": latest["ratio"], "held": latest["percent"], "looks": latest["looks"], "behind": latest["behind"],
        }  # fmt: skip
        for channel in ("slip", "sinkage", "load"):
            values[channel] = [get(f"{wheel}.{channel}") for wheel in self.model.spec.wheels]
        poses = poses_of(self.model, q)
        values["angle"] = self._wheel_angle(poses)
        state = {
            "paused": latest["paused"], "selector": latest["gear"], "low": latest["low"], "vehicle": name,
            "recording": self._recording, "recorded": self._length(), "file": self._file is not None,
            "replay": self._replay > 0, "lost": latest["lost"], "gears": (self.ready or {}).get("gears", []),
            "sent": latest["sent"],
        }  # fmt: skip
        head = {"type": "frame", "time": float(row[0]), "poses": "poses", "spin": "spin", "values": values}
        arrays = {"poses": poses, "spin": latest["spin"]}
        if "stones" in latest:
            position, radius = latest["stones"]
            ids = np.arange(len(position))
            part, own = grains_part(ids, position, radius, np.zeros(len(ids)), len(ids), (0.0, 1.0))
            part.pop("value")  # all of one colour
            own.pop("value")
            own = {f"grains.{key}": array for key, array in own.items()}
            part = {key: f"grains.{x}" if isinstance(x, str) else x for key, x in part.items()}
            head["grains"] = {**part, "frame": self.number, "time": float(row[0])}
            arrays |= own
        return head | {"state": state}, arrays

    def _wheel_angle(self, poses: np.ndarray) -> float:
        """Mean angle of the steered wheels against the chassis [rad], to the left."""
        order = body_order(self.model)
        w, x, y, z = poses[order.index(self.size.chassis), 3:].astype(float)
        angles = []
        for name in self.size.steered:
            a, b, c, d = poses[order.index(self.model.spec.wheels[name].body), 3:].astype(float)
            # z and w of conj(chassis) * wheel
            angles.append(2.0 * np.arctan2(w * d - z * a - x * c + y * b, w * a + x * b + y * c + z * d))
        return float(np.mean([np.arctan2(np.sin(t), np.cos(t)) for t in angles])) if angles else 0.0

    # ---- what pages ask for

    def act_at_once(self, watcher: Watcher, message: PageMessage) -> bool:
        """Pedals of the driver; those of others are ignored."""
        if message.kind != "drive":
            return False
        if watcher.id == self.driver:
            m = message.fields
            pedals = m["throttle"], m["brake"], m["steering"], m["smooth"], m["gear"], m["low"], m["sent"]
            self._tell("pedals", *pedals)
        return True

    def act(self, watcher: Watcher, message: PageMessage) -> bytes | None:
        """Pause, reset, record, replay: of the driver."""
        if message.kind != "do":
            return super().act(watcher, message)
        if watcher.id != self.driver:
            raise MessageError("another page steers")
        what = message.what
        if what in ("pause", "resume"):
            self._replay = 0
            self._tell("pause", what == "pause")
        elif what == "reset":
            self._replay = 0
            self._tell("pause", False)
            self._tell("reset")
        elif what == "record":
            with self._lock:
                self._recording, self._rows = True, []
            self._tell("record", True)
        elif what == "stop_record":
            self._tell("record", False)
            with self._lock:
                self._finish()
        elif what == "replay":
            self._start_replay()
        else:
            raise MessageError(f"do {what}: not here")
        return None

    # ---- recordings

    def _length(self) -> float:
        return float(self._rows[-1][-1, 0] - self._rows[0][0, 0]) if self._rows else 0.0

    def _finish(self) -> None:
        """Write what was recorded, in a thread of its own."""
        self._recording, rows = False, self._rows
        if not rows or self.ready is None:
            return
        info, path = self.ready["info"], self.folder.new("drive")

        def save() -> None:
            try:
                recording_of(self.model, rows, info).save(path)
                self._file = path
                self.say(notice_packet(f"recorded {rows[-1][-1, 0] - rows[0][0, 0]:.1f} s: {path.name}"))
            except (OSError, InputError) as error:
                self.say(error_packet(f"the recording could not be written: {error}"))

        threading.Thread(target=save, name="gori recording", daemon=True).start()

    def recording(self) -> Path | None:
        """The latest recording."""
        return self._file

    def _start_replay(self) -> None:
        if not self._rows or self._recording:
            raise MessageError("there is nothing to replay: record a drive first")
        self._tell("pause", True)
        self._replay += 1
        threading.Thread(target=self._play, args=(self._replay, np.concatenate(self._rows)), daemon=True).start()

    def _play(self, turn: int, rows: np.ndarray) -> None:
        """Show recorded rows in the place of the present, at the pace of the clock."""
        outputs = (self.ready or {"outputs": {}})["outputs"]
        columns = [outputs[f"{wheel}.speed"] for wheel in self.model.spec.wheels if f"{wheel}.speed" in outputs]
        spin = np.cumsum(rows[:, columns] * np.gradient(rows[:, 0])[:, None], axis=0) if len(rows) > 1 else None
        began = time.perf_counter()
        for k in range(len(rows)):
            due = began + rows[k, 0] - rows[0, 0]
            if (left := due - time.perf_counter()) > 0.0:
                time.sleep(left)
            elif left < -0.05:
                continue
            with self._lock:
                if self._replay != turn or self.latest is None:
                    return
                wheels = self.latest["spin"] if spin is None else spin[k].astype(np.float32)
                self.latest = {**self.latest, "row": rows[k], "spin": wheels}
                self.number += 1
            self.changed()
        with self._lock:
            if self._replay == turn:
                self._replay = 0
        self._tell("pause", False)
