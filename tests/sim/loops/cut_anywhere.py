"""Machines given by all their joints, cut at any of them, in the same motion."""

from pathlib import Path

import numpy as np

import gori
from bench.mechanisms import bricard
from gori.spec import Cut, Spec
from gori.spec.base import rotation_to
from tests.reference.spatial import quaternion_to_rotation, rotation_to_quaternion, so3_exp

EXAMPLES = Path(__file__).parents[3] / "examples"
START = ("q", "q_deg", "guess", "guess_deg", "v")


def joints_alone(spec: Spec) -> Spec:
    """The machine with its cuts among its joints, and without start values, so that any of them can be a cut."""
    data = spec.model_dump(exclude_unset=True)
    joints = data["joints"] | data.pop("cuts", {})
    data["joints"] = {
        name: {key: value for key, value in joint.items() if key not in START} for name, joint in joints.items()
    }
    return Spec(**data)


def cut_at(spec: Spec, *names: str) -> Spec:
    """The machine with these joints as cuts."""
    data = spec.model_dump(exclude_unset=True)
    cuts = {name: data["joints"].pop(name) for name in names}
    data["cuts"] = {
        name: {key: value for key, value in cut.items() if key in Cut.model_fields} for name, cut in cuts.items()
    }
    return Spec(**data)


def moving_as(model: gori.Model, recording: gori.Recording) -> gori.Recording:
    """The same motion in a Model with other cuts: coordinates by the names of joints and cuts."""
    q, v = np.zeros((len(recording), model.nq)), np.zeros((len(recording), model.nv))
    for info in model.joints:
        own = [recording[f"{info.name}.{kind}"].reshape(len(recording), -1) for kind in "qv"]
        joint = model.spec.joints[info.name]
        if joint.reversed:
            own = turned_around(joint, *own)
        q[:, info.q], v[:, info.v] = own
    return gori.Recording(model, recording.time, q, v)


def turned_around(joint, q, v):
    """Coordinates and velocities of a joint that was turned around, from those that were written."""
    if joint.type == "universal":  # the axes have changed places
        return q[:, ::-1], v[:, ::-1]
    if joint.type == "spherical":  # R_p R' R_p' and -R_p R w, R_p the frame that was on the parent
        R_p = joint.pose()[0].T
        R = np.array([R_p @ quaternion_to_rotation(row) for row in q])
        back = np.array([rotation_to_quaternion(R_p @ turn.T) for turn in R])
        return back, -np.einsum("nij,nj->ni", R, v)
    if joint.type == "planar":  # p_t = -(R_z(angle) D)' p, D the turn between the frames of both normals
        D = rotation_to(-np.array(joint.axis)).T @ rotation_to(joint.axis)
        R = np.array([so3_exp(np.array([0.0, 0.0, angle])) @ D for angle in q[:, 2]])
        rate = v[:, :2] - np.stack([-q[:, 1], q[:, 0]], axis=1) * v[:, 2:]
        flat = np.zeros((len(q), 1))
        back = [np.einsum("nji,nj->ni", R, np.hstack([x, flat]))[:, :2] for x in (q[:, :2], rate)]
        return np.hstack([-back[0], q[:, 2:]]), np.hstack([-back[1], v[:, 2:]])
    return q, v


# ---- machines, each with a motion of a few samples


def bar(length: float, mass: float) -> dict:
    """Along x, out of its plane too, so that forces across the plane have something to carry."""
    return {
        "mass": mass,
        "com": [length / 2, 0.01, 0.03],
        "inertia": [1e-3, mass * length**2 / 12, mass * length**2 / 12],
    }


def planar_four_bar() -> gori.Recording:
    """Driven at a steady speed; gravity has a part across the plane."""
    spec = Spec(
        gravity=[0, -9.81, -3.0],
        bodies={"crank": bar(0.2, 1.0), "coupler": bar(0.5, 2.0), "rocker": bar(0.4, 1.5)},
        joints={
            "A": {"type": "revolute", "parent": "ground", "child": "crank", "guess_deg": 60},
            "B": {"type": "revolute", "parent": "crank", "at": [0.2, 0, 0], "child": "coupler", "guess_deg": -30},
            "D": {"type": "revolute", "parent": "ground", "at": [0.6, 0, 0], "child": "rocker", "guess_deg": 100},
        },
        cuts={"C": {"type": "revolute", "parent": "coupler", "at": [0.5, 0, 0], "child": "rocker",
                    "child_at": [0.4, 0, 0]}},
    )  # fmt: skip
    return gori.kinematics(gori.compile(spec), np.linspace(0.0, 1.0, 9), motions={"A": "1.05 + 7*t"})


def bricard_falling() -> gori.Recording:
    return gori.Simulation(gori.compile(bricard()), gori.RK4(step=1e-3)).run(0.6, sample=0.1)


def door() -> gori.Recording:
    """On two hinges, swinging, with a latch of its own."""
    spec = Spec(
        bodies={"door": {"mass": 20.0, "com": [0.4, 0, 1.0], "inertia": [7.0, 8.0, 1.1]},
                "latch": {"mass": 1.0, "com": [0.05, 0, 0], "inertia": [1e-3, 1e-3, 1e-3]}},
        joints={
            "low": {"type": "revolute", "parent": "ground", "at": [0, 0, 0.2], "child": "door",
                    "child_at": [0, 0, 0.2], "v": 3.0},
            "bolt": {"type": "fixed", "parent": "door", "at": [0.8, 0.02, 1.0], "child": "latch"},
        },
        cuts={"high": {"type": "revolute", "parent": "door", "at": [0, 0, 1.8], "child": "ground",
                       "child_at": [0, 0, 1.8]}},
    )  # fmt: skip
    return gori.Simulation(gori.compile(spec), gori.RK4(step=1e-3)).run(0.5, sample=0.1)


def scissor_lift() -> gori.Recording:
    return gori.kinematics(gori.compile(gori.load(EXAMPLES / "scissor_lift.yaml")), np.linspace(0.5, 3.0, 6))


MACHINES = {
    "four-bar": (planar_four_bar, "A B C D"),
    "Bricard": (bricard_falling, "hinge0 hinge1 hinge2 hinge3 hinge4 hinge5"),
    "door": (door, "low high"),
    "scissor lift": (scissor_lift, "ram hinge heel middle1 left1 right1 middle2 top track wrist"),
}
"""recordings, and joints of their loops"""
