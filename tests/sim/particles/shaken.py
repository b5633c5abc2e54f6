"""A run with all that grains can do, for tests that kill it: `python -m tests.sim.particles.shaken PATH` records it."""

import sys

import gori

DURATION, STEP, FRAMES = 0.6, 1e-3, 0.02


def shaken(seed: int = 1) -> gori.Spec:
    """A tray on a spring, pushed, with grains of two sizes; more come in, and those that miss it go out."""
    contact = {"restitution": 0.5, "friction": 0.4, "rolling_friction": 0.1}
    tray = {"type": "box", "size": [0.14, 0.1, 0.05], "hollow": True, "open": ["z+"], "material": "steel"}
    slide = {"type": "prismatic", "parent": "ground", "child": "tray"}
    return gori.Spec(
        materials={"steel": {"E": 2.1e11, "nu": 0.3}, "grain": {"E": 1e6, "density": 2500.0}},
        contacts={"grain/grain": contact, "grain/steel": contact},
        bodies={"tray": {"mass": 2.0, "inertia": [0.1, 0.1, 0.1], "shapes": {"bin": tray}}},
        joints={"slide": slide | {"axis": [1, 0, 0], "stiffness": 2e3}},
        forces={"push": {"type": "force", "joint": "slide", "value": "15*sin(20*t)"}},
        particles={"load": {"material": "grain", "radius": [[0.004, 2], [0.005, 1]],
                            "fill": {"shape": "tray.bin", "count": 400, "packing": "poured", "seed": seed}}},
        inlets={"feeder": {"material": "grain", "radius": 0.004, "box": {"at": [0, 0, 0.15], "size": [0.2, 0.05, 0.05]},
                           "rate": 300.0, "start": 0.02, "seed": 2}},
        outlets={"missed": {"below": -0.04}},
    )  # fmt: skip


def simulation(**options) -> gori.Simulation:
    return gori.Simulation(gori.compile(shaken()), gori.RK4(step=STEP), **options)


if __name__ == "__main__":
    simulation().run(DURATION, sample=2e-3, path=sys.argv[1], frames=FRAMES, progress=False)
