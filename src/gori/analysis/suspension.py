"""Kinematics and compliance of a suspension: what the wheels of an axle do as they move up and down, and as they steer.

The chassis is held. Of the coordinates q of one axle, Newton's method finds those with

    Phi(q) = 0,     z_left(q) = wanted,     z_right(q) = wanted,     q_rack = wanted

(z the height of the wheel's centre), and the inverse of their Jacobian gives dq/dz exactly: motion ratios -dl/dz of the
struts, and by virtual work the vertical load that holds the wheel there, W = g(q)'dq/dz + sum T dl/dz. Joints are
rigid: springs and stops are all that gives way.
"""

import os
from collections.abc import Mapping
from typing import Any, Literal

import numpy as np

from gori.analysis.curves import Curves
from gori.errors import ClosureError, InputError
from gori.model import Model, compile
from gori.record import Recording
from gori.sim.channels import add_force_channels
from gori.spec import Spec
from gori.vehicle import Vehicle, expand, read_vehicle

STRIDE = 0.02
"""largest move of a wheel or the rack from one solved pose to the next [m]"""
UP = np.array([0.0, 0.0, 1.0])
_STRUTS = ("spring", "damper")


def bump_curves(
    vehicle: str | os.PathLike | Vehicle = "hmmwv",
    axle: Literal["front", "rear"] = "front",
    travel: Any = None,
    rack: float = 0.0,
    set: Mapping[str, Any] | None = None,
) -> Curves:
    """What the left wheel of an axle does over its travel, both wheels moving together.

    vehicle   a template, its file, or the name of one that comes with Gori; `set` as in `gori.vehicle.vehicle`
    travel    (N,) heights of the wheel above its design position [m]; default: -0.1 to 0.1
    rack      its travel [m], positive to the left

    Columns: travel [m]; camber [deg], positive with the top outward; toe [deg], positive inward; track, what both
    wheels together move apart where they meet the ground [m]; recession, how far the wheel's centre moves back [m];
    spring_ratio and damper_ratio, by how much they shorten per travel; wheel_rate, spring rate times ratio squared
    [N/m]; load, vertical force on the wheel that holds it there [N]; rate, the slope of the load [N/m].
    """
    template = _template(vehicle, set)
    bench = Bench(template, axle)
    travel = np.linspace(-0.1, 0.1, 41) if travel is None else np.array(travel, float, ndmin=1)
    _check(travel, "travel")
    poses = bench.poses(np.column_stack([travel, travel, np.full(len(travel), rack)]))
    at_rest = bench.poses(np.array([[0.0, 0.0, rack]]))
    points, start = bench.contact(poses, "l"), bench.contact(at_rest, "l")
    both = points[:, 1] - bench.contact(poses, "r")[:, 1] - start[:, 1] + bench.contact(at_rest, "r")[:, 1]
    centre, rest = bench.centre(poses, "l"), bench.centre(at_rest, "l")
    slopes, load = bench.slopes(poses, "l"), bench.loads(poses, "l")
    stiffness = template.front.spring.stiffness if axle == "front" else template.rear.spring.stiffness
    return Curves(
        f"{axle} suspension",
        {
            "travel": (travel, "m"),
            "camber": (bench.camber(poses, "l"), "deg"),
            "toe": (-bench.steer(poses, "l"), "deg"),
            "track": (both, "m"),
            "recession": (rest[:, 0] - centre[:, 0], "m"),
            "spring_ratio": (-slopes["spring"], ""),
            "damper_ratio": (-slopes["damper"], ""),
            "wheel_rate": (stiffness * slopes["spring"] ** 2, "N/m"),
            "load": (load, "N"),
            "rate": (bench.rates(poses, "l"), "N/m"),
        },
    )


def steer_curves(
    vehicle: str | os.PathLike | Vehicle = "hmmwv",
    rack: Any = None,
    travel: float = 0.0,
    set: Mapping[str, Any] | None = None,
) -> Curves:
    """What the front wheels do over the travel of the rack, at a given height of both.

    rack   (N,) [m], positive to the left; default: all of its travel

    Columns: rack [m]; left and right [deg], angles of the wheels, positive to the left; radius, on which the middle of
    the rear axle runs at a walk, positive to the left [m]; ackermann [%]: 100 where the normals of both front wheels
    meet on the line of the rear axle, 0 where the wheels stay parallel.
    """
    template = _template(vehicle, set)
    bench, most = Bench(template, "front"), template.steering.travel
    rack = np.linspace(-most, most, 41) if rack is None else np.array(rack, float, ndmin=1)
    _check(rack, "rack")
    poses = bench.poses(np.column_stack([np.full(len(rack), travel)] * 2 + [rack]))
    left, right = bench.steer(poses, "l"), bench.steer(poses, "r")
    front, rear = template.front, template.rear
    wheelbase = front.at[0] + front.hub[0] - rear.at[0] - rear.hub[0]
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
            "rack": (rack, "m"),
            "left": (left, "deg"),
            "right": (right, "deg"),
            "radius": (radius, "m"),
            "ackermann": (ackermann, "%"),
        },
    )


def axle_loads(
    vehicle: str | os.PathLike | Vehicle = "hmmwv", set: Mapping[str, Any] | None = None, gravity: float = 9.81
) -> tuple[float, float]:
    """Static loads of the front and the rear axle in the design position on level ground [N]."""
    template = _template(vehicle, set)
    model = compile(Spec(**expand(template)), open_loops=True)
    com, weight = model.center_of_mass(model.q0), gravity * model.mass
    front, rear = (model.forward_kinematics(model.q0)[f"truck.knuckle_{axle}l"][0, 3] for axle in "fr")
    share = float((com[0] - rear) / (front - rear))
    return weight * share, weight * (1.0 - share)


def ride(
    vehicle: str | os.PathLike | Vehicle = "hmmwv", set: Mapping[str, Any] | None = None
) -> dict[str, dict[str, float]]:
    """Where it stands on level ground: {axle: travel of its wheels [m], length of spring and damper [m], load [N]}.

    The chassis is taken as level for the loads of the axles: what its pitch moves the centre of mass by is left out.
    """
    template, result = _template(vehicle, set), {}
    for axle, total in zip(("front", "rear"), axle_loads(template)):
        bench = Bench(template, axle)
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
        lengths = {strut: float(bench.lengths(poses, strut, "l")[0]) for strut in _STRUTS}
        result[axle] = {"travel": travel, **lengths, "load": total}
    return result


class Bench:
    """One axle on a chassis that is held: its poses for given heights of the wheels and travel of the rack."""

    def __init__(self, vehicle: Vehicle, axle: str):
        if axle not in ("front", "rear"):
            raise InputError(f"axle must be 'front' or 'rear', not {axle!r}")
        self.axle, self.radius, self.model = axle, float(vehicle.wheel.tyre["radius"]), _axle_model(vehicle, axle[0])
        self.system, self.steered = self.model.loop_system, axle == "front"
        self._design = np.array([self.model.forward_kinematics(self.model.q0)[hub][2, 3] for hub in self._hubs])

    @property
    def _hubs(self) -> list[str]:
        return [self._name("knuckle", side) for side in "lr"]

    def _name(self, part: str, side: str) -> str:
        return f"truck.{part}_{self.axle[0]}{side}"

    def _rows(self, q: np.ndarray) -> np.ndarray:
        """Jacobian of all equations: loops, heights of the wheels, rack."""
        rows = [self.system.terms(q).J, *(self.model.jacobian(q, hub)[5:6] for hub in self._hubs)]
        if self.steered:
            rows.append(np.eye(self.model.nv)[self.model.joint("truck.rack").v])
        return np.vstack(rows)

    def _gap(self, q: np.ndarray, wanted: np.ndarray) -> np.ndarray:
        poses = self.model.forward_kinematics(q)
        heights = [poses[hub][2, 3] for hub in self._hubs] - self._design - wanted[:2]
        rack = [q[self.model.joint("truck.rack").q.start] - wanted[2]] if self.steered else []
        return np.concatenate([self.system.terms(q).gap, heights, rack])

    def poses(self, wanted: np.ndarray) -> np.ndarray:
        """q (N, nq) for rows (N, 3): heights of the left and the right wheel above the design position, rack [m]."""
        solved = {(0.0, 0.0, 0.0): self._newton(self.model.q0, np.zeros(3))}
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
        names = [*self.system.names, *(f"{hub}.height" for hub in self._hubs), "truck.rack.travel"]
        worst = int(np.argmax(np.abs(gap)))
        cut = names[worst].rpartition(".")[0]
        corner = cut[-2:] if worst < len(gap) - self.steered else f"{self.axle[0]}l"
        raise ClosureError(
            f"corner {corner}: the arms and the tie rod cannot be assembled with the wheels {wanted[0]:+.3f} and "
            f"{wanted[1]:+.3f} m from the design position and the rack at {wanted[2]:+.3f} m: {cut} stays open by "
            f"{abs(gap[worst]):.2g} m. Check the hardpoints of that corner, or ask for less travel",
            cut, float(gap[worst]),
        )  # fmt: skip

    # ---- what the wheels do, for poses (N, nq)

    def centre(self, poses: np.ndarray, side: str) -> np.ndarray:
        """Centre of the wheel (N, 3) [m]."""
        return self._all(poses, self._name("knuckle", side))[:, :3, 3]

    def axis(self, poses: np.ndarray, side: str) -> np.ndarray:
        """Axis of the wheel (N, 3), to the left."""
        return self._all(poses, self._name("knuckle", side))[:, :3, 1]

    def contact(self, poses: np.ndarray, side: str) -> np.ndarray:
        """Lowest point of the wheel (N, 3) [m]: down from the centre in its plane, by the unloaded radius."""
        a = self.axis(poses, side)
        up = UP - a[:, 2:] * a
        return self.centre(poses, side) - self.radius * up / np.linalg.norm(up, axis=1, keepdims=True)

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
        ends = [self._all(poses, f"{self._name(strut, side)}.{end}")[:, :3, 3] for end in ("top", "foot")]
        return np.linalg.norm(ends[1] - ends[0], axis=1)

    def slopes(self, poses: np.ndarray, side: str) -> dict[str, np.ndarray]:
        """dl/dz of each strut (N,) for the wheel's own travel."""
        result = {}
        for strut in _STRUTS:
            name = self._name(strut, side)
            line = self._all(poses, f"{name}.foot")[:, :3, 3] - self._all(poses, f"{name}.top")[:, :3, 3]
            along = line / np.linalg.norm(line, axis=1, keepdims=True)
            moves = self.model.jacobian(poses, f"{name}.foot")[:, 3:] @ self.directions(poses, side)[:, :, None]
            result[strut] = np.einsum("ni,ni->n", along, moves[:, :, 0])
        return result

    def directions(self, poses: np.ndarray, side: str) -> np.ndarray:
        """dq/dz (N, nv) as this wheel goes up, the other and the rack at rest."""
        unit = np.zeros(len(self.system.names) + 2 + self.steered)
        unit[len(self.system.names) + "lr".index(side)] = 1.0
        return np.array([np.linalg.solve(self._rows(q), unit) for q in poses])

    def loads(self, poses: np.ndarray, side: str) -> np.ndarray:
        """Vertical force on the wheel (N,) that holds it at rest [N]."""
        rec = Recording(self.model, np.arange(len(poses), dtype=float), poses, np.zeros((len(poses), self.model.nv)))
        add_force_channels(rec)
        weight = self.model.tree.gravity_force(poses)
        load = np.einsum("ni,ni->n", weight, self.directions(poses, side))
        for strut, slope in self.slopes(poses, side).items():
            load += rec[f"{self._name(strut, side)}.effort"] * slope
        return load

    def rates(self, poses: np.ndarray, side: str, h: float = 1e-5) -> np.ndarray:
        """Slope of the load over the travel (N,) [N/m], by central differences along dq/dz."""
        moves = h * self.directions(poses, side)
        ahead, behind = ([self._closed(q, s * dq) for q, dq in zip(poses, moves)] for s in (1.0, -1.0))
        return (self.loads(np.array(ahead), side) - self.loads(np.array(behind), side)) / (2.0 * h)

    def _closed(self, q: np.ndarray, dq: np.ndarray) -> np.ndarray:
        """q + dq, back on the loops at the heights that it has come to."""
        moved = self._rows(q) @ dq
        before, targets = self._gap(q, np.zeros(3)), np.zeros(3)
        count = 2 + self.steered
        targets[:count] = (before + moved)[-count:]
        return self._newton(self.model.integrate(q, dq), targets)

    def _all(self, poses: np.ndarray, frame: str) -> np.ndarray:
        return self.model.forward_kinematics(poses)[frame]


def _axle_model(vehicle: Vehicle, which: str) -> Model:
    """The Model of one axle on a chassis that is held, with frames at both ends of each strut."""
    data = expand(vehicle, "truck")
    kept = {
        group: {
            name: part for name, part in data[group].items() if name.rpartition("_")[2] in (f"{which}l", f"{which}r")
        }
        for group in data
    }
    kept["bodies"] |= {"truck.chassis": data["bodies"]["truck.chassis"]}
    kept["joints"] |= {"truck": {"type": "fixed", "parent": "ground", "child": "truck.chassis"}}
    if which == "f":
        kept["bodies"] |= {"truck.rack": data["bodies"]["truck.rack"]}
        kept["joints"] |= {"truck.rack": {k: v for k, v in data["joints"]["truck.rack"].items() if k != "limits"}}
    kept["frames"] = {}
    for name, strut in kept["forces"].items():
        kept["frames"][f"{name}.top"] = {"body": strut["parent"], "at": strut["at"]}
        kept["frames"][f"{name}.foot"] = {"body": strut["child"], "at": strut["child_at"]}
    return compile(Spec(**kept))


def _template(vehicle: str | os.PathLike | Vehicle, set: Mapping[str, Any] | None) -> Vehicle:
    if not isinstance(vehicle, Vehicle):
        return read_vehicle(vehicle, set)
    if set:
        raise InputError("set is for a file or a name; this vehicle has already been read")
    return vehicle


def _check(values: np.ndarray, name: str) -> None:
    if values.ndim != 1 or not len(values) or not np.isfinite(values).all():
        raise InputError(f"{name} must be a one-dimensional array of finite numbers [m]")
