"""A run that goes on while one watches: paced by the clock or as fast as it can, with inputs, and bodies to pull."""

import threading
import time
from pathlib import Path
from typing import Any

import numpy as np

from gori.errors import GoriError, InputError
from gori.record.channels import q_units, v_units
from gori.sim import Simulation
from gori.sim.couplings import model_columns
from gori.web.drawings import Drawings
from gori.web.grains import grains_part
from gori.web.packet import pack
from gori.web.poses import body_order, poses_of
from gori.web.scene import Scene
from gori.web.serve.keeping import LONGEST_KEPT, RunFolder, recording_of
from gori.web.serve.messages import MessageError, PageMessage
from gori.web.serve.pulling import Pull
from gori.web.serve.session import Session, error_packet, notice_packet
from gori.web.serve.watchers import Watcher

FRAME = 1.0 / 60.0
"""between two frames, at least [s]"""
FASTEST = 0.0
"""speed that means: as fast as it can"""
MOST_VALUES = 24
RANGES = {"throttle": (0.0, 1.0), "brake": (0.0, 1.0), "steer": (-1.0, 1.0)}


class LiveSession(Session):
    """A Simulation, stepped in a thread of its own. It belongs to the session while that runs.

    speed    simulated seconds for each second of the clock; 0: as fast as it can
    folder   for recordings; None: one that goes with the session
    """

    def __init__(
        self,
        simulation: Simulation,
        title: str = "",
        drawings: Drawings | None = None,
        speed: float = 1.0,
        folder: Path | None = None,
        paused: bool = False,
    ):
        super().__init__()
        if not isinstance(simulation, Simulation):
            raise InputError(f"a live session takes a Simulation, not a {type(simulation).__name__}")
        self.simulation, self.model, self.speed, self.paused = simulation, simulation.model, float(speed), paused
        self.drawings, self.folder = drawings, RunFolder(folder)
        self.heavy = simulation.particles is not None
        self._first = simulation.state
        self._pull = Pull(self.model)
        self._pulled: Simulation | None = None
        """the same run with the force of the pull; it takes turns with the plain one"""
        self._scene = self._make_scene(title)
        self._lock, self._wake, self._ended = threading.RLock(), threading.Event(), threading.Event()
        self._orders: list[tuple[str, Any]] = []
        self._limits = (0.0, 1e-6)
        self._pace = 1.0
        """simulated seconds for each second that steps have taken of late"""
        self._rows: list[np.ndarray] = []
        self._recording, self._file, self._ratio, self._late = False, None, 1.0, False
        self._speeds = [simulation.outputs.get(f"{name}.speed") for name in self.model.spec.wheels]
        self.spin = np.zeros(len(self._speeds))
        self._shot = self._look()
        self._thread: threading.Thread | None = None
        self._end = lambda: None
        self.number = 1

    def _make_scene(self, title: str) -> bytes:
        run, inputs = self.simulation, []
        for name in run.inputs:
            low, high = RANGES.get(name.rpartition(".")[2], (None, None))
            if low is not None:
                inputs.append({"name": name, "low": low, "high": high, "value": float(run.inputs[name]), "unit": ""})
        scene = Scene(self.model, "live", q=run.q, title=title, inputs=inputs)
        head = scene.head()
        units = self._units()
        head["channels"] = [{"name": name, "unit": units.get(name, ""), "columns": [""]} for name in self._names()]
        return pack(head, scene.arrays)

    def _names(self) -> list[str]:
        """Values that go with each frame, for charts."""
        joints = [f"{info.name}.{end}" for info in self.model.joints if info.nv == 1 for end in "qv"]
        outputs = [name for name in self.simulation.outputs if name.endswith((".load", ".engine_speed", ".slip"))]
        return [*joints, *outputs][:MOST_VALUES]

    def _units(self) -> dict[str, str]:
        """Units of the values by name."""
        units = {name: place.unit for name, place in model_columns(self.model).items()}
        for part in self.simulation.subsystems:
            units |= part.outputs
        for info in self.model.joints:
            if info.nv == 1:
                units |= {f"{info.name}.q": q_units(info)[0], f"{info.name}.v": v_units(info)[0]}
        return units

    # ---- the thread

    def start(self) -> None:
        """Begin to run."""
        if self.drawings is not None:
            self._end = self.drawings.subscribe(lambda packet: self.say(packet), body_order(self.model))
        self._thread = threading.Thread(target=self._run, name="gori live", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End the thread; the Simulation stays where it is."""
        self._ended.set()
        self._wake.set()
        if self._thread is not None:
            self._thread.join(30.0)
        self._end()
        self._let_go()
        self.folder.close()

    def _run(self) -> None:
        began, simulated, last = time.perf_counter(), 0.0, 0.0
        mark = (began, self.simulation.time)
        while not self._ended.is_set():
            again = self._obey()
            now = time.perf_counter()
            if self.paused or again:
                if self.paused:
                    self._wake.wait(0.2)
                    self._wake.clear()
                began, simulated = time.perf_counter(), 0.0
                mark = (began, self._now.time)
                continue
            block = self._block()
            try:
                self._advance(block)
            except GoriError as error:
                self.paused = True
                self._publish()
                self.say(error_packet(str(error)))
                continue
            simulated += block
            now = time.perf_counter()
            if now - mark[0] > 0.5:
                self._ratio = (self._now.time - mark[1]) / (now - mark[0])
                mark = (now, self._now.time)
            if now - last >= 0.8 * FRAME:
                last = now
                self._publish()
            if self.speed > FASTEST:
                ahead = began + simulated / self.speed - now
                self._late = ahead < -0.2
                if self._late:
                    began, simulated = now, 0.0
                elif ahead > 0.0:
                    self._wake.wait(ahead)
                    self._wake.clear()

    @property
    def _now(self) -> Simulation:
        return self.simulation if self._pulled is None or self._pull.held is None else self._pulled

    def _block(self) -> float:
        """Simulated time until the next look at the clock [s]: half a frame, less if that takes long."""
        return min(FRAME * (self.speed if self.speed > FASTEST else 1.0) * 0.5, FRAME * self._pace)

    def _advance(self, block: float, steps: int | None = None) -> None:
        run, began = self._now, time.perf_counter()
        before = run.time
        if run.method.adaptive:
            run.run(block, sample=block, progress=False)
        else:
            step = run.method.settings()["step"]
            run.advance(steps or max(1, round(block / step)))
        took = max(1e-6, time.perf_counter() - began)
        self._pace = min(1e6, 0.5 * self._pace + 0.5 * (run.time - before) / took)
        sample = run.stepper.sample()
        for k, column in enumerate(self._speeds):
            if column is not None:
                self.spin[k] += (run.time - before) * sample[column]
        with self._lock:
            if self._recording:
                self._rows.append(sample[None].copy())
                if self._rows[-1][-1, 0] - self._rows[0][0, 0] > LONGEST_KEPT:
                    self._finish()

    def _obey(self) -> bool:
        """Do what pages have asked for; whether there was something."""
        with self._lock:
            orders, self._orders = self._orders, []
        for what, value in orders:
            try:
                if what == "reset":
                    self._let_go()
                    self.simulation.state, self.spin = self._first, np.zeros(len(self.spin))
                elif what == "step":
                    self._advance(self._block(), 1)
                elif what == "input":
                    for run in (self.simulation, self._pulled):
                        if run is not None:
                            run.inputs[value[0]] = value[1]
                elif what == "drag":
                    self._hold(*value)
            except GoriError as error:
                self.say(error_packet(str(error)))
        if orders:
            self._publish()
        return bool(orders) and any(what != "drag" for what, _ in orders)

    def _hold(self, body: int | None, point: Any = None, target: Any = None) -> None:
        if body is None:
            self._let_go()
            return
        if self._pulled is None:
            run = self.simulation
            options = run._options()
            own = list(options.pop("forces") or [])
            self._pulled = Simulation(self.model, run.method, state=run.state, **options, forces=[*own, self._pull])
        before = self._pull.held
        held = self._pull.hold(self.simulation.time if before is None else self._pulled.time, body, point, target)
        if held and before is None:
            self._pulled.state = self.simulation.state

    def _let_go(self) -> None:
        if self._pull.held is not None and self._pulled is not None:
            state = self._pulled.state
            self._pull.hold(self._pulled.time, None)
            self.simulation.state = state

    # ---- frames

    def _look(self) -> dict[str, Any]:
        """A copy of what a frame needs."""
        run = self._now
        sample = run.stepper.sample()
        shot: dict[str, Any] = {"time": run.time, "q": run.q.copy(), "spin": self.spin.astype(np.float32)}
        outputs, places = run.outputs, {info.name: info for info in self.model.joints}
        values: dict[str, float] = {}
        for name in self._names():
            if name in outputs:
                values[name] = float(sample[outputs[name]])
            else:
                joint, _, end = name.rpartition(".")
                row = run.q[places[joint].q] if end == "q" else run.v[places[joint].v]
                values[name] = float(row[0])
        shot["values"] = values
        if run.particles is not None:
            parts = run.particles
            shot["grains"] = (parts.id.copy(), parts.position.copy(), parts.radius.copy(), parts.velocity.copy())
        return shot

    def _publish(self) -> None:
        shot = self._look()
        with self._lock:
            self._shot, self.number = shot, self.number + 1
        self.changed()

    def scene(self) -> bytes:
        """The scene packet."""
        return self._scene

    def joined(self, watcher: Watcher) -> list[bytes]:
        """The scene, and what the user has drawn."""
        drawn = [self.drawings.packet(body_order(self.model))] if self.drawings is not None else []
        return [self._scene, *drawn]

    def left(self, watcher: Watcher) -> None:
        """A page that held a body lets go."""
        if watcher.memory.pop("drags", False):
            self._order("drag", (None,))

    def frame(self, watcher: Watcher) -> tuple[int, bytes] | None:
        """The latest frame, with as many grains as this page wants."""
        with self._lock:
            number, shot = self.number, self._shot
        head: dict[str, Any] = {"type": "frame", "number": number, "time": shot["time"], "poses": "poses"}
        head |= {"spin": "spin", "values": shot["values"]}
        head["state"] = {
            "paused": self.paused, "speed": self.speed, "ratio": self._ratio, "late": self._late,
            "recording": self._recording, "file": self._file is not None,
        }  # fmt: skip
        arrays = {"poses": poses_of(self.model, shot["q"]), "spin": shot["spin"]}
        if "grains" in shot:
            ids, position, radius, velocity = shot["grains"]
            speed = np.linalg.norm(velocity, axis=1)
            self._limits = (0.0, max(0.98 * self._limits[1], float(speed.max(initial=1e-6))))
            part, own = grains_part(ids, position, radius, speed, watcher.most, self._limits)
            part = {key: f"grains.{x}" if isinstance(x, str) else x for key, x in part.items()}
            legend = {"name": "speed", "unit": "m/s", "low": 0.0, "high": self._limits[1]}
            head["grains"] = {**part, "frame": number, "time": shot["time"], "legend": legend}
            arrays |= {f"grains.{key}": array for key, array in own.items()}
        return number, pack(head, arrays)

    # ---- what pages ask for

    def _order(self, what: str, value: Any = None) -> None:
        with self._lock:
            if what == "drag":  # only the latest counts
                self._orders = [order for order in self._orders if order[0] != "drag"]
            self._orders.append((what, value))
        self._wake.set()

    def act_at_once(self, watcher: Watcher, message: PageMessage) -> bool:
        """A body that is pulled."""
        if message.kind != "drag":
            return False
        fields = message.fields
        watcher.memory["drags"] = fields["body"] is not None
        names = ("body",) if fields["body"] is None else ("body", "point", "target")
        self._order("drag", tuple(fields[name] for name in names))
        return True

    def act(self, watcher: Watcher, message: PageMessage) -> bytes | None:
        """Inputs, pause, step, speed, reset, record."""
        if message.kind == "set" and message.what == "input":
            name = message.fields["name"]
            if name not in list(self.simulation.inputs):
                raise MessageError(f"there is no input {name!r}")
            self._order("input", (name, message.fields["value"]))
            return None
        if message.kind != "do":
            return super().act(watcher, message)
        what, value = message.what, message.fields["value"]
        if what in ("pause", "resume"):
            self.paused = what == "pause"
            self._wake.set()
            self._publish()
        elif what == "speed":
            if not isinstance(value, float) or not 0.0 <= value <= 1000.0:
                raise MessageError("a speed is a number from 0 (as fast as it can) to 1000")
            self.speed = value
            self._order("speed")
        elif what in ("reset", "step"):
            self._order(what)
        elif what == "record":
            with self._lock:
                self._recording, self._rows, self._pull.log = True, [], []
        elif what == "stop_record":
            with self._lock:
                self._finish()
        else:
            raise MessageError(f"do {what}: not here")
        return None

    def _finish(self) -> None:
        """Write what was recorded."""
        self._recording, rows = False, self._rows
        if not rows:
            return
        info = self.simulation._info(0.0)
        info["sample"], info["pulls"] = self._block(), list(self._pull.log)
        path = self.folder.new("live")
        recording_of(self.model, rows, info).save(path)
        self._file = path
        self.say(notice_packet(f"recorded {rows[-1][-1, 0] - rows[0][0, 0]:.2f} s: {path.name}"))

    def recording(self) -> Path | None:
        """The latest recording."""
        return self._file
