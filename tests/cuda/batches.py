"""Batches on a GPU against Simulations on the CPU: `python -m tests.cuda.batches [CASE ...]`, on a machine with a GPU.

Elsewhere the same programs run on the host (`tests/sim/batch/test_cuda.py`). A vehicle compiles for a minute.
"""

import math
import sys
import time
from collections.abc import Callable

import numpy as np

import gori
from gori.sim.batch import Batch
from tests.sim.batch.machines import H, arm, balls, four_bar, heap, pendulum, speeds

COUNT = 1000


def steps(model: gori.Model, method: gori.SemiImplicit | gori.RK4 | gori.Adams, bound: float) -> None:
    """Machines of different velocities, a thousand steps."""
    batch, v = gori.batch(model, COUNT, method, device="cuda"), speeds(model, COUNT)
    batch.v.set(v)
    batch.step(1000)
    q, failed = np.asarray(batch.q), batch.failed
    assert not failed.any()
    for k in (0, 17, COUNT - 1):
        run = gori.Simulation(model, method, state=model.state().replace(v=v[k]))
        run.step(1000)
        difference = (np.abs(q[k] - run.q) / (1.0 + np.abs(run.q))).max()
        assert difference < bound, difference


def trees() -> None:
    """An arm, and all elements of a tree."""
    for method in (gori.SemiImplicit(step=H), gori.RK4(step=H), gori.Adams(step=H)):
        steps(arm(), method, 1e-9)
    steps(pendulum(), gori.SemiImplicit(step=H), 1e-9)


def loops() -> None:
    """A four-bar by multipliers."""
    steps(four_bar(), gori.SemiImplicit(step=H), 1e-9)


def places() -> None:
    """A machine has the same bits in batches of 1, 100 and 100,000, wherever it stands, run after run."""
    model, v, found = arm(), speeds(arm(), 1)[0], []
    for count, place in ((1, 0), (100, 63), (100_000, 0), (100_000, 99_999), (100_000, 31)):
        batch = gori.batch(model, count, gori.SemiImplicit(step=H), device="cuda")
        all_of_them = np.tile(0.5 * v, (count, 1))
        all_of_them[place] = v
        batch.v.set(all_of_them)
        batch.step(200)
        found.append(np.asarray(batch.q)[place])
    assert all(np.array_equal(q, found[0]) for q in found)


def faults() -> None:
    """A NaN stays where it was put; more machines than fit are refused with their number."""
    batch = gori.batch(arm(), COUNT, gori.SemiImplicit(step=H), device="cuda")
    batch.v[17].set(np.nan)
    batch.step(10)
    assert np.flatnonzero(batch.failed).tolist() == [17] and np.isfinite(np.delete(np.asarray(batch.q), 17, 0)).all()
    batch.reset([17])
    batch.step(10)
    assert not batch.failed.any()
    try:
        gori.batch(arm(), 1_000_000_000, device="cuda")
    except gori.errors.InputError as error:
        assert "machines would fit" in str(error)
    else:
        raise AssertionError("a billion machines fit")


def parameters() -> None:
    """Masses and lengths that differ."""
    model, rng, n = pendulum(), np.random.default_rng(2), 500
    given = {
        "bodies.lower.mass": rng.uniform(0.5, 2.0, n),
        "joints.elbow.at": np.column_stack([np.zeros((n, 2)), rng.uniform(-1.2, -0.8, n)]),
    }
    batch = gori.batch(model, n, gori.SemiImplicit(step=H), parameters=given, device="cuda")
    batch.step(300)
    for k in (0, n - 1):
        spec = model.spec.set({path: values[k].tolist() for path, values in given.items()})
        run = gori.Simulation(gori.compile(spec), gori.SemiImplicit(step=H))
        run.step(300)
        assert np.abs(np.asarray(batch.q)[k] - run.q).max() < 1e-11


def vehicles() -> None:
    """Vehicles on hard ground, with throttles of their own, for a second."""
    model = gori.compile(gori.vehicle.spec("hmmwv"))
    state = gori.at_rest(model, speed=5.0)
    batch = gori.batch(model, 64, gori.SemiImplicit(step=H), state=state, device="cuda")
    batch.inputs["truck.selector"] = "D"
    batch.inputs["truck.throttle"] = np.linspace(0.0, 1.0, 64)
    batch.step(1000)
    assert not batch.failed.any()
    for k in (0, 63):
        run = gori.Simulation(model, gori.SemiImplicit(step=H), state=state)
        run.inputs["truck.selector"], run.inputs["truck.throttle"] = "D", k / 63
        run.step(1000)
        assert np.abs(np.asarray(batch.q)[k] - run.q).max() < 1e-6


def vehicles_differ() -> None:
    """Masses, tyres and friction of the ground of their own, and other ones after a reset."""
    spec, n = gori.vehicle.spec("hmmwv"), 64
    model, rng = gori.compile(spec), np.random.default_rng(3)
    state = gori.at_rest(model, speed=5.0)
    parameters = {
        "bodies.truck.chassis.mass": rng.uniform(2000.0, 2600.0, 2 * n),
        "wheels.truck.wheel_fl.tyre.damping": rng.uniform(100.0, 900.0, 2 * n),
        "forces.truck.spring_fl.stiffness": rng.uniform(150e3, 180e3, 2 * n),
        "terrain.friction": rng.uniform(0.3, 0.9, 2 * n),
    }
    batch = gori.batch(model, n, gori.SemiImplicit(step=H), state=state, parameters=parameters, device="cuda")
    for first in (0, n):
        batch.assign(first + np.arange(n))
        batch.reset()
        drive_and_compare(batch, state, 1e-6)


def soft_soil() -> None:
    """Soils of their own in a window around the wheels, against Simulations; and the window against the whole grid."""
    soft = {"soil": gori.soil("lete_sand"), "at": (-4.0, -5.0), "size": (40.0, 10.0)}
    models = [
        gori.compile(gori.vehicle.spec("hmmwv", terrain={"soft": soft | x})) for x in ({}, {"window": (4.0, 3.0)})
    ]
    states, n = [gori.at_rest(model) for model in models], 64
    cohesion = {"terrain.soft.soil.cohesion": np.random.default_rng(4).uniform(500.0, 8000.0, 2 * n)}
    whole, small = (
        gori.batch(model, n, gori.SemiImplicit(step=H), state=state, parameters=cohesion, device="cuda")
        for model, state in zip(models, states)
    )
    print(f"bytes of a vehicle: {whole.bytes_per_machine} with the whole grid, {small.bytes_per_machine} with a window")
    drive_and_compare(small, states[1], 1e-6)
    small.assign(n + np.arange(n))
    start = time.perf_counter()
    small.reset()
    assert not np.asarray(small.soil_forgotten).any()
    print(f"reset of {n} vehicles: {1e3 * (time.perf_counter() - start):.1f} ms")
    drive_and_compare(small, states[1], 1e-6)
    for batch in (whole, small):
        batch.assign(np.arange(n))
        batch.reset()
        batch.inputs["truck.selector"], batch.inputs["truck.throttle"] = "D", np.ones(n)
        batch.step(1200)
        assert not batch.failed.any()
    forgotten = np.asarray(small.soil_forgotten)
    assert (forgotten > 100).all() and not np.asarray(whole.soil_forgotten).any()
    assert np.array_equal(np.asarray(small.q), np.asarray(whole.q))
    states = [batch.state(5) for batch in (small, whole)]
    assert len(states[1].vehicle["cells"]) - len(states[0].vehicle["cells"]) == forgotten[5]


def drive_and_compare(batch: Batch, state: gori.State, bound: float) -> None:
    """200 steps with throttles of their own."""
    throttles = np.linspace(0.0, 1.0, len(batch))
    batch.inputs["truck.selector"], batch.inputs["truck.throttle"] = "D", throttles
    batch.step(200)
    assert not batch.failed.any()
    for k in (0, len(batch) - 1):
        own = gori.compile(batch.spec(k))
        run = gori.Simulation(own, gori.SemiImplicit(step=H), state=state.replace(model=own.fingerprint))
        run.vehicles.start(run.time, run.stepper.y)
        run.inputs["truck.selector"], run.inputs["truck.throttle"] = "D", throttles[k]
        run.step(200)
        difference = np.abs(np.asarray(batch.q)[k] - run.q).max()
        assert difference < bound, difference


def singles() -> None:
    """Numbers of machines as float32: near to those in float64, in less memory."""
    ends, sizes, v = [], [], speeds(arm(), COUNT)
    for precision in ("float64", "float32"):
        batch = gori.batch(arm(), COUNT, gori.SemiImplicit(step=H), device="cuda", precision=precision)
        batch.v.set(v)
        batch.step(100)  # later on small differences grow in arms that swing freely
        assert not batch.failed.any()
        ends.append(np.asarray(batch.q))
        sizes.append(batch.bytes_per_machine)
        assert np.array_equal(batch.state(17).q, ends[-1][17])
    difference = np.abs(ends[0] - ends[1]).max()
    assert 0.0 < difference < 1e-5 and sizes[1] < 0.6 * sizes[0], (difference, sizes)


def samples() -> None:
    """Samples that are kept on the GPU, against a Recording of a Simulation; States of their own at the start."""
    model, method, v = pendulum(), gori.SemiImplicit(step=H), speeds(pendulum(), COUNT)
    states = [model.state().replace(v=one) for one in v]
    batch = gori.batch(model, COUNT, method, state=states, device="cuda")
    rec = batch.run(0.25, sample=0.01, channels=["twist"])
    assert len(rec) == 26 and rec.end == "complete" and (rec["twist"] == 0.5).all()
    for k in (0, COUNT - 1):
        alone = gori.Simulation(model, method, state=states[k]).run(0.25, sample=0.01)
        assert np.abs(rec.q[:, k] - alone.q).max() < 1e-9
        assert np.abs(rec.machine(k)["energy.total"] - alone["energy.total"]).max() < 1e-8


def own_law(t, q, v, tau, strength, reach=0.5):
    tau[0] -= strength * math.sin(q[0]) / (reach + q[0] * q[0])
    for k in range(v.shape[0]):
        tau[k] -= 0.2 * v[k] * abs(v[k])


def laws() -> None:
    """A law of the user with strengths of its own, on the GPU and on the CPU; a NaN in tau stops its machine alone."""
    strength = np.linspace(0.0, 2.0, COUNT)
    ends = []
    for device in ("cpu", "cuda"):
        batch = gori.batch(
            pendulum(), COUNT, gori.SemiImplicit(step=H), forces=own_law, device=device,
            parameters={"forces.own_law.strength": strength, "forces.own_law.reach": "0.5 + 0.1*sin(t)"},
        )  # fmt: skip
        batch.q[:, 0] = 0.7
        batch.step(500)
        assert not batch.failed.any()
        ends.append((np.asarray(batch.q), np.asarray(batch.work)))
    assert max(np.abs(a - b).max() for a, b in zip(*ends)) < 1e-9
    batch.inputs["own_law.strength"][17] = np.nan
    batch.step(1)
    assert np.flatnonzero(batch.failed).tolist() == [17]


def steps_of_contact(model: gori.Model, method: gori.integrate.Method, bound: float) -> None:
    """Machines of different velocities while they fall on each other, before rounding has grown."""
    batch = gori.batch(model, 100, method, device="cuda", contacts=64)
    v = 0.3 * np.random.default_rng(1).normal(size=(100, model.nv))
    batch.v.set(v)
    count = round(0.12 / batch.method.settings()["step"])
    batch.step(count)
    assert not batch.failed.any()
    points = np.asarray(batch.outputs["contact.points"])
    assert (points > 0.0).mean() > 0.3  # on a CPU 0.57 points in the mean, of those that fall onto each other
    for k in (0, 17, 99):
        run = gori.Simulation(model, method, state=model.state().replace(v=v[k]))
        run.step(count)
        assert np.abs(np.asarray(batch.q)[k] - run.q).max() < bound
        assert points[k] == run.stepper.data.contact_memory.measured[0]
        other = gori.Simulation(model, method, state=batch.state(k))
        other.step(10)
        run.step(10)
        assert np.abs(other.q - run.q).max() < 10.0 * bound


def contacts() -> None:
    """Bodies that touch, by impulses: single machines for a while, then all of them in the mean."""
    steps_of_contact(heap(), gori.TimeStepping(step=2e-3), 1e-7)
    model, method = balls(), gori.TimeStepping(step=2e-3)
    count, rng = 256, np.random.default_rng(3)
    v = 0.5 * rng.normal(size=(count, model.nv))
    found = []
    for device in ("cuda", "cpu"):
        batch = gori.batch(model, count, method, device=device, contacts=64)
        if device == "cuda":
            batch.v.set(v)
        else:
            batch.v[:] = v
        points, heights = [], []
        for _ in range(10):
            batch.step(100)
            points.append(np.asarray(batch.outputs["contact.points"]).mean())
            heights.append(np.asarray(batch.q)[:, 6::7].mean())
        assert not batch.failed.any()
        found.append((np.mean(points), np.mean(heights)))
    (points, height), (points_cpu, height_cpu) = found
    print(f"contacts {points:.3f}, CPU {points_cpu:.3f}; height {height:.4f} m, CPU {height_cpu:.4f} m", flush=True)
    assert abs(points - points_cpu) < 0.05 * points_cpu and abs(height - height_cpu) < 0.01
    crowded = gori.batch(model, 8, method, device="cuda", contacts=1)
    crowded.step(200)
    assert crowded.failed.all() and "contact points" in crowded.failures()[0]


CASES: dict[str, Callable[[], None]] = {
    case.__name__: case
    for case in (
        trees,
        loops,
        places,
        faults,
        parameters,
        singles,
        samples,
        laws,
        vehicles,
        vehicles_differ,
        soft_soil,
        contacts,
    )
}


def main(*names: str) -> int:
    for name in names or CASES:
        CASES[name]()
        print(f"{name}: good", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
