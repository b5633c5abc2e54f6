"""What derivatives of steps cost beside the steps: rollouts of arms and walkers, forward and backward.

    python -m bench.batch_derivatives [--machines 64 1024 4096] [--steps 20]

Arms with dampers, limits and a torque on each joint (`batch_machines.py`); walkers in flight with a torque on each of
twelve hinges, also by the mass of the trunk and a damper; four-bars with a torque on the crank. A step alone is that of
`Batch.step(steps)`; a rollout sets the inputs before each step and keeps all states; vjp goes back through it, to the
start and to all inputs.
"""

import argparse
import json
from collections.abc import Callable

import numpy as np

import gori
from bench.batch_machines import SCENES
from bench.timing import console, machine, race, show
from gori.sim.batch.derivatives import Rollout, step_jacobian


def walker() -> gori.Model:
    """A trunk in flight with four legs of three hinges, each with a damper and a torque."""
    bodies, joints = {"trunk": {"mass": 10.0, "inertia": [0.2, 0.5, 0.6]}}, {}
    joints["fly"] = {"type": "free", "parent": "ground", "child": "trunk"}
    for x in (-0.3, 0.3):
        for y in (-0.1, 0.1):
            parent, at = "trunk", [x, y, 0.0]
            for part, axis in (("hip", [1, 0, 0]), ("thigh", [0, 1, 0]), ("shank", [0, 1, 0])):
                name = f"{part}_{'left' if y > 0 else 'right'}_{'front' if x > 0 else 'rear'}"
                bodies[name] = {"mass": 1.0, "com": [0, 0, -0.1], "inertia": [0.01, 0.01, 0.002]}
                joints[name] = {
                    "type": "revolute",
                    "parent": parent,
                    "child": name,
                    "at": at,
                    "axis": axis,
                    "damping": 0.2,
                }
                parent, at = name, [0.0, 0.0, -0.25 if part == "thigh" else 0.0]
    torques = {f"drive_{name}": {"type": "torque", "joint": name, "value": 0.0} for name in joints if name != "fly"}
    return gori.compile(gori.Spec(bodies=bodies, joints=joints, forces=torques))  # fmt: skip


MACHINES: dict[str, tuple[Callable[[], gori.Model], tuple[str, ...]]] = {
    "arm": (lambda: SCENES["arm"]().model, ()),
    "walker": (walker, ()),
    "four-bar": (lambda: SCENES["four_bar"]().model, ()),
    "walker, by two parameters": (walker, ("bodies.trunk.mass", "joints.thigh_left_front.damping")),
}
"""models, and parameters by which there are derivatives too"""


def measure(model: gori.Model, count: int, steps: int, parameters: tuple[str, ...] = ()) -> dict[str, float]:
    """Seconds for one step of one machine."""
    rng, batch = np.random.default_rng(0), gori.batch(model, count, gori.SemiImplicit(step=1e-3))
    inputs = rng.normal(size=(steps, count, len(batch.inputs)))
    cotangent = rng.normal(size=(count, 2 * model.nv))
    done = Rollout(batch, inputs, parameters)
    if done.failed.any():
        raise RuntimeError(f"machines have failed: {batch.failures(1)}")
    found = race(
        {
            "step": lambda: (batch.reset(), batch.step(steps)),
            "rollout": lambda: (batch.reset(), Rollout(batch, inputs, parameters)),
            "vjp": lambda: done.vjp(cotangent),
        },
        seconds=3.0,
    )
    found["jacobian"] = steps * race({"jacobian": lambda: step_jacobian(batch, parameters)})["jacobian"]
    return {name: seconds / count / steps for name, seconds in found.items()}


def main() -> None:
    asked = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    asked.add_argument("--machines", type=int, nargs="+", default=[64, 1024, 4096])
    asked.add_argument("--steps", type=int, default=20)
    arguments = asked.parse_args()
    rows, results = [], {}
    for name, (make, parameters) in MACHINES.items():
        model = make()
        for count in arguments.machines:
            found = results[f"{name} {count}"] = measure(model, count, arguments.steps, parameters)
            ratio = (found["rollout"] + found["vjp"]) / found["step"]
            times = [f"{1e6 * found[name]:.2f}" for name in ("step", "rollout", "vjp", "jacobian")]
            rows.append([f"{name}, {model.nv} dof", f"{count}", *times, f"{ratio:.1f}"])
    columns = ["", "machines", "step [us]", "rollout [us]", "vjp [us]", "jacobian [us]", "(rollout + vjp) / step"]
    show("Derivatives of steps, for one step of one machine", columns, rows)
    console.print(machine())
    print(json.dumps(results))


if __name__ == "__main__":
    main()
