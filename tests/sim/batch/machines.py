"""Machines for tests of batches."""

from functools import cache
from pathlib import Path

import numpy as np
import pytest

import gori
from gori.sim.batch.cuda import CudaMachines
from gori.sim.batch.devices import Host
from tests.integrate.closed_machines import rockers
from tests.vehicle.trucks import soft, truck

EXAMPLES = Path(__file__).parents[3] / "examples"
H = 1e-3


@cache
def pendulum() -> gori.Model:
    """Two hinges with damping, a limit, friction, a torque, a motor, and a force that follows time."""
    body = {"mass": 1.0, "com": [0, 0, -0.5], "inertia": [0.1, 0.1, 0.01]}
    return gori.compile(
        gori.Spec(
            bodies={"upper": body, "lower": body},
            joints={
                "shoulder": {"type": "revolute", "parent": "ground", "child": "upper", "axis": [0, 1, 0],
                             "damping": 0.1, "friction": 0.05},
                "elbow": {"type": "revolute", "parent": "upper", "child": "lower", "axis": [0, 1, 0], "at": [0, 0, -1],
                          "limits": [-2.0, 2.0], "limit_stiffness": 100.0},
            },
            forces={
                "twist": {"type": "torque", "joint": "shoulder", "value": 0.5},
                "hold": {"type": "motor", "joint": "elbow", "kp": 5.0, "kd": 0.5, "target": 0.3},
                "sway": {"type": "torque", "joint": "shoulder", "value": "sin(3*t)"},
            },
        )
    )  # fmt: skip


@cache
def arm() -> gori.Model:
    return gori.compile(gori.load(EXAMPLES / "arm.yaml"))


@cache
def four_bar() -> gori.Model:
    """A closed loop without a drive."""
    return gori.compile(rockers())


def speeds(model: gori.Model, count: int, size: float = 0.5) -> np.ndarray:
    """Velocities of many machines (count, nv), on the loops."""
    v = size * np.random.default_rng(1).normal(size=(count, model.nv))
    q = model.state().q
    return np.array([gori.consistent_velocity(model, q, x) for x in v]) if model.loops else v


@cache
def sand() -> tuple[gori.Model, gori.State]:
    """A truck on dry sand, and its State at rest."""
    model = truck(soft())
    return model, gori.at_rest(model)


@cache
def balls() -> gori.Model:
    """Three balls and a box that fall on each other and on a floor."""
    steel = {"material": "steel", "collide": True, "density": 1000.0}
    ball = {"type": "sphere", "radius": 0.1, **steel}
    bodies: dict = {"ground": {"shapes": {"floor": {"type": "plane", "material": "steel", "collide": True}}}}
    bodies |= {name: {"shapes": {"solid": ball}} for name in "abc"}
    bodies["box"] = {"shapes": {"solid": {"type": "box", "size": [0.2, 0.2, 0.2], **steel}}}
    joints = {
        f"free_{name}": {
            "type": "free",
            "parent": "ground",
            "child": name,
            "q": [1, 0, 0, 0, 0.01 * k, 0, 0.0999 + 0.1999 * k],
        }
        for k, name in enumerate(("a", "b", "c", "box"))
    }
    contacts = {"steel/steel": {"friction": 0.5, "restitution": 0.2, "stiffness": 1e6}}
    parts = {"materials": {"steel": {}}, "contacts": contacts, "bodies": bodies, "joints": joints}
    return gori.compile(gori.Spec.model_validate({"gori": 1, **parts}))


@pytest.fixture
def on_host(monkeypatch):
    """Batches on a GPU have their engine on the host: the same program, with a loop in place of the threads."""
    monkeypatch.setattr(CudaMachines, "accelerator", Host)


def quaternion(angle: float) -> list[float]:
    """A turn about an axis between those of x and y."""
    return [np.cos(angle / 2), 0.6 * np.sin(angle / 2), 0.8 * np.sin(angle / 2), 0.0]


@cache
def heap() -> gori.Model:
    """One of each shape, falling on each other and on hills, with rolling friction; and an arm of two links that lies
    among them, with friction and a limit in its joints.
    """
    stone = {"material": "stone", "collide": True, "density": 1000.0}
    shapes: dict[str, dict] = {
        "ball": {"type": "sphere", "radius": 0.1}, "box": {"type": "box", "size": [0.3, 0.2, 0.1]},
        "pin": {"type": "capsule", "radius": 0.05, "length": 0.3},
        "can": {"type": "cylinder", "radius": 0.08, "length": 0.2},
        "egg": {"type": "ellipsoid", "radii": [0.1, 0.08, 0.15]},
        "hat": {"type": "cone", "radius": 0.1, "top_radius": 0.04, "length": 0.15},
    }  # fmt: skip
    bodies: dict = {name: {"shapes": {"solid": {**shape, **stone}}} for name, shape in shapes.items()}
    rod = {"type": "capsule", "radius": 0.03, "length": 0.3, "axis": [1, 0, 0], **stone}
    bodies |= {name: {"shapes": {"rod": rod}} for name in ("upper", "lower")}
    joints: dict = {
        f"free_{name}": {
            "type": "free", "parent": "ground", "child": name,
            "q": [*quaternion(0.3 * k), 0.05 * (k % 3), 0.05 * (k % 2), 0.45 + 0.22 * k],
        }
        for k, name in enumerate(bodies) if name not in ("upper", "lower")
    }  # fmt: skip
    joints |= {
        "shoulder": {"type": "revolute", "parent": "ground", "child": "upper", "axis": [0, 1, 0], "at": [-0.2, 0, 0.3],
                     "friction": 0.5},
        "elbow": {"type": "revolute", "parent": "upper", "child": "lower", "axis": [0, 1, 0], "at": [0.3, 0, 0],
                  "friction": 0.2, "limits": [-0.5, 0.5], "limit_stiffness": 100.0},
    }  # fmt: skip
    heights = 0.03 * np.random.default_rng(1).normal(size=(11, 11))
    law = {"friction": 0.5, "restitution": 0.1, "rolling_friction": 0.05, "stiffness": 1e5}
    return gori.compile(
        gori.Spec.model_validate(
            {
                "gori": 1, "bodies": bodies, "joints": joints,
                "materials": {"stone": {}}, "contacts": {"stone/stone": law},
                "terrain": {"material": "stone", "field": {"at": [-1, -1], "cell": 0.2, "heights": heights.tolist()}},
            }
        )
    )  # fmt: skip


def on_host_device(patch) -> None:
    """From here on device="cuda" is the host, with a loop in place of the threads."""
    from gori.sim.batch.cuda import CudaMachines
    from gori.sim.batch.devices import Host

    patch.setattr(CudaMachines, "accelerator", Host)
