"""Where a vehicle stands on its wheels, or rolls freely: the state to start from."""

from collections.abc import Callable, Mapping

import numpy as np

from gori.errors import InputError, SimulationError
from gori.integrate import Adams, Loops
from gori.kernels.vehicle.drivetrain import HIGH
from gori.kernels.vehicle.state import WORKS
from gori.model import Model, consistent_velocity
from gori.model.model import require_model
from gori.model.state import MEMORY, State
from gori.model.variants import with_rigid_loads
from gori.model.vehicle.tables import VehicleTables
from gori.sim.particles.devices import Device
from gori.sim.simulation import Simulation
from gori.sim.vehicle.laden import along, loads, ride, settle
from gori.spec.expression import closest

LOWERING = 50.0
"""damping by mass with which vehicles are lowered onto soft soil [1/s]: they come down at 0.2 m/s"""
STILL, STIRRED, RESTLESS = 1e-5, 2e-3, 0.05
"""largest speed of a vehicle at rest [m/s, rad/s]; with particles, which stir for long; and on clay so stiff that it
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
    they carry of particles has settled.

    speed     let them roll ahead from there with this speed [m/s], wheels and engines turning along, in a fitting gear;
              {"truck": 10} for some of them, by the free joints that carry them
    longest   time to wait for rest [s]
    standing  the State at rest, if it was found before: only to let them roll
    device    where particles are computed; default: as in the section `run`
    """
    require_model(model)
    tables = model.vehicle
    if tables is None or not tables.wheels:
        raise InputError("the Spec has no wheels: it cannot stand on the ground")
    speeds = _speeds(tables, speed)
    laden = model.particles is not None and bool(model.particles.groups)
    lowered = _lowered(model, tables) if tables.soft and not laden else None
    simulation = Simulation(model, Adams(step=step, order=2), loops=loops, forces=lowered, device=device)
    simulation.ignore_drivers()  # the brakes are on
    if standing is not None:
        return _rolling(simulation, tables, standing, speeds) if any(speeds.values()) else standing
    _lay(simulation, tables)
    for name in simulation.inputs:
        if name.endswith(".brake"):
            simulation.inputs[name] = 1.0
    with simulation.vehicles.lock_free_wheels():
        if laden:
            _load(simulation, loops, step, longest)
            _wait(simulation, step, simulation.time + longest)
        else:
            _wait(simulation, step, longest)
            if not tables.soft and simulation.vehicles.on_level_ground():
                # let go of what friction across the wheels holds: on a rolling vehicle it would be gone
                with simulation.vehicles.without_friction():
                    _wait(simulation, step, simulation.time + longest)
    state = simulation.state
    assert state.vehicle is not None
    # without the exchange with particles: their weight acts on in full, whatever step is taken from here
    kept = {name: part for name, part in state.parts.items() if name not in (*MEMORY, "clock", "exchange")}
    kept["vehicle"] = _fresh(state.vehicle)
    state = State(0.0, state.q, np.zeros(model.nv), state.z, kept, model.fingerprint)
    return _rolling(simulation, tables, state, speeds) if any(speeds.values()) else _whole(simulation, state)


def _load(simulation: Simulation, loops: Loops | dict | str | None, step: float, longest: float) -> None:
    """Vehicles with settled particles, standing as they would if these were rigid."""
    model, particles = simulation.model, simulation.particles
    assert particles is not None
    settle(particles, simulation.time)
    rest = at_rest(with_rigid_loads(model, loads(particles)), loops=loops, step=step, longest=longest)
    before, after = (model.forward_kinematics(q) for q in (simulation.q, rest.q))
    poses = simulation.exchanges["particles"].poses(np.concatenate([rest.q, rest.v, rest.z]))
    moved = along(particles, before, after, poses)
    simulation.state = State(0.0, rest.q, rest.v, rest.z, {"vehicle": _braked(rest.vehicle), "particles": moved})


def _lowered(model: Model, tables: VehicleTables) -> Callable:
    """A force that lowers vehicles slowly: soft soil remembers how deep they fell, not only what they weigh."""
    inertia, slow = np.diag(model.tree.mass_matrix(model.q0)), np.zeros(model.nv)
    for info in map(model.joint, tables.roots):
        slow[info.v] = LOWERING * inertia[info.v]
    return lambda t, q, v: -slow * v


def _speeds(tables: VehicleTables, speed: float | Mapping[str, float]) -> dict[str, float]:
    """Speed of each free joint on the ground [m/s]."""
    free = list(tables.roots)
    given = speed if isinstance(speed, Mapping) else dict.fromkeys(free, speed)
    for name, value in given.items():
        if name not in free:
            raise InputError(f"speed: {name!r} is not a vehicle{closest(name, free) or f'; there are {free}'}")
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not np.isfinite(value):
            raise InputError(f"speed must be a finite number, not {value!r}")
    return dict.fromkeys(free, 0.0) | {name: float(value) for name, value in given.items()}


def _lay(simulation: Simulation, tables: VehicleTables) -> None:
    """Put vehicles onto the ground, the first wheel just touching it; those that the Spec places upright get the tilt
    of its plane. Dropped onto a slope, they would begin to slide.
    """
    model, state = simulation.model, simulation.state
    height = tables.height
    if height is None:
        return
    q = state.q.copy()
    up = np.array([-tables.grade[0], -tables.grade[1], 1.0])
    up /= np.linalg.norm(up)
    # the quaternion (w, x, y, 0) turns the vertical into the normal of the slope
    w, x, y = np.array([1.0 + up[2], -up[1], up[0]]) / np.sqrt(2.0 * (1.0 + up[2]))
    for info in map(model.joint, tables.roots):
        a, b, e, f = q[info.q][:4]
        if b * b + e * e < 1e-12:
            q[info.q][:4] = w * a, x * a + y * f, y * a - x * f, w * f
        poses, clear = model.forward_kinematics(q), []
        for wheel in tables.mounted:
            if wheel.root == info.name:
                R, p = poses[wheel.body][:3, :3], poses[wheel.body][:3, 3]
                rim = _rim(R @ wheel.axis, up, wheel.radius) + R @ wheel.at + p
                clear.append(float((rim[:, 2] - height(rim[:, 0], rim[:, 1])).min()))
        if clear:
            q[info.q][6] -= min(clear)
    simulation.state = State(state.time, q, state.v, state.z)


def _rim(axis: np.ndarray, up: np.ndarray, radius: float) -> np.ndarray:
    """Points (n, 3) around the lower half of a wheel, from its centre [m]."""
    ahead = np.cross(axis, up)
    ahead /= max(1e-9, float(np.linalg.norm(ahead)))
    turn = np.linspace(-0.5, 0.5, 61)[:, None] * np.pi
    return radius * (np.sin(turn) * ahead + np.cos(turn) * np.cross(axis, ahead) / np.linalg.norm(axis))


def _wait(simulation: Simulation, step: float, longest: float) -> None:
    """Run until nothing moves."""
    model, began = simulation.model, simulation.time
    soft = model.vehicle is not None and model.vehicle.soft
    while True:
        waited = simulation.time - began
        still = RESTLESS if soft and waited > 40.0 else STILL if simulation.particles is None else STIRRED
        if waited > 0.5 and np.abs(simulation.v).max() < still:
            return
        if simulation.time > longest:
            fastest = model.joint_of_dof(int(np.argmax(np.abs(simulation.v))))
            raise SimulationError(
                f"the vehicle does not come to rest within {longest:g} s: joint {fastest!r} still moves at "
                f"{np.abs(simulation.v).max():.2g}. {_why(simulation)}",
                simulation.time,
            )
        simulation.step(max(1, round(0.1 / step)))


def _why(simulation: Simulation) -> str:
    """What may keep vehicles from coming to rest."""
    if simulation.particles is not None:
        return "Particles may still flow: wait longer, or let them settle in a run of their own"
    if simulation.vehicles.on_level_ground():
        return "Something may swing without damping, or lean over: check springs, dampers and stops of that joint"
    return "It may slide or tip over on ground that is not level: use more friction, stronger brakes, or another place"


def _fresh(saved: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """What vehicles keep when they stand at time 0: no work is counted, and no one drives."""
    saved = {name: part.copy() for name, part in saved.items()}
    saved["vehicle_clock"]["time"] = 0.0
    saved["driver"][:] = np.zeros(1, saved["driver"].dtype)
    saved["driver"]["transfer"] = HIGH
    saved["wheel"]["work"] = 0.0
    for name in WORKS:
        saved["train"][name] = 0.0
    if "cells" in saved:
        saved["cells"]["stamp"] -= saved["cells"]["stamp"].max(initial=0.0)
    return saved


def _braked(saved: Mapping[str, np.ndarray] | None) -> dict[str, np.ndarray]:
    """The same with all brakes on."""
    assert saved is not None
    saved = {name: part.copy() for name, part in saved.items()}
    saved["driver"]["brake"] = 1.0
    return saved


def _rolling(simulation: Simulation, tables: VehicleTables, state: State, speeds: dict[str, float]) -> State:
    """Chassis ahead with these speeds, their wheels and drive trains turning along."""
    model = simulation.model
    assert state.vehicle is not None
    v, poses = np.zeros(model.nv), model.forward_kinematics(state.q)
    up = np.array([-tables.grade[0], -tables.grade[1], 1.0])
    for name, speed in speeds.items():
        # ahead along the ground, whatever the pitch of the chassis
        R = poses[tables.roots[name]][:3, :3]
        ahead = R[:, 0] - (R[:, 0] @ up) / (up @ up) * up
        v[model.joint(name).v][3:] = R.T @ (speed * ahead / np.linalg.norm(ahead))
    v = consistent_velocity(model, state.q, v, hold=tuple(speeds)) if model.loops else v
    kept = {name: part.copy() for name, part in state.vehicle.items()}
    moving = State(0.0, state.q, v, state.z, {**state.parts, "vehicle": kept}, state.model)
    simulation.state = moving  # the contacts are found there
    parts = dict(moving.parts)
    if simulation.particles is not None and state.particles is not None:
        parts["particles"] = ride(simulation.particles, state.particles, simulation.particles.poses())
    kept["wheel"]["angular_velocity"] = simulation.vehicles.rolling_speeds()
    kept["train"][:] = tables.rolling_trains(dict(zip(tables.wheels, kept["wheel"]["angular_velocity"].tolist())))
    return _whole(simulation, State(0.0, state.q, v, state.z, parts | {"vehicle": kept}, state.model))


def _whole(simulation: Simulation, state: State) -> State:
    """The State with contacts and forces of its wheels as they are there."""
    simulation.vehicles.load(state.vehicle)
    simulation.vehicles.start(state.time, np.concatenate([state.q, state.v, state.z]))
    return State(
        state.time, state.q, state.v, state.z, {**state.parts, "vehicle": simulation.vehicles.state()}, state.model
    )
