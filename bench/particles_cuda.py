"""Grains on a GPU: `python -m bench.particles --device cuda`.

Whole sub-steps, with walls and the upkeep of lists. The drum is a closed cylinder, half full, that turns about its
horizontal axis; grains start in a loose, shaken lattice that has had time to come down. While it is timed it turns by
half a degree or less and the grains turn with it; the row "flowing" is timed after it has turned by a radian, when they
run down its slope. The bed came down in a box in the same way and lies still. Rates are particles times sub-steps over
wall seconds.
"""

import json
import time
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from gori.kernels.particles import columns as c
from gori.model.particles.materials import pair_table, rayleigh_step
from gori.model.particles.state import ParticleState, fresh_state
from gori.model.particles.walls import wall_tables
from gori.sim.particles.engine import ParticleSetup
from gori.spec import Spec

RADIUS, DENSITY, E, NU = 2e-3, 2500.0, 2e8, 0.25
STEP = 0.2 * rayleigh_step(RADIUS, DENSITY, E, NU)
LOOSE = 1.03
"""spacing of grains at the start, in diameters"""
FROUDE = 0.01
"""w^2 R / g of the drum"""


def spec_of(shapes: dict[str, Any]) -> Spec:
    """Grains of the bench, and walls on the ground."""
    return Spec(
        materials={"grain": {"E": E, "nu": NU, "density": DENSITY}, "wall": {"E": E, "nu": NU}},
        contacts={
            "grain/grain": {"restitution": 0.5, "friction": 0.5},
            "grain/wall": {"restitution": 0.5, "friction": 0.5},
        },
        bodies={"ground": {"shapes": shapes}},
        particles={"load": {"material": "grain", "radius": RADIUS, "positions": [[0.0, 0.0, 0.0]]}},
    )  # type: ignore[call-arg]


def lattice(low: np.ndarray, high: np.ndarray, inside: Any, count: int) -> np.ndarray:
    """Places (count, 4) of a hexagonal lattice, loose and shaken, from below: it comes down in disorder."""
    d = 2.0 * RADIUS * LOOSE
    size = np.ceil((high - low) / d / np.array([1.0, np.sqrt(3.0) / 2.0, np.sqrt(2.0 / 3.0)])).astype(int) + 1
    rows, rng = [], np.random.default_rng(1)
    left = count
    for k in range(size[2]):
        i, j = np.meshgrid(np.arange(size[0]), np.arange(size[1]), indexing="ij")
        x = d * (i + 0.5 * ((j + k) % 2))
        y = d * np.sqrt(3.0) / 2.0 * (j + (k % 2) / 3.0)
        points = np.stack([x.ravel(), y.ravel(), np.full(x.size, d * np.sqrt(2.0 / 3.0) * k)], axis=1) + low
        points = points[inside(points)][:left]
        rows.append(points)
        left -= len(points)
        if left <= 0:
            break
    points = np.concatenate(rows)
    points += rng.uniform(-0.5, 0.5, points.shape) * (LOOSE - 1.0) * 2.0 * RADIUS / np.sqrt(3.0)
    return np.column_stack([points, np.full(len(points), RADIUS)])


def bed_of(device: str, shapes: dict[str, Any], place: np.ndarray, skin: float) -> Any:
    spec = spec_of(shapes)
    _, pair_f, law = pair_table(spec)
    parts = spec.bodies["ground"].shapes
    rows = [(0, name, shape, *shape.pose(), 1) for name, shape in parts.items()]
    walls = wall_tables(rows, RADIUS + skin, 1)
    everywhere = np.full(3, 1e30)
    setup = ParticleSetup(
        pair_f, law, False, walls, np.array([0.0, 0.0, -9.81]), skin, RADIUS, -1, -everywhere, everywhere, 2
    )
    motion = np.zeros((len(place), 8))
    motion[:, 3] = 4.0 / 3.0 * np.pi * RADIUS**3 * DENSITY
    state = fresh_state(place, motion, np.arange(len(place)), still(1)[0])
    if device == "cpu":
        from gori.sim.particles.cpu import CpuEngine

        return CpuEngine(setup, state)
    from gori.sim.particles.cuda import CudaEngine

    return CudaEngine(setup, state)


def still(steps: int) -> np.ndarray:
    """Poses of a ground that stays."""
    table = np.zeros((steps + 1, 1, c.N_POSE))
    table[:, :, [0, 4, 8]] = 1.0
    return table


def turning(steps: int, rate: float, start: float) -> np.ndarray:
    """Poses of a drum that turns about y, from an angle on."""
    angle = start + rate * STEP * np.arange(steps + 1)
    table = np.zeros((steps + 1, 1, c.N_POSE))
    table[:, 0, 0], table[:, 0, 2], table[:, 0, 4] = np.cos(angle), np.sin(angle), 1.0
    table[:, 0, 6], table[:, 0, 8], table[:, 0, 16] = -np.sin(angle), np.cos(angle), rate
    return table


def drum(count: int, device: str = "cuda", skin: float = 0.4 * RADIUS) -> tuple[Any, float]:
    """A drum of radius = length, half full; its bed and its rate of turning [rad/s]."""
    volume = count * 4.0 / 3.0 * np.pi * RADIUS**3 / 0.62
    R = (2.0 * volume / np.pi) ** (1.0 / 3.0) + RADIUS
    clear = 1.05 * RADIUS

    def inside(p: np.ndarray) -> np.ndarray:
        return (np.hypot(p[:, 0], p[:, 2]) < R - clear) & (np.abs(p[:, 1] - 0.5 * R) < 0.5 * R - clear)

    place = lattice(np.array([-R, 0.0, -R]), np.array([R, R, R]), inside, count)
    shapes = {
        "drum": {"type": "cylinder", "radius": R, "length": R, "axis": [0, 1, 0], "hollow": True, "material": "wall"}
    }
    return bed_of(device, shapes, place, skin), float(np.sqrt(FROUDE * 9.81 / R))


def settled(count: int, device: str = "cuda", skin: float = 0.2 * RADIUS) -> Any:
    """A bed in a box with a square base, twice as wide as high."""
    volume = count * 4.0 / 3.0 * np.pi * RADIUS**3 / 0.62
    side = (2.0 * volume) ** (1.0 / 3.0)
    clear = 1.001 * RADIUS

    def inside(p: np.ndarray) -> np.ndarray:
        return (p[:, :2] > clear).all(axis=1) & (p[:, :2] < side - clear).all(axis=1) & (p[:, 2] > clear)

    place = lattice(np.full(3, clear), np.array([side, side, side]), inside, count)
    box = {"type": "box", "size": [side] * 3, "at": [side / 2] * 3, "hollow": True, "open": ["z+"], "material": "wall"}
    return bed_of(device, {"box": box}, place, skin)


def timed(bed: Any, steps: int, table: Any, block: int = 500) -> float:
    """Wall seconds of so many sub-steps, in blocks."""
    tables = [table(first, min(block, steps - first)) for first in range(0, steps, block)]
    began = time.perf_counter()
    for poses in tables:
        failure = bed.march(poses, STEP)
        if failure is not None:
            raise RuntimeError(f"the bench failed: {failure}")
    return time.perf_counter() - began


def run_drum(count: int, warm: int = 12000, steps: int = 2000) -> dict[str, float]:
    """Rate of a drum that turns, after it has come down; a smaller one takes more sub-steps until lists are due."""
    bed, rate = drum(count)
    timed(bed, warm, lambda first, n: turning(n, rate, rate * STEP * first))
    before = bed.counts()["rebuilds"]
    seconds = timed(bed, steps, lambda first, n: turning(n, rate, rate * STEP * (warm + first)))
    after = bed.counts()
    contacts = (2 * after["contacts"] + after["wall_contacts"]) / count
    return {
        "rate": count * steps / seconds,
        "rebuilds": after["rebuilds"] - before,
        "contacts": contacts,
        "overlap": overlap(bed) if count <= 1_000_000 else 0.0,
    }


def overlap(bed: Any) -> float:
    """Largest overlap of all, in radii."""
    state: ParticleState = bed.state()
    rows = np.searchsorted(state.id, state.pairs)
    a, b = state.sphere[rows[:, 0]], state.sphere[rows[:, 1]]
    gap = np.linalg.norm(a[:, :3] - b[:, :3], axis=1) - a[:, 3] - b[:, 3]
    return float(-gap.min(initial=0.0) / RADIUS)


def momentum_error(count: int = 20_000, steps: int = 2000) -> float:
    """Change of the momentum of a cloud in collision without walls or gravity, over the sum of all |m v|."""
    rng = np.random.default_rng(2)
    bed, _ = drum(count)
    state = bed.state()
    motion = state.motion.copy()
    motion[:, :3] = rng.normal(0.0, 0.2, (count, 3))
    bed.setup = bed.setup._replace(gravity=np.zeros(3), walls=wall_tables([], 1.0, 1))
    place = state.sphere.copy()
    fresh = fresh_state(place, motion, state.id, still(1)[0])
    bed.load(fresh)
    start = bed.snapshot()[2]
    timed(bed, steps, lambda first, n: still(n))
    end = bed.snapshot()[2]
    lost = np.abs((end[:, 3:4] * end[:, :3]).sum(axis=0) - (start[:, 3:4] * start[:, :3]).sum(axis=0)).max()
    return float(lost / (start[:, 3] * np.linalg.norm(start[:, :3], axis=1)).sum())


def search(count: int, device: str, repeats: int) -> float:
    """Seconds of making all lists anew."""
    bed = settled(count, device)
    bed.march(still(1), STEP)
    began = time.perf_counter()
    for _ in range(repeats):
        bed.renew()
    return (time.perf_counter() - began) / repeats


def main() -> dict[str, Any]:
    from numba import cuda

    console = Console()
    name = cuda.get_current_device().name
    name = name.decode() if isinstance(name, bytes) else name
    figures: dict[str, Any] = {"gpu": name, "precision": "places double, the rest single, low bits of velocities kept"}
    table = Table("case", "grains", "figure", "lists made", "contacts", title=f"grains on {name}")
    run_drum(20_000, 500, 100)  # compiles
    rebuilds, deepest = {}, 0.0
    for label, count in (("100k", 100_000), ("1m", 1_000_000), ("8m", 8_000_000)):
        got = run_drum(count, 18000 if count > 2_000_000 else 12000, 4000 if count < 500_000 else 2000)
        good = got["rebuilds"] >= 10 and got["contacts"] >= 4.0
        figures[f"ps_per_s_gpu_{label}"] = got["rate"] if good else None
        rebuilds[label], deepest = got["rebuilds"], max(deepest, got["overlap"])
        rate = f"{got['rate']:.3g} particle-steps/s"
        table.add_row("drum", f"{count:,}", rate, str(got["rebuilds"]), f"{got['contacts']:.2f}")
        console.print(f"drum {count}: {rate}, {got['rebuilds']} lists, {got['contacts']:.2f} contacts")
    bed, rate = drum(1_000_000)
    got = run_drum(1_000_000, round(1.0 / (rate * STEP)))
    figures["ps_per_s_gpu_1m_flowing"] = got["rate"]
    table.add_row(
        "drum, flowing",
        "1,000,000",
        f"{got['rate']:.3g} particle-steps/s",
        str(got["rebuilds"]),
        f"{got['contacts']:.2f}",
    )
    console.print(f"drum, flowing: {got['rate']:.3g} particle-steps/s, {got['rebuilds']} lists")
    bed = settled(1_000_000)
    timed(bed, 30000, lambda first, n: still(n))
    before = bed.counts()["rebuilds"]
    seconds = timed(bed, 2000, lambda first, n: still(n))
    after = bed.counts()
    figures["ps_per_s_gpu_1m_settled"] = 1e6 * 2000 / seconds
    contacts = (2 * after["contacts"] + after["wall_contacts"]) / 1e6
    table.add_row(
        "bed at rest", "1,000,000", f"{2e9 / seconds:.3g} particle-steps/s", str(after["rebuilds"] - before),
        f"{contacts:.2f}",
    )  # fmt: skip
    for label, count in (("10k", 10_000), ("53k", 53_000)):
        bed = settled(count)
        timed(bed, 30000, lambda first, n: still(n))
        seconds = timed(bed, 5000, lambda first, n: still(n))
        figures[f"us_per_step_{label}"] = seconds / 5000 * 1e6
        table.add_row("bed at rest", f"{count:,}", f"{seconds / 5000 * 1e6:.1f} us a step", "", "")
    figures |= {"rebuilds": rebuilds, "max_overlap_ratio": deepest, "momentum_error": momentum_error()}
    crossover = None
    for count in (100, 300, 1_000, 3_000, 10_000, 30_000, 100_000, 1_000_000):
        gpu, cpu = search(count, "cuda", 10), search(count, "cpu", 3 if count > 50_000 else 10)
        table.add_row("lists anew", f"{count:,}", f"{1e3 * gpu:.3g} ms, CPU {1e3 * cpu:.3g} ms", "", "")
        if crossover is None and gpu < cpu:
            crossover = count
        if count == 1_000_000:
            figures["contact_search_speedup_1m"] = cpu / gpu
    figures["contact_search_crossover_n"] = crossover
    for key, case in (("gear_wall_s", gears), ("truck_wall_s", truck)):
        console.print_json(json.dumps(figures))
        figures[key] = case()
        table.add_row(key, "", f"{figures[key]:.2f} s", "", "")
    console.print(table)
    print(json.dumps(figures))
    return figures


def truck() -> float:
    """Wall seconds of 5 s of the loaded truck."""
    from bench.grain_truck import run_truck

    return run_truck("cuda")


def gears() -> float:
    """Wall seconds of 1 s of the gears with grit."""
    from bench.grain_cases import run_gears

    return run_gears("cuda")
