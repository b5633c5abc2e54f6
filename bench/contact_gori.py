"""Scenes with contact in Gori: a timed run, and a run that measures what the thresholds are about.

What is measured, and how, is the same as in `bench/contact_mujoco.py`.
"""

import time

import numpy as np

import gori
from bench.contact_mujoco import SHARE, Measured
from bench.contact_scenes import Scene, to_gori


def settings_of(step: float, tolerance: float = 1e-5, sweeps: int = 60) -> gori.TimeStepping:
    return gori.TimeStepping(step=step, tolerance=tolerance, sweeps=sweeps)


class Run:
    """A scene in Gori."""

    def __init__(self, scene: Scene, method: gori.TimeStepping):
        self.scene, self.model = scene, gori.compile(to_gori(scene))
        self.simulation = gori.Simulation(self.model, method)
        self.start = self.simulation.state
        self.steps = round(scene.duration / method.step)
        self.moving = [motor for motor in scene.motors.values() if motor.moves]
        self.simulation.step()  # what is compiled is loaded
        self.simulation.state = self.start

    def run(self) -> float:
        """Seconds of processor time of all steps, in compiled code."""
        self.simulation.state = self.start
        begin = time.thread_time()
        self.simulation.advance(self.steps)
        return time.thread_time() - begin

    def slides(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Pairs of shapes of the active points (n,), speed of one surface over the other [m/s], and depths [m]."""
        memory = self.simulation.stepper.data.contact_memory
        count, x = int(memory.head["points"][0]), memory.x_after.reshape(-1, 8)
        point, rows = memory.point[:count], memory.rows[:count]
        active = np.flatnonzero(rows["impulse"][:, 0] > 0.0)
        speeds = np.zeros(len(active))
        for n, row in enumerate(rows[active]):
            pieces = slice(row["at"], row["at"] + row["count"])
            speeds[n] = np.linalg.norm(np.einsum("pdk,pk->d", memory.w[pieces, 1:], x[memory.block[pieces]]))
        pairs = point["a"][active] * len(memory.newest) + point["b"][active]
        return pairs, speeds, -point["gap"][active]


def measure(scene: Scene, method: gori.TimeStepping) -> Measured:
    """A run that is looked at every 10 ms."""
    run = Run(scene, method)
    simulation, model = run.simulation, run.model
    every = 1 if run.moving else max(1, round(1e-2 / method.step))
    seconds, work, depth, counts, slides = 0.0, 0.0, 0.0, [], {}
    kinetic, totals, potentials, slips = 0.0, [], [], []
    targets = [float(motor.at(0.0)) for motor in run.moving]
    for k in range(0, run.steps, every):
        q, v, t = simulation.q, simulation.v, simulation.time
        poses = model.forward_kinematics(q)
        burst = max(float(np.abs(poses[name][:2, 3]).max()) for name in scene.bodies) > scene.extent
        if burst or (scene.upright is not None and poses[scene.upright[0]][2, 3] < scene.upright[1]):
            return Measured(*[float("inf")] * len(Measured._fields))
        springs = 0.0
        for n, motor in enumerate(run.moving):
            x, new = q[model.joint(motor.joint).q][0], float(motor.at(t))
            work += 0.5 * motor.kp * ((new - x) ** 2 - (targets[n] - x) ** 2)
            targets[n] = new
            springs += 0.5 * motor.kp * (new - x) ** 2
        for motor in scene.motors.values():
            if not motor.moves:
                springs += 0.5 * motor.kp * (motor.target - q[model.joint(motor.joint).q][0]) ** 2
        T, V = model.energy(q, v)
        kinetic = max(kinetic, float(T))
        totals.append(float(T + V) + springs - work)
        potentials.append((float(V), springs))
        begin = time.thread_time()
        simulation.advance(min(every, run.steps - k))
        seconds += time.thread_time() - begin
        now = (k + every) * method.step
        if scene.held is not None and now >= scene.held[2]:
            poses = model.forward_kinematics(simulation.q)
            held, holder = (poses[name] for name in scene.held[:2])
            slips.append(holder[:3, :3].T @ (held[:3, 3] - holder[:3, 3]))
        if now < scene.settled:
            continue
        pairs, speeds, depths = run.slides()
        counts.append(len(pairs))
        depth = max(depth, float(depths.max(initial=0.0)))
        for pair in np.unique(pairs):
            slides.setdefault(pair, []).append(float(speeds[pairs == pair].max()))
    means = [float(np.mean(one)) for one in slides.values() if len(one) >= len(counts) / 2]
    exchanged = kinetic + np.ptp(potentials, axis=0).sum() + abs(work)
    rise = np.max(totals - np.minimum.accumulate(totals))
    return Measured(
        float(np.mean(counts)), depth / scene.size, *np.quantile(means or [0.0], (SHARE, 1.0)).tolist(),
        float((max(totals) - totals[0]) / exchanged), float(rise / exchanged),
        float(np.ptp(slips, axis=0).max()) if slips else 0.0, seconds,
    )  # fmt: skip
