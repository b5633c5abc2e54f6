"""Machines for batches of thousands: each with its method, and inputs that change at random so that it really moves.

arm           examples/arm.yaml, seven hinges with dampers and limits, a torque on each
humanoid      MuJoCo's humanoid, 27 degrees of freedom, contacts off, torques of its motors, at its own 5 ms
humanoid_contacts  the same lying prone on a flat floor, limbs pressed together: all geoms collide as its file says
four_bar      examples/four_bar.yaml with its loop closed exactly, a torque on the crank
stewart       bench/mechanisms.py: a platform on six legs, five cuts, a force along each leg
vehicle_hard  the HMMWV-like vehicle on hard ground at 5 m/s: throttle and steering; its drive train in steps of 0.2 ms
vehicle_soft  the same from rest on dry sand, in which it sinks by more than 3 cm
vehicle_window  the same on a square kilometre of sand, of which 4.5 m by 4.5 m around the wheels are remembered

Inputs are held for 20 ms (HOLD) each, uniformly distributed between a lowest and a highest value.
`bench/batch_motion.py` measures how the machines move, `bench/batch_mujoco.py` steps three of them in MuJoCo.
"""

import importlib.util
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

import gori
from bench.mechanisms import stewart as stewart_spec
from gori import vehicle

EXAMPLES = Path(__file__).parent.parent / "examples"
HOLD = 0.02
"""time for which inputs are held [s]"""
HUMANOIDS = {"mujoco_warp": "test_data/humanoid/humanoid.xml", "mujoco": "mjx/test_data/humanoid/humanoid.xml"}
"""where packages keep MuJoCo's humanoid: MuJoCo Warp, MJX"""
LYING = 0.45
"""height of the torso of a humanoid that is put down prone [m]: its hands, which point down, are at 5 cm"""
ROOM = 64
"""contact points for which a humanoid has room: it had 26 at most"""
PULL = {"abdomen_y": 0.4, "hip_x": 0.8, "hip_z": -0.4, "knee": -0.75, "ankle_y": 0.65, "shoulder1": 0.65,
        "shoulder2": -0.3}  # fmt: skip
"""mean torque of a humanoid that lies there, of what the motor can: knees bent, legs and arms pressed to the body"""
SHAKE = 6.5
"""by how much its torques differ from that at most [N m]"""
STOPS = ("limit_stiffness", "limit_damping")
SHARE = 0.4
"""of what the humanoid's motors can do: with all of it, its hands turn at 80 rad/s"""
SAND = {"at": [-5.0, -3.5], "size": [16.0, 7.0], "cell": 0.05}
"""a field that is small, as each machine has cells of its own"""
WIDE = {"at": [-500.0, -500.0], "size": [1000.0, 1000.0], "cell": 0.05, "window": [4.5, 4.5]}
"""a field without an end, of which wheels have as much as they need wherever they turn"""


@dataclass(frozen=True)
class Scene:
    """A machine that is ready for a batch.

    inputs     lowest and highest value of each input: a torque or force by its name [N m, N], a pedal or the steering
    measured   columns of v that tell whether it moves
    unit       of these velocities
    settings   inputs of a vehicle that stay
    speed      of a vehicle at the start [m/s]; None: no vehicle
    file       MJCF file that the Model was made of
    stepping   its method
    start      coordinates q at the start; None: those of the Model
    contacts   contact points for which a machine has room; None: as many as it is given by default
    """

    name: str
    model: gori.Model
    step: float
    inputs: dict[str, tuple[float, float]]
    measured: np.ndarray
    unit: str = "rad/s"
    settings: dict[str, Any] = field(default_factory=dict)
    speed: float | None = None
    file: Path | None = None
    stepping: type[gori.SemiImplicit] | type[gori.TimeStepping] = gori.SemiImplicit
    start: np.ndarray | None = None
    contacts: int | None = None

    @cached_property
    def state(self) -> gori.State:
        """The start: a vehicle settled on its ground."""
        if self.start is not None:
            return self.model.state().replace(q=self.start)
        return self.model.state() if self.speed is None else gori.at_rest(self.model, speed=self.speed)

    @property
    def method(self) -> gori.SemiImplicit | gori.TimeStepping:
        return self.stepping(step=self.step)

    @property
    def touches(self) -> bool:
        """Whether anything collides."""
        return self.model.contact is not None

    @property
    def loops(self) -> str | None:
        return "multipliers" if self.model.loops else None

    @property
    def steps_of_hold(self) -> int:
        return round(HOLD / self.step)

    def simulation(self) -> gori.Simulation:
        """One such machine alone, at the start."""
        loops: dict[str, Any] = {} if self.loops is None else {"loops": self.loops}
        simulation = gori.Simulation(self.model, self.method, state=self.state, **loops)
        for name, value in self.settings.items():
            simulation.inputs[name] = value
        return simulation

    def draw(self, rng: np.random.Generator, count: int) -> np.ndarray:
        """Values (count, inputs) for one hold."""
        low, high = np.array(list(self.inputs.values())).T
        return rng.uniform(low, high, (count, len(low)))


def changed(spec: gori.Spec, **sections: Any) -> gori.Spec:
    """The Spec with other sections; None leaves one out."""
    data = spec.model_dump(exclude_unset=True) | sections
    return gori.Spec(**{name: section for name, section in data.items() if section is not None})


def limited(spec: gori.Spec, torques: dict[str, float]) -> gori.Spec:
    """With limits of joints that act: the largest torque of a joint presses 0.1 rad into its limit, which is damped by
    its stiffness times 5 ms.

    The step bounds both: an explicit method needs k h^2 well below the inertia I that the joint moves, and c h below I.
    At 5 ms the humanoid (I of 0.01 to 0.03 kg m2 in feet and elbows) bears eight times this stiffness, with which
    limits make energy; with sixteen times half of the machines diverge, as some do with eight times this damping.
    """
    joints = {}
    for name, joint in spec.joints.items():
        data = joint.model_dump(exclude_unset=True)
        if name in torques:
            data |= {"limit_stiffness": 10.0 * torques[name], "limit_damping": 0.05 * torques[name]}
        joints[name] = data
    return changed(spec, joints=joints)


def columns(model: gori.Model, joints: Iterable[str]) -> np.ndarray:
    """Columns of v of some joints."""
    return np.concatenate([np.arange(model.nv)[model.joint(name).v] for name in joints])


def arm() -> Scene:
    """An arm of seven hinges that swings under random torques."""
    spec = gori.load(EXAMPLES / "arm.yaml")
    hinges = [name for name, joint in spec.joints.items() if joint.type == "revolute"]
    torques = dict(zip(hinges, (40.0, 40.0, 12.0, 15.0, 2.0, 3.0, 0.3)))
    damping = dict(zip(hinges, (4.0, 25.0, 2.0, 10.0, 0.3, 1.0, 0.03)))
    spec = limited(spec, torques)
    for name, value in damping.items():
        spec = spec.set(f"joints.{name}.damping", value)
    forces = {f"torque_{k}": {"type": "torque", "joint": name, "value": 0.0} for k, name in enumerate(hinges, 1)}
    inputs = {f"torque_{k}": (-torques[name], torques[name]) for k, name in enumerate(hinges, 1)}
    model = gori.compile(changed(spec, forces=forces))
    return Scene("arm", model, 1e-3, inputs, columns(model, hinges))


def humanoid_path() -> Path:
    """MuJoCo's humanoid in an installed package."""
    for package, place in HUMANOIDS.items():
        found = importlib.util.find_spec(package)
        for folder in (found.submodule_search_locations or ()) if found is not None else ():
            if (path := Path(folder) / place).is_file():
                return path
    raise SystemExit("this needs MuJoCo's humanoid.xml: pip install mujoco-warp, or give its path")


def humanoid(path: str | Path | None = None) -> Scene:
    """MuJoCo's humanoid in the air, contacts off: it falls, and its motors shake it."""
    file = humanoid_path() if path is None else Path(path)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", gori.errors.FormatWarning)  # cameras and lights
        spec = gori.load(file)
    gears = gears_of(file)
    motors = {name: force.joint for name, force in spec.forces.items() if force.type == "torque"}
    model = gori.compile(limited(spec, {joint: gears[joint] for joint in motors.values()}))
    inputs = {name: (-SHARE * gears[joint], SHARE * gears[joint]) for name, joint in motors.items()}
    return Scene("humanoid", model, 5e-3, inputs, columns(model, motors.values()), file=file)


def humanoid_contacts(path: str | Path | None = None) -> Scene:
    """MuJoCo's humanoid prone on the flat floor of its file, where it pulls its limbs to its body and struggles.

    Its torques are random about means that are not zero (PULL). Without these it has about 9 to 12 points of
    contact at rest, in MuJoCo too, and 4 when its motors toss it about by 40 % of what they can. So they press
    calves to thighs, legs and arms to the body, and differ from that by up to 6.5 N m (SHAKE). The means were
    searched for, so that more than 15 points touch while it moves on nothing but a floor; MuJoCo has as many
    (`bench.batch_mujoco`). Joints move at 0.5 rad/s in the mean, but not alike: the feet roll at 3.5 rad/s, hips,
    shoulders and ankles turn at 0.1 to 0.4 rad/s, and trunk, knees and elbows, which press against what they touch,
    at less than 0.1. With more, fewer points touch: at 14 N m, and 3 N m in the ankles, most joints move at 0.4
    rad/s, and 13 points bear a force.

    Contact as in its file: who may touch whom, and Coulomb friction. MuJoCo's own elasticity and its contact of one
    dimension (condim 1: no friction between limbs) are not taken over; joints of limited range have springs as in
    `humanoid`.
    """
    air = humanoid(path)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", gori.errors.FormatWarning)
        spec = gori.load(air.file, collide="skin")
    joints = {name: joint.model_dump(exclude_unset=True) for name, joint in spec.joints.items()}
    for name, joint in air.model.spec.joints.items():
        joints[name] |= {key: value for key, value in joint.model_dump(exclude_unset=True).items() if key in STOPS}
    model = gori.compile(changed(spec, joints=joints))
    (root,) = (joint for joint in model.joints if joint.type == "free")
    start = np.array(model.state().q)
    start[root.q] = [np.sqrt(0.5), 0.0, np.sqrt(0.5), 0.0, 0.0, 0.0, LYING]
    inputs = {}
    for name, (_, high) in air.inputs.items():
        joint = spec.forces[name].joint
        mean = PULL.get(joint.removesuffix("_left").removesuffix("_right"), 0.0) * high / SHARE
        inputs[name] = mean - SHAKE, mean + SHAKE
    return replace(air, name="humanoid_contacts", model=model, inputs=inputs, stepping=gori.TimeStepping, start=start,
                   contacts=ROOM)  # fmt: skip


def gears_of(file: Path) -> dict[str, float]:
    """Largest torque of each joint's motor [N m]: a control of 1 times its gear."""
    import mujoco

    m = mujoco.MjModel.from_xml_path(str(file))
    joints = [m.joint(m.actuator_trnid[k, 0]).name for k in range(m.nu)]
    return {name: float(abs(m.actuator_gear[k, 0]) * m.actuator_ctrlrange[k].max()) for k, name in enumerate(joints)}


def four_bar() -> Scene:
    """A crank-rocker under a random torque on its crank, with dampers."""
    spec = changed(gori.load(EXAMPLES / "four_bar.yaml"), motions=None, run=None)
    for name in ("A", "B", "D"):  # C becomes the cut, which has no damper
        spec = spec.set(f"joints.{name}.damping", 1.0)
    forces = {"torque": {"type": "torque", "joint": "A", "value": 0.0}}
    model = gori.compile(changed(spec, forces=forces))
    return Scene("four_bar", model, 1e-3, {"torque": (-40.0, 40.0)}, columns(model, ["A"]))


def stewart() -> Scene:
    """A platform of 20 kg on six legs, which push at random beside their springs."""
    spec = stewart_spec()
    forces = {f"leg_{k}": {"type": "force", "joint": f"slide{k}", "value": 0.0} for k in range(6)}
    inputs = dict.fromkeys(forces, (-150.0, 150.0))
    model = gori.compile(changed(spec, forces=forces))
    return Scene("stewart", model, 1e-3, inputs, columns(model, [f"slide{k}" for k in range(6)]), unit="m/s")


def vehicle_hard() -> Scene:
    """A vehicle of 14 bodies on hard ground."""
    return _vehicle("vehicle_hard", None, 5.0)


def vehicle_soft() -> Scene:
    """The same on sand, which keeps its ruts."""
    return _vehicle("vehicle_soft", {"soft": SAND | {"soil": gori.soil("dry_sand")}}, 0.0)


def vehicle_window() -> Scene:
    """The same on sand that keeps a window around the wheels."""
    return _vehicle("vehicle_window", {"soft": WIDE | {"soil": gori.soil("dry_sand")}}, 0.0)


def _vehicle(name: str, terrain: dict[str, Any] | None, speed: float) -> Scene:
    model = gori.compile(vehicle.spec("hmmwv", terrain=terrain))
    inputs = {"truck.throttle": (0.0, 1.0), "truck.steer": (-0.5, 0.5)}
    (chassis,) = (joint.name for joint in model.joints if joint.type == "free")
    forward = columns(model, [chassis])[3:4]  # of angular, then linear velocity
    return Scene(name, model, 1e-3, inputs, forward, "m/s", {"truck.selector": "D"}, speed)


SCENES: dict[str, Callable[[], Scene]] = {
    scene.__name__: scene
    for scene in (arm, humanoid, four_bar, stewart, vehicle_hard, vehicle_soft, vehicle_window, humanoid_contacts)
}
