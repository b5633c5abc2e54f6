"""A force of one's own, in plain Python and compiled by Numba: air drag and a push on a pendulum.

The plain function f(t, q, v) gives the joint forces; the compiled one f(t, q, v, tau) adds to them in place, and runs
inside the compiled loop without Python.
"""

import time
from pathlib import Path

import numba
import numpy as np

import gori

model = gori.compile(gori.load(Path(__file__).parent / "pendulum.yaml"))


def drag(t, q, v):
    push = 2.0 if t < 0.5 else 0.0
    return np.array([push - 0.3 * v[0] * abs(v[0])])


@numba.njit
def drag_compiled(t, q, v, tau):
    push = 2.0 if t < 0.5 else 0.0
    tau[0] += push - 0.3 * v[0] * abs(v[0])


def motion(force):
    simulation = gori.Simulation(model, gori.RK4(step=1e-3), forces=force)
    simulation.step()  # compiles what is not compiled yet
    simulation.state = gori.State(0.0, model.q0, model.v0, np.zeros(0))
    start = time.perf_counter()
    recording = simulation.run(10.0)
    return recording, time.perf_counter() - start


plain, plain_seconds = motion(drag)
compiled, compiled_seconds = motion(drag_compiled)
free, _ = motion(None)
print(f"plain Python {plain_seconds:.3f} s, compiled {compiled_seconds:.3f} s")
print(f"amplitude after 5 s: {np.abs(free.q[500:]).max():.3f} rad without drag, {np.abs(plain.q[500:]).max():.3f} with")

assert np.allclose(plain.q, compiled.q, rtol=0.0, atol=1e-12)
assert np.allclose(plain.v, compiled.v, rtol=0.0, atol=1e-12)
assert np.abs(plain.q[500:]).max() < 0.8 * np.abs(free.q[500:]).max()
