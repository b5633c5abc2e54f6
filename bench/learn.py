"""What a vector environment costs beside the physics: steps a second, and the time outside of `Batch.step`.

    python -m bench.learn [--scene arm|vehicle_soft ...] [--device cpu|cuda] [--machines N] [--xp torch] [--steps 150]

arm           a step of 20 ms, 20 steps of the physics. Observed are coordinates, velocities, the place of the tool and
              the last action; rewards are the distance of the tool to a point and the effort; starts are random
vehicle_soft  a step of 50 ms, 50 steps of the physics, of the vehicle on sand of `bench/batch_machines.py`. Observed
              are where the chassis is and how it moves, the steering, sinkage, slip and load of all wheels and the
              last action, which is throttle and steering; the reward is the way

Episodes end with a chance of 1 % in each step, or after 2 s. Actions are random numbers. Times are medians of single
steps; `physics_steps_per_s` is that of `Batch.step` alone in the same run. The last line is one JSON object.
"""

import argparse
import json
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import gori
from bench.batch_machines import SCENES, Scene
from bench.timing import commit, console, machine, show
from gori import learn

POINT = (0.4, 0.2, 0.6)
"""to which the tool is to go [m]"""
MACHINES = {"cpu": {"arm": 2048, "vehicle_soft": 32}, "cuda": {"arm": 65_536, "vehicle_soft": 16_384}}
"""so many, unless --machines says otherwise"""
WHEELS = ("fl", "fr", "rl", "rr")


class Clock:
    """Time in `Batch.step` since it was asked last."""

    def __init__(self, batch):
        self._step, self._batch, self.seconds = batch.step, batch, 0.0
        batch.step = self.step

    def step(self, steps: int = 1) -> None:
        began = time.perf_counter()
        self._step(steps)
        _ = self._batch.time  # wait until all machines are done
        self.seconds += time.perf_counter() - began


def arm(scene: Scene, device: str, count: int, xp: str | None) -> learn.VectorEnv:
    """Arms whose tools go to a point."""
    return learn.VectorEnv(
        gori.batch(scene.model, count, scene.method, device=device, state=scene.state),
        observations={"q": learn.Positions(), "v": learn.Velocities(), "tool": learn.Position("tool"),
                      "last": learn.LastAction()},
        actions={"torque": learn.InputAction(list(scene.inputs), scale=[high for _, high in scene.inputs.values()])},
        rewards={"near": lambda env: -env.xp.sqrt(sum((env.motion("tool").position[:, k] - POINT[k]) ** 2
                                                      for k in range(3))),
                 "effort": (lambda env: (env.action**2).sum(1), -0.01)},
        terminations={"chance": lambda env: env.uniform("end")[:, 0] < 0.01},
        starts=[learn.Spread(dict.fromkeys(scene.model.joint_names, 0.3))],
        control_steps=scene.steps_of_hold,
        duration=2.0,
        xp=xp,
    )  # fmt: skip


def vehicle_soft(scene: Scene, device: str, count: int, xp: str | None) -> learn.VectorEnv:
    """Vehicles that drive over sand."""
    batch = gori.batch(scene.model, count, scene.method, device=device, state=in_gear(scene))
    channels = [f"truck.wheel_{wheel}.{name}" for wheel in WHEELS for name in ("sinkage", "slip", "load")]
    return learn.VectorEnv(
        batch,
        observations={"position": learn.Position("truck.chassis"), "axes": learn.Orientation("truck.chassis"),
                      "twist": learn.Twist("truck.chassis"), "rack": learn.Positions("truck.rack"),
                      "wheels": learn.Outputs(*channels), "last": learn.LastAction()},
        actions={"pedal": learn.InputAction("truck.throttle", 0.5, 0.5),
                 "steer": learn.InputAction("truck.steer", 0.5)},
        rewards={"way": lambda env: env.v[:, 3], "effort": (lambda env: (env.action**2).sum(1), -0.01)},
        terminations={"chance": lambda env: env.uniform("end")[:, 0] < 0.01},
        control_steps=round(0.05 / scene.step),
        duration=2.0,
        xp=xp,
    )  # fmt: skip


def in_gear(scene: Scene) -> gori.State:
    """The start, with what drivers do all the time."""
    return scene.simulation().state


ENVIRONMENTS: dict[str, Callable[[Scene, str, int, str | None], learn.VectorEnv]] = {
    one.__name__: one for one in (arm, vehicle_soft)
}


def measured(name: str, arguments: argparse.Namespace) -> dict[str, Any]:
    """Figures of one environment."""
    count = arguments.machines or MACHINES[arguments.device][name]
    env = ENVIRONMENTS[name](SCENES[name](), arguments.device, count, arguments.xp)
    if arguments.graph:
        env.capture()
    clock = Clock(env.batch)
    rng = np.random.default_rng(0)
    actions = [env.arrays.of(rng.uniform(-1.0, 1.0, env.action_space.shape)) for _ in range(10)]
    env.reset(seed=0)
    times, physics = [], []
    for k in range(20 + arguments.steps):
        clock.seconds, began = 0.0, time.perf_counter()
        env.step(actions[k % 10])
        _ = env.batch.time
        times.append(time.perf_counter() - began)
        physics.append(clock.seconds)
    took, moved = (np.array(one)[20:] for one in (times, physics))
    return {
        "arrays": env.arrays.name, "machines": count, "env_steps_per_s": count / float(np.median(took)),
        "physics_steps_per_s": count * env.control_steps / float(np.median(moved)),
        "physics_s": float(np.median(moved)), "outside_s": float(np.median(took - moved)),
        "share_outside": float(np.median(took - moved) / np.median(took)),
    }  # fmt: skip


def main() -> None:
    asked = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    asked.add_argument("--scene", nargs="+", choices=tuple(ENVIRONMENTS), default=["arm"])
    asked.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    asked.add_argument("--machines", type=int)
    asked.add_argument("--xp", choices=("numpy", "cupy", "torch"))
    asked.add_argument("--steps", type=int, default=150)
    asked.add_argument("--graph", action="store_true", help="steps are a CUDA graph; the physics is then not timed")
    arguments = asked.parse_args()
    results: dict[str, Any] = {"device": arguments.device, "commit": commit()}
    rows = []
    for name in arguments.scene:
        found = measured(name, arguments)
        results |= {f"{key}_{name}": value for key, value in found.items()}
        rows.append(
            [
                name, found["arrays"], f"{found['machines']}", f"{found['env_steps_per_s']:.3g}",
                f"{found['physics_steps_per_s']:.3g}", f"{found['physics_s'] * 1e3:.2f}",
                f"{found['outside_s'] * 1e3:.2f}", f"{found['share_outside']:.1%}",
            ]
        )  # fmt: skip
    columns = [
        "scene",
        "arrays",
        "machines",
        "env steps/s",
        "physics steps/s",
        "physics [ms]",
        "outside [ms]",
        "share outside",
    ]
    show(f"Vector environments on a {arguments.device}", columns, rows)
    console.print(machine())
    print(json.dumps(results))


if __name__ == "__main__":
    main()
