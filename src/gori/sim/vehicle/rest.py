"""Where a vehicle stands on its wheels, or rolls freely: the state to start from."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

import numpy as np

from gori.errors import InputError, SimulationError
from gori.integrate import Adams, Loops
from gori.kernels.vehicle import drivetrain as dt
from gori.kernels.vehicle import tables as c
from gori.kernels.vehicle import terrain as te
from gori.kernels.vehicle.patch import STAMP
from gori.model import Model, consistent_velocity
from gori.model.state import State
from gori.model.vehicle.drivetrain import train_state
from gori.model.vehicle.running_gear import starting_gear
from gori.model.vehicle.terrain import terrain_tables
from gori.sim.particles.devices import Device
from gori.sim.simulation import Simulation
from gori.sim.vehicle.laden import along, as_rigid, loads, ride, settle
from gori.spec.expression import closest

NO_FRICTION = 1e-6
LOCKED = 1e9
"""inertia of a wheel that is to stand still [kg m2]"""
LOWERING = 50.0
"""damping by mass with which vehicles are lowered onto soft soil [1/s]: they come down at 0.2 m/s"""
STILL, STIRRED, RESTLESS = 1e-5, 2e-3, 0.05
"""largest speed of a vehicle at rest [m/s, rad/s]; with grains, which stir for long; and on clay so stiff that it
chatters a little on its cells"""


def at_rest(
    model: Model,
    speed: float | Mapping[str, float] = 0.0,
    loops: Loops | dict | str | None = None,
    step: float = 1e-3,
    longest: float = 60.0,
    standing: State | None = None,
    device: Device | None = None,
) -> State:
    """The State, at time 0, in which vehicles stand on their wheels with all brakes on; soft soil bears them, and what
    they carry of grains has settled.

    speed     let them roll ahead from there with this speed [m/s], wheels and engines turning along, in a fitting gear;
              {"truck": 10} for some of them, by the free joints that carry them
    longest   time to wait for rest [s]
    standing  the State at rest, if it was found before: only to let them roll
    device    where grains are computed; default: as in the section `run`
    """
    speeds = _speeds(model, speed)
    soft = model.spec.terrain is not None and model.spec.terrain.soft is not None
    laden = bool(model.spec.particles)
    lowered = _lowered(model) if soft and not laden else None
    simulation = Simulation(model, Adams(step=step, order=2), loops=loops, forces=lowered, device=device)
    simulation.schedules = []  # the brakes are on, whatever the controls of the Spec say
    if simulation.model.vehicle is None:
        raise InputError("the Spec has no wheels: there is nothing to stand on")
    if standing is not None:
        return _rolling(simulation, standing, speeds) if any(speeds.values()) else standing
    _lay(simulation)
    for name in simulation.inputs:
        if name.endswith(".brake"):
            simulation.inputs[name] = 1.0
    tables = simulation._machine.outside_f
    with _changed(tables, _free_spins(simulation), LOCKED):
        if laden:
            _load(simulation, loops, step, longest)
            _wait(simulation, step, simulation.time + longest)
        else:
            _wait(simulation, step, longest)
            if _level(model):
                # let go of what friction across the wheels holds: on a rolling vehicle it would be gone
                first = int(simulation.model.vehicle.outside_i[c.TERRAIN_F])
                with _changed(tables, _frictions(model, first), NO_FRICTION):
                    _wait(simulation, step, simulation.time + longest)
    state = simulation.state
    v = np.zeros(model.nv)
    z = state.z.copy()
    _forget_work(simulation, z)
    state = State(0.0, state.q, v, z, _still(state.ground), state.grains)
    return _rolling(simulation, state, speeds) if any(speeds.values()) else state


def _load(simulation: Simulation, loops: Loops | dict | str | None, step: float, longest: float) -> None:
    """Vehicles with settled grains, standing as they would if these were rigid."""
    model, grains, coupling = simulation.model, simulation.grains, simulation.coupling
    assert grains is not None and coupling is not None
    settle(simulation)
    rest = at_rest(as_rigid(model, loads(grains)), loops=loops, step=step, longest=longest)
    before, after = (model.forward_kinematics(q) for q in (simulation.q, rest.q))
    moved = along(grains, before, after, coupling.poses(np.concatenate([rest.q, rest.v, rest.z])))
    simulation.state = State(0.0, rest.q, rest.v, rest.z, rest.ground, moved)


def _lowered(model: Model) -> Callable:
    """A force that lowers vehicles slowly: soft soil remembers how deep they fell, not only what they weigh."""
    inertia, slow = np.diag(model.tree.mass_matrix(model.q0)), np.zeros(model.nv)
    for info in (info for info in model.joints if info.type == "free"):
        slow[info.v] = LOWERING * inertia[info.v]
    return lambda t, q, v: -slow * v


def _speeds(model: Model, speed: float | Mapping[str, float]) -> dict[str, float]:
    """Speed of each free joint [m/s]."""
    free = [info.name for info in model.joints if info.type == "free"]
    given = speed if isinstance(speed, Mapping) else dict.fromkeys(free, speed)
    for name, value in given.items():
        if name not in free:
            raise InputError(f"speed: {name!r} is not a vehicle{closest(name, free) or f'; there are {free}'}")
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not np.isfinite(value):
            raise InputError(f"speed must be a finite number, not {value!r}")
    return dict.fromkeys(free, 0.0) | {name: float(value) for name, value in given.items()}


@contextmanager
def _changed(table: np.ndarray, places: np.ndarray, value: float) -> Iterator[None]:
    """Places of a table hold another value for a while."""
    kept = table[places].copy()
    table[places] = value
    try:
        yield
    finally:
        table[places] = kept


def _lay(simulation: Simulation) -> None:
    """Put vehicles onto the ground, the first wheel just touching it; those that the Spec places upright get the tilt
    of its plane. Dropped onto a slope, they would begin to slide.
    """
    model, state = simulation.model, simulation.state
    terrain = model.spec.terrain
    if terrain is None:
        return
    q = state.q.copy()
    up = np.array([-terrain.grade[0], -terrain.grade[1], 1.0])
    up /= np.linalg.norm(up)
    # the quaternion (w, x, y, 0) turns the vertical into the normal of the slope
    w, x, y = np.array([1.0 + up[2], -up[1], up[0]]) / np.sqrt(2.0 * (1.0 + up[2]))
    for info in (info for info in model.joints if info.type == "free"):
        a, b, e, f = q[info.q][:4]
        if b * b + e * e < 1e-12:
            q[info.q][:4] = w * a, x * a + y * f, y * a - x * f, w * f
        poses, clear = model.forward_kinematics(q), []
        for wheel in model.spec.wheels.values():
            if _root(model, wheel.body) == info.name:
                R, p = poses[wheel.body][:3, :3], poses[wheel.body][:3, 3]
                rim = _rim(R @ wheel.axis, up, wheel.tyre.radius) + R @ wheel.at + p
                clear.append(float((rim[:, 2] - terrain.height(rim[:, 0], rim[:, 1])).min()))
        if clear:
            q[info.q][6] -= min(clear)
    simulation.state = State(state.time, q, state.v, state.z, state.ground)


def _rim(axis: np.ndarray, up: np.ndarray, radius: float) -> np.ndarray:
    """Points (n, 3) around the lower half of a wheel, from its centre [m]."""
    ahead = np.cross(axis, up)
    ahead /= max(1e-9, float(np.linalg.norm(ahead)))
    turn = np.linspace(-0.5, 0.5, 61)[:, None] * np.pi
    return radius * (np.sin(turn) * ahead + np.cos(turn) * np.cross(axis, ahead) / np.linalg.norm(axis))


def _root(model: Model, body: str) -> str:
    """The joint on the ground that carries a body."""
    above = {joint.child: (name, joint.parent) for name, joint in model.spec.joints.items()}
    name = ""
    while body in above:
        name, body = above[body]
    return name


def _free_spins(simulation: Simulation) -> np.ndarray:
    """Places in outside_f of the spin inertias of wheels that no drive train, and so no brake, holds."""
    outside = simulation.model.vehicle
    assert outside is not None
    driven = {wheel for train in simulation.model.spec.drivetrains.values() for wheel in train.wheels}
    free = [k for k, name in enumerate(outside.wheels) if name not in driven]
    return int(outside.outside_i[c.WHEEL_F]) + c.N_WHEEL_F * np.array(free, int) + c.SPIN_J


def _level(model: Model) -> bool:
    """Whether a vehicle stands there without friction."""
    terrain = model.spec.terrain
    return terrain is not None and terrain.soft is None and terrain.grade == (0.0, 0.0)


def _frictions(model: Model, first: int) -> np.ndarray:
    """Places of friction coefficients in outside_f."""
    terrain = model.spec.terrain
    assert terrain is not None
    ti, _ = terrain_tables(terrain)
    patches = ti[te.T_PATCH] + te.N_PATCH * np.arange(ti[te.T_PATCHES]) + te.P_MU
    return first + np.array([te.T_MU, *patches], int)


def _wait(simulation: Simulation, step: float, longest: float) -> None:
    """Run until nothing moves."""
    model, began = simulation.model, simulation.time
    soft = model.spec.terrain is not None and model.spec.terrain.soft is not None
    while True:
        waited = simulation.time - began
        still = RESTLESS if soft and waited > 40.0 else STILL if simulation.grains is None else STIRRED
        if waited > 0.5 and np.abs(simulation.v).max() < still:
            return
        if simulation.time > longest:
            fastest = model.joint_of_dof(int(np.argmax(np.abs(simulation.v))))
            raise SimulationError(
                f"the vehicle does not come to rest within {longest:g} s: joint {fastest!r} still moves with "
                f"{np.abs(simulation.v).max():.2g}. It may slide or tip: start on level ground",
                simulation.time,
            )
        simulation.step(max(1, round(0.1 / step)))


def _still(ground):
    """Cells touched at time 0."""
    if ground is None:
        return None
    cells = ground[1].copy()
    latest = cells[:, STAMP].max(initial=0.0)
    cells[:, STAMP] -= latest
    return ground[0], cells


def _forget_work(simulation: Simulation, z: np.ndarray) -> None:
    outside, first = simulation.model.vehicle, simulation.model.forces.states
    assert outside is not None
    for k in range(len(outside.wheels)):
        z[first + c.N_Z_WHEEL * k + c.HUB_WORK] = 0.0
    for k in range(len(outside.trains)):
        row = first + c.N_Z_WHEEL * len(outside.wheels) + c.N_Z_TRAIN * k
        z[row + dt.ENGINE_WORK : row + dt.N_TRAIN] = 0.0


def _rolling(simulation: Simulation, state: State, speeds: dict[str, float]) -> State:
    """Chassis ahead with these speeds, their wheels and drive trains turning along."""
    model, outside = simulation.model, simulation.model.vehicle
    assert outside is not None
    terrain = model.spec.terrain
    assert terrain is not None
    v, poses = np.zeros(model.nv), model.forward_kinematics(state.q)
    up = np.array([-terrain.grade[0], -terrain.grade[1], 1.0])
    for name, speed in speeds.items():
        # ahead along the ground, whatever the pitch of the chassis
        R = poses[model.spec.joints[name].child][:3, :3]
        ahead = R[:, 0] - (R[:, 0] @ up) / (up @ up) * up
        v[model.joint(name).v][3:] = R.T @ (speed * ahead / np.linalg.norm(ahead))
    v = consistent_velocity(model, state.q, v, hold=tuple(speeds)) if model.loops else v
    moving = State(0.0, state.q, v, state.z.copy(), state.ground, state.grains)
    simulation.state = moving  # the contacts are looked at there
    if simulation.grains is not None and state.grains is not None:
        moving.grains = ride(simulation.grains, state.grains, simulation.grains.poses())
    spins = dict(zip(outside.wheels, simulation._gear.rolling_spins().tolist()))
    for k, name in enumerate(outside.wheels):
        moving.z[simulation.model.forces.states + c.N_Z_WHEEL * k + c.OMEGA] = spins[name]
    for k, name in enumerate(outside.trains):
        train = model.spec.drivetrains[name]
        own = [spins[wheel] for wheel in train.wheels]
        row = simulation.model.forces.states + c.N_Z_WHEEL * len(outside.wheels) + c.N_Z_TRAIN * k
        moving.z[row : row + dt.N_TRAIN] = train_state(train, own, starting_gear(train, own))
    return moving
