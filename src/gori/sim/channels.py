"""Channels of a Recording that need the forces of its Spec: what each element, wheel and drive train did along it."""

from collections.abc import Callable

import numpy as np

from gori.kernels.forces.efforts import efforts
from gori.kernels.forces.elements import STRUT
from gori.model.machine import machine_of
from gori.model.tables import JointInfo
from gori.record import Recording
from gori.record.channels import v_units
from gori.record.outputs import column_reader, wrench_bodies
from gori.sim.couplings import model_columns
from gori.sim.trace import Trace, samples_of
from gori.spec import GROUND


def add_channels(recording: Recording, trace: Trace) -> None:
    """Add all channels that follow from forces: of elements, of wheels and drive trains, and of accelerations."""
    add_force_channels(recording)
    add_output_channels(recording)
    add_trace_channels(recording, trace)


def add_force_channels(recording: Recording) -> None:
    """Add NAME.effort [N m, N] and NAME.power [W] for every joint or line force of the Spec, and for what a joint does
    by itself (stiffness, damping, friction, limits) under the joint's name. Computed when first asked for.
    """
    model = recording.model
    elements = model.forces
    rows = {}
    for k, name in enumerate(elements.names):
        if elements.element_i[k, 0] <= STRUT:
            rows.setdefault(name, []).append(k)
    if not rows:
        return
    computed: list[np.ndarray] = []

    def channel(rec: Recording, name: str) -> np.ndarray:
        if not computed:
            machine, data = machine_of(model)
            samples = samples_of(rec, model.nz)
            out = np.zeros((len(samples), len(elements.names), 2))
            efforts(machine, data, samples, np.zeros(model.nz), out)
            computed.append(out)
        owner, _, kind = name.rpartition(".")
        return computed[0][:, rows[owner], int(kind == "power")].sum(axis=1)

    recording.add_source([f"{name}.effort" for name in rows], channel, units="N m, N")
    recording.add_source([f"{name}.power" for name in rows], channel, units="W")


def add_output_channels(recording: Recording) -> None:
    """Add what the Model records besides the states, where the recording does not name it by itself: channels of wheels
    and drive trains (truck.wheel_fl.load), and BODY.wrench_from.particles (N, 6), also under the name of the group if
    there is only one: moment about the origin of the body and force of particles on it, world axes, as it acted.
    """
    outputs, columns = recording.extra.get("outputs"), model_columns(recording.model)
    if outputs is None or "outputs" in recording.info:  # a motion without its forces, or channels that are there
        return
    bodies = wrench_bodies(recording)
    for name, place in columns.items():
        recording.add_source([name], column_reader(place, bodies.get(name)), units=place.unit)


def add_trace_channels(recording: Recording, trace: Trace) -> None:
    """Add what follows from accelerations, computed when first asked for.

    a, JOINT.a           accelerations, (N, nv), and (N,) or (N, nv)
    FRAME.acceleration   (N, 6) angular, then linear of the origin, of a body or frame, world axes
    NAME.reaction        (N, 6) moment and force of a joint or cut on its child, world axes, about its origin there
    MOTION.drive         (N,) torque or force that a motion takes
    """
    model = recording.model
    units = tuple(f"{unit}2" for info in model.joints for unit in v_units(info))
    recording.add_source(["a"], lambda *_: trace.accelerations, units)
    for info in model.joints:
        own = tuple(f"{unit}2" for unit in v_units(info))
        recording.add_source([f"{info.name}.a"], _columns(trace, info), own)
    frames = [name for name in model.frame_names if name != GROUND]
    linear = ("rad/s2",) * 3 + ("m/s2",) * 3
    recording.add_source(
        [f"{name}.acceleration" for name in frames], lambda rec, name: _acceleration(rec, trace, name), linear
    )
    names = [*model.all_joint_names, *model.cut_names]
    recording.add_source(
        [f"{name}.reaction" for name in names],
        lambda _, name: trace.reactions[name.removesuffix(".reaction")],
        ("N m",) * 3 + ("N",) * 3,
    )
    recording.add_source(
        [f"{name}.drive" for name in model.motion_names],
        lambda _, name: trace.drives[name.removesuffix(".drive")],
        "N m, N",
    )


def _columns(trace: Trace, info: JointInfo) -> Callable:
    return lambda *_: trace.accelerations[:, info.v.start] if info.nv == 1 else trace.accelerations[:, info.v]


def _acceleration(recording: Recording, trace: Trace, name: str) -> np.ndarray:
    """J a + J' v of a frame."""
    model, frame = recording.model, name.removesuffix(".acceleration")
    J, rate = model.jacobian(recording.q, frame), model.jacobian_rate(recording.q, recording.v, frame)
    return np.einsum("nij,nj->ni", J, trace.accelerations) + np.einsum("nij,nj->ni", rate, recording.v)
