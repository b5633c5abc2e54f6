"""Other Models of the same machine: with other values of forces, with fixed joints opened, with loads added."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from gori.errors import InputError
from gori.kernels.forces import elements, parameters
from gori.kernels.forces.signals import CONSTANT, HELD, SIGNAL_KIND, SIGNAL_START
from gori.model.compile import compile
from gori.model.model import Model
from gori.model.signals import SignalTable
from gori.spec import GROUND, Spec
from gori.spec.body import combine

VALUE_OF = {"motor": "target", "torque": "value", "force": "value"}
"""the field of a force that takes another value"""
SHARED_BY_RUNS = ("curve", "coordinate")
"""tables of real numbers that a run does not copy, since it never changes them: they may be large"""
OF_PARTICLES = ("particles", "inlets", "outlets", "materials", "contacts", "run")
"""sections of a Spec that a rigid load does not need"""


def with_force_values(model: Model, values: Mapping[str, Any]) -> Model:
    """The Model with other values or targets of its named forces."""
    spec = model.spec
    for name, value in values.items():
        if name not in spec.forces:
            known = ", ".join(spec.forces) or "none"
            raise InputError(f"force_values: {name!r} is not a force of the Spec; there are {known}")
        kind = spec.forces[name].type
        if kind not in VALUE_OF:
            raise InputError(f"force_values: {name!r} is a {kind}: only motors, torques and forces can be overridden")
        spec = spec.set(f"forces.{name}.{VALUE_OF[kind]}", value)
    return model if spec is model.spec else compile(spec, model.open_loops)


def without_limit_forces(model: Model) -> Model:
    """The Model whose joints do not push back at their limits, for stops that are rigid; its States are the same."""
    forces = model.forces
    limits = forces.element_i[:, elements.E_KIND] == elements.JOINT_LIMIT
    if not limits.any():
        return model
    element_f = forces.element_f.copy()
    for name in ("stiffness", "damping"):
        element_f[limits, getattr(parameters.LIMIT_F, name)] = 0.0
    return model.with_compiled(model.compiled._replace(forces=forces._replace(element_f=element_f)))


def with_held_forces(model: Model, names: Iterable[str]) -> Model:
    """The Model in which the values or targets of these forces are held: they stay as a run sets them."""
    forces = model.forces
    rows = [forces.signal_names.index(signal_of(model, name)) for name in names]
    signal_i = forces.signal_i.copy()
    signal_i[rows, SIGNAL_KIND] = HELD
    return model.with_compiled(model.compiled._replace(forces=forces._replace(signal_i=signal_i)))


def with_signals(model: Model, values: Mapping[str, float | str | tuple]) -> Model:
    """The Model with more signals by name: numbers, which are held, expressions, and tables over time."""
    forces, table = model.forces, SignalTable()
    table.probes = list(forces.probes)
    for name, value in values.items():
        table.add(value, name, model)
    signal_i, signal_f, depth = table.tables()
    signal_i[:, SIGNAL_START] += len(forces.signal_f)
    signal_i[signal_i[:, SIGNAL_KIND] == CONSTANT, SIGNAL_KIND] = HELD
    more = forces._replace(
        signal_i=np.concatenate([forces.signal_i, signal_i]),
        signal_f=np.concatenate([forces.signal_f, signal_f]),
        depth=max(forces.depth, depth),
        probes=tuple(table.probes),
        signal_names=(*forces.signal_names, *values),
    )
    return model.with_compiled(model.compiled._replace(forces=more))


def with_own_tables(model: Model) -> Model:
    """The Model with copies of the tables in SHARED_BY_RUNS, for a run that changes numbers in them."""
    compiled, vehicle = model.compiled, model.vehicle
    if vehicle is not None:
        records = vehicle.records._replace(curve=vehicle.records.curve.copy())
        compiled = compiled._replace(vehicle=replace(vehicle, records=records))
    return model.with_compiled(compiled)  # which finds the coordinates of cuts anew


def with_contact_room(model: Model, points: int) -> Model:
    """The Model with memory for so many contact points in a run; its States are the same."""
    if (contact := model.contact) is None:
        return model
    return model.with_compiled(model.compiled._replace(contact=contact._replace(room=points)))


def described(model: Model | Spec) -> Spec:
    """The Spec of a Model, or the Spec itself."""
    return model if isinstance(model, Spec) else model.spec


def settable_forces(model: Model) -> tuple[str, ...]:
    """Forces whose value or target is a number."""
    forces = model.spec.forces.items()
    values = {name: getattr(part, VALUE_OF[part.type]) for name, part in forces if part.type in VALUE_OF}
    return tuple(name for name, value in values.items() if not isinstance(value, str | tuple))


def signal_of(model: Model, force: str) -> str:
    """Name of the signal that is the value or the target of a force."""
    return f"forces.{force}.{VALUE_OF[model.spec.forces[force].type]}"


def servo_words(model: Model, force: str) -> np.ndarray:
    """Which words of `element_f` are kp, kd and the largest effort of a torque or force on a joint; of a motor none."""
    rows, signal = model.forces.element_i, model.forces.signal_names.index(signal_of(model, force))
    of_force = (rows[:, elements.E_KIND] == elements.JOINT_FORCE) & (rows[:, elements.E_SIGNAL] == signal)
    gains = np.array([getattr(parameters.MOTOR_F, name) for name in ("kp", "kd", "limit")])
    first = parameters.N_ELEMENT_F * np.flatnonzero(of_force)
    return (first[:, None] + gains).reshape(-1)


def with_axes_in_fixed_joints(model: Model) -> Model:
    """The Model with a hinge in place of each fixed joint, so that reactions can be found there; itself if none is."""
    fixed = [name for name, joint in model.spec.joints.items() if joint.type == "fixed"]
    if not fixed:
        return model
    data = model.spec.model_dump(exclude_unset=True)
    for name in fixed:
        data["joints"][name]["type"] = "revolute"
    return compile(Spec(**data), model.open_loops)


def with_rigid_loads(model: Model, loads: Mapping[str, tuple[float, np.ndarray, np.ndarray]]) -> Model:
    """The Model without particles; mass, centre and inertia of what each body carries are added to the body."""
    data = {key: value for key, value in model.spec.model_dump(exclude_unset=True).items() if key not in OF_PARTICLES}
    bodies = {}
    for name, body in model.spec.bodies.items():
        mass, com, J = combine([body.inertial(), *([loads[name]] if name in loads else [])])
        moments = [*np.diag(J), J[0, 1], J[0, 2], J[1, 2]]
        bodies[name] = {"mass": mass, "com": com.tolist(), "inertia": [float(x) for x in moments]} if mass else {}
    return compile(Spec(**data | {"bodies": {name: part for name, part in bodies.items() if name != GROUND}}))
