"""How the time of a run grows with the number of grains: 1 s of settled boxes, from a thousand spheres on.

Spheres of 25 mm and 7800 kg/m3 lie in an open box and march in sub-steps of 8.75e-7 s, as in a published case (Park et
al. 2012, Table 3 and Fig. 10), whose curve for a Tesla C2050 is drawn beside ours. Some hundred sub-steps are timed,
the best of several rounds counts, and 1 s is taken as 1/8.75e-7 times a sub-step. What is ours:

    stiffness   2e7 Pa (not published): settling takes longer if it is higher, a sub-step does not
    box         it grows wider, not deeper: a grain has as many neighbours in a large one as in a small one
    settling    in sub-steps as long as the grains allow; not timed
    lists       are not made anew in a bed that lies still: contact_search.py tells what they cost

    python examples/growth.py [FOLDER] [--full] [--device cpu|cuda]

Without --device: on the CPU, and on a GPU as well if one can be used. Without --full up to 16,000 grains; with it up to
200,000 on the CPU, which takes minutes, and 8 million on a GPU.
"""

import argparse
import time
from pathlib import Path
from typing import NamedTuple

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

import gori

RADIUS, DENSITY, YOUNG, STEP = 0.0125, 7800.0, 2e7, 8.75e-7
LAYERS = 8
BLOCK, ROUNDS = 200, 8
"""sub-steps between two looks at the clock, and how often that is done"""
COUNTS = {"cpu": (1_000, 4_000, 16_000), "cuda": (1_000, 4_000, 16_000)}
FULL = {"cpu": (1_000, 4_000, 16_000, 64_000, 200_000), "cuda": (1_000, 10_000, 100_000, 1_000_000, 8_000_000)}


class Row(NamedTuple):
    """A settled box.

    contacts   of a grain with others, on average;  speed: of a grain, on average [m/s]
    sub_step   its wall time [s];  lists: made while it was timed
    """

    count: int
    contacts: float
    speed: float
    sub_step: float
    lists: int

    @property
    def hours(self) -> float:
        """Wall time of 1 s."""
        return self.sub_step / STEP / 3600.0


def box_of(count: int) -> gori.Spec:
    """Grains in a loose cloud over the floor of a box that will be LAYERS deep in them."""
    side, height = 2.0 * RADIUS * np.sqrt(count / LAYERS), 4.0 * RADIUS * LAYERS
    box = {"type": "box", "size": [side, side, height], "at": [0, 0, height / 2], "hollow": True, "open": ["z+"]}
    fill = {"shape": "ground.box", "count": count, "packing": "poured", "spacing": 2.1 * RADIUS, "seed": 1}
    return gori.Spec(
        materials={"grain": {"E": YOUNG, "density": DENSITY}, "wall": {"rigid": True}},
        contacts={
            "grain/grain": {"restitution": 0.5, "friction": 0.5},
            "grain/wall": {"restitution": 0.5, "friction": 0.5},
        },
        bodies={"ground": {"shapes": {"box": box | {"material": "wall"}}}},
        particles={"load": {"material": "grain", "radius": RADIUS, "fill": fill}},
    )


def settled(count: int, device: str) -> gori.Simulation:
    """A box at rest; each step of the Simulation is a block of sub-steps."""
    spec = box_of(count)
    falling = gori.Simulation(gori.compile(spec), gori.RK4(step=0.01), device=device)
    falling.advance(120)
    short = gori.compile(spec.set("run", {"duration": 1.0, "subsystems": {"load": {"step": STEP}}}))
    return gori.Simulation(short, gori.RK4(step=BLOCK * STEP), state=falling.state, device=device)


def measure(device: str, counts: tuple[int, ...]) -> list[Row]:
    """All boxes in turns, so that what else the machine does falls on all of them."""
    boxes = [settled(count, device) for count in counts]
    for box in boxes:
        box.advance()
    before = [box.particles.contacts()["rebuilds"] for box in boxes]
    best = np.full(len(boxes), np.inf)
    for _ in range(ROUNDS):
        for k, box in enumerate(boxes):
            began = time.perf_counter()
            box.advance()
            best[k] = min(best[k], time.perf_counter() - began)
    rows = []
    for count, box, seconds, lists in zip(counts, boxes, best, before):
        particles, known = box.particles, box.particles.contacts()
        assert particles.substeps == BLOCK
        speed = float(np.linalg.norm(particles.velocity, axis=1).mean())
        rows.append(Row(count, 2.0 * known["contacts"] / count, speed, seconds / BLOCK, known["rebuilds"] - lists))
    return rows


def exponent(rows: list[Row]) -> float:
    """p of wall time ~ N^p."""
    return float(np.polyfit(np.log([row.count for row in rows]), np.log([row.sub_step for row in rows]), 1)[0])


words = argparse.ArgumentParser()
words.add_argument("folder", nargs="?", default="out/examples/growth")
words.add_argument("--full", action="store_true")
words.add_argument("--device", choices=("cpu", "cuda"))
asked = words.parse_args()
out = Path(asked.folder)
out.mkdir(parents=True, exist_ok=True)

figure, ax = plt.subplots(figsize=(6, 4.5), layout="constrained")
for device in [asked.device] if asked.device else gori.sim.devices():
    rows = measure(device, (FULL if asked.full else COUNTS)[device])
    print(f"{device}: {gori.threads()} threads" if device == "cpu" else device)
    print("   grains sub-step [ms] grain-steps/s 1 s takes [h] contacts lists")
    for row in rows:
        print(
            f"{row.count:9,} {1e3 * row.sub_step:13.4f} {row.count / row.sub_step:13.3g} {row.hours:13.3f} "
            f"{row.contacts:8.2f} {row.lists:5d}"
        )
        assert row.contacts > 4.0 and row.speed < 1e-3, "the bed has settled"
    # a GPU takes about the same for any few grains: only what is beyond that grows
    many = rows if device == "cpu" or not asked.full else [row for row in rows if row.count >= 1_000_000]
    p = exponent(many)
    print(f"{device}: time grows as N^{p:.2f} from {many[0].count:,} to {many[-1].count:,} grains")
    # with few grains and other programs on the machine a short block says little
    assert not asked.full or p < 1.15, "near linear"
    ax.loglog([row.count for row in rows], [row.hours for row in rows], "o-", label=f"{device}: N^{p:.2f}")
    ends = np.array([many[0].count, many[-1].count])
    ax.loglog(ends, many[-1].hours * ends / ends[-1], "k:", lw=0.8, label="slope 1" if device == "cpu" else None)

published = np.array([1_000, 10_000, 50_000])
ax.loglog(published, np.maximum(1.0, published / 1e4), color="0.6", label="published, Tesla C2050")
ax.set(xlabel="grains", ylabel="wall time of 1 s, sub-steps of 8.75e-7 s [h]")
ax.grid(alpha=0.3)
ax.legend()
figure.savefig(out / "growth.png", dpi=90)
