"""Simulation in time: steps per second, Gori against MuJoCo on the same machines in the same run, contacts off.

Both start from the same state and are compared after a quarter of a second before anything is timed.
"""

import tempfile
from pathlib import Path

import numpy as np

import gori
from bench.machines import humanoid_path
from bench.mujoco_peer import Peer, mujoco
from bench.timing import finish, machine, race, show

ROOT = Path(__file__).parent.parent
STEP = 1e-3
METHODS = {"rk4": "RK4", "semi_implicit": "Euler"}


def pendulum() -> gori.Model:
    return gori.compile(
        gori.Spec(
            bodies={"rod": gori.spec.Body(mass=1, com=(0, 0, -0.5), inertia=(0.08, 0.08, 0.001))},
            joints={"pivot": gori.spec.Joint(type="revolute", parent="ground", child="rod", axis=(0, 1, 0), q=1.0)},
        )
    )


def arm() -> gori.Model:
    return gori.compile(gori.load(ROOT / "examples" / "arm.yaml"))


def humanoid() -> gori.Model:
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        spec = gori.load(humanoid_path(), base="free")
    for name, joint in spec.joints.items():  # joint friction is solved by different laws in the two programs
        if any(joint.friction):
            spec = spec.set(f"joints.{name}.friction", 0.0)
    return gori.compile(spec, open_loops=True)


def same_motion(model: gori.Model, method: str, peer: Peer) -> None:
    simulation = gori.Simulation(model, {"type": method, "step": STEP})
    end = simulation.step(250)
    peer.reset()
    peer.run(250)
    for info in model.joints:
        ours, theirs = end.q[info.q], peer.q(info.name)
        if info.type == "free":
            theirs = theirs * np.array([np.sign(theirs[0] * ours[0])] * 4 + [1.0] * 3)
        error = np.abs(ours - theirs).max()
        if not error < (1e-6 if method == "rk4" else 2e-3):
            raise SystemExit(
                f"{method}, joint {info.name}: the motions differ by {error:.1e}; times would mean nothing"
            )


def main() -> None:
    figures: dict[str, float] = {}
    rows: list[list] = []
    for label, make in (("pendulum", pendulum), ("arm", arm), ("humanoid", humanoid)):
        model = make()
        worst = np.inf
        for method, integrator in METHODS.items():
            peer = Peer(model, STEP, integrator)
            same_motion(model, method, peer)
            steps = 2000
            simulation = gori.Simulation(model, {"type": method, "step": STEP})
            start = simulation.state

            def ours(simulation=simulation, start=start, steps=steps):
                simulation.state = start
                simulation.step(steps)

            def theirs(peer=peer, steps=steps):
                peer.reset()
                peer.run(steps)

            times = race({"gori": ours, "mujoco": theirs}, seconds=1.5)
            ratio = times["mujoco"] / times["gori"]
            worst = min(worst, ratio)
            rows.append([f"{label}, {method}", steps / times["gori"], steps / times["mujoco"], ratio])
        figures[f"speedup_mujoco_{label}"] = worst
    show(f"Steps per second, step {STEP} s: Gori {gori.__version__} and MuJoCo {mujoco.__version__}. {machine()}",
         ["case", "gori", "mujoco", "speedup"], rows)  # fmt: skip

    model = arm()
    with tempfile.TemporaryDirectory() as folder:
        simulation = gori.Simulation(model, {"type": "rk4", "step": STEP})
        start = simulation.state

        def run(path=None):
            simulation.state = start
            simulation.run(400.0, sample=10 * STEP, path=path, overwrite=True, progress=False)

        times = race({"plain": run, "file": lambda: run(Path(folder) / "run.h5")}, seconds=6.0, rounds=5)
    figures["record_overhead_percent"] = 100.0 * (times["file"] / times["plain"] - 1.0)
    show("Recording to a file, the arm with RK4, one sample every ten steps, 400 s", ["case", "s"],
         [[name, seconds] for name, seconds in times.items()])  # fmt: skip
    finish(figures)


if __name__ == "__main__":
    main()
