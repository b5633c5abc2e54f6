"""A machine as a stick figure: lines between the joints, dots at the centres of mass."""

from typing import Any

import numpy as np

from gori.model import Model
from gori.spec import GROUND


def segments(model: Model, q: Any) -> list[tuple[np.ndarray, np.ndarray]]:
    """Lines in the world [m]: from each body's origin to the joints that it carries, and to its own joint."""
    poses = model.forward_kinematics(q)
    lines = []
    for joint in model.spec.joints.values():
        for body, point in ((joint.parent, joint.at), (joint.child, joint.child_at)):
            T = poses[body]
            if body != GROUND:
                lines.append((T[:3, 3], T[:3, :3] @ point + T[:3, 3]))
    for frame in model.spec.frames.values():
        T = poses[frame.body]
        lines.append((T[:3, 3], T[:3, :3] @ frame.at + T[:3, 3]))
    return [(a, b) for a, b in lines if np.linalg.norm(a - b) > 1e-9]


def draw(model: Model, q: Any = None, ax: Any = None, color: str = "tab:blue", label: str | None = None) -> Any:
    """Draw a Model at q (default: its start coordinates) into 3D axes of matplotlib; makes them if there are none."""
    import matplotlib.pyplot as plt

    q = model.q0 if q is None else q
    if ax is None:
        ax = plt.figure(figsize=(6, 6)).add_subplot(projection="3d")
        ax.set(xlabel="x [m]", ylabel="y [m]", zlabel="z [m]")
    for k, (a, b) in enumerate(segments(model, q)):
        ax.plot(
            *np.transpose([a, b]), color=color, linewidth=2.0, solid_capstyle="round", label=label if k == 0 else None
        )
    poses = model.forward_kinematics(q)
    heavy = [(m, poses[name] @ [*com, 1.0]) for name, (m, com) in _masses(model).items() if m > 0.0]
    if heavy:
        points = np.array([p[:3] for _, p in heavy])
        sizes = 60.0 * np.sqrt([m for m, _ in heavy]) / np.sqrt(max(m for m, _ in heavy))
        ax.scatter(*points.T, s=sizes, color=color, alpha=0.35, linewidths=0.0)
    ax.set_aspect("equal")
    return ax


def _masses(model: Model) -> dict[str, tuple[float, np.ndarray]]:
    return {name: model.spec.bodies[name].inertial()[:2] for name in model.body_names}
