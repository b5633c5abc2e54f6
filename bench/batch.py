"""Many machines at once: steps a second of all of them together, and how exact they are.

    python -m bench.batch [--device cpu|cuda] [--scene NAME ...] [--machines N] [--seconds 2] [--varied]

The scenes are those of `bench/batch_machines.py`: machines that move, with new random inputs every 20 ms. One second of
simulated time passes before the clock starts. Printed are steps a second, the share of machines that diverged or came
to rest, the mean speed, the largest difference to the CPU in one step from states of the run, |d| / (1 + |x|), by how
much loops are open, memory, of machines that touch what their contacts come to in another half second, and the time
until the first step is done, with and without a cache. On a CPU `mujoco.rollout` steps its own machines beside ours on
as many threads. With --varied masses and dampers differ from machine to machine. The last line is one JSON object.
"""

import argparse
import json
import subprocess
import sys
import time
from typing import Any, NamedTuple

import numpy as np

import gori
from bench.batch_machines import HOLD, SCENES, Scene
from bench.timing import commit, console, machine, show
from gori.kernels.codes import CONTACTS_FULL

MACHINES = {
    "cuda": {"arm": 131_072, "humanoid": 65_536, "humanoid_contacts": 32_768, "four_bar": 131_072, "stewart": 65_536,
             "vehicle_hard": 32_768, "vehicle_soft": 16_384, "vehicle_window": 65_536},
    "cpu": {"arm": 2048, "humanoid": 512, "humanoid_contacts": 256, "four_bar": 2048, "stewart": 256,
            "vehicle_hard": 128, "vehicle_soft": 32, "vehicle_window": 32},
}  # fmt: skip
"""so many, unless --machines says otherwise"""
COMPARED = 200
"""machines that are compared with the CPU"""
REST = 0.01
"""speed of a machine at rest, of all its joints in the mean"""
TOUCHING = 0.5
"""simulated time over which contacts are counted [s]"""
WARM = 1.0
"""simulated time before the clock starts [s]"""


class Figures(NamedTuple):
    """What one scene came to."""

    machines: int
    steps_per_s: float
    machine_seconds_per_s: float
    mean_speed: float
    diverged: float
    at_rest: float
    error: float
    loop_residual: float
    bytes_per_machine: int
    compile_s: float


class Touch(NamedTuple):
    """Contact of all machines of a scene, over half a second.

    contacts            points that bear a force, in the mean; contacts_solved: points that the solver has
    contacts_largest    of a machine, of these
    penetration         largest depth at the end of any hold [m]; penetration_mean: of the deepest point of each machine
    contacts_dropped    machines that stand still since they had more points than room; a point itself is never dropped
    """

    contacts_mean: float
    contacts_solved: float
    contacts_largest: int
    penetration: float
    penetration_mean: float
    contacts_dropped: int


class Levers:
    """Random inputs of all machines, drawn on the device where that can be done."""

    def __init__(self, scene: Scene, batch: Any, device: str):
        self._rng, self._numbers = np.random.default_rng(1), None
        if device == "cuda":
            try:
                import cupy  # type: ignore[import-not-found]

                self._rng, self._numbers = cupy.random.default_rng(1), cupy
            except ImportError:
                pass
        self._ranges = list(scene.inputs.values())
        self._arrays = [batch.inputs[name] for name in scene.inputs]
        if self._numbers is not None:
            self._arrays = [self._numbers.asarray(array) for array in self._arrays]
        self._count = len(batch)

    def draw(self) -> None:
        for array, (low, high) in zip(self._arrays, self._ranges):
            array[...] = low + (high - low) * self._rng.random(self._count)


def measure(scene: Scene, device: str, count: int, seconds: float, varied: bool) -> tuple[Figures, Touch | None]:
    """One scene on one device."""
    began = time.perf_counter()
    options: dict[str, Any] = {"parameters": parameters(scene, count)} if varied else {}
    batch = gori.batch(scene.model, count, scene.method, device=device, state=scene.state, loops=scene.loops,
                       contacts=scene.contacts, **options)  # fmt: skip
    for name, value in scene.settings.items():
        batch.inputs[name] = value
    batch.step()
    ready(batch)
    ready_s = time.perf_counter() - began
    levers = Levers(scene, batch, device)

    def simulate(duration: float) -> float:
        began = time.perf_counter()
        for _ in range(round(duration / HOLD)):
            levers.draw()
            batch.step(scene.steps_of_hold)
        ready(batch)
        return time.perf_counter() - began

    simulate(WARM)
    took = simulate(seconds)
    steps = count * round(seconds / HOLD) * scene.steps_of_hold
    speeds = np.abs(np.asarray(batch.v)[:, scene.measured]).mean(axis=1)
    failed = batch.failed
    touch = contact_of(scene, batch, levers) if scene.touches else None
    figures = Figures(
        count,
        steps / took,
        count * seconds / took,
        float(speeds[~failed].mean()),
        float(failed.mean()),
        float((speeds < REST).mean()),
        0.0 if varied else difference(scene, batch),
        open_by(scene, batch),
        batch.bytes_per_machine,
        ready_s,
    )
    return figures, touch


def contact_of(scene: Scene, batch: Any, levers: Levers) -> Touch:
    """What contact comes to while machines move on."""
    points, solved, depths = [], [], []
    head = batch._machines.array("data.contact_memory.head")
    for _ in range(round(TOUCHING / HOLD)):
        levers.draw()
        batch.step(scene.steps_of_hold)
        ready(batch)
        well = ~batch.failed
        points.append(np.asarray(batch.outputs["contact.points"])[well])
        solved.append(np.asarray(head["points"])[well])
        depths.append(np.fmax(-np.asarray(batch.outputs["contact.gap"])[well], 0.0))  # nan: nothing is near
    full = int((batch._machines.failures() == CONTACTS_FULL).sum())
    if not any(len(of_hold) for of_hold in points):  # all stand still
        return Touch(np.nan, np.nan, 0, np.nan, np.nan, full)
    return Touch(
        float(np.mean(np.concatenate(points))),
        float(np.mean(np.concatenate(solved))),
        int(np.max(np.concatenate(solved))),
        float(np.max(np.concatenate(depths))),
        float(np.mean(np.concatenate(depths))),
        full,
    )


def ready(batch: Any) -> None:
    """Wait until all machines are done."""
    _ = batch.time


def difference(scene: Scene, batch: Any) -> float:
    """Largest difference to the CPU after one more step, of some machines of the run."""
    well = np.flatnonzero(~batch.failed)
    some = np.random.default_rng(2).choice(well, min(COMPARED, len(well)), replace=False)
    alone = gori.batch(scene.model, len(some), scene.method, state=scene.state, loops=scene.loops)  # all have room
    for k, chosen in enumerate(some):
        alone.reset(k, batch.state(int(chosen)))
    for name in scene.inputs:
        alone.inputs[name][:] = np.asarray(batch.inputs[name])[some]
    alone.step()
    batch.step()
    pairs = [(np.asarray(batch.q)[some], alone.q), (np.asarray(batch.v)[some], alone.v)]
    return float(max((np.abs(one - other) / (1.0 + np.abs(other))).max() for one, other in pairs))


def open_by(scene: Scene, batch: Any) -> float:
    """By how much the loops of some machines are open [m, rad]."""
    if not scene.model.loops:
        return 0.0
    q, system = np.asarray(batch.q), scene.model.loop_system
    return float(max(np.abs(system.terms(q[k]).gap).max() for k in range(0, len(batch), max(1, len(batch) // 100))))


def parameters(scene: Scene, count: int) -> dict[str, np.ndarray]:
    """Masses that differ by up to a tenth, dampers by up to a half."""
    rng, spec, found = np.random.default_rng(3), scene.model.spec, {}
    for name, body in list(spec.bodies.items())[:4]:
        if body.mass:
            found[f"bodies.{name}.mass"] = body.mass * rng.uniform(0.9, 1.1, count)
        for shape, part in (body.shapes or {}).items():
            if density := getattr(part, "density", None):
                found[f"bodies.{name}.shapes.{shape}.density"] = density * rng.uniform(0.9, 1.1, count)
    for name, joint in list(spec.joints.items())[:4]:
        if isinstance(joint.damping, float) and joint.damping > 0.0:
            found[f"joints.{name}.damping"] = joint.damping * rng.uniform(0.5, 1.5, count)
    return found


def from_the_cache(arguments: argparse.Namespace, name: str) -> float:
    """Time until the first step in a new process [s]."""
    command = [sys.executable, "-m", "bench.batch", "--ready", "--device", arguments.device, "--scene", name]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return float(done.stdout.split()[-1])


def main() -> None:
    words = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    words.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    words.add_argument("--scene", "--scenes", dest="scene", nargs="+", choices=tuple(SCENES), default=tuple(SCENES))
    words.add_argument("--machines", type=int)
    words.add_argument("--seconds", type=float, default=2.0)
    words.add_argument("--varied", action="store_true")
    words.add_argument("--ready", action="store_true", help="only until the first step")
    arguments = words.parse_args()
    if arguments.ready:
        scene = SCENES[arguments.scene[0]]()
        began = time.perf_counter()
        batch = gori.batch(scene.model, 64, scene.method, device=arguments.device, state=scene.state, loops=scene.loops,
                           contacts=scene.contacts)  # fmt: skip
        batch.step()
        ready(batch)
        print(time.perf_counter() - began)
        return
    results: dict[str, Any] = {
        "device": arguments.device, "precision": "float64", "machine": machine(), "commit": commit(),
    }  # fmt: skip
    rows = []
    for name in arguments.scene:
        scene = SCENES[name]()
        count = arguments.machines or MACHINES[arguments.device][name]
        found, touch = measure(scene, arguments.device, count, arguments.seconds, arguments.varied)
        cached = from_the_cache(arguments, name)
        peer = mujoco_steps(scene, count) if arguments.device == "cpu" else None
        rows.append(
            [
                name, f"{count}", f"{found.steps_per_s:.3g}", "" if peer is None else f"{found.steps_per_s / peer:.2f}",
                f"{found.mean_speed:.2g}", f"{found.diverged:.1%}, {found.at_rest:.1%}", f"{found.error:.0e}",
                f"{found.loop_residual:.0e}", f"{found.bytes_per_machine / 1e3:.3g}",
                f"{found.compile_s:.0f}, {cached:.1f}",
            ]
        )  # fmt: skip
        print(f"{name}: {found.steps_per_s:.3g} steps/s; {found}", file=sys.stderr, flush=True)  # kept if it is stopped
        for key, value in found._asdict().items():
            results[f"{key}_{name}"] = value
        for key, value in ({} if touch is None else touch._asdict()).items():
            results[f"{key}_{name}"] = value
        if touch is not None:
            print(f"{name}: {touch}", file=sys.stderr, flush=True)
        results[f"cached_s_{name}"] = cached
        if peer is not None:
            results[f"mujoco_steps_per_s_{name}"] = peer
        if peer is not None and touch is not None:
            from bench.batch_mujoco import mujoco_contacts

            points, depth, deepest = mujoco_contacts(scene, count)
            found_there = {"contacts": points, "penetration_mean": depth, "penetration": deepest}
            print(f"{name}: MuJoCo {found_there}", file=sys.stderr, flush=True)
            results |= {f"mujoco_{key}_{name}": value for key, value in found_there.items()}
    columns = ["scene", "machines", "steps/s", "x MuJoCo", "speed", "diverged, at rest", "error", "open", "kB",
               "ready, cached [s]"]  # fmt: skip
    show(f"Many machines on a {arguments.device}, in float64", columns, rows)
    console.print(machine())
    print(json.dumps(results))


def mujoco_steps(scene: Scene, count: int) -> float | None:
    """Steps a second of `mujoco.rollout` on two threads; None where MuJoCo has no such machine."""
    from bench.batch_mujoco import TWINS, mujoco_rollout

    if scene.name not in TWINS:
        return None
    steps = round(1.0 / scene.step)
    seconds, _ = mujoco_rollout(scene, count, steps)
    return count * steps / seconds


if __name__ == "__main__":
    main()
