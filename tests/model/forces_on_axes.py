"""Random trees of all joints, with all kinds of forces that act on axes."""

import numpy as np

from gori.spec import Spec
from tests.reference.random_spec import random_spec


def forces_on_axes(seed: int, n: int = 10) -> Spec:
    """A tree whose first four joints are revolute, prismatic, spherical and free."""
    rng = np.random.default_rng(seed)
    spec = random_spec(rng, n, fixed_fraction=0.1)
    data = spec.model_dump(exclude_unset=True)
    placed = ("type", "parent", "child", "at")
    for k, kind in enumerate(("revolute", "prismatic", "spherical", "free")):
        joint = data["joints"][f"j{k}"]
        data["joints"][f"j{k}"] = {key: joint[key] for key in placed if key in joint} | {"type": kind}
    for joint in data["joints"].values():
        kind = joint["type"]
        joint.update({} if kind == "fixed" else {"damping": rng.uniform(0.0, 1.0)})
        joint.update({} if kind in ("fixed", "free") else {"stiffness": rng.uniform(1.0, 20.0)})
    data["joints"]["j0"] |= {"limits": [-0.2, 0.3], "limit_stiffness": 40.0, "limit_damping": 1.0}
    data["joints"]["j1"] |= {"limits": [-0.1, 0.1], "limit_stiffness": 60.0, "limit_damping": 30.0}
    data["forces"] = {
        "twist": {"type": "torque", "joint": "j0", "value": 0.5},
        "hold": {"type": "motor", "joint": "j1", "kp": 30.0, "kd": 2.0, "target": 0.3},
        "weak": {"type": "motor", "joint": "j0", "kp": 8.0, "kd": 1.0, "target": "0.2*sin(3*t) + j1.q", "limit": 2.0},
        "follow": {"type": "motor", "joint": "j1", "kp": 1.0, "kd": 1.0, "target_velocity": "clamp(j0.v, -0.5, 0.5)"},
        "coil": {"type": "torsion", "joint": "j0", "stiffness": 3.0, "rest": 0.1, "preload": 0.4, "damping": 0.1},
        "cross": {"type": "torque", "joint": "j0", "value": "-2*j1.q**3 + sin(j0.q)*j1.v - max(j0.v, j1.v)"},
        "ball": {"type": "torque", "joint": "j2", "dof": 1, "value": 0.2},
        "spin": {"type": "torque", "joint": "j3", "dof": 2, "value": "exp(-j0.q)*where(j1.v > 0, j1.v, 2*j1.q)"},
        "lift": {"type": "force", "joint": "j3", "dof": 4, "value": [[0.0, 1.0], [0.5, 3.0]]},
    }
    return Spec(**data)
