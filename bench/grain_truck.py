"""The truck that starts with its bed full of grains: vehicle and grains in one Simulation (`examples/truck_load.py`).

53,000 spheres of radius 0.0225 m, 5 s: python -m bench.grain_truck --device cuda
"""

import argparse
import json
import time
from typing import Any

import gori
from examples.truck_load import METHOD, loaded
from gori.sim.particles.devices import Device


def truck_case(
    count: int = 53_000, device: Device = "cpu", modulus: float = 2e10
) -> tuple[gori.Spec, gori.Model, gori.State]:
    """Spec and Model of the laden truck, and the State in which it stands, the load settled."""
    spec = loaded(count, modulus)
    model = gori.compile(spec)
    return spec, model, gori.at_rest(model, loops="frozen_explicit", device=device)


def start(model: gori.Model, state: gori.State, device: Device = "cpu") -> gori.Simulation:
    """The truck at full throttle: run it."""
    simulation = gori.Simulation(model, METHOD, state=state, loops="frozen_explicit", device=device)
    simulation.inputs["truck.throttle"], simulation.inputs["truck.selector"] = 1.0, "D"
    return simulation


def timed(count: int, device: Device, seconds: float, modulus: float) -> dict[str, Any]:
    """Wall times of settling and of the start, and what a sub-step takes."""
    began = time.perf_counter()
    _, model, state = truck_case(count, device, modulus)
    settled = time.perf_counter() - began
    simulation = start(model, state, device)
    simulation.advance(20)  # compiled, lists made, clocks up
    before = simulation.particles.contacts()["rebuilds"]
    began = time.perf_counter()
    simulation.run(seconds, sample=0.01, progress=False)
    wall = time.perf_counter() - began
    substeps = simulation.particles.substeps * round(seconds / METHOD.step)
    return {
        "grains": count,
        "device": device,
        "simulated_s": seconds,
        "particle_step_s": METHOD.step / simulation.particles.substeps,
        "settle_wall_s": settled,
        "truck_wall_s": wall,
        "us_per_step_53k" if count == 53_000 else "us_per_step": 1e6 * wall / substeps,
        "ps_per_s": count * substeps / wall,
        "rebuilds": simulation.particles.contacts()["rebuilds"] - before,
        "speed": float(simulation.v[3]),
    }


def run_truck(device: Device = "cuda") -> float:
    """Wall seconds of 5 s of the truck with 53,000 grains, from its start on."""
    return timed(53_000, device, 5.0, 2e10)["truck_wall_s"]


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--count", type=int, default=53_000)
    arguments.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    arguments.add_argument("--seconds", type=float, default=5.0)
    arguments.add_argument("--modulus", type=float, default=2e10)
    given = arguments.parse_args()
    print(json.dumps(timed(given.count, given.device, given.seconds, given.modulus), indent=2))


if __name__ == "__main__":
    main()
