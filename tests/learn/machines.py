"""Machines and environments for tests of `gori.learn`."""

from functools import cache
from pathlib import Path

import numpy as np

import gori
from gori import learn

EXAMPLES = Path(__file__).parents[2] / "examples"
H = 2e-3


@cache
def cart_pole() -> gori.Model:
    """A pole on a cart, with a force on the cart and a torque on the hinge."""
    return gori.compile(
        gori.Spec(
            bodies={"cart": {"mass": 1.0, "inertia": [0.1, 0.1, 0.1]},
                    "pole": {"mass": 0.2, "com": [0, 0, 0.4], "inertia": [0.01, 0.01, 0.001]}},
            joints={"slide": {"type": "prismatic", "parent": "ground", "child": "cart", "axis": [1, 0, 0]},
                    "hinge": {"type": "revolute", "parent": "cart", "child": "pole", "axis": [0, 1, 0], "q": 0.2}},
            forces={"push": {"type": "force", "joint": "slide", "value": 0.0},
                    "twist": {"type": "torque", "joint": "hinge", "value": 0.1}},
            frames={"tip": {"body": "pole", "at": [0, 0, 0.8]}},
        )
    )  # fmt: skip


@cache
def flyer() -> gori.Model:
    """A free body with a helical joint, a ball joint and a turned frame, over ground of all kinds."""
    body = {"mass": 1.0, "com": [0.1, 0, 0], "inertia": [0.1, 0.2, 0.3]}
    features = {
        "bump": {"type": "trapezoid", "at": [1.0, 0.0], "yaw_deg": 20, "width": 2.0},
        "wave": {"type": "sine", "at": [-2.0, 1.0], "length": 1.5, "height": 0.2},
        "kerb": {"type": "step", "at": [3.0, 0.0], "height": 0.1, "length": 1.0},
    }
    heights = np.random.default_rng(0).uniform(-0.2, 0.2, (4, 6)).tolist()
    return gori.compile(
        gori.Spec(
            bodies={"base": body, "screw": body, "ball": body},
            joints={
                "fly": {"type": "free", "parent": "ground", "child": "base", "q": [1, 0, 0, 0, 0, 0, 2]},
                "turn": {"type": "helical", "parent": "base", "child": "screw", "at": [0.3, 0.1, 0], "axis": [1, 1, 0],
                         "pitch": 0.2},
                "socket": {"type": "spherical", "parent": "screw", "child": "ball", "at": [0, 0.2, 0.4],
                           "rpy_deg": [10, 20, 30]},
            },
            frames={"sensor": {"body": "ball", "at": [0.1, 0.2, 0.3], "rpy_deg": [40, -10, 70]}},
            terrain={"at": [0, 0, 0.5], "grade": [0.1, -0.05], "features": features,
                     "field": {"at": [-3, -2], "cell": 1.0, "cell_y": 1.5, "heights": heights}},
        )
    )  # fmt: skip


@cache
def chain() -> gori.Model:
    """Joints of two and three degrees of freedom, one after the other."""
    kinds = ("universal", "cylindrical", "planar", "prismatic")
    names = [f"link_{k}" for k in range(len(kinds))]
    joints = {
        f"joint_{k}": {"type": kind, "parent": "ground" if k == 0 else names[k - 1], "child": names[k],
                       "at": [0.1 * k, 0.3, -0.2], "rpy_deg": [20 * k, -15, 40]}
        for k, kind in enumerate(kinds)
    }  # fmt: skip
    body = {"mass": 1.0, "inertia": [0.1, 0.2, 0.3]}
    return gori.compile(gori.Spec(bodies=dict.fromkeys(names, body), joints=joints))


def balancer(count: int = 4, *, batch=None, **options) -> learn.VectorEnv:
    """The cart pole, with a step of 20 ms, which ends when the pole leans by more than 0.8 rad."""
    given = {
        "observations": {"q": learn.Positions(), "v": learn.Velocities(), "last": learn.LastAction()},
        "actions": {"push": learn.InputAction("push", scale=10.0)},
        "rewards": {"upright": lambda env: env.xp.cos(env.q[:, 1]),
                    "effort": (lambda env: env.action[:, 0] ** 2, -0.1)},
        "terminations": {"fell": lambda env: env.xp.abs(env.q[:, 1]) > 0.8},
        "starts": [learn.Spread({"hinge": 0.1, "slide": (-0.5, 0.2)}, {"slide": 0.3})],
        "control_steps": 10,
        "duration": 1.0,
    }  # fmt: skip
    batch = gori.batch(cart_pole(), count, gori.SemiImplicit(step=H)) if batch is None else batch
    return learn.VectorEnv(batch, **given | options)


def numpy_env(model: gori.Model, count: int = 3, **options) -> learn.VectorEnv:
    """An environment of any machine, which does nothing."""
    batch = gori.batch(model, count, gori.SemiImplicit(step=H))
    given = {"observations": {"q": learn.Positions()}, "actions": {"none": Nothing(1)}, "rewards": {}}
    return learn.VectorEnv(batch, **given | options)


class Nothing(learn.Action):
    """An action without an effect."""

    def act(self, env):
        pass
