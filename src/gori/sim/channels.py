"""Channels of forces: what each element of the Spec did along a recorded motion."""

import numpy as np

from gori.kernels.columns import N_BODY_W, N_DOF_W
from gori.kernels.efforts import efforts
from gori.kernels.elements import LINE
from gori.kernels.machine import Machine, Scratch
from gori.model.elements import Elements, compile_elements
from gori.record import Recording


def machine_of(model, elements: Elements, user: int = 0, depth: int = 1, core: int = 0) -> tuple[Machine, Scratch]:
    """The bundles that compiled code takes, for a Model with its elements."""
    e, tables = elements, model.kernel_tables
    body_w, dof_w = np.zeros((len(tables.body_i), N_BODY_W)), np.zeros((model.nv, N_DOF_W))
    values, stack = np.zeros(len(e.signal_i)), np.zeros(max(depth, e.depth))
    machine = Machine(tables.body_i, tables.body_f, e.element_i, e.element_f, e.signal_i, e.signal_f, user, core)
    return machine, Scratch(body_w, dof_w, np.zeros(model.nv), values, stack)


def add_force_channels(recording: Recording) -> None:
    """Add NAME.effort [N m, N] and NAME.power [W] for every joint or line force of the Spec, and for what a joint does
    by itself (stiffness, damping, friction, limits) under the joint's name. Computed when first asked for.
    """
    model = recording.model
    elements = compile_elements(model)
    rows = {}
    for k, name in enumerate(elements.names):
        if elements.element_i[k, 0] <= LINE:
            rows.setdefault(name, []).append(k)
    if not rows:
        return
    computed: list[np.ndarray] = []

    def channel(rec: Recording, name: str) -> np.ndarray:
        if not computed:
            machine, scratch = machine_of(model, elements)
            samples = np.column_stack([rec.time, rec.q, rec.v, rec.z])
            out = np.zeros((len(samples), len(elements.names), 2))
            efforts(machine, scratch, np.ascontiguousarray(samples), np.zeros(elements.states), out)
            computed.append(out)
        owner, _, kind = name.rpartition(".")
        return computed[0][:, rows[owner], int(kind == "power")].sum(axis=1)

    recording.add_source([f"{name}.effort" for name in rows], channel, units="N m, N")
    recording.add_source([f"{name}.power" for name in rows], channel, units="W")
