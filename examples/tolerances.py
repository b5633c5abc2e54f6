"""What do tolerances of bars do? Hundreds of crank-rockers at once, each with lengths of its own, turn for a second.

The swing of a rocker has a closed form: it stands still where crank and coupler are in line. Every machine is compared
with it. Assumed: lengths are normally distributed, +-0.2 mm (one standard deviation), independent of each other.

    python examples/tolerances.py [--machines 500] [--device cuda] [--plot swing.png]
"""

import argparse
import time
from pathlib import Path

import numpy as np

import gori

NOMINAL = {"crank": 0.2, "coupler": 0.5, "rocker": 0.4, "ground": 0.6}
PATHS = {"crank": "joints.B.at", "coupler": "joints.C.at", "rocker": "joints.C.child_at", "ground": "joints.D.at"}
SPREAD = 0.2e-3


def swing(crank, coupler, rocker, ground):
    """Angle between both poses in which the rocker turns back [rad], by the law of cosines."""
    outer, inner = coupler + crank, coupler - crank
    angle = [np.arccos((ground**2 + rocker**2 - reach**2) / (2 * ground * rocker)) for reach in (outer, inner)]
    return angle[0] - angle[1]


def simulated(lengths: dict[str, np.ndarray], device: str = "cpu") -> np.ndarray:
    """The same from machines that turn once."""
    spec = gori.load(Path(__file__).with_name("four_bar.yaml"))
    zeros = np.zeros((len(lengths["crank"]), 2))
    parameters = {PATHS[bar]: np.column_stack([values, zeros]) for bar, values in lengths.items()}
    batch = gori.batch(spec, len(zeros), gori.SemiImplicit(step=1e-3), parameters=parameters, device=device)
    rocker = batch.model.joint("D").q.start
    low, high = np.full(len(zeros), np.inf), np.full(len(zeros), -np.inf)
    for _ in range(500):
        batch.step(2)
        angle = np.asarray(batch.q)[:, rocker]
        low, high = np.minimum(low, angle), np.maximum(high, angle)
    assert not batch.failed.any(), batch.failures()
    return high - low


def main() -> None:
    asked = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    asked.add_argument("--machines", type=int, default=500)
    asked.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    asked.add_argument("--plot", type=Path)
    arguments = asked.parse_args()
    rng = np.random.default_rng(1)
    lengths = {bar: length + SPREAD * rng.normal(size=arguments.machines) for bar, length in NOMINAL.items()}
    start = time.perf_counter()
    found, exact = simulated(lengths, arguments.device), swing(**lengths)
    print(f"{arguments.machines} machines turned once in {time.perf_counter() - start:.1f} s")
    print(f"swing {np.degrees(found.mean()):.3f} deg, standard deviation {np.degrees(found.std()):.4f} deg")
    print(f"largest difference to the law of cosines: {np.degrees(np.abs(found - exact).max()):.1e} deg")
    assert np.abs(found - exact).max() < 2e-5
    if arguments.plot is not None:
        import matplotlib.pyplot as plt

        figure, axes = plt.subplots(figsize=(6.0, 3.6), layout="constrained")
        axes.hist(np.degrees(found), 60, color="0.6")
        axes.set(xlabel="swing of the rocker [deg]", ylabel="machines")
        figure.savefig(arguments.plot, dpi=120)


if __name__ == "__main__":
    main()
