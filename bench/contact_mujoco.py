"""Scenes with contact in MuJoCo: a timed run in C, and a run that measures what the thresholds are about.

penetration   deepest active point after settling / size of a body
sliding       speed of one surface over the other at the fastest active point of two bodies, its mean over the settled
              time [m/s], for each pair that touches for at least half of it; rolling is no sliding. In a heap some body
              may still be on its way: nine tenths of the pairs are at most this fast. `fastest` is that of all
energy        largest excess of energy over that at the start and the work done since, as a share of the energy
              exchanged: the largest kinetic energy + the ranges of potential and elastic energy + the work. `rise` is
              likewise over the lowest energy of any time before, and tells of what is pushed out of deep contact
slip          of a held body in the frame of what holds it, since it is held: its range along the widest axis [m]

Energy includes that of the springs of motors, so their dampers only take; a moving target does the work
kp (target - q) d(target).
"""

import time
from typing import NamedTuple

import numpy as np

from bench.contact_scenes import Options, Scene, to_mjcf

try:
    import mujoco
    from mujoco import rollout
except ImportError as error:
    raise SystemExit("this needs MuJoCo: pip install 'gori[dev]'") from error

mujoco.set_mju_user_warning(lambda message: None)  # a failed trial is told by its result, not in a file

PENETRATION, SLIDING, ENERGY = 1e-3, 1e-5, 1e-3
"""thresholds: share of a body's size, [m/s], share of the energy exchanged"""
SHARE = 0.9
"""of the pairs that must not slide faster"""


class Measured(NamedTuple):
    contacts: float  # mean number of active points after settling
    penetration: float
    sliding: float
    fastest: float
    energy: float
    rise: float
    slip: float
    seconds: float  # processor time of the steps alone, in this run

    def excess(self, scene: Scene) -> dict[str, float]:
        """What was measured / threshold, where it is above 1."""
        found = {
            "contacts": scene.contacts / max(self.contacts, 1e-3), "penetration": self.penetration / PENETRATION,
            "sliding": self.sliding / SLIDING, "energy": self.energy / ENERGY, "slip": self.slip / scene.slip,
        }  # fmt: skip
        return {name: ratio for name, ratio in found.items() if not ratio <= 1.0}


class Peer:
    """A scene in MuJoCo."""

    def __init__(self, scene: Scene, options: Options):
        self.scene, self.options = scene, options
        self.model = mujoco.MjModel.from_xml_string(to_mjcf(scene, options))
        self.data, self.look = mujoco.MjData(self.model), mujoco.MjData(self.model)
        self.steps = round(scene.duration / options.step)
        self.moving = [motor for motor in scene.motors.values() if motor.moves]
        times = options.step * np.arange(self.steps)
        self.targets = np.array([motor.at(times) for motor in self.moving]).T.reshape(self.steps, -1)
        self.reset()

    def reset(self) -> None:
        mujoco.mj_resetDataKeyframe(self.model, self.data, 0)

    def run(self) -> float:
        """Processor time of all steps [s], in a loop in C; a moving target is an array of one row for each step."""
        self.reset()
        if not self.moving:
            start = time.thread_time()
            mujoco.mj_step(self.model, self.data, nstep=self.steps)
            return time.thread_time() - start
        kind = mujoco.mjtState.mjSTATE_FULLPHYSICS
        state = np.empty(mujoco.mj_stateSize(self.model, kind))
        mujoco.mj_getState(self.model, self.data, state, kind)
        start = time.thread_time()
        rollout.rollout(self.model, self.data, state[None], self.targets[None], nstep=self.steps)
        return time.thread_time() - start

    def energies(self) -> tuple[float, float, float]:
        """Kinetic, potential, and elastic energy of the springs of motors [J], at the present state."""
        model, look = self.model, self.look  # after a step, poses in `data` are still those before it
        look.qpos[:], look.qvel[:] = self.data.qpos, self.data.qvel
        for update in ("kinematics", "comPos", "makeM", "energyPos", "energyVel"):
            getattr(mujoco, f"mj_{update}")(model, look)
        springs = sum(
            0.5 * motor.kp * (target - look.joint(motor.joint).qpos[0]) ** 2
            for motor, target in zip(self.moving, self.data.ctrl)
        )
        weight = float(-model.body_mass @ look.xipos @ model.opt.gravity)
        return look.energy[1], weight, look.energy[0] - weight + springs


def surface_speeds(model, data, active: np.ndarray) -> np.ndarray:
    """Speed of one surface over the other at contact points (n,) [m/s]."""
    contact = data.contact
    points, normals = contact.pos[active], contact.frame[active, :3]

    def velocity(side: int) -> np.ndarray:
        body = model.geom_bodyid[contact.geom[active, side]]
        arm = points - data.subtree_com[model.body_rootid[body]]
        return data.cvel[body, 3:] + np.cross(data.cvel[body, :3], arm)

    v = velocity(1) - velocity(0)
    return np.linalg.norm(v - np.sum(v * normals, axis=1, keepdims=True) * normals, axis=1)


def measure(scene: Scene, options: Options, patience: float = np.inf) -> Measured | None:
    """A run that is looked at every 10 ms; None if it fails, bursts, falls, or takes more time than `patience` [s]."""
    peer = Peer(scene, options)
    model, data = peer.model, peer.data
    every = 1 if peer.moving else max(1, round(1e-2 / options.step))
    seconds, work, depth, counts, slides = 0.0, 0.0, 0.0, [], {}
    kinetic, totals, potentials, slips = 0.0, [], [], []
    for k in range(0, peer.steps, every):
        targets = peer.targets[k] if peer.moving else ()
        for motor, old, new in zip(peer.moving, data.ctrl, targets):
            q = data.joint(motor.joint).qpos[0]
            work += 0.5 * motor.kp * ((new - q) ** 2 - (old - q) ** 2)
        data.ctrl[:] = targets
        mujoco.mj_forward(model, data) if k == 0 else None
        T, *stored = peer.energies()
        kinetic = max(kinetic, T)
        totals.append(T + sum(stored) - work)
        potentials.append(stored)
        start = time.thread_time()
        mujoco.mj_step(model, data, nstep=min(every, peer.steps - k))
        seconds += time.thread_time() - start
        if seconds > patience or data.warning.number[mujoco.mjtWarning.mjWARN_BADQACC] or not np.isfinite(T):
            return None
        if np.abs(data.xpos[:, :2]).max() > scene.extent:
            return None  # it has burst
        if scene.upright is not None and data.body(scene.upright[0]).xpos[2] < scene.upright[1]:
            return None
        if scene.held is not None and (k + every) * options.step >= scene.held[2]:
            held, holder = (data.body(name) for name in scene.held[:2])
            slips.append(holder.xmat.reshape(3, 3).T @ (held.xpos - holder.xpos))
        if (k + every) * options.step < scene.settled:
            continue
        # contacts, as poses and velocities above, belong to the start of the last step
        active = np.flatnonzero(data.contact.efc_address >= 0)
        active = active[_normal_forces(model, data, active) > 0.0]
        counts.append(len(active))
        if len(active):
            depth = max(depth, -float(data.contact.dist[active].min()))
            keys = data.contact.geom[active] @ (model.ngeom, 1)
            pairs, which = np.unique(keys, return_inverse=True)
            fastest = np.zeros(len(pairs))
            np.maximum.at(fastest, which, surface_speeds(model, data, active))
            for pair, speed in zip(pairs, fastest):
                slides.setdefault(pair, []).append(speed)
    means = [float(np.mean(speeds)) for speeds in slides.values() if len(speeds) >= len(counts) / 2]
    rise = np.max(totals - np.minimum.accumulate(totals))
    exchanged = kinetic + np.ptp(potentials, axis=0).sum() + abs(work)
    return Measured(
        float(np.mean(counts)), depth / scene.size, *np.quantile(means or [0.0], (SHARE, 1.0)).tolist(),
        float((max(totals) - totals[0]) / exchanged), float(rise / exchanged),
        float(np.ptp(slips, axis=0).max()) if slips else 0.0, seconds,
    )  # fmt: skip


def _normal_forces(model, data, active: np.ndarray) -> np.ndarray:
    address = data.contact.efc_address[active]
    if model.opt.cone == mujoco.mjtCone.mjCONE_ELLIPTIC:
        return data.efc_force[address]
    return data.efc_force[address[:, None] + np.arange(4)].sum(axis=1)  # a pyramid of four edges
