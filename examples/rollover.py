"""A truck turns over and comes to rest on its roof: hull, arms and lying wheels touch the ground.

Run: python examples/rollover.py
"""

import warnings

import numpy as np

import gori
from gori import vehicle


def main() -> None:
    """Start on its side, in the air and turning; check where and how it comes to rest."""
    model = gori.compile(vehicle.spec("hmmwv", set={"contact": {"friction": 0.6}}))
    q, v = model.q0.copy(), np.zeros(model.nv)
    roll = np.radians(100.0)
    q[:4], q[6] = [np.cos(0.5 * roll), np.sin(0.5 * roll), 0.0, 0.0], 1.9
    v[0] = 3.5  # turning about its long axis [rad/s]

    state = model.state().replace(q=q, v=v)
    simulation = gori.Simulation(model, gori.Adams(step=1e-3, order=2), state=state)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", gori.errors.EnergyWarning)  # blows of wheels on the ground, 0.2 %
        rec = simulation.run(5.0, sample=0.01)

    energy = rec["energy.total"]
    points = model.contacts(simulation.state.q)
    print(f"energy {energy[0] / 1e3:.1f} kJ at the start, {energy[-1] / 1e3:.1f} kJ at the end")
    print(f"deepest point {-1e3 * np.nanmin(rec['contact.gap']):.0f} mm; at rest {len(points)} points:")
    for point in points:
        print(f"  {point.a} at {point.position.round(2)}, {-1e3 * point.gap:.1f} mm deep")

    assert energy.max() == energy[0], "contact may not add energy"
    assert np.abs(simulation.state.v).max() < 0.05, "it should have come to rest"
    assert {point.a for point in points} == {"truck.chassis.cab"}, "it should lie on its roof"
    assert max(-point.gap for point in points) < 0.05, "it should lie on the ground, not in it"


if __name__ == "__main__":
    main()
