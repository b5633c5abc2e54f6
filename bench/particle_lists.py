"""What neighbour lists cost: the skin that follows motion beside fixed ones, outlets, and sizes of many kinds.

python -m bench.particle_lists [--device cuda] [--count 5000]

filling, settled   `skin: auto` beside fixed skins: seconds of a cloud that falls into a bin, and of the bed at rest
outlet             a bin that empties through a hole, with steps of 0.2 ms: what an outlet below it costs
sizes              as many particles of radii 1 and 5 and of all radii between, beside equal ones, while they settle

On a CPU the time is that of the processor, on one thread, so that what else the machine does counts little.
"""

import argparse
import time
from typing import Any

import numpy as np

import gori
from bench.timing import console, finish, machine, show
from gori.model.particles.packing import draw_radii

RADIUS = 0.005
SKINS = (0.05, 0.1, 0.2, 0.3, 0.45, 0.7)
"""in radii"""
SIZES = {
    "equal": RADIUS,
    "1 and 5, 20 : 1": [[RADIUS, 20], [5 * RADIUS, 1]],
    "1 and 5, 200 : 1": [[RADIUS, 200], [5 * RADIUS, 1]],
    "1 to 5": [RADIUS, 5 * RADIUS],
}


def _rule(radius: Any) -> Any:
    """A rule of radii, as `draw_radii` has it."""
    return tuple(map(_rule, radius)) if isinstance(radius, list) else radius


def spec(count: int, device: str, skin: float | str = "auto", radius: Any = RADIUS, packing="poured") -> gori.Spec:
    """Particles in a bin that is about as wide as they are deep: a cloud above it, or loosely packed in it."""
    radii = draw_radii(_rule(radius), count, np.random.default_rng(1))
    side = (4.0 / 3.0 * np.pi * (radii**3).sum() / 0.9) ** (1.0 / 3.0)
    contact = {"restitution": 0.5, "friction": 0.4}
    fill = {"shape": "ground.bin", "count": count, "packing": packing, "seed": 1}
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
    holes = whole.set("bodies.ground.shapes.bin.open", ["z+", "z-"]).set(
        "particles.load", {"material": "grain", "positions": rows.tolist(), "domain": "none"}
    )
    models = {"none": holes, "below": holes.set("outlets", {"out": {"below": -0.01}})}
    best: dict[str, float] = {}
    left = count
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
    """The same number of particles, of one size and of several, from a loose packing until they have settled."""
    models = {
        name: gori.compile(spec(count, device, radius=radius, packing="random")) for name, radius in SIZES.items()
    }
    states = {name: model.state() for name, model in models.items()}
    best, contacts = {}, {}
    for _ in range(rounds):
        for name, model in models.items():
            simulation = start(model, 1e-3, states[name])
            seconds, lists = timed(simulation, 250, device)
            particles = simulation.particles
            assert particles is not None
            each = seconds / (250 * particles.substeps)
            best[name] = min(best.get(name, (each, lists)), (each, lists))
            contacts[name] = particles.contacts()["contacts"] / count
    rows = [
        [name, 1e9 * seconds / count, lists, contacts[name], seconds / best["equal"][0]]
        for name, (seconds, lists) in best.items()
    ]
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
