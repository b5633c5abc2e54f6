"""What is run: a tree, a loop, a vehicle on soft soil, particles, and contact, a second or two of wall time each.

A case begins its run in a file, or takes it up from there. Its print is a hash of all that was recorded and of the
State at the end: two runs with the same print are the same run to the last bit.
"""

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import gori
from gori.record import read_checkpoint
from soak import contact_cases

ROOT = Path(__file__).parent.parent


class Case(NamedTuple):
    """duration and time between samples [s]; `programs` are made anew for each run, as a driver remembers.
    adaptive: its method chooses steps, and does not take single ones.
    """

    simulation: Callable[[], gori.Simulation]
    duration: float
    sample: float
    programs: Callable[[], dict[str, Any]] = dict
    adaptive: bool = False

    def begin(self, path: Path) -> None:
        self.simulation().run(self.duration, self.sample, path, progress=False, overwrite=True)

    def resume(self, path: Path) -> None:
        gori.Simulation.resume(path, progress=False, **self.programs())


def cases() -> dict[str, Case]:
    return {
        "tree": _tree(), "loop": _loop(), "soft soil": _soft_soil(), "particles": _particles(),
        "impulses": Case(contact_cases.impulses, 12.0, 1e-2),
        "penalty": Case(contact_cases.penalty, 30.0, 1e-2, adaptive=True),
        "impacts": Case(contact_cases.impacts, 2.0, 2e-3, adaptive=True),
    }  # fmt: skip


def _tree() -> Case:
    model = gori.compile(gori.load(ROOT / "examples" / "arm.yaml"))
    joint = model.joint_names[1]
    event = {"passing": gori.Event(f"{joint}.q - {model.q0[1] + 0.05}")}
    return Case(lambda: gori.Simulation(model, gori.RK4(step=2e-5), events=event), 6.0, 2e-3, lambda: {"events": event})


def _loop() -> Case:
    model = gori.compile(gori.load(ROOT / "examples" / "four_bar.yaml"))
    return Case(lambda: gori.Simulation(model, gori.Dopri5(rtol=1e-9), loops="multipliers"), 60.0, 1e-2, adaptive=True)


def _soft_soil() -> Case:
    from gori import vehicle
    from gori.manoeuvre import HoldSpeed

    ground = {"soft": {"soil": gori.soil("dry_sand"), "at": [-5.0, -3.0], "size": [60.0, 6.0], "cell": 0.05}}
    model = gori.compile(vehicle.spec("hmmwv", terrain=ground))
    start = gori.at_rest(model, speed=3.0)
    method = gori.Adams(step=1e-3, order=2)
    return Case(
        lambda: gori.Simulation(model, method, state=start, driver=HoldSpeed(3.0)),
        12.0,
        5e-3,
        lambda: {"driver": HoldSpeed(3.0)},
    )


def _particles() -> Case:
    spec = gori.load(ROOT / "examples" / "tray.yaml").set("particles.load.fill.count", 300)
    model = gori.compile(spec)
    return Case(lambda: gori.Simulation(model, gori.RK4(step=1e-3)), 0.6, 5e-3)


def print_of(path: Path) -> str:
    """Of a run that has come to its end."""
    recording, state = gori.Recording.load(path), read_checkpoint(path)
    if state is None or not recording.info["complete"]:
        return f"not complete: {recording.info['end']}"
    digest = hashlib.sha256(state.digest().encode())
    for array in (recording.time, recording.q, recording.v, recording.z, *recording.extra.values()):
        digest.update(repr(array.shape).encode() + array.tobytes())
    digest.update(
        json.dumps([recording.info[name] for name in ("events", "steps", "impacts") if name in recording.info]).encode()
    )
    if (frames := path.with_name(f"{path.stem}.particles.h5")).exists():
        from gori.record import Frames

        for frame in Frames(frames):
            digest.update(frame.spheres.tobytes() + frame.velocity.tobytes())
    return digest.hexdigest()
