"""Channels that follow from the states of a run: each is computed for all samples at once, when it is asked for."""

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gori.model.loops.coordinates import Along, along
from gori.model.tables import JointInfo
from gori.spec import GROUND

if TYPE_CHECKING:
    from gori.record.recording import Recording

_CACHE_BYTES = 1 << 28  # poses of all frames are kept up to this size, else those that were asked for
_BATCH_NUMBERS = 1 << 22
_ANGLE = {"revolute", "helical", "universal"}
WORK = "energy.work"
"""what a run records of its energy: the work of all that has no potential [J]"""


class Channel(NamedTuple):
    """How to compute a channel, and the unit of its numbers: one for all, or one for each column.

    by_sample   each row follows from one sample, and is among the channels of `recording.part`
    """

    compute: Callable[["Recording", str], np.ndarray]
    units: str | tuple[str, ...]
    by_sample: bool = False


def builtin_channels(recording: "Recording") -> dict[str, Channel]:
    """All that can be said of a Model in motion."""
    model, derived = recording.model, Derived(recording)
    channels = {
        "time": Channel(lambda rec, _: rec.time, "s"),
        "q": Channel(lambda rec, _: rec.q, tuple(u for info in model.joints for u in q_units(info))),
        "v": Channel(lambda rec, _: rec.v, tuple(u for info in model.joints for u in v_units(info))),
        "z": Channel(lambda rec, _: rec.z, ""),
        "energy.kinetic": Channel(lambda *_: derived.energy()[0], "J", True),
        "energy.potential": Channel(lambda *_: derived.energy()[1], "J", True),
        "energy.elastic": Channel(lambda rec, _: model.elastic_energy(rec.q), "J", True),
        "energy.total": Channel(lambda rec, _: np.add(*derived.energy()) + rec["energy.elastic"], "J", True),
        "momentum": Channel(lambda rec, _: model.momentum(rec.q, rec.v), ("kg m2/s",) * 3 + ("kg m/s",) * 3, True),
        "center_of_mass": Channel(lambda rec, _: model.center_of_mass(rec.q), "m", True),
    }
    if WORK in recording.extra:
        channels[WORK] = Channel(lambda rec, _: rec.extra[WORK], "J")
        channels["energy.balance"] = Channel(lambda rec, _: _balance(rec), "J")
    stored = {"q": lambda rec, own: rec.numbers("q", own), "v": lambda rec, own: rec.numbers("v", own)}
    cuts = {"q": lambda _, own: derived.cuts().q[:, own], "v": lambda _, own: derived.cuts().v[:, own]}
    for infos, numbers in ((model.joints, stored), (model.cut_coordinates.joints, cuts)):
        for info in infos:
            channels[f"{info.name}.q"] = Channel(_coordinates(numbers["q"], info.q), q_units(info))
            channels[f"{info.name}.v"] = Channel(_coordinates(numbers["v"], info.v), v_units(info))
    for frame in model.frame_names:
        if frame != GROUND:
            channels |= {f"{frame}.{suffix}": channel for suffix, channel in _frame_channels(derived, frame).items()}
    return channels


def _balance(rec: "Recording") -> np.ndarray:
    """E - E0 - W: energy that nothing has given or taken."""
    gain = rec["energy.total"] - rec[WORK]
    gain -= gain[:1].copy()
    return gain


def _coordinates(numbers: Callable[["Recording", slice], np.ndarray], columns: slice) -> Callable:
    def compute(rec: "Recording", _: str) -> np.ndarray:
        own = numbers(rec, columns)
        return own[:, 0] if own.shape[1] == 1 else own

    return compute


def turns_channel(joint: str) -> str:
    """The channel of the full turns of a cut's angles, or of the sign of its quaternion."""
    return f"{joint}.turns"


def cut_turns(recording: "Recording") -> np.ndarray | None:
    """(N, turns) what a run remembered of the angles and quaternions of cuts; None if it is not recorded."""
    coordinates, named = recording.model.cut_coordinates, recording.info.get("outputs") or {}
    known = np.zeros((len(recording), coordinates.turns))
    for info in coordinates.joints:
        if own := coordinates.columns(info.name):
            if turns_channel(info.name) not in named or "outputs" not in recording.extra:
                return None
            first, width, _ = named[turns_channel(info.name)]
            known[:, own] = recording.numbers("extra/outputs", slice(first, first + width))
    return known


def _frame_channels(derived: "Derived", frame: str) -> dict[str, Channel]:
    def axis(k: int) -> Channel:
        return Channel(lambda *_: derived.position(frame)[:, k], "m", True)

    def rate(k: int, unit: str) -> Channel:
        return Channel(lambda rec, _: rec[f"{frame}.velocity"][:, k], unit, True)

    return {
        "position": Channel(lambda *_: derived.position(frame), "m", True),
        **{name: axis(k) for k, name in enumerate("xyz")},
        **{f"v{name}": rate(3 + k, "m/s") for k, name in enumerate("xyz")},
        **{f"w{name}": rate(k, "rad/s") for k, name in enumerate("xyz")},
        "rotation": Channel(lambda *_: derived.rotation(frame), "", True),
        "quaternion": Channel(lambda rec, _: _quaternions_of(rec, frame), ""),
        "pose": Channel(lambda *_: derived.pose(frame), (*("", "", "", "m") * 3, *("",) * 4), True),
        "velocity": Channel(lambda *_: derived.velocity(frame), ("rad/s",) * 3 + ("m/s",) * 3, True),
    }


def q_units(info: JointInfo) -> tuple[str, ...]:
    """Units of a joint's coordinates; quaternions have none."""
    many = {"cylindrical": ("rad", "m"), "planar": ("m", "m", "rad"), "spherical": ("",) * 4}
    many |= {"prismatic": ("m",), "free": ("",) * 4 + ("m",) * 3}
    return ("rad",) * info.nq if info.type in _ANGLE else many[info.type]


def v_units(info: JointInfo) -> tuple[str, ...]:
    """Units of a joint's velocities."""
    if info.type in ("spherical", "free"):
        return (("rad/s",) * 3 + ("m/s",) * 3)[: info.nv]
    return tuple(f"{unit}/s" for unit in q_units(info))


def effort_units(info: JointInfo) -> tuple[str, ...]:
    """Units of what drives a joint's velocities: a torque or a force."""
    return tuple("N" if unit == "m/s" else "N m" for unit in v_units(info))


def _quaternions_of(rec: "Recording", frame: str) -> np.ndarray:
    """Quaternions of a frame, block by block; each block goes on from the last sign of the one before."""
    out = np.empty((len(rec), 4))
    for rows, part in rec.blocks():
        quat = quaternions(part[f"{frame}.rotation"])
        if rows.start and quat[0] @ out[rows.start - 1] < 0.0:
            quat = -quat
        out[rows] = quat
    return out


def quaternions(R: np.ndarray) -> np.ndarray:
    """Quaternions w x y z (N, 4) of rotations (N, 3, 3), the sign such that each is the nearer to the one before."""
    from scipy.spatial.transform import Rotation

    if not len(R):
        return np.zeros((0, 4))
    quat = Rotation.from_matrix(R).as_quat()[:, [3, 0, 1, 2]]
    flips = np.where(np.einsum("ni,ni->n", quat[1:], quat[:-1]) < 0.0, -1.0, 1.0)
    first = -1.0 if quat[0, 0] < 0.0 else 1.0
    return quat * np.cumprod([first, *flips])[:, None]


class Derived:
    """Batches that several channels share, computed once."""

    def __init__(self, recording: "Recording"):
        self._rec, self._model = recording, recording.model
        self._frames: dict[str, tuple[np.ndarray, np.ndarray]] = {}
        self._energy: tuple[np.ndarray, np.ndarray] | None = None
        self._cuts: Along | None = None

    def energy(self) -> tuple[np.ndarray, np.ndarray]:
        """Kinetic and potential energy, (N,) each."""
        if self._energy is None:
            self._energy = self._model.energy(self._rec.q, self._rec.v)
        return self._energy

    def cuts(self) -> Along:
        """Coordinates and velocities of cuts, (N, ...) each; accelerations are those of `sim/channels.py`."""
        if self._cuts is None:
            rec = self._rec
            self._cuts = along(self._model, rec.time, rec.q, rec.v, turns=cut_turns(rec))
        return self._cuts

    def rotation(self, frame: str) -> np.ndarray:
        """(N, 3, 3)"""
        return self._frame(frame)[0]

    def position(self, frame: str) -> np.ndarray:
        """(N, 3)"""
        return self._frame(frame)[1]

    def pose(self, frame: str) -> np.ndarray:
        """(N, 4, 4)"""
        T = np.zeros((len(self._rec), 4, 4))
        T[:, :3, :3], T[:, :3, 3], T[:, 3, 3] = self.rotation(frame), self.position(frame), 1.0
        return T

    def velocity(self, frame: str) -> np.ndarray:
        """(N, 6) angular, then linear velocity of the origin, world axes: J v"""
        V = np.empty((len(self._rec), 6))
        for rows in self._batches(6 * self._model.nv):
            V[rows] = np.einsum("nij,nj->ni", self._model.jacobian(self._rec.q[rows], frame), self._rec.v[rows])
        return V

    def _frame(self, frame: str) -> tuple[np.ndarray, np.ndarray]:
        if frame not in self._frames:
            names = self._model.frame_names
            wanted = names if 12 * 8 * len(self._rec) * len(names) <= _CACHE_BYTES else (frame,)
            new = {name: (np.empty((len(self._rec), 3, 3)), np.empty((len(self._rec), 3))) for name in wanted}
            index = [self._model.frame(name) for name in wanted]
            for rows in self._batches(12 * len(names)):
                poses = self._model.forward_kinematics(self._rec.q[rows])
                for k, (R, p) in zip(index, new.values()):
                    R[rows], p[rows] = poses.rotation[:, k], poses.position[:, k]
            self._frames |= new
        return self._frames[frame]

    def _batches(self, numbers: int):
        """Slices of samples, each of which needs so much memory and no more."""
        step = max(1, _BATCH_NUMBERS // max(1, numbers))
        return (slice(k, min(k + step, len(self._rec))) for k in range(0, len(self._rec), step))
