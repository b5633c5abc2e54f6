"""Energy drift of machines without losses: double pendulum, spinning top, chain of ball joints; 5 s, step 1 ms."""

import numpy as np

import gori
from validation.a01_pendulum import METHODS


def double_pendulum() -> gori.Model:
    rod = {"mass": 1, "com": (0, 0, -0.5), "inertia": (0.084, 0.084, 0.001)}
    joints = {
        "shoulder": {"type": "revolute", "parent": "ground", "child": "upper", "axis": (0, 1, 0), "q": 0.8},
        "elbow": {
            "type": "revolute",
            "parent": "upper",
            "child": "lower",
            "at": (0, 0, -1),
            "axis": (0, 1, 0),
            "q": 0.4,
        },
    }
    return gori.compile(gori.Spec(bodies={"upper": rod, "lower": rod}, joints=joints))


def top() -> gori.Model:
    body = {"mass": 1, "com": (0, 0, 0.3), "inertia": (0.01, 0.01, 0.02)}
    tilt = (np.cos(0.2), np.sin(0.2), 0.0, 0.0)
    joint = {"type": "spherical", "parent": "ground", "child": "top", "q": tilt, "v": (0, 0, 60)}
    return gori.compile(gori.Spec(bodies={"top": body}, joints={"tip": joint}))


def ball_chain() -> gori.Model:
    link = {"mass": 0.5, "com": (0, 0, -0.25), "inertia": (0.011, 0.011, 0.001)}
    names = [f"link{k}" for k in range(5)]
    joints = {}
    for k, name in enumerate(names):
        parent = names[k - 1] if k else "ground"
        joints[f"ball{k}"] = {"type": "spherical", "parent": parent, "child": name, "at": (0, 0, -0.5 if k else 0)}
    joints["ball0"]["q"] = (np.cos(0.5), 0.0, np.sin(0.5), 0.0)
    return gori.compile(gori.Spec(bodies=dict.fromkeys(names, link), joints=joints))


def solve(rows: list[list]) -> bool:
    """One row for each machine and method. Whether the accurate methods keep the energy."""
    good = True
    for label, make in (("double pendulum", double_pendulum), ("spinning top", top), ("chain of 5 balls", ball_chain)):
        model = make()
        for method in METHODS:
            rec = gori.Simulation(model, method).run(5.0, sample=0.01)
            energy, scale = rec["energy.total"], rec["energy.kinetic"].max()
            drift = np.abs(energy - energy[0]).max() / scale
            name = type(method).__name__ + (" (Newton)" if getattr(method, "newton", False) else "")
            rows.append([f"{label}, 5 s", name, "", drift])
            if type(method) in (gori.RK4, gori.Dopri5):
                good &= bool(drift < 1e-6)
    return good
