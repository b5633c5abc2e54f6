"""One axle out of a vehicle, template or not: its bodies, joints, cuts and forces on a chassis that is held.

Bodies belong to an axle if joints or cuts lead from its wheels to them without passing the chassis. Where they lead to
the wheels of other axles too, these come along, and are held at the heights of their design position.
"""

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from gori.errors import ClosureError, InputError
from gori.model import Model, assemble, compile
from gori.spec import GROUND, Spec
from gori.spec.strut import Strut

SAME_AXLE = 0.5
"""largest distance of wheels of an axle along the vehicle [m]"""
SECTIONS = ("bodies", "joints", "cuts", "forces", "frames")


class WheelPair(NamedTuple):
    """Two wheels of a vehicle, and where they are in its design position."""

    name: str
    """front, rear, or its number from the front"""
    left: str
    right: str
    x: float
    """before the origin of the chassis [m]"""


class VehicleAxles(NamedTuple):
    """The axles of a vehicle, from the front to the rear."""

    spec: Spec
    model: Model
    q: np.ndarray
    """design position: that of the Spec, assembled"""
    root: str
    """joint that carries the chassis"""
    chassis: str
    axles: tuple[WheelPair, ...]
    names: tuple[str, ...]
    """of all axles, also of those that are one wheel"""
    alone: dict[str, str]
    """{axle: its only wheel}"""

    def axle(self, name: str | int) -> WheelPair:
        """By name, or by number from the front."""
        wanted = self.names[name % len(self.names)] if isinstance(name, int) else name
        for axle in self.axles:
            if axle.name == wanted:
                return axle
        if wanted in self.alone:
            raise InputError(
                f"the {wanted} axle is wheel {self.alone[wanted]!r}, which has no other beside it: curves need a left "
                "and a right wheel"
            )
        known = " or ".join(repr(axle.name) for axle in self.axles)
        raise InputError(f"axle must be {known}, not {name!r}")


def axles_of(spec: Spec) -> VehicleAxles:
    """Axles of the vehicle in a Spec; raises InputError if it has none, or if there are several vehicles."""
    model = compile(spec)
    tables = model.vehicle
    mounted = () if tables is None else tables.mounted
    roots = list(dict.fromkeys(wheel.root for wheel in mounted))
    if len(roots) != 1:
        words = f"wheels on {', '.join(map(repr, roots))}" if roots else "no wheels"
        raise InputError(f"kinematics of a suspension need one vehicle with wheels; this Spec has {words}")
    joint = spec.joints[roots[0]]
    chassis = joint.child if joint.parent == GROUND else joint.parent
    q = design_position(model)
    poses = model.forward_kinematics(q)
    places = {}
    for wheel in mounted:
        pose = poses[wheel.body]
        centre = pose[:3, :3] @ wheel.at + pose[:3, 3] - poses[chassis][:3, 3]
        places[wheel.name] = poses[chassis][:3, :3].T @ centre
    rows: list[list[str]] = []
    for name in sorted(places, key=lambda name: -places[name][0]):
        if rows and abs(places[rows[-1][0]][0] - places[name][0]) < SAME_AXLE:
            rows[-1].append(name)
        else:
            rows.append([name])
    pairs = [sorted(row, key=lambda name: -places[name][1]) for row in rows]
    if all(len(row) < 2 for row in pairs):
        raise InputError(f"wheel {pairs[0][0]!r} has no other beside it: an axle needs a left and a right wheel")
    names = [str(k + 1) for k in range(len(pairs))]
    names[0], names[-1] = "front", "rear" if len(pairs) > 1 else "front"
    # of twin wheels the outer ones
    found = [
        WheelPair(name, row[0], row[-1], float(places[row[0]][0] + places[row[-1]][0]) / 2.0)
        for name, row in zip(names, pairs)
        if len(row) > 1
    ]
    alone = {name: row[0] for name, row in zip(names, pairs) if len(row) == 1}
    return VehicleAxles(spec, model, q, roots[0], chassis, tuple(found), tuple(names), alone)


def design_position(model: Model) -> np.ndarray:
    """q of the Spec, assembled; as it is where that cannot be, for the wheels will tell what does not fit."""
    try:
        return assemble(model) if model.loops else model.q0
    except ClosureError:
        return model.q0


class HeldAxle(NamedTuple):
    """An axle on a chassis that is held, as a Model of its own."""

    model: Model
    wheels: tuple[str, ...]
    """left and right, then those of other axles that are linked to them"""
    steering: tuple[str, ...]
    """joints that steer them"""
    struts: tuple[str, ...]


def hold_axle(vehicle: VehicleAxles, axle: WheelPair) -> HeldAxle:
    """The Model of an axle, with frames NAME.centre of each wheel, NAME.top and NAME.foot of each strut."""
    spec = vehicle.spec
    mine = _linked(spec, {spec.wheels[name].body for name in (axle.left, axle.right)}, {vehicle.chassis, GROUND})
    bodies = mine | {vehicle.chassis}
    data = spec.model_dump(exclude_unset=True)
    kept: dict[str, Any] = {name: dict(data.get(name, {})) for name in SECTIONS}
    kept["bodies"] = {name: part for name, part in kept["bodies"].items() if name in bodies}
    for group in ("joints", "cuts"):
        kept[group] = {
            name: part
            for name, part in kept[group].items()
            if {part["parent"], part["child"]} <= bodies | {GROUND} and {part["parent"], part["child"]} & mine
        }
    kept["joints"][vehicle.root] = {"type": "fixed", "parent": GROUND, "child": vehicle.chassis}
    kept["frames"] = {name: part for name, part in kept["frames"].items() if part["body"] in bodies}
    known = bodies | {GROUND} | set(kept["frames"])
    kept["forces"] = {
        name: part
        for name, part in kept["forces"].items()
        if (set(_ends(part)) <= known and set(_ends(part)) & (mine | set(kept["frames"])))
        or part.get("joint") in kept["joints"]
    }  # fmt: skip
    wheels = [axle.left, axle.right]
    wheels += [name for name, wheel in spec.wheels.items() if wheel.body in mine and name not in wheels]
    for name in wheels:
        kept["frames"][f"{name}.centre"] = {"body": spec.wheels[name].body, "at": spec.wheels[name].at}
    struts = [name for name, force in spec.forces.items() if isinstance(force, Strut) and name in kept["forces"]]
    for name in struts:
        strut = spec.forces[name]
        assert isinstance(strut, Strut)
        kept["frames"][f"{name}.top"] = {"body": strut.parent, "at": strut.at}
        kept["frames"][f"{name}.foot"] = {"body": strut.child, "at": strut.child_at}
    steering = [part.joint for part in spec.steering.values() if part.joint in kept["joints"]]
    for name in steering:
        kept["joints"][name] = {key: value for key, value in kept["joints"][name].items() if key != "limits"}
    model = compile(Spec(**kept, gravity=spec.gravity))
    return HeldAxle(model, tuple(wheels), tuple(steering), tuple(struts))


def _ends(force: dict[str, Any]) -> Iterable[str]:
    """Bodies and frames between which a force acts."""
    return [force[key] for key in ("parent", "child", "body") if key in force]


def _linked(spec: Spec, start: set[str], without: set[str]) -> set[str]:
    """Bodies to which joints and cuts lead, with those that they start from."""
    found, more = set(), set(start) - without
    while more:
        found |= more
        links = [part for group in (spec.joints, spec.cuts) for part in group.values()]
        ends = [{part.parent, part.child} for part in links if {part.parent, part.child} & more]
        more = set().union(*ends, set()) - without - found
    return found
