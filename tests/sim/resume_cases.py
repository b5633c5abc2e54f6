"""Runs that are saved half-way and taken up by another process: `python -m tests.sim.resume_cases FOLDER` does that.

Each case is a function that makes its Simulation, from a State if one is given; and two durations [s].
"""

import pickle
import sys
from collections.abc import Callable
from pathlib import Path

import gori
from bench.mechanisms import four_bar

METHODS = {
    "rk4": gori.RK4(step=1e-3),
    "adams": gori.Adams(step=1e-3),
    "dopri5": gori.Dopri5(rtol=1e-8, atol=1e-10),
    "generalized_alpha": gori.GeneralizedAlpha(step=1e-3),
    "radau5": gori.Radau5(rtol=1e-8, atol=1e-10),
}
Case = tuple[Callable[..., gori.Simulation], float, float]


def arm(method) -> Callable[..., gori.Simulation]:
    model = gori.compile(gori.load("examples/arm.yaml"))
    joint = model.joint_names[1]
    events = {"passing": gori.Event(f"{joint}.q - {model.q0[1] + 0.05}")}
    return lambda **options: gori.Simulation(model, method, events=events, **options)


def free_four_bar(method, speed: float = 1.5) -> Callable[..., gori.Simulation]:
    """A square four-bar under gravity; fast enough it swings through the pose in which all its bars are in line."""
    spec = four_bar()
    for name, sign in (("foot0", -1), ("foot1", -1), ("elbow1", 1)):
        spec = spec.set(f"joints.{name}.v", sign * speed)
    model = gori.compile(spec)
    return lambda **options: gori.Simulation(model, method, **options)


def sand() -> Callable[..., gori.Simulation]:
    """The vehicle on dry sand, its speed held by a driver."""
    from gori.manoeuvre.drivers import HoldSpeed
    from tests.vehicle.trucks import soft, truck

    model = truck(soft())
    method = gori.Adams(step=1e-3, order=2)

    def make(state=None):
        state = gori.at_rest(model, speed=3.0) if state is None else state
        return gori.Simulation(model, method, state=state, driver=HoldSpeed(3.0))

    return make


def tray() -> Callable[..., gori.Simulation]:
    """Particles of two sizes in a shaken tray, with an inlet and an outlet."""
    from tests.sim.particles.shaken import simulation

    return simulation


def cases() -> dict[str, Case]:
    found: dict[str, Case] = {f"arm {name}": (arm(method), 0.2, 0.3) for name, method in METHODS.items()}
    found |= {f"four-bar {name}": (free_four_bar(method), 0.2, 0.3) for name, method in METHODS.items()}
    found |= {f"four-bar through a singular pose {name}": (free_four_bar(METHODS[name], 6.0), 0.25, 0.3)
              for name in ("rk4", "dopri5", "radau5")}  # fmt: skip
    return found | {"vehicle on sand": (sand(), 0.4, 0.4), "tray with an inlet": (tray(), 0.1, 0.1)}


def take_up(folder: Path) -> None:
    """Go on from all States in a folder; the digests at the end, line by line."""
    made = cases()
    for file in sorted(folder.iterdir()):
        name = file.stem.replace("_", " ")
        state = gori.State.load(file) if file.suffix == ".npz" else pickle.loads(file.read_bytes())
        make, _, more = made[NAMES[name]]
        simulation = make(state=state)
        simulation.run(more, progress=False)
        print(f"{file.name} {simulation.state.digest()}", flush=True)


NAMES = {name.replace("_", " "): name for name in cases()} if __name__ == "__main__" else {}

if __name__ == "__main__":
    take_up(Path(sys.argv[1]))
