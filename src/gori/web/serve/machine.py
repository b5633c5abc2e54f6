"""A machine that stands still, with a slider for each coordinate: loops stay closed while one drags."""

import threading

import numpy as np

from gori.errors import GoriError
from gori.model import Model, compile
from gori.model.loops.assembly import assembled
from gori.spec import Spec
from gori.web.drawings import Drawings
from gori.web.packet import pack
from gori.web.poses import body_order, poses_of
from gori.web.scene import Scene, sliders
from gori.web.serve.messages import MessageError, PageMessage
from gori.web.serve.session import Session
from gori.web.serve.watchers import Watcher

PIECES = 12
"""a slider that jumps across its range moves in about so many pieces, so that the machine follows"""
FINEST_PIECE = 1.0 / 16.0
"""of a piece that cannot be gone as a whole"""


class MachineSession(Session):
    """A Model that one moves by hand.

    title      of the page;  drawings: of the user
    """

    def __init__(self, model: Model, title: str = "", drawings: Drawings | None = None):
        super().__init__()
        self.model = without_motions(model)
        self.drawings = drawings
        found = assembled(self.model)
        self.q, self._warnings = np.array(found.q), list(found.warnings)
        self._start = self.q.copy()
        self._scene = Scene(self.model, "machine", q=self.q, title=title)
        self._sliders = {entry["name"]: entry for entry in self._scene.inputs}
        self._lock, self._end = threading.Lock(), lambda: None
        self.number = 1

    def start(self) -> None:
        """Follow the drawings of the user."""
        if self.drawings is not None:
            self._end = self.drawings.subscribe(lambda packet: self.say(packet), body_order(self.model))

    def stop(self) -> None:
        """No longer."""
        self._end()

    def scene(self) -> bytes:
        """The scene packet, with the machine where it is now."""
        with self._lock:
            head, arrays = self._scene.head(), dict(self._scene.arrays)
            head["inputs"] = self._inputs()
            head["notices"] = [*head.get("notices", []), *self._warnings]
            arrays["poses"] = poses_of(self.model, self.q)
        return pack(head, arrays)

    def _inputs(self) -> list[dict]:
        now = {entry["name"]: entry["value"] for entry in sliders(self.model, self.q, self._scene.extent.size)}
        return [{**entry, "value": now[name]} for name, entry in self._sliders.items()]

    def joined(self, watcher: Watcher) -> list[bytes]:
        """The scene, and what the user has drawn."""
        drawn = [self.drawings.packet(body_order(self.model))] if self.drawings is not None else []
        return [self.scene(), *drawn]

    def frame(self, watcher: Watcher) -> tuple[int, bytes] | None:
        """The machine where it is now."""
        with self._lock:
            number, q = self.number, self.q.copy()
        values = {entry["name"]: entry["value"] for entry in sliders(self.model, q, self._scene.extent.size)}
        head = {"type": "frame", "number": number, "time": 0.0, "poses": "poses", "values": values}
        return number, pack(head, {"poses": poses_of(self.model, q)})

    def act(self, watcher: Watcher, message: PageMessage) -> bytes | None:
        """A slider was moved, or the machine is to go back to its start."""
        if message.kind == "do" and message.what == "reset":
            self._set(self._start.copy())
            return None
        if message.kind != "set" or message.what != "q":
            return super().act(watcher, message)
        joint, target = self._wanted(message.fields["joint"], message.fields["value"])
        q, reached = closed_towards(self.model, self.q, joint, target, self._range(joint))
        self._set(q)
        if not reached:
            raise MessageError(f"the loops cannot be closed with {joint} any farther: the machine stays where it is")
        return None

    def _set(self, q: np.ndarray) -> None:
        with self._lock:
            self.q, self.number = q, self.number + 1
        self.changed()

    def _wanted(self, name: str, value: list[float]) -> tuple[str, np.ndarray]:
        """Joint and all its coordinates; the name may be that of a slider, and then there is one value."""
        slider = self._sliders.get(name)
        joint = name if slider is None else slider["joint"]
        if joint not in self.model.joint_names:
            raise MessageError(f"there is no joint {name!r}")
        place = self.model.joint(joint).q
        target = self.q[place].copy()
        if slider is not None and len(value) == 1:
            target[slider["index"]] = value[0]
        elif len(value) == len(target):
            target[:] = value
            if len(target) in (4, 7):
                size = np.linalg.norm(target[:4])
                if size < 1e-6:
                    raise MessageError("a quaternion must not be zero")
                target[:4] /= size
        else:
            raise MessageError(f"joint {joint!r} has {len(target)} coordinates, not {len(value)}")
        return joint, target

    def _range(self, joint: str) -> float:
        spans = [entry["high"] - entry["low"] for entry in self._sliders.values() if entry["joint"] == joint]
        return max([1e-6, *spans])


def without_motions(model: Model) -> Model:
    """The Model with joints that one can move by hand where motions of its Spec would hold them."""
    if not model.spec.motions:
        return model
    data = {key: getattr(model.spec, key) for key in model.spec.model_fields_set if key != "motions"}
    return compile(Spec(**data))


def closed_towards(model: Model, q: np.ndarray, joint: str, target: np.ndarray, span: float) -> tuple[np.ndarray, bool]:
    """q (nq,) with a joint brought towards its target, piece by piece with all loops closed; whether it got there."""
    place = model.joint(joint).q
    start = q[place].copy()
    count = max(1, int(np.ceil(PIECES * np.abs(target - start).max() / span)))
    now, share, piece = np.array(q, float), 0.0, 1.0 / count
    while share < 1.0 - 1e-12:
        wanted = now.copy()
        wanted[place] = start + min(1.0, share + piece) * (target - start)
        if len(target) in (4, 7):
            wanted[place.start : place.start + 4] /= np.linalg.norm(wanted[place.start : place.start + 4])
        try:
            now = np.array(assembled(model, wanted, hold=[joint]).q)
            share = min(1.0, share + piece)
        except GoriError:
            piece *= 0.5
            if piece < FINEST_PIECE / count:
                return now, False
    return now, True
