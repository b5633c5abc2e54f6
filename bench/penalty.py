"""Implicit methods on stiff penalty contact with long steps, and a bullet at a plate: the tables of
`docs/contact-penalty.md`.

python -m bench.penalty
"""

import time
import warnings

import numpy as np

import gori
from gori.spec import GROUND

G, DROP, STEP = 9.81, 0.005, 0.01


def solid(kind, **fields):
    return {"type": kind, "material": "a", "collide": True, **fields}


def box():
    return solid("box", size=[0.2, 0.2, 0.1], density=250.0)


def scene(bodies, stiffness, gravity=(0.0, 0.0, -G), restitution=0.0, joints=None):
    """Free bodies {name: (shape, position)} above a plane, or others with their joints."""
    free = {
        f"{name}_j": {"type": "free", "parent": GROUND, "child": name, "q": [1, 0, 0, 0, *at]}
        for name, (_, at) in bodies.items()
    }
    return gori.Spec(
        gravity=list(gravity),
        materials={"a": {"rigid": True}},
        contacts={"a/a": {"friction": 0.5, "restitution": restitution, "stiffness": stiffness}},
        bodies={GROUND: {"shapes": {"floor": solid("plane")}}}
        | {name: {"shapes": {"s": shape}} for name, (shape, _) in bodies.items()},
        joints=free if joints is None else joints,
    )


def chain(stiffness, links=50, length=0.1, radius=0.02):
    capsule = solid("capsule", radius=radius, length=length - 2 * radius, density=1000.0, at=[length / 2, 0, 0])
    bodies = {f"l{i}": (capsule, (0, 0, 0)) for i in range(links)}
    first = {"type": "free", "parent": GROUND, "child": "l0", "q": [1, 0, 0, 0, 0, 0, radius + DROP]}
    joints = {"j0": first} | {
        f"j{i}": {"type": "spherical", "parent": f"l{i - 1}", "child": f"l{i}", "at": [length, 0, 0]}
        for i in range(1, links)
    }
    return scene(bodies, stiffness, joints=joints)


def scenes(stiffness):
    """Machines by name."""
    rng, slope = np.random.default_rng(3), np.arctan(0.6)
    ball = solid("sphere", radius=0.1, density=1.0 / (4 / 3 * np.pi * 0.1**3))
    heights = [0.05 + DROP / 5 + i * (0.1 + DROP / 5) for i in range(5)]
    stack = {f"b{i}": (box(), (0, 0, z)) for i, z in enumerate(heights)}
    beside = {f"b{i}": (box(), (*(0.02 * rng.uniform(-1, 1, 2)), z)) for i, z in enumerate(heights)}
    row = {f"b{i}": (box(), (0.5 * i, 0, 0.05 + DROP * (i + 1) / 10)) for i in range(10)}
    down = (G * np.sin(slope), 0.0, -G * np.cos(slope))
    return {
        "ball": scene({"b": (ball, (0, 0, 0.1 + DROP))}, stiffness),
        "box": scene({"b": (box(), (0, 0, 0.05 + DROP))}, stiffness),
        "box on a slope": scene({"b": (box(), (0, 0, 0.05 + DROP))}, stiffness, down),
        "ten boxes": scene(row, stiffness),
        "stack": scene(stack, stiffness),
        "stack, beside": scene(beside, stiffness),
        "chain of 50": chain(stiffness),
    }


def measured(spec, method, duration):
    """Gap at the end [m], time [s], products and iterations per step; or the error."""
    model = gori.compile(spec)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            gori.Simulation(model, method).run(min(duration, 2 * STEP), progress=False)  # compiles
            simulation = gori.Simulation(model, method)
            begin = time.perf_counter()
            record = simulation.run(duration, sample=duration / 100, progress=False)
        except gori.errors.GoriError as error:
            return str(error)[:60]
    took, counts = time.perf_counter() - begin, simulation.report.get("jacobian", {})
    iterations, products = (counts.get(f"{name}_per_step", 0.0) for name in ("iterations", "products"))
    return (
        f"{1e6 * record['contact.gap'][-1]:8.2f} um {took:7.3f} s {iterations:6.2f} iterations {products:7.2f} "
        f"products, impacts {counts.get('impacts', 0)}"
    )


def bullet(method):
    """Velocity with which it ends, and what was warned of."""
    shape = solid("sphere", radius=0.005, density=0.01 / (np.pi / 6 * 0.01**3))
    spec = scene({"bullet": (shape, (0, 0, 1.0))}, 1e10, (0, 0, 0), 0.5)
    spec = spec.set("bodies.ground", {"shapes": {"plate": solid("box", size=[1, 1, 0.002])}})
    model = gori.compile(spec)
    state = model.state(v=[0, 0, 0, 0, 0, -500.0])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        record = gori.Simulation(model, method, state=state).run(3e-3, progress=False)
    return f"{record['bullet.vz'][-1]:9.1f} m/s; " + "; ".join(str(one.message)[:60] for one in caught)


def main():
    implicit = [gori.ImplicitEuler(STEP), gori.ImplicitEuler(STEP, jacobian="full"), gori.GeneralizedAlpha(STEP)]
    for stiffness in (1e7, 1e9):
        for name, spec in scenes(stiffness).items():
            for method in (*implicit, gori.Radau5()):
                duration = 0.05 if name == "chain of 50" and method.adaptive else 1.0
                strategy = "" if method.adaptive else method.jacobian.kind
                print(f"{stiffness:.0e} {name:15s} {method.kind:18s} {strategy:12s} {measured(spec, method, duration)}")
    for method in (
        gori.RK4(1e-4), gori.RK4(1e-5), gori.RK4(1e-6), gori.Dopri5(), gori.Radau5(), gori.ImplicitEuler(1e-4),
        gori.GeneralizedAlpha(1e-4), gori.TimeStepping(1e-3),
    ):  # fmt: skip
        print(f"bullet {method.kind:18s} {method.settings().get('step', 0.0):g} {bullet(method)}")


if __name__ == "__main__":
    main()
