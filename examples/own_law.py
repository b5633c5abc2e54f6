"""A law of one's own, compiled into the steps of many machines: pendulums over magnets of different strengths.

The magnet stands below the pivot at a distance d from it; it pulls the bob of a pendulum of length L towards itself
with a force k / r^2. Its potential is -k / r with r^2 = d^2 + L^2 - 2 d L cos q, so the torque is

    -d(-k / r)/dq = -k d L sin q / r^3

Checked are the energy of each pendulum, the work that the library has counted, and the frequency of small swings, which
is sqrt(g / L + k d / (m L (d - L)^3)).

    python examples/own_law.py [--machines 1000] [--device cuda]
"""

import argparse
import math
import time
from pathlib import Path

import numpy as np

import gori

LENGTH, MASS, GRAVITY = 1.0, 1.0, 9.81


def magnet(t, q, v, tau, strength, below=1.2):
    r = math.sqrt(below * below + LENGTH * LENGTH - 2.0 * below * LENGTH * math.cos(q[0]))
    tau[0] -= strength * below * LENGTH * math.sin(q[0]) / (r * r * r)


def potential(q, strength, below):
    return -strength / np.sqrt(below**2 + LENGTH**2 - 2.0 * below * LENGTH * np.cos(q))


def main() -> None:
    asked = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    asked.add_argument("--machines", type=int, default=1000)
    asked.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    arguments = asked.parse_args()
    n, rng = arguments.machines, np.random.default_rng(1)
    strength, below = rng.uniform(0.0, 1.0, n), rng.uniform(1.2, 1.5, n)
    batch = gori.batch(
        gori.load(Path(__file__).with_name("pendulum.yaml")), n, gori.RK4(step=1e-3), device=arguments.device,
        forces=magnet, parameters={"forces.magnet.strength": strength, "forces.magnet.below": below},
    )  # fmt: skip

    # half of them swing widely, the other half by a thousandth of a radian
    q = np.where(np.arange(n) % 2 == 0, rng.uniform(0.5, 2.0, n), 1e-3)
    batch.q[:, 0] = q
    start = time.perf_counter()
    batch.step(2000)
    print(f"{n} pendulums moved for 2 s in {time.perf_counter() - start:.1f} s")
    assert not batch.failed.any(), batch.failures()

    q_end, v_end = np.asarray(batch.q)[:, 0], np.asarray(batch.v)[:, 0]
    own = 0.5 * MASS * (LENGTH * v_end) ** 2 - MASS * GRAVITY * LENGTH * (np.cos(q_end) - np.cos(q))
    work = potential(q, strength, below) - potential(q_end, strength, below)
    print(f"largest error of the energy: {np.abs(own - work).max():.1e} J")
    print(f"largest error of the work:   {np.abs(np.asarray(batch.work) - work).max():.1e} J")
    assert np.abs(own - work).max() < 1e-8 and np.abs(np.asarray(batch.work) - work).max() < 1e-8

    small = np.arange(n) % 2 == 1
    stiffness = strength * below / (MASS * LENGTH * (below - LENGTH) ** 3)
    rate = np.sqrt(GRAVITY / LENGTH + stiffness)[small]
    expected = 1e-3 * np.cos(rate * 2.0)
    print(f"largest error of small swings: {np.abs(q_end[small] - expected).max():.1e} rad")
    assert np.abs(q_end[small] - expected).max() < 1e-6


if __name__ == "__main__":
    main()
