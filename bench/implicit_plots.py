"""The pictures of docs/strategies.md: time per step against the number of links, and where partial updates fail."""

import warnings
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import gori
from bench.chains import chain

SHOWN = {
    "full, one solve a step": gori.ImplicitEuler(1e-2, gori.jacobian.Full()),
    "round robin, 1 column": gori.ImplicitEuler(1e-2, gori.jacobian.RoundRobin(1)),
    "round robin, 10 columns": gori.ImplicitEuler(1e-2, gori.jacobian.RoundRobin(10)),
    "fastest, 1 column": gori.ImplicitEuler(1e-2, gori.jacobian.Fastest(1)),
    "frozen": gori.ImplicitEuler(1e-2, gori.jacobian.Frozen()),
    "error-driven": gori.ImplicitEuler(1e-2, gori.jacobian.ErrorDriven()),
    "full, Newton": gori.ImplicitEuler(1e-2, gori.jacobian.Full(), newton=True),
}


def draw(folder: Path, by_size: dict) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    times(by_size).savefig(folder / "strategies-time.png", dpi=110)
    failures().savefig(folder / "strategies-failures.png", dpi=110)


def times(by_size: dict[int, dict[str, tuple[float, float, float]]]) -> plt.Figure:
    figure, ax = plt.subplots(figsize=(7, 4.6), layout="constrained")
    links = np.array(list(by_size))
    for name in next(iter(by_size.values())):
        ax.loglog(links, [1e6 * rows[name][0] for rows in by_size.values()], "o-", label=name)
    ax.loglog(links, 0.2 * links, "k:", label="slope 1")
    ax.set(xlabel="links", ylabel="time per step [us]", title="Implicit Euler, stiff chains, h omega_max > 10")
    ax.grid(True, which="both", alpha=0.3)
    ax.legend(fontsize=8)
    return figure


def failures() -> plt.Figure:
    """Error over time of chains that a Jacobian by single columns cannot follow."""
    figure, axes = plt.subplots(1, 3, figsize=(12, 4.2), layout="constrained", sharey=True)
    for ax, (title, model) in zip(axes, violent().items()):
        exact = run(model, gori.GeneralizedAlpha(step=2e-4))
        for name, method in SHOWN.items():
            rec = run(model, method)
            count = len(rec.time)
            error = np.sqrt(np.mean(np.clip(rec.q - exact.q[:count], -1e9, 1e9) ** 2, axis=1))
            ax.semilogy(rec.time, np.clip(error, 1e-7, 1e3), label=name, lw=2.5 if name == "error-driven" else 1.2)
        ax.set(title=title, xlabel="time [s]", ylim=(1e-6, 1e3))
        ax.grid(True, alpha=0.3)
    axes[0].set_ylabel("error of the joint angles [rad]")
    axes[0].legend(fontsize=8)
    return figure


def violent() -> dict[str, gori.Model]:
    loaded = chain(100, "alternating", 200.0, 2.0).spec
    blow = {"type": "torque", "joint": "hinge50", "value": [[0.0, 0.0], [0.5, 0.0], [0.501, 300.0], [3.0, 300.0]]}
    return {
        "axes in random directions": chain(100, "random", 200.0, 2.0),
        "a whip: first hinge at 3 rad/s": chain(100, "swung", 100.0, 1.0, speed=3.0),
        "a sudden load: 300 N m at 0.5 s": gori.compile(
            gori.Spec(**{**loaded.model_dump(exclude_unset=True), "forces": {"blow": blow}})
        ),
    }


def run(model: gori.Model, method) -> gori.Recording:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", gori.errors.ConditionWarning)  # that is what is shown
            return gori.Simulation(model, method).run(2.0, sample=1e-2, progress=False)
    except gori.errors.SimulationError as error:
        assert error.recording is not None
        return error.recording
