"""What neighbour lists cost: the skin that follows motion beside fixed ones, outlets, and sizes of many kinds.

python -m bench.particle_lists [--device cuda] [--count 5000]

filling, settled   `skin: auto` beside fixed skins: seconds of a cloud that falls into a bin, and of the bed at rest
outlet             a bin that empties through a hole, with steps of 0.2 ms: what an outlet below it costs
sizes              as many particles of radii 1 and 5, one of 20 large, and of all radii from 1 to 5, beside equal ones

On a CPU the time is that of the processor, on one thread, so that what else the machine does counts little.
"""

import argparse
import time
from typing import Any

import gori
from bench.timing import console, finish, machine, show

RADIUS = 0.005
SKINS = (0.05, 0.1, 0.2, 0.3, 0.45, 0.7)
"""in radii"""
SIZES = {"equal": RADIUS, "1 : 5, one of 20": [[RADIUS, 19], [5 * RADIUS, 1]], "1 to 5": [RADIUS, 5 * RADIUS]}


def spec(count: int, device: str, skin: float | str = "auto", radius: Any = RADIUS, wide: float = 1.0) -> gori.Spec:
    """Particles in a bin that is about as wide as deep, in a cloud above each other."""
    side = 2.0 * RADIUS * wide * (0.8 * count) ** (1.0 / 3.0)
    contact = {"restitution": 0.5, "friction": 0.4}
    fill = {"shape": "ground.bin", "count": count, "packing": "poured", "seed": 1}
    size = [side, side, 2.0 * side]
    box = {"type": "box", "at": [0, 0, side], "size": size, "hollow": True, "open": ["z+"], "material": "wall"}
    return gori.Spec(
        materials={"grain": {"E": 1e7, "density": 2500.0}, "wall": {"E": 1e9}},
        contacts={"grain/grain": contact, "grain/wall": contact},
        bodies={"ground": {"shapes": {"bin": box}}},
        particles={"load": {"material": "grain", "radius": radius, "fill": fill, "domain": "none"}},
        run={"duration": 1.0, "subsystems": {"load": {"skin": skin, "device": device}}},
    )  # type: ignore[call-arg]


def clock(device: str) -> float:
    return time.perf_counter() if device == "cuda" else time.process_time()


def timed(simulation: gori.Simulation, steps: int, device: str) -> tuple[float, int]:
    """Seconds of so many steps, and lists made in them."""
    particles = simulation.particles
    assert particles is not None
    before, start = particles.contacts()["rebuilds"], clock(device)
    simulation.advance(steps)
    len(particles)
    return clock(device) - start, particles.contacts()["rebuilds"] - before


def start(model: gori.Model, step: float, state: Any = None) -> gori.Simulation:
    return gori.Simulation(model, gori.RK4(step=step), state=state)


def skins(count: int, device: str, rounds: int) -> dict[str, float]:
    """Fixed skins and `auto`, while a cloud falls and when it is at rest."""
    models = {skin: gori.compile(spec(count, device, skin * RADIUS)) for skin in SKINS}
    models |= {"auto": gori.compile(spec(count, device))}
    settled = start(models["auto"], 1e-3)
    settled.advance(1200)
    best: dict[str, dict[Any, tuple[float, int]]] = {"filling": {}, "settled": {}}
    for _ in range(rounds):
        for name, model in models.items():
            falling = start(model, 1e-3)
            falling.advance(20)
            beds = {"filling": (falling, 500), "settled": (start(model, 1e-3, settled.state), 300)}
            for phase, (simulation, steps) in beds.items():
                found = timed(simulation, steps, device)
                best[phase][name] = min(best[phase].get(name, found), found)
    figures = {}
    for phase, found in best.items():
        fixed = min(found[skin][0] for skin in SKINS)
        rows = [[name, seconds, lists, seconds / fixed] for name, (seconds, lists) in found.items()]
        show(f"{phase}, {count} particles", ["skin / radius", "seconds", "lists", "of the best fixed"], rows)
        figures[f"auto_of_best_skin_{phase}"] = found["auto"][0] / fixed
    return figures


def outlet(count: int, device: str, rounds: int) -> dict[str, float]:
    """A bin that has lost its floor, over an outlet or over nothing, in steps of 0.2 ms."""
    whole = spec(count, device)
    settled = start(gori.compile(whole), 1e-3)
    settled.advance(600)
    rows = settled.particles.frame().spheres  # type: ignore[union-attr]
    holes = whole.set("bin.open", ["z+", "z-"]).set(
        "particles.load", {"material": "grain", "positions": rows.tolist(), "domain": "none"}
    )
    models = {"none": holes, "below": holes.set("outlets", {"out": {"below": -0.01}})}
    best: dict[str, float] = {}
    for _ in range(rounds):
        for name, one in models.items():
            simulation = start(gori.compile(one), 2e-4)
            simulation.advance(100)
            seconds, _ = timed(simulation, 500, device)
            best[name] = min(best.get(name, seconds), seconds)
            left = len(simulation.particles)  # type: ignore[arg-type]
    figures = {"outlet_cost": best["below"] / best["none"] - 1.0}
    show("an outlet, steps of 0.2 ms", ["outlet", "seconds"], [[name, seconds] for name, seconds in best.items()])
    console.print(f"{count - left} of {count} particles were taken out")
    return figures


def sizes(count: int, device: str, rounds: int) -> dict[str, float]:
    """Beds of the same number of particles, of one size and of several, at rest, by sub-steps."""
    beds, best = {}, {}
    for name, radius in SIZES.items():
        wide = 1.0 if name == "equal" else 1.9 if name.startswith("1 : 5") else 3.2
        model = gori.compile(spec(count, device, radius=radius, wide=wide))
        beds[name] = start(model, 1e-3)
        beds[name].advance(1000)
    for _ in range(rounds):
        for name, simulation in beds.items():
            seconds, lists = timed(simulation, 200, device)
            each = seconds / (200 * simulation.particles.substeps)  # type: ignore[union-attr]
            best[name] = min(best.get(name, (each, lists)), (each, lists))
    rows = [
        [name, 1e9 * seconds / count, lists, beds[name].particles.contacts()["contacts"] / count,  # type: ignore
         seconds / best["equal"][0]]
        for name, (seconds, lists) in best.items()
    ]  # fmt: skip
    show("sizes", ["radii", "ns of a particle and sub-step", "lists", "contacts / particle", "of equal ones"], rows)
    return {f"cost_of_sizes_{k}": best[name][0] / best["equal"][0] for k, name in enumerate(SIZES) if k}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument("--count", type=int, default=5000)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--only", choices=("skins", "outlet", "sizes"))
    asked = parser.parse_args()
    gori.threads(1)
    console.print(f"{machine()}, {asked.device}")
    figures: dict[str, float | None] = {}
    for part in (skins, outlet, sizes):
        if asked.only in (None, part.__name__):
            figures |= part(asked.count, asked.device, asked.rounds)
    finish(figures)


if __name__ == "__main__":
    main()
