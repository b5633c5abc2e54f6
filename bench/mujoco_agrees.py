"""Whether a Model computes what MuJoCo computes for the same MJCF file, without constraints and contacts."""

import warnings
from pathlib import Path

import mujoco
import numpy as np

import gori
from gori.formats.mjcf import MujocoCoordinates

STATES = 5
OFF = ("CONSTRAINT", "EQUALITY", "FRICTIONLOSS", "LIMIT", "CONTACT", "ACTUATION", "SPRING", "DAMPER")


def compiled(path: Path) -> mujoco.MjModel | None:
    """MuJoCo's model of a file, or None where MuJoCo refuses it; its warnings go nowhere."""
    before = mujoco.get_mju_user_warning()
    mujoco.set_mju_user_warning(lambda words: None)
    try:
        return mujoco.MjModel.from_xml_path(str(path))
    except ValueError:
        return None
    finally:
        mujoco.set_mju_user_warning(before)


def errors(m: mujoco.MjModel, model: gori.Model) -> dict[str, float]:
    """Largest differences at random states, each relative to the largest number of its kind in MuJoCo.

    Forces are compared with the largest of M as well: what is left of a force may be rounding alone.
    """
    for flag in OFF:
        m.opt.disableflags |= int(getattr(mujoco.mjtDisableBit, f"mjDSBL_{flag}"))
    found = dict.fromkeys(("mass", "bias", "inverse", "forward"), 0.0)
    if model.nv != m.nv or model.nq != m.nq:
        return dict.fromkeys(found, float("inf"))
    if m.nv == 0:
        return found
    rng, coordinates, d = np.random.default_rng(7), MujocoCoordinates(m, model), mujoco.MjData(m)
    for _ in range(STATES):
        d.qpos[:] = coordinates.qpos(model.random(rng))
        d.qvel[:], d.qfrc_applied[:] = rng.normal(size=(2, m.nv))
        for name, error in _at(m, d, model, coordinates, rng.normal(size=m.nv)).items():
            found[name] = max(found[name], error)
    return found


def _at(m, d, model, coordinates, qacc) -> dict[str, float]:
    qpos, qvel = d.qpos.copy(), d.qvel.copy()
    q, v, T = coordinates.q(qpos), coordinates.v(qpos, qvel), coordinates.velocity_matrix(qpos)
    mujoco.mj_forward(m, d)
    M = np.zeros((m.nv, m.nv))
    mujoco.mj_fullM(m, d, M)
    bias, smooth = d.qfrc_bias.copy(), d.qacc_smooth.copy()
    pushed = d.qfrc_applied + d.qfrc_passive
    d.qacc[:] = qacc
    mujoco.mj_inverse(m, d)
    needed = d.qfrc_inverse + d.qfrc_passive

    still = coordinates.a(qpos, qvel, np.zeros(m.nv))
    ours = {
        "mass": (T.T @ model.mass_matrix(q) @ T, M),
        "bias": (model.inverse_dynamics(q, v, still), coordinates.tau(qpos, bias)),
        "inverse": (model.inverse_dynamics(q, v, coordinates.a(qpos, qvel, qacc)), coordinates.tau(qpos, needed)),
        "forward": (
            model.forward_dynamics(q, v, coordinates.tau(qpos, pushed)),
            coordinates.a(qpos, qvel, smooth),
        ),
    }
    # velocities are of order one: forces that cancel are of the size of M
    least = {"bias": np.abs(M).max(), "inverse": np.abs(M).max()}
    return {name: _relative(one, other, least.get(name, 0.0)) for name, (one, other) in ours.items()}


def _relative(ours: np.ndarray, theirs: np.ndarray, least: float = 0.0) -> float:
    size = max(np.abs(theirs).max(), least)
    return float(np.abs(ours - theirs).max() / size) if size > 0.0 else float(np.abs(ours).max())


# ---- with springs, dampers, gravity compensation and actuators

_LINES = ("actuator", "spring", "spatial", "forces of", "terms of", "yield", "mocap")
"""beginnings of what a warning lists, that would change the forces"""
_CUT_OFF = ("CONSTRAINT", "EQUALITY", "FRICTIONLOSS", "LIMIT", "CONTACT")
STEP = 1e-3


def same_forces(path: Path, within: Path, keyframe: str | None = None) -> float | None:
    """The difference of accelerations under all forces of the file, without friction; None where not all are held.

    A step of semi-implicit Euler shows the accelerations, as (v after - v before) / step.
    """
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        spec = gori.load(path, within=within, keyframe=keyframe)
        if any(line.strip().startswith(_LINES) for w in caught for line in str(w.message).splitlines()):
            return None
        data = spec.model_dump(exclude_unset=True)
        for joint in data.get("joints", {}).values():
            joint.pop("friction", None)
        model = gori.compile(gori.Spec(**data), open_loops=True)
        m = compiled(path)
        assert m is not None
        if m.nv == 0:
            return None
        for flag in _CUT_OFF:
            m.opt.disableflags |= int(getattr(mujoco.mjtDisableBit, f"mjDSBL_{flag}"))
        rng, coordinates, d = np.random.default_rng(7), MujocoCoordinates(m, model), mujoco.MjData(m)
        if keyframe is not None:
            mujoco.mj_resetDataKeyframe(m, d, m.key(keyframe).id)  # for its controls
        d.qpos[:] = coordinates.qpos(model.random(rng))
        d.qvel[:] = 0.1 * rng.normal(size=m.nv)
        mujoco.mj_forward(m, d)
        v = coordinates.v(d.qpos, d.qvel)
        simulation = gori.Simulation(model, gori.SemiImplicit(step=STEP), state=model.state(coordinates.q(d.qpos), v))
        ours = (simulation.step(1).v - v) / STEP
    return _relative(ours, coordinates.a(d.qpos, d.qvel, d.qacc_smooth))
