"""An engine's map as a surface: torque over speed and throttle, with the governors in it."""

import os
from typing import Any

import numpy as np

from gori.spec.vehicle.drivetrain import DriveTrain, Engine
from gori.text.arguments import path_of

RPM = np.pi / 30.0


def governed_torque(engine: Engine, speed_rpm: Any, throttle: Any) -> np.ndarray:
    """Torque [N m] at speeds (n,) [rev/min] and throttles (m,), shape (m, n), as the drive train takes it."""
    speed = np.asarray(speed_rpm, float)
    rows = np.array([np.interp(speed, engine.speed_rpm, row) for row in engine.torque])
    idle = (engine.idle_rpm + 0.5 * engine.idle_band_rpm - speed) / engine.idle_band_rpm
    limit = (engine.cutoff_rpm - speed) / (engine.cutoff_rpm - engine.governed_rpm)
    torque = np.empty((len(np.atleast_1d(throttle)), len(speed)))
    for j, u in enumerate(np.atleast_1d(throttle)):
        used = np.clip(np.minimum(np.maximum(u, idle), limit), 0.0, 1.0)
        torque[j] = [np.interp(x, engine.throttle, column) for x, column in zip(used, rows.T)]
    return torque


def engine_map(drivetrain: DriveTrain, path: str | os.PathLike | None = None, size: float = 6.0) -> Any:
    """Draw the engine's map as a surface, and beside it full-throttle torque and power; saves it to `path`.

    size   height of the picture [inches]
    """
    from matplotlib.figure import Figure

    engine = drivetrain.engine
    speed = np.linspace(engine.slowest_rpm, engine.cutoff_rpm, 120)
    throttle = np.linspace(0.0, 1.0, 41)
    torque = governed_torque(engine, speed, throttle)
    figure = Figure(figsize=(2.2 * size, size), layout="constrained")
    surface: Any = figure.add_subplot(1, 2, 1, projection="3d")
    surface.plot_surface(speed, 100.0 * throttle[:, None], torque, cmap="viridis", rcount=41, ccount=60, linewidth=0.2)
    surface.set(xlabel="engine speed [rev/min]", ylabel="throttle [%]", zlabel="torque [N m]", title="Engine map")
    surface.view_init(elev=25.0, azim=-125.0)

    curve = figure.add_subplot(1, 2, 2)
    power = curve.twinx()
    for j, shade in ((10, 0.25), (20, 0.45), (30, 0.7), (40, 1.0)):
        label = f"{throttle[j]:.0%} throttle"
        curve.plot(speed, torque[j], color="tab:blue", alpha=shade, label=label)
    power.plot(speed, torque[-1] * speed * RPM / 1e3, color="tab:red", linestyle="--")
    curve.axvline(engine.governed_rpm, color="gray", linewidth=0.8, linestyle=":")
    curve.set(xlabel="engine speed [rev/min]", ylabel="torque [N m]", title="Torque, and power at full throttle")
    power.set_ylabel("power [kW]", color="tab:red")
    curve.legend(loc="lower left")
    curve.grid(alpha=0.3)
    if path is not None:
        path = path_of(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(path, dpi=110)
    return figure
