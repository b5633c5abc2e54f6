"""Bodies: mass, centre of mass and inertia, in the axes of the body; gravity compensation; sites as frames."""

from typing import Any

import numpy as np

from gori.formats.mjcf.source import MjcfSource
from gori.formats.plain import inertial_of, pose_of
from gori.spec import GROUND
from gori.spec.base import rotation


def bodies(source: MjcfSource) -> dict[str, dict[str, Any]]:
    """All bodies but the world, without shapes."""
    return {name: _inertial(source, k) for k, name in enumerate(source.names.bodies) if name != GROUND}


def _inertial(source: MjcfSource, k: int) -> dict[str, Any]:
    """MuJoCo stores principal moments and their axes; a Spec has the matrix in the axes of the body."""
    m = source.m
    mass, com = float(m.body_mass[k]), m.body_ipos[k]
    R = rotation(None, tuple(m.body_iquat[k]))
    J = R @ np.diag(m.body_inertia[k]) @ R.T
    body, problem = inertial_of(mass, com, J, np.trace(J))
    if problem:
        source.left.note(f"body {source.names.bodies[k]!r}: {problem}")
    return body


def gravity_compensation(source: MjcfSource) -> dict[str, dict[str, Any]]:
    """Forces against gravity on the centres of mass of the bodies that have `gravcomp`."""
    m, forces = source.m, {}
    for k in range(1, m.nbody):
        lift = -m.body_gravcomp[k] * m.body_mass[k] * m.opt.gravity
        if lift.any() and m.body_weldid[k] and not source.disabled("gravity"):
            body = source.names.bodies[k]
            force = {"type": "wrench", "body": body, "force": lift.tolist()} | pose_of(m.body_ipos[k], (1, 0, 0, 0))
            forces[source.names.force(f"{body}.gravcomp")] = force
    return forces


def frames(source: MjcfSource) -> dict[str, dict[str, Any]]:
    """Sites: frames fixed to bodies."""
    m, names = source.m, source.names
    return {
        name: {"body": names.bodies[m.site_bodyid[k]]} | pose_of(m.site_pos[k], m.site_quat[k])
        for k, name in enumerate(names.sites)
    }
