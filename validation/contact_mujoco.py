"""The same falling and sliding scenes in Gori, by its three ways of contact, and in MuJoCo.

python -m validation.contact_mujoco     prints the table, writes it and trajectories to out/contact_mujoco
"""

import math
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import gori
from bench.contact_mujoco import Peer, mujoco
from bench.contact_scenes import GROUND, Joint, Options, Scene, description, solid

SAMPLE = 0.01
PEERS = {
    "MuJoCo, default softness": Options(step=2e-3, solref=10.0, solimp=0.95),
    "MuJoCo, stiff, 0.2 ms": Options(step=2e-4, solref=2.0, solimp=0.999, impratio=10.0),
}
WAYS: dict[str, tuple[Any, dict[str, Any]]] = {
    "impulses, 2 ms": (gori.TimeStepping(step=2e-3), {}),
    "penalty, Dopri5": (gori.Dopri5(rtol=1e-6), {}),
    "impacts, Dopri5": (gori.Dopri5(rtol=1e-8), {"impacts": True}),
}


class Moving(NamedTuple):
    """A scene with its first velocities, in the order of Gori, and the body that is followed."""

    scene: Scene
    v: list[float]
    body: str


def thrown(name: str, shape: dict[str, Any], q: list[float], v: list[float], duration: float) -> Moving:
    """One free body."""
    bodies, joints = {"body": solid({"s": shape}, 1000.0)}, {"free": Joint("free", GROUND, "body", q=q)}
    return Moving(Scene(name, duration, duration, 0.1, 1, bodies, joints, friction=0.3), v, "body")


def pendulum() -> Moving:
    """Two links hinged at a height of 0.5 m, let go level: the lower one falls on the floor."""
    link = solid({"link": {"type": "capsule", "axis": [1.0, 0.0, 0.0], "length": 0.4, "radius": 0.03}}, 1000.0)
    hinge = {"type": "revolute", "axis": (0.0, 1.0, 0.0), "q": [0.0]}
    joints = {
        "a": Joint(parent=GROUND, child="upper", at=(0.0, 0.0, 0.5), damping=0.02, **hinge),
        "b": Joint(parent="upper", child="lower", at=(0.4, 0.0, 0.0), damping=0.02, **hinge),
    }
    bodies = {"upper": link, "lower": link}
    return Moving(Scene("pendulum", 3.0, 3.0, 0.06, 1, bodies, joints, friction=0.3), [0.0, 0.0], "lower")


def scenes() -> dict[str, Moving]:
    """At rest on the floor or above it."""
    box, side = {"type": "box", "size": [0.3, 0.2, 0.1]}, [0.0] * 3
    rod = {"type": "capsule", "axis": [0.0, 1.0, 0.0], "length": 0.3, "radius": 0.05, "at": [0.0, -0.15, 0.0]}
    return {
        "ball dropped": thrown(
            "ball", {"type": "sphere", "radius": 0.1}, [1, 0, 0, 0, 0, 0, 0.4], [*side, 1.0, 0, 0], 1.0
        ),
        "block sliding": thrown("block", box, [1, 0, 0, 0, 0, 0, 0.05], [*side, 1.5, 0, 0], 2.0),
        "capsule rolling": thrown("capsule", rod, [1, 0, 0, 0, 0, 0, 0.05], [*side, 1.0, 0, 0], 1.0),
        "box tumbling": thrown("box", box, [1, 0, 0, 0, 0, 0, 0.4], [0, 5.0, 0, 1.0, 0, 0], 2.0),
        "double pendulum": pendulum(),
    }


class Path3(NamedTuple):
    """Times (n,), centre of a body (n, 3) [m], deepest penetration [m]; `slides` is its way in the last 0.5 s [m]."""

    time: np.ndarray
    place: np.ndarray
    depth: float

    @property
    def slides(self) -> float:
        return float(np.ptp(self.place[self.time > self.time[-1] - 0.5, 0]))


def in_gori(moving: Moving, way: str) -> Path3:
    data = description(moving.scene)
    data["contacts"] = {name: law | {"stiffness": 1e7} for name, law in data["contacts"].items()}
    model = gori.compile(gori.Spec(**data))
    method, options = WAYS[way]
    simulation = gori.Simulation(model, method, state=model.state(v=moving.v), **options)
    recording = simulation.run(moving.scene.duration, SAMPLE, progress=False)
    rows = np.searchsorted(recording.time, np.arange(0.0, moving.scene.duration + 1e-9, SAMPLE) - 1e-9)
    gaps = [min((p.gap for p in model.contacts(q, 1e-3)), default=0.0) for q in recording.q[rows]]
    place = np.stack([recording[f"{moving.body}.{axis}"] for axis in "xyz"], axis=1)[rows]
    return Path3(recording.time[rows], place, max(0.0, -min(gaps)))


def in_mujoco(moving: Moving, options: Options) -> Path3:
    peer = Peer(moving.scene, options)
    model, data = peer.model, peer.data
    v = moving.v
    data.qvel[:] = [*v[3:], *v[:3]] if len(v) == 6 else v  # a free joint: linear first
    every, places, depth = round(SAMPLE / options.step), [], 0.0
    count = round(moving.scene.duration / SAMPLE)
    for k in range(count + 1):
        mujoco.mj_forward(model, data)
        places.append(data.body(moving.body).xpos.copy())
        depth = max(depth, -float(data.contact.dist.min(initial=0.0)))
        if k < count:
            mujoco.mj_step(model, data, nstep=every)
    return Path3(SAMPLE * np.arange(count + 1), np.array(places), depth)


def results(moving: Moving) -> dict[str, Path3]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = {way: in_gori(moving, way) for way in WAYS}
        return found | {name: in_mujoco(moving, options) for name, options in PEERS.items()}


def rows(name: str, found: dict[str, Path3]) -> list[str]:
    """Lines of the table; the reference is our run by impacts, whose contacts are rigid."""
    exact = found["impacts, Dopri5"]
    lines = []
    for way, path in found.items():
        away = float(np.linalg.norm(path.place - exact.place, axis=1).max())
        cells = [f"{path.place[-1, 0]:.5f}", f"{1e3 * away:.2g}", f"{1e6 * path.depth:.2g}", f"{1e6 * path.slides:.2g}"]
        lines.append("| " + " | ".join([name, way, *cells]) + " |")
    return lines


def picture(all_found: dict[str, dict[str, Path3]], path: Path) -> None:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(len(all_found), 2, figsize=(10, 2.4 * len(all_found)))
    for (name, found), (left, right) in zip(all_found.items(), axes):
        for way, one in found.items():
            style = "--" if way.startswith("MuJoCo") else "-"
            left.plot(one.time, one.place[:, 0], style, label=way)
            right.plot(one.time, one.place[:, 2], style)
        left.set(title=name, xlabel="t [s]", ylabel="x [m]")
        right.set(xlabel="t [s]", ylabel="z [m]")
    axes[0, 0].legend(fontsize=7)
    figure.tight_layout()
    figure.savefig(path, dpi=110)


def gripper() -> list[str]:
    """Slip of the held box in 6 s, deepest contact, at the settings of the benchmark."""
    from bench import contact_gori, contact_mujoco
    from bench.contact_cases import CASES

    scene, lines = CASES["gripper"](), []
    ours = contact_gori.measure(scene, gori.TimeStepping(step=2e-3))
    theirs = {name: contact_mujoco.measure(scene, options) for name, options in PEERS.items()}
    for way, one in {"impulses, 2 ms": ours, **theirs}.items():
        told = (
            "fails"
            if one is None
            else f"slip {1e6 * one.slip:.3g} um, deepest {1e6 * one.penetration * scene.size:.3g} um"
        )
        lines.append(f"gripper, {way}: {told}")
    return lines


def main(show: Callable[[str], None] = print) -> None:
    folder = Path("out") / "contact_mujoco"
    folder.mkdir(parents=True, exist_ok=True)
    found = {name: results(moving) for name, moving in scenes().items()}
    head = "| scene | way | x at the end [m] | farthest from impacts [mm] | deepest [um] | way in the last 0.5 s [um] |"
    lines = [head, "|---|---|--:|--:|--:|--:|"]
    for name, one in found.items():
        lines += rows(name, one)
    lines += ["", *gripper(), "", f"block: v0^2 / (2 mu g) = {1.5**2 / (2 * 0.3 * 9.81):.5f} m"]
    lines += [f"capsule: rolls at {1.0 * _rolling():.4f} m/s by its moment of inertia"]
    (folder / "table.md").write_text("\n".join(lines) + "\n")
    picture(found, folder / "paths.png")
    show("\n".join(lines))
    show(f"{folder / 'paths.png'}")


def _rolling() -> float:
    """Share of its speed with which the capsule rolls: 1 / (1 + J / (m R^2)) of what slides without spin."""
    body = scenes()["capsule rolling"].scene.bodies["body"]
    return 1.0 / (1.0 + body.inertia[1] / (body.mass * 0.05**2)) if math.isfinite(body.mass) else math.nan


if __name__ == "__main__":
    main()
