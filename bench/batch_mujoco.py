"""MuJoCo beside batches: the scenes that it has elements for, stepped on the threads of a CPU by `mujoco.rollout`.

    python -m bench.batch_mujoco [SCENE ...]

MuJoCo's Euler is the same semi-implicit method, with damping taken explicitly (`eulerdamp` off, as in the humanoid's
own file). Contacts are off, but in humanoid_contacts, where they are MuJoCo's own, soft ones, and where a second passes
before the clock starts. Limits of joints are MuJoCo's constraints, and the four-bar is closed by its soft equality:
these are as its defaults make them.
"""

import sys
import time
from dataclasses import replace

import numpy as np

import gori
from bench.batch_machines import HOLD, SCENES, Scene, changed
from bench.batch_motion import Levers
from bench.timing import console, finish, machine, show
from gori.formats.export.mjcf import write_mjcf

try:
    import mujoco
    from mujoco.rollout import rollout
except ImportError as error:
    raise SystemExit("this needs MuJoCo: pip install 'gori[dev]'") from error

TWINS = ("arm", "humanoid", "humanoid_contacts", "four_bar")
THREADS, COUNT, DURATION = 2, 256, 1.0
WARM = 1.0
"""simulated time in which what touches comes to lie [s]"""


class Twin:
    """The machine of a scene in MuJoCo, with a motor for each input."""

    def __init__(self, scene: Scene):
        if scene.name not in TWINS:
            raise SystemExit(f"{scene.name} has no twin in MuJoCo: there are {', '.join(TWINS)}")
        self.scene = scene
        if scene.file is not None:
            self.model = mujoco.MjModel.from_xml_path(str(scene.file))
        else:
            self.model = mujoco.MjModel.from_xml_string(write_mjcf(without(scene.model.spec, STOPS)))
        option, bits = self.model.opt, mujoco.mjtDisableBit
        option.timestep, option.integrator = scene.step, mujoco.mjtIntegrator.mjINT_EULER
        option.disableflags |= int(bits.mjDSBL_EULERDAMP)
        if not scene.touches:
            option.disableflags |= int(bits.mjDSBL_CONTACT)
        if not np.isfinite(scene.model.lower).any():
            option.disableflags |= int(bits.mjDSBL_LIMIT)
        names = [self.model.actuator(k).name for k in range(self.model.nu)]
        # a Spec may call the motor of joint KNEE, which has its name in MuJoCo, KNEE.motor
        motors = [names.index(name if name in names else name.removesuffix(".motor")) for name in scene.inputs]
        self._order, self._gear = motors, self.model.actuator_gear[motors, 0]
        self.data = mujoco.MjData(self.model)
        for name, column in self.angles().items():  # with loops closed; a free joint starts as the file has it
            self.data.qpos[column] = scene.state.q[scene.model.joint(name).q][0]
        if scene.start is not None:
            for joint in (joint for joint in scene.model.joints if joint.type == "free"):
                first, q = int(self.model.joint(joint.name).qposadr[0]), scene.start[joint.q]
                self.data.qpos[first : first + 7] = [*q[4:], *q[:4]]

    def angles(self) -> dict[str, int]:
        """Where the coordinates of hinges and slides stand in qpos."""
        joints = (joint.name for joint in self.scene.model.joints if joint.type in ("revolute", "prismatic"))
        return {name: int(self.model.joint(name).qposadr[0]) for name in joints}

    def controls(self, rng: np.random.Generator, count: int, holds: int) -> np.ndarray:
        """Controls (count, steps, motors) of inputs that are drawn hold by hold."""
        drawn = np.stack([self.scene.draw(rng, count) for _ in range(holds)], axis=1)
        return np.repeat(self.of_inputs(drawn), self.scene.steps_of_hold, axis=1)

    def of_inputs(self, values: np.ndarray) -> np.ndarray:
        """Controls of the motors for values of the inputs, both as the last axis."""
        controls = np.zeros(values.shape)
        controls[..., self._order] = values / self._gear
        return controls

    def start(self) -> np.ndarray:
        """The state that `rollout` begins with."""
        kind = mujoco.mjtState.mjSTATE_FULLPHYSICS
        state = np.zeros(mujoco.mj_stateSize(self.model, kind))
        mujoco.mj_getState(self.model, self.data, state, kind)
        return state


STOPS = {"limit_stiffness", "limit_damping"}
LIMITS = {"limits", "limits_deg"} | STOPS


def without(spec: gori.Spec, fields: set[str]) -> gori.Spec:
    """A Spec whose joints lack some fields; as those of stops, which MJCF does not have."""
    joints = {name: joint.model_dump(exclude_unset=True, exclude=fields) for name, joint in spec.joints.items()}
    return changed(spec, joints=joints)


def mujoco_rollout(scene: Scene, count: int, steps: int, threads: int = THREADS) -> tuple[float, np.ndarray]:
    """Seconds for so many machines and steps, without what is built before, and the speeds (count, nv) at the end."""
    twin = Twin(scene)
    seconds, states = _roll(twin, count, steps, threads)
    first = 1 + twin.model.nq  # time, qpos, qvel, ...
    return seconds, states[:, -1, first : first + twin.model.nv]


def mujoco_contacts(scene: Scene, count: int, duration: float = 0.5) -> tuple[float, float, float]:
    """Points of contact (`ncon`) and depth of the deepest one of a machine, in the mean, and the largest depth [m]."""
    twin = Twin(scene)
    _, states = _roll(twin, count, round(duration / scene.step), THREADS)
    points, depths, data, q = [], [], mujoco.MjData(twin.model), slice(1, 1 + twin.model.nq)
    for state in states[:, scene.steps_of_hold - 1 :: scene.steps_of_hold].reshape(-1, states.shape[2]):
        data.qpos[:] = state[q]
        mujoco.mj_fwdPosition(twin.model, data)
        points.append(data.ncon)
        depths.append(-min(data.contact.dist, default=0.0))
    return float(np.mean(points)), float(np.mean(depths)), float(np.max(depths))


def _roll(twin: Twin, count: int, steps: int, threads: int) -> tuple[float, np.ndarray]:
    """Seconds, and the states (count, steps, ...); what touches has come to lie before."""
    scene = twin.scene
    before = round(WARM / scene.step) if scene.touches else 0
    controls = twin.controls(np.random.default_rng(1), count, -(-(before + steps) // scene.steps_of_hold))
    start, data = np.tile(twin.start(), (count, 1)), [mujoco.MjData(twin.model) for _ in range(threads)]
    if before:
        states, _ = rollout(twin.model, data, start, controls[:, :before], persistent_pool=True)
        start = states[:, -1].copy()
    controls = controls[:, before : before + steps]
    states = np.zeros((count, steps, start.shape[1]))
    rollout(twin.model, data, start, controls[:, :2], persistent_pool=True)  # so that the threads are there
    begin = time.perf_counter()
    rollout(twin.model, data, start, controls, state=states, persistent_pool=True)
    return time.perf_counter() - begin, states


def difference(scene: Scene, duration: float, seed: int = 1) -> float:
    """Largest difference of an angle [rad] or travel [m] after the same inputs for a while, limits off in both."""
    scene = replace(scene, model=gori.compile(without(scene.model.spec, LIMITS)))
    twin, simulation, rng = Twin(scene), scene.simulation(), np.random.default_rng(seed)
    levers, worst = Levers(scene, simulation), 0.0
    for _ in range(round(duration / HOLD)):
        values = scene.draw(rng, 1)[0]
        levers.set(values)
        twin.data.ctrl[:] = twin.of_inputs(values)
        simulation.advance(scene.steps_of_hold)
        mujoco.mj_step(twin.model, twin.data, nstep=scene.steps_of_hold)
        for name, column in twin.angles().items():
            ours = simulation.stepper.q[scene.model.joint(name).q][0]
            worst = max(worst, abs(float(ours - twin.data.qpos[column])))
    return worst


def main(*names: str) -> None:
    console.print(f"MuJoCo {mujoco.__version__}. {machine()}")
    rows, figures = [], {}
    for name in names or TWINS:
        scene = SCENES[name]()
        steps = round(DURATION / scene.step)
        apart = difference(scene, 0.1)
        seconds, v = min((mujoco_rollout(scene, COUNT, steps) for _ in range(3)), key=lambda found: found[0])
        rate = COUNT * steps / seconds
        if scene.touches:
            points, depth, deepest = mujoco_contacts(scene, COUNT)
            console.print(f"{name}: {points:.1f} points, {1e3 * depth:.2g} mm deep, at most {1e3 * deepest:.2g} mm")
            figures[f"{name}_mujoco_contacts"] = points
        rows.append([name, 1e3 * scene.step, rate, seconds, apart, float(np.abs(v).mean())])
        figures[f"{name}_mujoco_steps_per_s"] = rate
    columns = ["scene", "step [ms]", "machine steps per s", "seconds", "apart after 0.1 s, no limits", "mean |qvel|"]
    show(f"mujoco.rollout, {COUNT} machines for {DURATION:g} s, {THREADS} threads", columns, rows)
    finish(figures)


if __name__ == "__main__":
    main(*sys.argv[1:])
