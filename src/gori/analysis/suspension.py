"""Kinematics and compliance of a suspension: what the wheels of an axle do as they move up and down, and as they steer.

The chassis is held. Of the coordinates q of one axle, Newton's method finds those with

    Phi(q) = 0,     z_left(q) = wanted,     z_right(q) = wanted,     q_rack = wanted

(z the height of the wheel's centre), and the inverse of their Jacobian gives dq/dz exactly: motion ratios -dl/dz of the
struts, and by virtual work the vertical load that holds the wheel there, W = -Q'dq/dz, Q the generalised forces of
gravity, struts, springs, bushings and joints. Joints are rigid: forces of the Spec are all that gives way.

A vehicle is a template, or one of your own: any bodies, joints, cuts and forces (`axle.py`).
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from gori.analysis.axle import VehicleAxles, axles_of, design_position, hold_axle
from gori.analysis.curves import Curves
from gori.errors import ClosureError, InputError
from gori.formats.vehicles import AnyVehicle, vehicle_spec
from gori.model.arrays import numbers_of
from gori.record import Recording
from gori.sim import Trace
from gori.spec.strut import Strut
from gori.vehicle import CORNERS

STRIDE = 0.02
"""largest move of a wheel or the rack from one solved pose to the next [m]"""
UP = np.array([0.0, 0.0, 1.0])
IDLE = 1e-6
"""change of length with the travel of a wheel below which a strut is not one of its own"""


def bump_curves(
    vehicle: AnyVehicle = "hmmwv",
    axle: str | int = "front",
    travel: Any = None,
    rack: float = 0.0,
    set: Mapping[str, Any] | None = None,
) -> Curves:
    """What the left wheel of an axle does over its travel, both wheels moving together.

    vehicle   a template, its file, or the name of one that comes with Gori; or a Spec, or its file, of your own. `set`
              as in `gori.vehicle.vehicle`, or as in `Spec.set`
    axle      "front", "rear", or its number from the front
    travel    (N,) heights of the wheel above its design position [m]; default: -0.1 to 0.1
    rack      its travel [m], positive to the left

    Columns: travel [m]; camber [deg], positive with the top outward; toe [deg], positive inward; track, what both
    wheels together move apart where they meet the ground [m]; recession, how far the wheel's centre moves back [m];
    NAME_ratio of each strut that moves with the left wheel, by how much it shortens per travel of this wheel alone (in
    a template spring_ratio and damper_ratio); wheel_rate, spring rates of these struts times ratios squared [N/m], NaN
    without any; load, vertical force on the wheel that holds it there [N]; rate, the slope of the load as this wheel
    goes up alone [N/m], by all forces: where wheels are linked, another one than that of the column `load`.
    """
    bench = Bench(vehicle, axle, set)
    travel = np.linspace(-0.1, 0.1, 41) if travel is None else numbers_of(travel, "travel", least=1)
    _check(travel, "travel")
    _check(numbers_of(rack, "rack", least=1), "rack")
    poses = bench.poses(np.column_stack([travel, travel, np.full(len(travel), rack)]))
    at_rest = bench.poses(np.array([[0.0, 0.0, rack]]))
    points, start = bench.contact(poses, "l"), bench.contact(at_rest, "l")
    both = points[:, 1] - bench.contact(poses, "r")[:, 1] - start[:, 1] + bench.contact(at_rest, "r")[:, 1]
    centre, rest = bench.centre(poses, "l"), bench.centre(at_rest, "l")
    slopes = bench.slopes(poses, "l")
    rate = sum((bench.stiffness(strut, "l") * slope**2 for strut, slope in slopes.items()), np.zeros(len(travel)))
    rate = rate if slopes else np.full(len(travel), np.nan)
    return Curves(
        f"{bench.axle} suspension",
        {
            "travel": (travel, "m"),
            "camber": (bench.camber(poses, "l"), "deg"),
            "toe": (-bench.steer(poses, "l"), "deg"),
            "track": (both, "m"),
            "recession": (rest[:, 0] - centre[:, 0], "m"),
            **{f"{strut}_ratio": (-slope, "") for strut, slope in slopes.items()},
            "wheel_rate": (rate, "N/m"),
            "load": (bench.loads(poses, "l"), "N"),
            "rate": (bench.rates(poses, "l"), "N/m"),
        },
    )


def steer_curves(
    vehicle: AnyVehicle = "hmmwv",
    rack: Any = None,
    travel: float = 0.0,
    set: Mapping[str, Any] | None = None,
) -> Curves:
    """What the front wheels do over the travel of the rack, or of the joint that steers, at a given height of both.

    rack   (N,) [m, rad], positive to the left; default: all of its travel

    Columns: rack [m, rad]; left and right [deg], angles of wheels, positive to the left; radius, on which the middle
    of the rear axle runs at a walk, positive to the left [m]; ackermann [%]: 100 where the normals of both front wheels
    meet on the line of the rear axle, 0 where the wheels stay parallel.
    """
    bench = Bench(vehicle, "front", set)
    if not bench.steering:
        raise InputError("the front wheels of this vehicle are not steered: its Spec has no steering that moves them")
    parts = [part for part in bench.vehicle.spec.steering.values() if part.joint == bench.steering[0]]
    most = parts[0].travel
    rack = np.linspace(-most, most, 41) if rack is None else numbers_of(rack, "rack", least=1)
    _check(rack, "rack")
    _check(numbers_of(travel, "travel", least=1), "travel")
    poses = bench.poses(np.column_stack([np.full(len(rack), travel)] * 2 + [rack]))
    left, right = bench.steer(poses, "l"), bench.steer(poses, "r")
    if len(bench.vehicle.axles) < 2:
        raise InputError("radius and Ackermann need a second axle: this vehicle has one")
    wheelbase = bench.vehicle.axles[0].x - bench.vehicle.axles[-1].x
    track = bench.contact(poses, "l")[:, 1] - bench.contact(poses, "r")[:, 1]
    with np.errstate(divide="ignore", invalid="ignore"):
        cot_left, cot_right = 1.0 / np.tan(np.radians(left)), 1.0 / np.tan(np.radians(right))
        radius = 0.5 * wheelbase * (cot_left + cot_right)
        # of the inner wheel: cot inner = cot outer - track / wheelbase
        to_left = left + right > 0.0
        outer, inner = np.where(to_left, cot_right, -cot_left), np.where(to_left, left, -right)
        ideal, parallel = (np.degrees(np.arctan(1.0 / x)) for x in (outer - track / wheelbase, outer))
        ackermann = 100.0 * (inner - parallel) / (ideal - parallel)
    straight = np.abs(left + right) < 1e-9
    radius[straight], ackermann[straight] = np.inf, np.nan
    return Curves(
        "steering",
        {
            "rack": (rack, "rad" if bench.vehicle.spec.joints[bench.steering[0]].type == "revolute" else "m"),
            "left": (left, "deg"),
            "right": (right, "deg"),
            "radius": (radius, "m"),
            "ackermann": (ackermann, "%"),
        },
    )


def axle_loads(
    vehicle: AnyVehicle = "hmmwv", set: Mapping[str, Any] | None = None, gravity: float = 9.81
) -> tuple[float, float]:
    """Static loads of the front and the rear axle in the design position on level ground [N]."""
    return _axle_loads(axles_of(vehicle_spec(vehicle, set=set)), gravity)


def _axle_loads(found: VehicleAxles, gravity: float = 9.81) -> tuple[float, float]:
    if len(found.axles) != 2:
        alone = f", and {', '.join(map(repr, found.alone.values()))} alone" if found.alone else ""
        raise InputError(f"loads follow from statics alone for two axles; this vehicle has {len(found.axles)}{alone}")
    pose = found.model.forward_kinematics(found.q)[found.chassis]
    com = pose[:3, :3].T @ (found.model.center_of_mass(found.q) - pose[:3, 3])
    front, rear = (axle.x for axle in found.axles)
    share, weight = float((com[0] - rear) / (front - rear)), gravity * found.model.mass
    return weight * share, weight * (1.0 - share)


def ride(vehicle: AnyVehicle = "hmmwv", set: Mapping[str, Any] | None = None) -> dict[str, dict[str, float]]:
    """Where it stands on level ground: {axle: travel of its wheels [m], length of its struts (in a template spring and
    damper) [m], load [N]}.

    The chassis is taken as level for the loads of the axles: what its pitch moves the centre of mass by is left out.
    """
    described, result = vehicle_spec(vehicle, set=set), {}
    for axle, total in zip(("front", "rear"), _axle_loads(axles_of(described))):
        bench = Bench(described, axle)
        travel, wanted, left = 0.0, 0.5 * total, 0.0
        for _ in range(40):  # Newton's method, a step at most STRIDE so that the stops are not jumped over
            poses = bench.poses(np.array([[travel, travel, 0.0]]))
            left = wanted - bench.loads(poses, "l")[0]
            if abs(left) < 1e-6 * wanted:
                break
            travel += float(np.clip(left / bench.rates(poses, "l")[0], -STRIDE, STRIDE))
        else:
            raise ClosureError(
                f"the {axle} suspension has no equilibrium height for {wanted:.0f} N per wheel: its springs and stops "
                "are too soft or too stiff",
                axle, left,
            )  # fmt: skip
        lengths = {strut: float(bench.lengths(poses, strut, "l")[0]) for strut in bench.struts("l")}
        result[axle] = {"travel": travel, **lengths, "load": total}
    return result


class Bench:
    """One axle on a chassis that is held: its poses for given heights of the wheels and travel of the rack."""

    def __init__(self, vehicle: AnyVehicle, axle: str | int = "front", set: Mapping[str, Any] | None = None):
        self.vehicle = axles_of(vehicle_spec(vehicle, set=set))
        found = self.vehicle.axle(axle)
        held = hold_axle(self.vehicle, found)
        self.axle, self.model, self.steering, self._struts = found.name, held.model, held.steering, held.struts
        self.system, self._wheels = self.model.loop_system, held.wheels
        self._start = design_position(self.model)
        poses = self.model.forward_kinematics(self._start)
        self._design = np.array([poses[hub][2, 3] for hub in self._hubs])
        self._rack = np.array([self._start[self.model.joint(name).q.start] for name in self.steering])

    @property
    def _hubs(self) -> list[str]:
        return [f"{name}.centre" for name in self._wheels]

    def _wheel(self, side: str) -> Any:
        return self.vehicle.spec.wheels[self._name(side)]

    def _name(self, side: str) -> str:
        return self._wheels["lr".index(side)]

    def struts(self, side: str) -> dict[str, str]:
        """{short name: name} of the struts that move with a wheel: spring of truck.spring_fl, if all of them are called
        so; else their own names.
        """
        corner = self._name(side).rpartition("_")[2]
        if corner in CORNERS:
            short = {name.rpartition(".")[2].removesuffix(f"_{corner}"): name for name in self._struts
                     if name.endswith(f"_{corner}")}  # fmt: skip
            if short:
                return short
        slopes = {name: self._slope(self._start[None], name, side)[0] for name in self._struts}
        return {name: name for name, slope in slopes.items() if abs(slope) > IDLE}

    def stiffness(self, strut: str, side: str) -> float:
        """Of the spring of a strut [N/m]."""
        part = self.vehicle.spec.forces[self.struts(side)[strut]]
        assert isinstance(part, Strut)
        return part.stiffness

    def _rows(self, q: np.ndarray) -> np.ndarray:
        """Jacobian of all equations: loops, heights of the wheels, rack."""
        rows = [self.system.terms(q).J, *(self.model.jacobian(q, hub)[5:6] for hub in self._hubs)]
        rows += [np.eye(self.model.nv)[self.model.joint(name).v][:1] for name in self.steering]
        return np.vstack(rows)

    def _gap(self, q: np.ndarray, wanted: np.ndarray) -> np.ndarray:
        poses = self.model.forward_kinematics(q)
        heights = np.array([poses[hub][2, 3] for hub in self._hubs]) - self._design
        heights[:2] -= wanted[:2]
        rack = np.array([q[self.model.joint(name).q.start] for name in self.steering]) - self._rack
        rack[:1] -= wanted[2]
        return np.concatenate([self.system.terms(q).gap, heights, rack])

    def poses(self, wanted: np.ndarray) -> np.ndarray:
        """q (N, nq) for rows (N, 3): heights of the left and the right wheel above the design position, rack [m]."""
        solved = {(0.0, 0.0, 0.0): self._newton(self._start, np.zeros(3))}
        result = np.empty((len(wanted), self.model.nq))
        for k in np.argsort(np.abs(wanted).max(axis=1), kind="stable"):  # from the design position outward
            near = min(solved, key=lambda row: np.abs(np.subtract(row, wanted[k])).max())
            q, start = solved[near], np.array(near)
            steps = max(1, int(np.ceil(np.abs(wanted[k] - start).max() / STRIDE)))
            for share in np.arange(1, steps + 1) / steps:
                q = self._newton(q, start + share * (wanted[k] - start))
            solved[tuple(wanted[k])] = result[k] = q
        return result

    def _newton(self, q: np.ndarray, wanted: np.ndarray) -> np.ndarray:
        for _ in range(30):
            gap, J = self._gap(q, wanted), self._rows(q)
            if np.abs(gap).max() < 1e-13:
                return q
            step = np.linalg.lstsq(J, -gap, rcond=1e-10)[0]
            if not np.isfinite(step).all() or np.abs(step).max() > 1.0:
                break
            q = self.model.integrate(q, step)
        gap = self._gap(q, wanted)
        if np.abs(gap).max() < 1e-11:
            return q
        names = [*self.system.names, *(f"{name}.height" for name in self._wheels)]
        names += [f"{name}.travel" for name in self.steering]
        worst = int(np.argmax(np.abs(gap)))
        cut = names[worst].rpartition(".")[0]
        corner = cut[-2:] if cut[-2:] in CORNERS else self._name("l").rpartition("_")[2]
        where = f"corner {corner}: the arms and the tie rod" if corner in CORNERS else f"{self.axle} axle: its parts"
        raise ClosureError(
            f"{where} cannot be assembled with the wheels {wanted[0]:+.3f} and "
            f"{wanted[1]:+.3f} m from the design position and the rack at {wanted[2]:+.3f} m: {cut} stays open by "
            f"{abs(gap[worst]):.2g} m. Check the hardpoints there, or ask for less travel",
            cut, float(gap[worst]),
        )  # fmt: skip

    # ---- what the wheels do, for poses (N, nq)

    def centre(self, poses: np.ndarray, side: str) -> np.ndarray:
        """Centre of the wheel (N, 3) [m]."""
        return self._all(poses, f"{self._name(side)}.centre")[:, :3, 3]

    def axis(self, poses: np.ndarray, side: str) -> np.ndarray:
        """Axis of the wheel (N, 3), to the left."""
        wheel = self._wheel(side)
        return self._all(poses, wheel.body)[:, :3, :3] @ (np.array(wheel.axis) / np.linalg.norm(wheel.axis))

    def contact(self, poses: np.ndarray, side: str) -> np.ndarray:
        """Lowest point of the wheel (N, 3) [m]: down from the centre in its plane, by the unloaded radius."""
        a = self.axis(poses, side)
        up = UP - a[:, 2:] * a
        return self.centre(poses, side) - self._wheel(side).tyre.radius * up / np.linalg.norm(up, axis=1, keepdims=True)

    def camber(self, poses: np.ndarray, side: str) -> np.ndarray:
        """[deg], positive with the top outward."""
        lean = np.degrees(np.arcsin(self.axis(poses, side)[:, 2]))
        return -lean if side == "l" else lean

    def steer(self, poses: np.ndarray, side: str) -> np.ndarray:
        """Where the wheel points [deg], positive to the left."""
        a = self.axis(poses, side)
        return np.degrees(np.arctan2(-a[:, 0], a[:, 1]))

    def lengths(self, poses: np.ndarray, strut: str, side: str) -> np.ndarray:
        """Length of a strut (N,) [m]."""
        name = self.struts(side)[strut]
        ends = [self._all(poses, f"{name}.{end}")[:, :3, 3] for end in ("top", "foot")]
        return np.linalg.norm(ends[1] - ends[0], axis=1)

    def slopes(self, poses: np.ndarray, side: str) -> dict[str, np.ndarray]:
        """dl/dz of each strut (N,) for the wheel's own travel."""
        return {short: self._slope(poses, name, side) for short, name in self.struts(side).items()}

    def _slope(self, poses: np.ndarray, name: str, side: str) -> np.ndarray:
        ends = [f"{name}.{end}" for end in ("top", "foot")]
        line = self._all(poses, ends[1])[:, :3, 3] - self._all(poses, ends[0])[:, :3, 3]
        along = line / np.linalg.norm(line, axis=1, keepdims=True)
        apart = self.model.jacobian(poses, ends[1])[:, 3:] - self.model.jacobian(poses, ends[0])[:, 3:]
        return np.einsum("ni,nij,nj->n", along, apart, self.directions(poses, side))

    def directions(self, poses: np.ndarray, side: str) -> np.ndarray:
        """dq/dz (N, nv) as this wheel goes up, the other and the rack at rest."""
        unit = np.zeros(len(self.system.names) + len(self._wheels) + len(self.steering))
        unit[len(self.system.names) + "lr".index(side)] = 1.0
        return np.array([self._solved(q, unit, side) for q in poses])

    def _solved(self, q: np.ndarray, unit: np.ndarray, side: str) -> np.ndarray:
        J = self._rows(q)
        move = np.linalg.lstsq(J, unit, rcond=1e-10)[0]
        if np.abs(J @ move - unit).max() > 1e-6:
            raise InputError(
                f"wheel {self._name(side)!r} cannot move up and down by itself: its joints let it go only together "
                "with another wheel or the steering, or not at all"
            )
        return move

    def loads(self, poses: np.ndarray, side: str) -> np.ndarray:
        """Vertical force on the wheel (N,) that holds it at rest [N]."""
        still = np.zeros((len(poses), self.model.nv))
        rec = Recording(self.model, np.arange(len(poses), dtype=float), poses, still)
        return -np.einsum("ni,ni->n", Trace(rec, accelerations=still).unbalanced, self.directions(poses, side))

    def rates(self, poses: np.ndarray, side: str, h: float = 1e-5) -> np.ndarray:
        """Slope of the load over the travel (N,) [N/m], by central differences along dq/dz."""
        moves = h * self.directions(poses, side)
        ahead, behind = ([self._closed(q, s * dq) for q, dq in zip(poses, moves)] for s in (1.0, -1.0))
        return (self.loads(np.array(ahead), side) - self.loads(np.array(behind), side)) / (2.0 * h)

    def _closed(self, q: np.ndarray, dq: np.ndarray) -> np.ndarray:
        """q + dq, back on the loops at the heights that it has come to."""
        there = self.model.integrate(q, dq)
        before, count = self._gap(there, np.zeros(3)), len(self.system.names)
        rack = before[count + len(self._wheels) :]
        return self._newton(there, np.array([*before[count : count + 2], rack[0] if len(rack) else 0.0]))

    def _all(self, poses: np.ndarray, frame: str) -> np.ndarray:
        return self.model.forward_kinematics(poses)[frame]


def _check(values: np.ndarray, name: str) -> None:
    if values.ndim != 1 or not len(values) or not np.isfinite(values).all():
        raise InputError(f"{name} must be a one-dimensional array of finite numbers [m]")
