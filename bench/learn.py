"""What a vector environment costs beside the physics: steps a second of arms, and the time outside of `Batch.step`.

    python -m bench.learn [--device cpu|cuda] [--machines 2048] [--xp torch] [--steps 150]

A step of the environment is 20 ms, 20 steps of the physics. Observed are coordinates, velocities, the place of the tool
and the last action; rewards are the distance of the tool to a point and the effort; starts are random, and episodes
end with a chance of 1 % in each step, or after 2 s. Actions are random numbers. Times are medians of single steps.
"""

import argparse
import json
import time

import numpy as np

import gori
from bench.batch_machines import SCENES, Scene
from bench.timing import console, machine, show
from gori import learn

POINT = (0.4, 0.2, 0.6)
"""to which the tool is to go [m]"""


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


def environment(scene: Scene, device: str, count: int, xp: str | None) -> learn.VectorEnv:
    return learn.VectorEnv(
        gori.batch(scene.model, count, scene.method, device=device, state=scene.state),
        observations={"q": learn.Positions(), "v": learn.Velocities(), "tool": learn.Position("tool"),
                      "last": learn.LastAction()},
        actions={"torque": learn.InputAction(list(scene.inputs), scale=[high for _, high in scene.inputs.values()])},
        rewards={"near": lambda env: -env.xp.sqrt(((env.motion("tool").position - env.arrays.of(POINT)) ** 2).sum(1)),
                 "effort": (lambda env: (env.action**2).sum(1), -0.01)},
        terminations={"chance": lambda env: env.uniform("end")[:, 0] < 0.01},
        starts=[learn.Spread(dict.fromkeys(scene.model.joint_names, 0.3))],
        control_steps=scene.steps_of_hold,
        duration=2.0,
        xp=xp,
    )  # fmt: skip


def main() -> None:
    asked = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    asked.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    asked.add_argument("--machines", type=int, default=2048)
    asked.add_argument("--xp", choices=("numpy", "cupy", "torch"))
    asked.add_argument("--steps", type=int, default=150)
    arguments = asked.parse_args()
    env = environment(SCENES["arm"](), arguments.device, arguments.machines, arguments.xp)
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
    outside = float(np.median(took - moved))
    results = {
        "arrays": env.arrays.name, "machines": arguments.machines,
        "env_steps_per_s": arguments.machines / float(np.median(took)),
        "physics_s": float(np.median(moved)), "outside_s": outside,
    }  # fmt: skip
    rows = [
        [
            env.arrays.name, f"{arguments.machines}", f"{arguments.machines / np.median(took):.3g}",
            f"{arguments.machines * env.control_steps / np.median(took):.3g}", f"{np.median(moved) * 1e3:.2f}",
            f"{outside * 1e3:.2f}", f"{outside / np.median(took):.1%}",
        ]
    ]  # fmt: skip
    columns = ["arrays", "machines", "env steps/s", "physics steps/s", "physics [ms]", "outside [ms]", "share outside"]
    show(f"A vector environment of arms on a {arguments.device}", columns, rows)
    console.print(machine())
    print(json.dumps(results))


if __name__ == "__main__":
    main()
