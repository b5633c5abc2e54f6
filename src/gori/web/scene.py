"""A Model as a scene packet: bodies, joints, springs, wheels, ground, channels, and where to look from."""

from typing import Any

import numpy as np

from gori.errors import GoriError
from gori.model import Model
from gori.model.loops.assembly import assembled
from gori.model.model import require_model
from gori.record import Recording
from gori.spec import GROUND, Body, Bushing, Spring, Strut
from gori.spec.base import quaternion
from gori.spec.particles.groups import radius_range
from gori.web.channels import channel_list
from gori.web.extent import FAR, Extent, camera_for, extent_of, shape_points
from gori.web.packet import pack
from gori.web.poses import body_order, poses_of
from gori.web.shapes import MOST_TRIANGLES, body_colour, shape_entry
from gori.web.terrain import terrain_entry
from gori.web.vehicle_body import vehicle_shapes

MODES = ("machine", "film", "live", "drive", "play")
SEEN = 200
"""samples that decide on the extent of a motion"""
_QUATERNION = ("spherical", "free")


class Scene:
    """What a page needs to draw a Model. `packet()` makes the bytes; `extent`, `bodies`, `notices` may be asked.

    q           where it stands (nq,), or (N, nq) along a motion; default: its start, or the samples of the recording
    recording   whose channels are listed, and whose motion the camera and the ground must hold
    inputs      sliders, [{name, low, high, value, unit}]; default: none, of a machine one for each coordinate
    room        low and high corners [m] that the ground covers besides
    triangles   of a mesh, at most; finer ones are simplified
    """

    def __init__(
        self,
        model: Model,
        mode: str = "machine",
        recording: Recording | None = None,
        q: Any = None,
        title: str = "",
        inputs: list[dict[str, Any]] | None = None,
        room: tuple[Any, Any] | None = None,
        triangles: int = MOST_TRIANGLES,
    ):
        require_model(model)
        self._most = triangles
        self.model, self.mode, self.recording, self.title = model, mode, recording, title
        self.arrays: dict[str, np.ndarray] = {}
        self.notices: list[str] = []
        self.names = body_order(model)
        self._number = {name: k for k, name in enumerate(self.names)}
        states = self._states(q)
        self.q, self.start = states[0], poses_of(model, states[0])
        self.bodies = [self._body(name) for name in self.names]
        self.follow, self.extent = self._extent(poses_of(model, states))
        if room is not None:
            low, high = (np.array(corner, float) for corner in room)
            self.extent = self.extent._replace(
                low=np.minimum(self.extent.low, low), high=np.maximum(self.extent.high, high)
            )
        self.inputs = (
            sliders(model, states[0], self.extent.size) if inputs is None and mode == "machine" else inputs or []
        )

    def _states(self, q: Any) -> np.ndarray:
        """States (N, nq) that decide on the extent."""
        if q is not None:
            return np.atleast_2d(np.asarray(q, float))
        if self.recording is None or not len(self.recording):
            return self._closed()[None]
        few = np.unique(np.linspace(0, len(self.recording) - 1, SEEN).round().astype(int))
        return self.recording.q[few]

    def _closed(self) -> np.ndarray:
        """The start of the Spec with its loops closed; as written, with a notice, where they cannot be."""
        try:
            found = assembled(self.model)
        except GoriError as error:
            self.notices.append(f"shown as written: {error}")
            return self.model.q0
        self.notices += found.warnings
        return found.q

    def _put(self, name: str, array: np.ndarray) -> str:
        self.arrays[name] = array
        return name

    # ---- bodies

    def _body(self, name: str) -> dict[str, Any]:
        model, body = self.model, self.model.spec.bodies.get(name)
        row = int(model.tables.frame_i[model.frame(name)])
        group = next(other for other in self.names if int(model.tables.frame_i[model.frame(other)]) == row)
        entry: dict[str, Any] = {"name": name, "group": group, "colour": body_colour(name, row, GROUND)}
        entry["shapes"] = [] if body is None else self._shapes(name, body, row != 0)
        if not entry["shapes"] and name != GROUND:
            entry["shapes"] = vehicle_shapes(model, name, self._put)
        entry["sticks"] = [] if entry["shapes"] else self._sticks(name)
        return entry

    def _shapes(self, name: str, body: Body, moves: bool) -> list[dict[str, Any]]:
        """Shapes of a body; those that visual ones stand for are marked as `collision`."""
        found = {
            key: shape_entry(f"{name}.{key}", shape, self._put, self.notices, self._most, moves)
            for key, shape in body.shapes.items()
        }
        seen = {key for key in body.drawn if found[key] is not None}
        # visual shapes that cannot be read leave those that collide as the picture of the body
        return [
            entry if key in seen or not seen else entry | {"collision": True}
            for key, entry in found.items()
            if entry is not None
        ]

    def _masses(self) -> list[dict[str, Any]]:
        """Mass [kg] and centre of mass [m] of each body, in its frame."""
        none: tuple[Any, ...] = (0.0, np.zeros(3))
        bodies = self.model.spec.bodies
        own = [none if name == GROUND else bodies[name].inertial() for name in self.names]
        return [{"mass": entry[0], "com": entry[1]} for entry in own]

    def _sticks(self, name: str) -> list[list[float]]:
        """Ends of lines from the origin of a body without shapes to its joints and frames [m]."""
        if name == GROUND:
            return []
        ends = []
        for joint in self.model.connections:
            sides = ((joint.parent, joint.on_parent), (joint.child, joint.on_child))
            ends += [pose[1] for body, pose in sides if body == name]
        ends += [np.array(frame.at) for frame in self.model.spec.frames.values() if frame.body == name]
        unique = {tuple(np.round(end, 9).tolist()) for end in ends if np.linalg.norm(end) > 1e-9}
        return [list(end) for end in sorted(unique)]

    def _extent(self, poses: np.ndarray) -> tuple[int | None, Extent]:
        """Body that the camera follows, and the Extent of the motion."""
        points = []
        for entry in self.bodies:
            clouds = [shape_points(shape, self.arrays) for shape in entry["shapes"]]
            points.append(np.concatenate([np.zeros((0, 3)), *clouds, np.reshape(entry["sticks"], (-1, 3))]))
            if entry["name"] != GROUND:
                points[-1] = np.concatenate([points[-1], np.zeros((1, 3))])
        for wheel in self.model.spec.wheels.values():
            reach = wheel.tyre.radius * np.array([[1.0, 1, 1], [-1, -1, -1]])
            body = self._number[wheel.body]
            points[body] = np.concatenate([points[body], np.array(wheel.at) + reach])
        roots = () if self.model.vehicle is None else tuple(self.model.vehicle.roots.values())
        root = self._number[roots[0]] if roots else None
        extent = extent_of(points, poses, root)
        if root is None:
            return None, extent
        travel = float(np.linalg.norm(np.ptp(poses[:, root, :3], axis=0)))
        live = self.mode in ("live", "drive")
        return (root if live or travel > FAR * extent.size else None), extent

    # ---- what joins them

    def _joints(self, cuts: bool) -> list[dict[str, Any]]:
        found = []
        for joint in self.model.connections:
            if joint.cut == cuts:
                (R, at), (_, child_at) = joint.on_parent, joint.on_child
                entry: dict[str, Any] = {"name": joint.name, "type": joint.type}
                entry |= {"parent": self._number[joint.parent], "child": self._number[joint.child]}
                entry |= {"at": at, "child_at": child_at, "axis": R @ joint.axis, "limits": None, "q": None}
                if joint.name in self.model.joint_names:
                    info = self.model.joint(joint.name)
                    entry["q"] = [info.q.start, info.nq]
                    limits = np.stack([self.model.lower[info.v], self.model.upper[info.v]], axis=1)
                    entry["limits"] = limits if np.isfinite(limits).any() else None
                found.append(entry)
        return found

    def end_of(self, name: str, at: Any) -> dict[str, Any]:
        """A point of a body or frame as a body and a point in its frame [m]."""
        frame = self.model.spec.frames.get(name)
        if frame is None:
            return {"body": self._number[name], "at": np.array(at, float)}
        R, p = frame.pose()
        return {"body": self._number[frame.body], "at": p + R @ np.array(at, float)}

    def _springs(self) -> list[dict[str, Any]]:
        return [
            {"name": name, "type": _kind(force), "a": self.end_of(force.parent, force.at),
             "b": self.end_of(force.child, force.child_at)}
            for name, force in self.model.spec.forces.items() if isinstance(force, Spring | Strut | Bushing)
        ]  # fmt: skip

    def _wheels(self) -> list[dict[str, Any]]:
        return [
            {"name": name, "body": self._number[wheel.body], "at": list(wheel.at),
             "axis": np.array(wheel.axis) / np.linalg.norm(wheel.axis), "radius": wheel.tyre.radius,
             "width": wheel.tyre.width}
            for name, wheel in self.model.spec.wheels.items()
        ]  # fmt: skip

    def _frames(self) -> list[dict[str, Any]]:
        found = []
        for name, frame in self.model.spec.frames.items():
            R, p = frame.pose()
            found.append({"name": name, "body": self._number[frame.body], "at": p, "quaternion": list(quaternion(R))})
        return found

    def _particles(self) -> dict[str, Any] | None:
        spec = self.model.spec
        groups = [*spec.particles.items(), *spec.inlets.items()]
        if not groups:
            return None
        ranges = [radius_range(group.radius) for _, group in groups if getattr(group, "radius", None) is not None]
        radius = float(np.mean(ranges)) if ranges else None
        return {"groups": [name for name, _ in groups], "radius": radius}

    # ---- the packet

    def head(self) -> dict[str, Any]:
        """All of it as plain data; arrays stand in `arrays`."""
        terrain, rec = self.model.spec.terrain, self.recording
        extent, start = self.extent, self.start[self.follow or 0, :3]
        ground = None
        if terrain is not None:
            ground = terrain_entry(terrain, extent.low, extent.high, extent.size, self._put)
        time = [float(rec.time[0]), float(rec.time[-1])] if rec is not None and len(rec) else [0.0, 0.0]
        return {
            "type": "scene", "name": self.title or "machine", "title": self.title, "mode": self.mode,
            "bodies": self.bodies, "joints": self._joints(False), "cuts": self._joints(True),
            "frames": self._frames(), "springs": self._springs(), "wheels": self._wheels(), "terrain": ground,
            "particles": self._particles(), "channels": [] if rec is None else channel_list(rec),
            "inputs": self.inputs, "camera": camera_for(extent, self.follow, start), "time": time,
            "extent": {"low": extent.low, "high": extent.high, "size": extent.size},
            "masses": self._masses(),
            "gravity": list(self.model.spec.gravity), "poses": self._put("poses", self.start),
            "notices": self.notices,
        }  # fmt: skip

    def packet(self) -> bytes:
        """The scene packet."""
        return pack(self.head(), self.arrays)


def _kind(force: Spring | Strut | Bushing) -> str:
    """How it looks: a strut without a spring is a damper, one without damping a spring."""
    if not isinstance(force, Strut):
        return force.type
    damped = force.compression or force.rebound
    return force.type if damped and force.stiffness else "damper" if damped else "spring"


def scene_packet(model: Model, mode: str = "machine", recording: Recording | None = None, **options: Any) -> bytes:
    """The scene packet of a Model; options as of `Scene`."""
    return Scene(model, mode, recording, **options).packet()


def sliders(model: Model, q: Any, size: float = 1.0) -> list[dict[str, Any]]:
    """One for each coordinate that is an angle or a length: name of the joint, place among its coordinates, range,
    value, unit. Joints with a quaternion have none.
    """
    found = []
    for info in model.joints:
        if info.type in _QUATERNION:
            continue
        for k, (place, travels) in enumerate(zip(range(info.q.start, info.q.stop), model.travels[info.v])):
            low, high = (float(limit[info.v.start + k]) for limit in (model.lower, model.upper))
            reach = max(size, 1e-3) if travels else np.pi
            value = float(np.asarray(q, float)[place])
            low, high = (low if np.isfinite(low) else -reach), (high if np.isfinite(high) else reach)
            name = info.name if info.nq == 1 else f"{info.name}[{k}]"
            entry = {"name": name, "joint": info.name, "index": k, "low": min(low, value), "high": max(high, value)}
            found.append(entry | {"value": value, "unit": "m" if travels else "rad"})
    return found
