"""What it takes to find all contacts: lists of neighbours made anew, on CPU and GPU, beside other ways to search.

A bed of spheres comes down in a box. Its lists hold all pairs nearer than the reach, a diameter and the skin, and are
made anew when a grain has moved by half the skin. Timed are, the best of several rounds:

    lists       of this program: grains sorted by cells, pairs and walls found, history of contacts carried over;
                on one core, on all, and on a GPU if one can be used
    k-d tree    of SciPy, built and asked for all pairs within the reach, on one core
    all pairs   every distance, in NumPy: N^2 of them, so for few grains only

The k-d tree and all pairs know nothing of walls and history, which the lists bring along. Checked is, while the bed
moves, that the pairs that push each other are those that overlap by the k-d tree. With a GPU it is told from how many
grains on it is faster (Park et al. 2012, Fig. 11: 20,000, and 10 times as fast as one core at a million).

    python examples/contact_search.py [FOLDER] [--full]

Without --full up to 16,000 grains, in seconds; with it up to a million, in minutes.
"""

import argparse
import time
from collections.abc import Callable
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from scipy.spatial import cKDTree

import gori

RADIUS, LAYERS = 0.0125, 8
MOST_PAIRS = 5_000
"""grains up to which all pairs are tried"""
SHARP = {"cpu": 0.0, "cuda": 1e-6}
"""distances on a GPU are in single precision: pairs that touch by less, in diameters, may be told either way"""


def box_of(count: int) -> gori.Spec:
    """Grains in a loose cloud over the floor of a box that will be LAYERS deep in them."""
    side, height = 2.0 * RADIUS * np.sqrt(count / LAYERS), 4.0 * RADIUS * LAYERS
    box = {"type": "box", "size": [side, side, height], "at": [0, 0, height / 2], "hollow": True, "open": ["z+"]}
    fill = {"shape": "ground.box", "count": count, "packing": "poured", "spacing": 2.1 * RADIUS, "seed": 1}
    return gori.Spec(
        materials={"grain": {"E": 2e7, "density": 7800.0}, "wall": {"rigid": True}},
        contacts={
            "grain/grain": {"restitution": 0.5, "friction": 0.5},
            "grain/wall": {"restitution": 0.5, "friction": 0.5},
        },
        bodies={"ground": {"shapes": {"box": box | {"material": "wall"}}}},
        particles={"load": {"material": "grain", "radius": RADIUS, "fill": fill}},
    )


def best_times(ways: dict[str, Callable[[], object]], seconds: float = 1.0) -> dict[str, float]:
    """Wall time of the fastest of some rounds of each way [s]. They take turns, for that long, three times at least."""
    best, rounds, end = dict.fromkeys(ways, np.inf), 0, time.perf_counter() + seconds
    while rounds < 3 or time.perf_counter() < end:
        for way, task in ways.items():
            began = time.perf_counter()
            task()
            best[way] = min(best[way], time.perf_counter() - began)
        rounds += 1
    return best


def all_pairs(points: np.ndarray, reach: float) -> np.ndarray:
    """Pairs (m, 2) nearer than the reach [m], the smaller number first, from every distance."""
    rows = []
    for i in range(len(points) - 1):
        near = ((points[i + 1 :] - points[i]) ** 2).sum(axis=1) < reach * reach
        rows.append(np.flatnonzero(near) + i + 1)
    first = np.repeat(np.arange(len(rows)), [len(row) for row in rows])
    return np.column_stack([first, np.concatenate(rows)])


def tree_pairs(points: np.ndarray, reach: float) -> np.ndarray:
    """The same, by the k-d tree."""
    return cKDTree(points).query_pairs(reach, output_type="ndarray")


def keys(pairs: np.ndarray) -> np.ndarray:
    """One number for each pair, in order."""
    return np.sort((pairs[:, 0].astype(np.int64) << 32) | pairs[:, 1])


def check_contacts(simulation: gori.Simulation) -> int:
    """The pairs that push each other in a sub-step are those that overlap at its start; how many they were."""
    particles, sharp = simulation.particles, SHARP[simulation.particles.device]
    for _ in range(3):
        simulation.advance(30)
        place = particles.position
        simulation.advance()
        found = keys(particles.engine.state().pairs)
        sure, near = (keys(tree_pairs(place, 2.0 * RADIUS * (1.0 + off))) for off in (-sharp, sharp))
        assert np.isin(sure, found).all() and np.isin(found, near).all()
        assert len(found) > len(place)
    return len(found)


def lists_by(gpu: bool, cores: int) -> dict[str, tuple[str, int]]:
    """Device and threads of each way to make lists."""
    ways = {"lists, 1 core": ("cpu", 1), f"lists, {cores} cores": ("cpu", cores), "lists, GPU": ("cuda", cores)}
    return {way: how for way, how in ways.items() if way != "lists, 1 cores" and (gpu or how[0] == "cpu")}


def search_times(count: int, gpu: bool, cores: int) -> dict[str, float]:
    """Wall times of all ways [s]."""
    spec = box_of(count)
    falling = gori.Simulation(gori.compile(spec), gori.RK4(step=0.01), device="cuda" if gpu else "cpu")
    falling.advance(25)
    state, sub_step, beds = falling.state, falling.particles.step, {}
    for way, (device, threads) in lists_by(gpu, cores).items():
        gori.threads(threads)
        # a step of the bodies, though none of them moves, is one sub-step of the grains
        beds[way] = gori.Simulation(gori.compile(spec), gori.RK4(step=sub_step), state=state, device=device)
    place, reach = falling.particles.position, 2.0 * RADIUS + float(state.particles["skin"])
    ways = {way: simulation.particles.engine.renew for way, simulation in beds.items()}
    ways["k-d tree"] = lambda: tree_pairs(place, reach)
    known = keys(tree_pairs(place, reach))
    times = best_times(ways)
    if count <= MOST_PAIRS:
        times |= best_times({"all pairs": lambda: all_pairs(place, reach)}, 0.0)
        assert (keys(all_pairs(place, reach)) == known).all()
    contacts = [check_contacts(simulation) for simulation in beds.values()]
    print(f"{count:,} grains: {len(known):,} pairs within the reach, {contacts[0]:,} touch, as the k-d tree has them")
    return times


def crossing(counts: list[int], ours: list[float], theirs: list[float]) -> float | None:
    """Number of grains from which on ours is faster, if it is; between the counts by straight lines in logarithms."""
    ahead = np.log(np.array(theirs) / np.array(ours))
    if ahead[-1] <= 0.0:
        return None
    last = np.flatnonzero(ahead <= 0.0)
    if not len(last):
        return counts[0]
    k = last[-1]
    return float(np.exp(np.interp(0.0, ahead[k : k + 2], np.log(counts[k : k + 2]))))


words = argparse.ArgumentParser()
words.add_argument("folder", nargs="?", default="out/examples/contact_search")
words.add_argument("--full", action="store_true")
asked = words.parse_args()
out = Path(asked.folder)
out.mkdir(parents=True, exist_ok=True)

gpu, cores = "cuda" in gori.sim.devices(), gori.threads()
counts = [1_000, 4_000, 16_000] + ([64_000, 250_000, 1_000_000] if asked.full else [])
table = [search_times(count, gpu, cores) for count in counts]
ways = list(dict.fromkeys(way for times in table for way in times))

print(f"\n{'[ms]':>9} " + " ".join(f"{way:>14}" for way in ways))
for count, times in zip(counts, table):
    print(f"{count:9,} " + " ".join(f"{1e3 * times[way]:14.3f}" if way in times else f"{'':14}" for way in ways))
figure, ax = plt.subplots(figsize=(6, 4.5), layout="constrained")
for way in ways:
    found = [(count, times[way]) for count, times in zip(counts, table) if way in times]
    sizes, seconds = map(list, zip(*found))
    p = np.polyfit(np.log(sizes), np.log(seconds), 1)[0]
    print(f"{way}: grows as N^{p:.2f}")
    ax.loglog(sizes, 1e3 * np.array(seconds), "o-", label=f"{way}: N^{p:.2f}")
    if way == "lists, 1 core":
        assert p < 1.5, "far from N^2"
ours = [times["lists, 1 core"] for times in table]
tree = [times["k-d tree"] for times in table]
print(f"lists on one core are {tree[-1] / ours[-1]:.1f} times as fast as the k-d tree at {counts[-1]:,} grains")
if gpu:
    fast = [times["lists, GPU"] for times in table]
    for way in lists_by(False, cores):
        slow = [times[way] for times in table]
        start, factor = crossing(counts, fast, slow), slow[-1] / fast[-1]
        where = "nowhere" if start is None else f"from {start:,.0f} grains on"
        print(f"lists, GPU: faster than {way} {where}, {factor:.1f} times at {counts[-1]:,}")
assert ours[0] < table[0]["all pairs"]
ax.set(xlabel="grains", ylabel="wall time of one search [ms]")
ax.grid(alpha=0.3)
ax.legend()
figure.savefig(out / "contact_search.png", dpi=90)
