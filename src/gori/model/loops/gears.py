"""Gears, racks and belts of a Spec: the equation of the pitch lines, and the lines along which they pull.

Both bodies turn on the carrier about axes s that are fixed to it (or the second slides on it), so all that follows is
constant in its frame. With pitch point P = c_A + r_A u, t = s x u, and the angles of both bodies seen from the carrier:

    gears   r_A angle_A - sign r_B angle_B = const    sign -1 where they turn in opposite directions
    rack    r_A angle_A - (t . direction) travel = const

The multiplier is a force along t. Teeth push on the flank that the sense of the torque tells: along t, and away from
each other by the tangent of the pressure angle; with helical teeth also along s. A belt pulls along its spans. Both are
a pull along two lines, the first of which turns the first body forward (`kernels/loops/trace.py`).
"""

from typing import Any, NamedTuple

import numpy as np

from gori.errors import SpecError
from gori.kernels.loops import tables as t
from gori.model.connections import Connected
from gori.model.loops.frames import place_on_row
from gori.model.model import Model
from gori.spec import GROUND

COAXIAL = 1e-6
"""how well axes must agree, as a share of the distance or of 1"""


class Meshed(NamedTuple):
    """A gear, rack or belt of a Model."""

    carrier: str
    bodies: tuple[str, str]
    path: list[int]  # degrees of freedom that turn one body against the other
    along: list[int]  # their indices in q
    factor: list[float]  # and what they are multiplied with [m, or 1 of a travel]
    offset: float  # of the equation in the start pose [m]
    arms: tuple[float, float]  # torques on both bodies, each about its own axis, or force on a rack, of a unit force
    rack: bool  # the second body slides
    directions: np.ndarray  # (2, 3) of the pulls on the first body, in the frame of the carrier
    row: np.ndarray  # of MESH

    def pulls(self, force: np.ndarray) -> np.ndarray:
        """Pulls (N, 2) along both lines that transmit a force (N,), forward on the first body; none of them pushes."""
        preload = float(self.row["preload"][0])
        return np.stack([np.maximum(np.maximum(preload + 0.5 * x, x), 0.0) for x in (force, -force)], axis=1)


class _Turning(NamedTuple):
    """How a body moves on the carrier, in the carrier's frame."""

    point: np.ndarray  # (3,) on the axis
    axis: np.ndarray  # (3,) direction
    slides: bool
    coordinates: list[tuple[str, float]]  # joints, and their signs


def gear_mesh(model: Model, name: str) -> Meshed:
    """One of the gears of the Spec; raises where it does not fit its axes."""
    gear: Any = model.spec.gears[name]
    carrier = gear.carrier or _common_carrier(model, name, gear.bodies)
    turning = [_turning(model, name, carrier, body) for body in gear.bodies]
    if turning[0].slides or turning[1].slides != (gear.type == "rack"):
        words = (
            "the first body must turn on the carrier, and the second slide"
            if gear.type == "rack"
            else ("both bodies must turn on the carrier, by hinges")
        )
        raise SpecError(f"gears.{name}: {words}; {carrier!r} is the carrier")
    s = turning[0].axis
    center = _middle(model, carrier, gear, turning[0])
    other = turning[1].point + ((center - turning[1].point) @ s) * s
    make = {"gear": _gears, "rack": _rack, "belt": _belt}[gear.type]
    arms, row = make(name, gear, s, center, other, turning[1].axis)
    factors: dict[str, float] = {}
    for arm, body in zip((arms[0], arms[1]), turning):
        for joint, sign in body.coordinates:
            factors[joint] = factors.get(joint, 0.0) + arm * sign
    infos = [(model.joint(joint), factor) for joint, factor in factors.items() if factor != 0.0]
    path, along = [info.v.start for info, _ in infos], [info.q.start for info, _ in infos]
    factor = [factor for _, factor in infos]
    offset, directions = float(np.dot(factor, model.q0[along])), np.array([row["along_1"][0], row["along_2"][0]])
    _place(model, row, carrier, gear.bodies)
    return Meshed(carrier, gear.bodies, path, along, factor, offset, arms, gear.type == "rack", directions, row)


# ---- how bodies move on the carrier


def _middle(model: Model, carrier: str, gear: Any, turning: "_Turning") -> np.ndarray:
    """Middle of the teeth on the first axis: from where the origin of a body is along it, whatever joint is cut."""
    poses = model.forward_kinematics(model.q0)
    body = gear.bodies[1] if gear.bodies[0] == GROUND else gear.bodies[0]
    origin = (np.linalg.inv(poses[carrier]) @ poses[body])[:3, 3]
    return turning.point + ((origin - turning.point) @ turning.axis + gear.position) * turning.axis


def _common_carrier(model: Model, name: str, bodies: tuple[str, str]) -> str:
    """The body that both have a joint with."""
    neighbours = [
        {
            end
            for joint in model.connections
            for end in (joint.parent, joint.child)
            if body in (joint.parent, joint.child)
        }
        for body in bodies
    ]
    common = sorted((neighbours[0] & neighbours[1]) - set(bodies))
    if len(common) != 1:
        words = f"{', '.join(common)} all have" if common else "no body has"
        raise SpecError(
            f"gears.{name}: {words} a joint with both {bodies[0]!r} and {bodies[1]!r}: give the carrier of their axes"
        )
    return common[0]


def _turning(model: Model, name: str, carrier: str, body: str) -> _Turning:
    """By coaxial hinges, or one slider, between carrier and body."""
    poses = model.forward_kinematics(model.q0)
    back = np.linalg.inv(poses[carrier])
    moving = [(joint, sign) for joint, sign in _way(model, carrier, body) if joint.type != "fixed"]
    kinds = [joint.type for joint, _ in moving]
    if kinds != ["prismatic"] and (not kinds or {*kinds} != {"revolute"}):
        how = ", ".join(f"{joint.name!r} ({joint.type})" for joint, _ in moving) or "nothing that moves"
        raise SpecError(
            f"gears.{name}: {body!r} must turn on {carrier!r} by hinges on one axis, or slide, but in the tree {how} "
            "is between them: give another carrier, or list another joint of their loop under cuts"
        )
    lines = []
    for joint, _ in moving:
        frame = back @ poses[joint.parent]
        R, p = joint.on_parent
        lines.append((frame[:3, :3] @ R @ joint.axis, frame[:3, :3] @ p + frame[:3, 3]))
    axis, point = lines[-1]
    coordinates = []
    for (joint, sign), (along, there) in zip(moving, lines):
        apart = np.linalg.norm(np.cross(there - point, axis))
        if abs(abs(along @ axis) - 1.0) > COAXIAL or apart > COAXIAL * max(1.0, np.linalg.norm(there - point)):
            raise SpecError(f"gears.{name}: the hinges between {carrier!r} and {body!r} are not on one axis")
        coordinates.append((joint.name, sign * float(np.sign(along @ axis))))
    return _Turning(point, axis, kinds == ["prismatic"], coordinates)


def _way(model: Model, start: str, end: str) -> list[tuple[Connected, float]]:
    """Joints of the tree from one body to another; 1 for those from parent to child, else -1."""
    ways: dict[str, list[tuple[Connected, float]]] = {start: []}
    todo, tree = [start], [joint for joint in model.connections if not joint.cut]
    while todo:
        body = todo.pop()
        for joint in tree:
            for here, there, sign in ((joint.parent, joint.child, 1.0), (joint.child, joint.parent, -1.0)):
                if here == body and there not in ways:
                    ways[there] = [*ways[body], (joint, sign)]
                    todo.append(there)
    return ways[end]


# ---- lines of action, in the frame of the carrier


def _gears(name: str, gear: Any, s: np.ndarray, center: np.ndarray, other: np.ndarray, axis: np.ndarray) -> Any:
    distance = float(np.linalg.norm(other - center))
    if abs(abs(axis @ s) - 1.0) > COAXIAL or distance == 0.0:
        raise SpecError(
            f"gears.{name}: the axes of {gear.bodies[0]!r} and {gear.bodies[1]!r} must be parallel, and apart"
        )
    sense = float(np.sign(axis @ s))
    if gear.teeth is not None:
        one, two = gear.teeth
        radii = [z * distance / (abs(one - two) if gear.internal else one + two) for z in gear.teeth]
    else:
        radii = list(gear.radii)
    wanted = abs(radii[0] - radii[1]) if gear.internal else radii[0] + radii[1]
    if abs(wanted - distance) > COAXIAL * distance:
        how = "differ by" if gear.internal else "add up to"
        raise SpecError(
            f"gears.{name}: pitch radii of {radii[0]:g} and {radii[1]:g} m must {how} the distance of the axes, "
            f"{distance:.9g} m. Correct them, or give teeth"
        )
    ring_first = gear.internal and radii[0] > radii[1]
    u = (other - center) / distance * (-1.0 if gear.internal and not ring_first else 1.0)
    along = np.cross(s, u)
    alpha, beta = np.radians(gear.pressure_angle_deg), np.radians(gear.helix_angle_deg)
    push = (1.0 if ring_first else -1.0) * np.tan(alpha) / np.cos(beta) * u
    flank = along - np.tan(beta) * s
    row, point = t.MESH.zeros(1), center + radii[0] * u
    row["point_1"] = row["point_2"] = point
    row["along_1"], row["along_2"] = flank + push, -flank + push
    return (radii[0], (-radii[1] if gear.internal else radii[1]) * sense), row


def _rack(name: str, gear: Any, s: np.ndarray, center: np.ndarray, other: np.ndarray, axis: np.ndarray) -> Any:
    if abs(axis @ s) > COAXIAL:
        raise SpecError(f"gears.{name}: the rack must slide at right angles to the axis of the gear")
    u = np.cross(axis, s)
    side = float(u @ (other - center))
    if abs(side) < COAXIAL * gear.radius:
        raise SpecError(
            f"gears.{name}: the joint of the rack {gear.bodies[1]!r} lies on the axis of the gear, so the side of the "
            "teeth is not known: place the joint on the pitch line"
        )
    u *= np.sign(side)
    along = np.cross(s, u)
    row, push = t.MESH.zeros(1), -np.tan(np.radians(gear.pressure_angle_deg)) * u
    row["point_1"] = row["point_2"] = center + gear.radius * u
    row["along_1"], row["along_2"] = along + push, -along + push
    return (gear.radius, -float(np.sign(along @ axis))), row


def _belt(name: str, gear: Any, s: np.ndarray, center: np.ndarray, other: np.ndarray, axis: np.ndarray) -> Any:
    distance = float(np.linalg.norm(other - center))
    one, two = gear.radii
    sine = (one + two if gear.crossed else one - two) / max(distance, 1e-300)
    if abs(abs(axis @ s) - 1.0) > COAXIAL or abs(sine) >= 1.0:
        raise SpecError(
            f"gears.{name}: the pulleys must have parallel axes that are further apart than "
            f"{abs(one + two if gear.crossed else one - two):g} m, not {distance:g} m"
        )
    e, cosine, row = (other - center) / distance, np.sqrt(1.0 - sine**2), t.MESH.zeros(1)
    n = np.cross(s, e)
    for k, side in ((1, -1.0), (2, 1.0)):  # where the belt leaves the first pulley, and along which way
        row[f"point_{k}"] = center + one * (side * cosine * n + sine * e)
        row[f"along_{k}"] = cosine * e - side * sine * n
    row["preload"] = gear.tension
    return (one, (two if gear.crossed else -two) * float(np.sign(axis @ s))), row


def _place(model: Model, row: np.ndarray, carrier: str, bodies: tuple[str, str]) -> None:
    """Rows, and points and directions in the frame of the carrier's row."""
    at, (R, p) = place_on_row(model, carrier, (np.eye(3), np.zeros(3)))
    row["row"] = at
    row["row_a"], row["row_b"] = (place_on_row(model, body, (np.eye(3), np.zeros(3)))[0] for body in bodies)
    for k in (1, 2):
        row[f"point_{k}"] = p + R @ row[f"point_{k}"][0]
        row[f"along_{k}"] = R @ row[f"along_{k}"][0]
