"""What has no counterpart in a Spec: listed by name."""

from typing import Any

from gori.formats.mjcf.package import mujoco_package
from gori.formats.mjcf.source import MjcfSource

_WITH_CHANNELS = ("JOINTPOS", "JOINTVEL", "BALLQUAT", "BALLANGVEL", "FRAMEPOS", "FRAMELINVEL", "FRAMEANGVEL", "CLOCK",
                  "E_POTENTIAL", "E_KINETIC")  # fmt: skip
"""kinds of sensors that a recording has channels for anyway: JOINT.q, FRAME.x, energy.kinetic, ..."""


def list_the_rest(source: MjcfSource) -> None:
    """Add all elements that nothing was made of."""
    m, left = source.m, source.left
    for kind in ("camera", "light", "skin", "numeric", "text", "tuple", "plugin"):
        count = getattr(m, {"camera": "ncam"}.get(kind, f"n{kind}"))
        left.add(kind, *source.names.of(kind, count)) if count else None
    if sensors := [name for k, name in enumerate(source.names.sensors) if not has_channel(m, k)]:
        left.add("sensor", *sensors)
    if m.opt.density or m.opt.viscosity:
        left.add("forces of the surrounding fluid (density, viscosity, wind)")
    for k in range(1, m.nbody):
        if m.body_mocapid[k] >= 0:
            left.note(f"mocap body {source.names.bodies[k]!r} stands still")
    if (m.body_plugin >= 0).any():
        left.add("forces of plugins", *(source.names.bodies[k] for k in range(m.nbody) if m.body_plugin[k] >= 0))
    if source.collide is not None and m.npair:
        left.note("each <pair> keeps its friction; its other numbers are not carried over")


def has_channel(m: Any, sensor: int) -> bool:
    """Whether a recording shows what a sensor measures, in the axes of the world."""
    kinds = {int(getattr(mujoco_package().mjtSensor, f"mjSENS_{name}")) for name in _WITH_CHANNELS}
    plain = m.sensor_cutoff[sensor] == 0.0 and m.sensor_refid[sensor] < 0
    return int(m.sensor_type[sensor]) in kinds and bool(plain)
