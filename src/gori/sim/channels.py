"""Channels of a Recording that need the forces of its Spec: what each element, wheel and drive train did along it."""

from collections.abc import Callable, Iterator
from functools import cached_property

import numpy as np

from gori.kernels.forces.efforts import EFFORT, N_EFFORT, POWER, efforts
from gori.kernels.forces.elements import BUSHING, E_DOF, E_KIND, LINE, STRUT, WRENCH
from gori.model.elastic import elastic_elements, elastic_energies
from gori.model.machine import machine_of
from gori.model.tables import JointInfo
from gori.record import Recording
from gori.record.channels import effort_units, v_units
from gori.record.outputs import column_reader, wrench_bodies
from gori.record.recording import MANY
from gori.sim.couplings import model_columns
from gori.sim.trace import Trace, samples_of
from gori.sim.user import UserForce
from gori.spec import GROUND


def add_channels(recording: Recording, trace: Trace) -> None:
    """Add all channels that follow from forces: of elements, of wheels and drive trains, and of accelerations.
    A Trace like the given one is made for them, and for those of each copy of the Recording.
    """
    recording.add_group(_add_all, trace.user, trace.given)


def _add_all(recording: Recording, user: UserForce | None, given: np.ndarray | None) -> None:
    add_force_channels(recording)
    add_output_channels(recording)
    add_trace_channels(recording, Trace(recording, user, given))


class ElementHistory:
    """What the force elements of a Model did along a Recording; computed when first asked for."""

    def __init__(self, recording: Recording):
        self._recording, self._forces = recording, recording.model.forces

    def rows(self, *kinds: int) -> dict[str, list[int]]:
        """Elements by name, of all or of these kinds: a joint may have several."""
        found: dict[str, list[int]] = {}
        for k, name in enumerate(self._forces.names):
            if not kinds or self._forces.element_i[k, E_KIND] in kinds:
                found.setdefault(name, []).append(k)
        return found

    @cached_property
    def _computed(self) -> tuple[np.ndarray, np.ndarray]:
        rec, model, kinds = self._recording, self._recording.model, self._forces.element_i[:, E_KIND]
        machine, data = machine_of(model)
        out = np.zeros((len(rec), len(kinds), N_EFFORT))
        wrenches = np.zeros((len(rec), int((kinds >= LINE).sum()), 6))
        efforts(machine, data, samples_of(rec, model.nz), np.zeros(model.nz), out, wrenches)
        return out, wrenches

    def effort_unit(self, elements: list[int]) -> str:
        """Of a tension [N], or of what acts on coordinates of a joint: both where these are angles and lengths."""
        of_dof = [unit for info in self._recording.model.joints for unit in effort_units(info)]
        rows = self._forces.element_i[elements]
        return ", ".join(dict.fromkeys("N" if row[E_KIND] >= LINE else of_dof[row[E_DOF]] for row in rows))

    def _parts(self) -> "Iterator[tuple[slice, ElementHistory]]":
        """Many samples are computed block by block, and not kept."""
        rec = self._recording
        if len(rec) <= MANY:
            yield slice(0, len(rec)), self
            return
        yield from ((rows, ElementHistory(part)) for rows, part in rec.blocks())

    def sum_of(self, elements: list[int], column: int) -> np.ndarray:
        """(N,) EFFORT, POWER or WORKING of some elements together."""
        out = np.zeros(len(self._recording))
        for rows, part in self._parts():
            out[rows] = part._computed[0][:, elements, column].sum(axis=1)
        return out

    def wrench(self, element: int) -> np.ndarray:
        """(N, 6) moment and force of an element between bodies on its child, world axes."""
        row, out = int((self._forces.element_i[:element, E_KIND] >= LINE).sum()), np.zeros((len(self._recording), 6))
        for rows, part in self._parts():
            out[rows] = part._computed[1][:, row]
        return out


def add_force_channels(recording: Recording) -> None:
    """Add what the forces of the Spec did, and what a joint does by itself (stiffness, damping, friction, limits)
    under the joint's name. Computed when first asked for.

    NAME.effort    torque [N m] or force [N] on a joint, tension of a spring or strut [N]
    NAME.power     that it puts into the machine [W]
    NAME.energy    that it stores [J]
    NAME.force     (N, 3) of a spring, strut, bushing or wrench, on the child at its end, world axes [N]
    NAME.moment    (N, 3) of a bushing or wrench, likewise [N m]
    """
    history = ElementHistory(recording)
    every, lines, others = history.rows(), history.rows(LINE, STRUT), history.rows(BUSHING, WRENCH)

    def total(column: int) -> Callable:
        return lambda _, name: history.sum_of(every[name.rpartition(".")[0]], column)

    def wrench(columns: slice) -> Callable:
        return lambda _, name: history.wrench(every[name.rpartition(".")[0]][0])[:, columns]

    for name in every:
        if name not in others:
            recording.add_source([f"{name}.effort"], total(EFFORT), history.effort_unit(every[name]))
    recording.add_source([f"{name}.power" for name in every], total(POWER), "W")
    recording.add_source([f"{name}.force" for name in lines | others], wrench(np.s_[3:]), "N")
    recording.add_source([f"{name}.moment" for name in others], wrench(np.s_[:3]), "N m")
    _add_energies(recording)


def _add_energies(recording: Recording) -> None:
    """NAME.energy of all that stores some."""
    model, stored = recording.model, elastic_elements(recording.model)
    columns: dict[str, list[int]] = {}
    for k, element in enumerate(stored):
        columns.setdefault(model.forces.names[element], []).append(k)

    def energy(rec: Recording, name: str) -> np.ndarray:
        out = np.zeros(len(rec))
        for rows, part in rec.blocks():
            out[rows] = elastic_energies(model, part.q)[:, columns[name.rpartition(".")[0]]].sum(axis=1)
        return out

    recording.add_source([f"{name}.energy" for name in columns], energy, "J")


def add_output_channels(recording: Recording) -> None:
    """Add what the Model records besides the states, where the recording does not name it by itself: channels of wheels
    and drive trains (truck.wheel_fl.load), and BODY.wrench_from.particles (N, 6), also under the name of the group if
    there is only one: moment about the origin of the body and force of particles on it, world axes, as it acted.
    """
    columns = model_columns(recording.model)
    # a motion without its forces, or channels that are there
    if "outputs" not in recording.extra or "outputs" in recording.info:
        return
    bodies = wrench_bodies(recording)
    for name, place in columns.items():
        recording.add_source([name], column_reader(place, bodies.get(name)), units=place.units)


def add_trace_channels(recording: Recording, trace: Trace) -> None:
    """Add what follows from accelerations, computed when first asked for.

    a, JOINT.a           accelerations, (N, nv), and (N,) or (N, nv); CUT.a likewise
    FRAME.acceleration   (N, 6) angular, then linear of the origin, of a body or frame, world axes
    NAME.reaction        (N, 6) moment and force of a joint or cut on its child, world axes, about its origin there
    NAME.determined      (N, 6) whether rigid-body mechanics determines each of these numbers
    MOTION.drive         (N,) torque or force that a motion takes
    GEAR.tangential      (N,) force along the pitch line [N]; positive turns the first body forward about its axis
    GEAR.torque          (N, 2) on both bodies about the axes of their joints; on a rack the force along it
    GEAR.force           (N, 3) on the first body, world axes
    GEAR.pull            (N, 2) along both lines of action: of teeth or of the spans of a belt
    """
    model = recording.model
    units = tuple(f"{unit}2" for info in model.joints for unit in v_units(info))
    recording.add_source(["a"], lambda *_: trace.accelerations, units)
    of_cuts = {info.name for info in model.cut_coordinates.joints}
    for info in model.joints:
        if info.name not in of_cuts:
            own = tuple(f"{unit}2" for unit in v_units(info))
            recording.add_source([f"{info.name}.a"], _columns(lambda: trace.accelerations, info), own)
    for info in model.cut_coordinates.joints:
        own = tuple(f"{unit}2" for unit in v_units(info))
        recording.add_source([f"{info.name}.a"], _columns(lambda: trace.cut_accelerations, info), own)
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
        [f"{name}.determined" for name in names], lambda _, name: trace.determined(name.removesuffix(".determined"))
    )
    for name in model.gears:
        _add_gear_channels(recording, trace, name)
    coordinates = {info.name: info for info in (*model.joints, *model.cut_coordinates.joints)}
    for motion, joint, axis, _ in model.drives:
        drive, unit = _drive(trace, motion), effort_units(coordinates[joint])[axis]
        recording.add_source([f"{motion}.drive"], drive, unit)


def _add_gear_channels(recording: Recording, trace: Trace, name: str) -> None:
    """What a gear, rack or belt transmits."""
    mesh = recording.model.gears[name]
    torque = ("N m", "N" if mesh.rack else "N m")
    recording.add_source([f"{name}.tangential"], lambda *_: trace.transmission(name), "N")
    recording.add_source([f"{name}.torque"], lambda *_: trace.transmission(name)[:, None] * mesh.arms, torque)
    recording.add_source([f"{name}.pull"], lambda *_: mesh.pulls(trace.transmission(name)), "N")

    def force(rec: Recording, _: str) -> np.ndarray:
        own = mesh.pulls(trace.transmission(name)) @ mesh.directions
        return own if mesh.carrier == GROUND else np.einsum("nij,nj->ni", rec[f"{mesh.carrier}.rotation"], own)

    recording.add_source([f"{name}.force"], force, "N")


def _drive(trace: Trace, motion: str) -> Callable:
    return lambda *_: trace.drives[motion]


def _columns(rows: Callable[[], np.ndarray], info: JointInfo) -> Callable:
    return lambda *_: rows()[:, info.v.start] if info.nv == 1 else rows()[:, info.v]


def _acceleration(recording: Recording, trace: Trace, name: str) -> np.ndarray:
    """J a + J' v of a frame."""
    model, frame, out = recording.model, name.removesuffix(".acceleration"), np.zeros((len(recording), 6))
    for rows, part in recording.blocks():
        J, rate = model.jacobian(part.q, frame), model.jacobian_rate(part.q, part.v, frame)
        out[rows] = np.einsum("nij,nj->ni", J, trace.accelerations[rows]) + np.einsum("nij,nj->ni", rate, part.v)
    return out
