"""Gori's own part of every bench, without peers: seconds of each case, as one JSON object on the last line.

python bench/own_times.py [CASE ...]    cases: tree simulate implicit loops vehicle particles start; all by default

Run by `bench/before_after.py` in the folder of each checkout, whose own modules it takes: it uses only names that old
and new ones have.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np

ROUNDS, SECONDS = 7, 0.35
"""of each case: the best of so many rounds, of so many seconds together"""
LOOP_STEPS = {"four_bar": 1e-2, "n_four_bar_40": 1e-2, "andrews": 3.125e-4, "bricard": 1e-2, "stewart": 1e-2}
"""steps with which `bench.loops` times Gori [s]"""
SIZES = (10, 50, 200)
"""links of the implicit chains"""

Cases = dict[str, Callable[[], float]]


def best(run: Callable[[], object]) -> float:
    """Seconds per call."""
    run()
    start = time.perf_counter()
    run()
    count = max(1, int(SECONDS / ROUNDS / max(time.perf_counter() - start, 1e-7)))
    times = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        for _ in range(count):
            run()
        times.append((time.perf_counter() - start) / count)
    return min(times)


def humanoid_file() -> Path | None:
    """Talos: $GORI_HUMANOID, or of example-robot-data; None if it is not installed."""
    from bench.machines import humanoid_path

    if "GORI_HUMANOID" in os.environ:
        return Path(os.environ["GORI_HUMANOID"])
    try:
        return humanoid_path()
    except SystemExit:
        return None


def tree() -> dict[str, float]:
    import gori
    from bench.machines import chain_urdf, load_urdf

    gori.threads(1)
    found, machines = {}, {}
    with tempfile.TemporaryDirectory() as folder:
        for links in (7, 30, 100):
            path = Path(folder) / f"chain{links}.urdf"
            path.write_text(chain_urdf(links))
            machines[str(links)] = load_urdf(path)
    if (path := humanoid_file()) is not None:
        machines["humanoid"] = load_urdf(path, "free")
    for label, model in machines.items():
        rng, count = np.random.default_rng(3), 256 if model.nv < 100 else 64
        q, v, tau = model.random(rng, count), rng.normal(size=(count, model.nv)), rng.normal(size=(count, model.nv))
        found[f"aba batch {label}"] = best(lambda m=model, a=(q, v, tau): m.forward_dynamics(*a))
        found[f"rnea batch {label}"] = best(lambda m=model, a=(q, v, tau): m.inverse_dynamics(*a))
        found[f"crba batch {label}"] = best(lambda m=model, q=q: m.mass_matrix(q))
        found[f"derivatives batch {label}"] = best(lambda m=model, a=(q, v, tau): m.derivatives(*a))
        found[f"transposed batch {label}"] = best(lambda m=model, a=(q, v, tau, v): m.transposed_derivatives(*a))
        found[f"aba single {label}"] = best(lambda m=model, a=(q[0], v[0], tau[0]): m.forward_dynamics(*a))
    return found


def simulate() -> dict[str, float]:
    import gori

    models = {"arm": gori.compile(gori.load("examples/arm.yaml"))}
    models["pendulum"] = gori.compile(
        gori.Spec.model_validate(
            {
                "bodies": {"rod": {"mass": 1, "com": (0, 0, -0.5), "inertia": (0.08, 0.08, 0.001)}},
                "joints": {
                    "pivot": {"type": "revolute", "parent": "ground", "child": "rod", "axis": (0, 1, 0), "q": 1}
                },
            }
        )
    )
    if (path := humanoid_file()) is not None:
        spec = gori.load(path, base="free")
        for name, joint in spec.joints.items():
            if any(joint.friction):
                spec = spec.set(f"joints.{name}.friction", 0.0)
        models["humanoid"] = gori.compile(spec, open_loops=True)
    found = {}
    for label, model in models.items():
        for method in ("rk4", "semi_implicit"):
            simulation = gori.Simulation(model, {"type": method, "step": 1e-3})
            start = simulation.state

            def run(simulation=simulation, start=start):
                simulation.state = start
                simulation.step(1000)

            found[f"{label} {method}"] = best(run)
        simulation = gori.Simulation(model, {"type": "rk4", "step": 1e-3})
        found[f"{label} single steps"] = best(simulation.step)
    return found


def implicit() -> dict[str, float]:
    from bench.chains import chain
    from bench.implicit import STRATEGIES, Runner

    found = {}
    for links in SIZES:
        model = chain(links, "alternating", 200.0, 2.0)
        for name, strategy in STRATEGIES.items():
            runner = Runner(model, strategy)
            for _ in range(5 if links < 100 else 3):
                runner.run(200 if links < 100 else 40)
            found[f"{name}, {links} links"] = runner.seconds
    return found


def loops() -> dict[str, float]:
    from bench.loops_gori import run, us_per_step

    found = {name: min(run(name, step)[1] for _ in range(ROUNDS)) for name, step in LOOP_STEPS.items()}
    return found | {f"row of {n} squares": 1e-6 * us_per_step(n) for n in (5, 40)}


def vehicle() -> dict[str, float]:
    from bench.vehicle import cases, one_by_one

    made = cases()
    found = {name: min(made[name].seconds() for _ in range(ROUNDS)) for name in ("bump", "drivetrain", "soft_soil")}
    return found | {"single steps": 1e-6 * float(np.median(one_by_one(made["drivetrain"], 1500)))}


def particles() -> dict[str, float]:
    from bench.particles import COUNTS, Ours, settled_box

    found = {}
    for count in COUNTS.values():
        if count > 100_000 and not Path(f"out/bench/settled_{count}.npz").exists():
            continue  # settling takes minutes: `bench.particles` does it
        ours = Ours(*settled_box(count, 2), 2, 200)
        ours.round(ROUNDS)
        found[f"{count} spheres"] = ours.best
    return found


def start() -> dict[str, float]:
    script = (
        "import gori, numpy as np; m = gori.compile(gori.load('examples/arm.yaml'));"
        "m.forward_dynamics(np.array(m.q0), np.zeros(m.nv), np.zeros(m.nv))"
    )
    times = []
    for _ in range(4):
        begun = time.perf_counter()
        subprocess.run([sys.executable, "-c", script], check=True)
        times.append(time.perf_counter() - begun)
    return {"new process, kernels cached": min(times)}


CASES: dict[str, Callable[[], dict[str, float]]] = {
    "tree": tree, "simulate": simulate, "implicit": implicit, "loops": loops,
    "vehicle": vehicle, "particles": particles, "start": start,
}  # fmt: skip


def main() -> None:
    warnings.simplefilter("ignore")
    sys.path.insert(0, str(Path.cwd()))
    found = {}
    for name in sys.argv[1:] or CASES:
        found |= {f"{name}: {case}": seconds for case, seconds in CASES[name]().items()}
    print(json.dumps(found))


if __name__ == "__main__":
    main()
