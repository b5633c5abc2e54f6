"""Machines with grains that the benches run: the cases of the examples, at the size of the paper."""

import time
from pathlib import Path

import gori

EXAMPLES = Path(__file__).parent.parent / "examples"


def gear_case(count: int = 10296) -> gori.Spec:
    """Two gears in a case with grit of radius 0.15 mm: particle step 5.82e-6 s, body step 1e-3 s, 1 s."""
    return gori.load(EXAMPLES / "gears.yaml").set("particles.grit.fill.count", count)


def run_gears(device: str = "cuda", duration: float = 1.0) -> float:
    """Wall seconds of the gears in grit, from their start on."""
    model = gori.compile(gear_case())
    simulation = gori.Simulation(model, gori.GeneralizedAlpha(step=1e-3), device=device)  # type: ignore[arg-type]
    simulation.advance(5)  # compiled, lists made
    began = time.perf_counter()
    simulation.run(duration, sample=0.01, progress=False)
    return time.perf_counter() - began
