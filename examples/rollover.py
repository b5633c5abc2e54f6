"""A truck turns over and comes to rest on its roof, on hard ground and on sand; and it is dropped from 3 m.

Hull, arms and lying wheels touch the ground; in sand they sink in and leave ruts.

Run: python examples/rollover.py
"""

import warnings

import numpy as np

import gori
from gori import vehicle

SAND = {"soil": gori.soil("lete_sand"), "at": [-6, -6], "size": [14, 12], "cell": 0.05}


def fall(roll, height, turning, terrain, seconds=5.0):
    """A run: rolled by an angle [rad], the chassis at a height [m], turning about its long axis [rad/s]."""
    model = gori.compile(vehicle.spec("hmmwv", set={"contact": {"friction": 0.6}}, terrain=terrain))
    q, v = model.q0.copy(), np.zeros(model.nv)
    q[:4], q[6], v[0] = [np.cos(0.5 * roll), np.sin(0.5 * roll), 0.0, 0.0], height, turning
    simulation = gori.Simulation(model, gori.Adams(step=1e-3, order=2), state=model.state().replace(q=q, v=v))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", gori.errors.EnergyWarning)  # blows of wheels on the ground, 0.2 %
        return simulation, simulation.run(seconds, sample=0.01)


def told(name, rec):
    energy = rec["energy.total"]
    print(f"{name}: energy {energy[0] / 1e3:.1f} kJ at the start, {energy[-1] / 1e3:.1f} kJ at the end", end="")
    print(f", deepest point {-1e3 * np.nanmin(rec['contact.gap']):.0f} mm")
    assert energy.max() <= energy[0] + 1.0, "contact may not add energy"


def main() -> None:
    """Start on its side, in the air and turning; check where and how it comes to rest."""
    simulation, rec = fall(np.radians(100.0), 1.9, 3.5, None)
    told("on hard ground", rec)
    points = simulation.model.contacts(simulation.state.q)
    for point in points:
        print(f"  {point.a} at {point.position.round(2)}, {-1e3 * point.gap:.1f} mm deep")
    assert np.abs(simulation.state.v).max() < 0.05, "it should have come to rest"
    assert {point.a for point in points} == {"truck.chassis.cab"}, "it should lie on its roof"
    assert max(-point.gap for point in points) < 0.05, "it should lie on the ground, not in it"

    simulation, rec = fall(np.radians(100.0), 1.9, 3.5, {"soft": SAND})
    told("on sand", rec)
    cells = simulation.state.vehicle["cells"]
    up = simulation.model.forward_kinematics(simulation.state.q)["truck.chassis"][2, 2]
    print(f"  {len(cells)} cells pressed in by up to {1e3 * cells['z_max'].max():.0f} mm")
    assert np.abs(simulation.state.v[:6]).max() < 0.1 and up < -0.8, "it should lie on its roof"

    for name, terrain in (("hard ground", None), ("sand", {"soft": SAND})):
        simulation, rec = fall(0.0, 3.5, 0.0, terrain)
        told(f"dropped onto {name}", rec)
        up = simulation.model.forward_kinematics(simulation.state.q)["truck.chassis"][2, 2]
        assert np.abs(simulation.state.v[:6]).max() < 0.1 and up > 0.98, "it should stand on its wheels"


if __name__ == "__main__":
    main()
