"""Bundles of a Model for compiled code: sizes, parts that are left out, what is shared."""

import numpy as np

import gori
from gori.model.machine import NO_LOOPS, data_of, machine_of
from tests.checks import arm
from tests.integrate.closed_machines import rockers
from tests.spec.particles.tray import tray


def test_tables_are_those_of_the_model():
    model = gori.compile(arm())
    machine, data = machine_of(model, user=11, core=12, closed=13)
    assert machine.body_i is model.kernel_tables.body_i and machine.body_f is model.kernel_tables.body_f
    assert (machine.user, machine.core, machine.closed, machine.vehicle) == (11, 12, 13, 0)
    assert data.body_w.shape[0] == len(machine.body_i) and data.tau.shape == (2,)
    assert all(getattr(machine, name) is table for name, table in NO_LOOPS.items()) and data.loops.work.mass.size == 0


def test_loops_are_there_if_they_are_given():
    model = gori.compile(rockers())
    without, _ = machine_of(model)
    machine, data = machine_of(model, loops=model.loop_system.kept)
    assert len(without.equation) == 0 < len(machine.equation)
    assert data.loops.work.mass.size > 0 and data.loops.state.flat.size > 0


def test_stacks_are_deep_enough_for_elements_and_for_what_else_is_asked():
    spec = arm().set("forces", {"f": {"type": "torque", "joint": "elbow", "value": "1+(2+(3+(4+t)))"}})
    model = gori.compile(spec)
    shallow, deep = machine_of(model)[1], machine_of(model, depth=99)[1]
    assert len(shallow.stack) == model.forces.depth > 1 and len(deep.stack) == 99


def test_what_is_recorded_has_its_wrenches_and_outputs_in_a_row():
    """Views of one array: wrenches of coupled bodies, then outputs of subsystems."""
    model = gori.compile(tray())
    machine, data = machine_of(model, outputs=3)
    assert machine.coupled.tolist() == list(model.coupled.values()) == [0, 1]  # ground and tray
    assert data.recorded.shape == (12 + 3,) and np.shares_memory(data.wrench, data.recorded)
    data.wrench[1] = np.arange(1.0, 7.0)
    assert data.recorded.tolist() == [0.0] * 6 + [1, 2, 3, 4, 5, 6, 0, 0, 0]
    assert machine_of(model, coupled=[])[1].recorded.size == 0


def test_another_run_has_arrays_of_its_own():
    model = gori.compile(rockers())
    machine, data = machine_of(model, loops=model.loop_system.kept)
    other = data_of(model, machine)
    pairs = zip(data.members().values(), other.members().values())
    pieces = [(data.loops.state.flat, other.loops.state.flat), (data.loops.work.flat, other.loops.work.flat)]
    for one, two in [*((a, b) for a, b in pairs if isinstance(a, np.ndarray)), *pieces]:
        assert one.shape == two.shape and one.dtype == two.dtype and not np.shares_memory(one, two)
