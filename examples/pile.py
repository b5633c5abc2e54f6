"""A heap of boxes and balls falls on the floor and comes to rest: contact by impulses, with steps of 10 ms.

Assumed: rigid bodies of density 1000 kg/m3, friction 0.6, no rebound. Try: python examples/pile.py --count 200
"""

import argparse
import time

import numpy as np

import gori

STEEL = {"material": "steel", "collide": True}


def heap(count: int) -> gori.Spec:
    """Boxes and balls in turn, in layers of nine, turned at random, above a floor."""
    rng = np.random.default_rng(1)
    bodies: dict = {"ground": {"shapes": {"floor": {"type": "plane", **STEEL}}}}
    joints: dict = {}
    for k in range(count):
        shape = (
            {"type": "sphere", "radius": 0.05}
            if k % 2
            else {"type": "box", "size": rng.uniform(0.07, 0.11, 3).tolist()}
        )
        turn = rng.normal(size=4)
        place = [0.13 * (k % 3), 0.13 * (k // 3 % 3), 0.1 + 0.13 * (k // 9)]
        bodies[f"body_{k}"] = {"shapes": {"solid": {**shape, "density": 1000.0, **STEEL}}}
        q = [*(turn / np.linalg.norm(turn)).tolist(), *place]
        joints[f"free_{k}"] = {"type": "free", "parent": "ground", "child": f"body_{k}", "q": q}
    contacts = {"steel/steel": {"friction": 0.6, "restitution": 0.0}}
    parts = {"materials": {"steel": {"E": 2e11}}, "contacts": contacts, "bodies": bodies, "joints": joints}
    return gori.Spec.model_validate({"gori": 1, **parts})


def main() -> None:
    asked = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    asked.add_argument("--count", type=int, default=60)
    count = asked.parse_args().count
    model = gori.compile(heap(count))
    simulation = gori.Simulation(model, gori.TimeStepping(step=5e-3))
    simulation.step()  # compile
    start = time.perf_counter()
    rec = simulation.run(8.0, progress=False)
    seconds = time.perf_counter() - start
    depth = -min((point.gap for point in model.contacts(simulation.q)), default=0.0)
    boxes = np.abs(simulation.v.reshape(-1, 6)[::2]).max()
    energy = rec["energy.total"]
    print(f"{count} bodies, 8 s in {seconds:.2f} s: {8.0 / seconds:.0f} times faster than real time")
    print(f"contact points {rec['contact.points'][-1]:.0f}, deepest {depth * 1e6:.1f} um")
    print(f"fastest box {boxes:.1e} m/s or rad/s; energy {energy[0]:.1f} -> {energy[-1]:.1f} J, never above its start")
    assert depth < 1e-4 and boxes < 1e-3 and energy.max() <= energy[0] * (1.0 + 1e-9)


if __name__ == "__main__":
    main()
