"""The period of a pendulum that swings to 90 degrees, by events, against its exact value.

A point mass on a rod of length L swings with the period T = 4 sqrt(L/g) K(m), m = sin^2(amplitude / 2), where K is the
complete elliptic integral of the first kind. At 90 degrees m is 1/2.
"""

from pathlib import Path

import numpy as np
from scipy.special import ellipk

import gori

model = gori.compile(gori.load(Path(__file__).parent / "pendulum.yaml"))
exact = 4.0 * np.sqrt(1.0 / 9.81) * ellipk(0.5)
print(f"exact period           {exact:.14f} s")

periods = {}
for method in (gori.RK4(step=1e-3), gori.Dopri5(rtol=1e-10, atol=1e-12)):
    # q falls through zero once in each period
    simulation = gori.Simulation(model, method, events={"bottom": gori.Event("pivot.q", when="falling")})
    recording = simulation.run(20.0)
    times = [time for name, time in simulation.event_log]
    periods[method.kind] = np.diff(times).mean()
    energy = recording["energy.total"]
    drift = np.abs(energy - energy[0]).max() / recording["energy.kinetic"].max()
    print(f"{method.kind:6} {len(times)} passages, {periods[method.kind]:.14f} s, energy drift {drift:.1e}")

assert np.isclose(exact, 2.36784194757624, rtol=1e-14)
assert abs(periods["rk4"] - exact) < 1e-9
assert abs(periods["dopri5"] - exact) < 1e-8
