"""Sizes of the memory of contact."""

import gori
from gori.kernels.contact.memory import DEPTH, contact_memory
from gori.model.machine import IMPULSES, machine_of
from tests.integrate.test_time_stepping import BALL, BLOCK, STILL, at, scene


def two_bodies():
    return gori.compile(scene(ball=(BALL, at(z=1.0), STILL), block=(BLOCK, at(z=2.0), STILL)))


def test_room_for_both_paths():
    model = two_bodies()
    machine, _ = machine_of(model, contact=IMPULSES)
    memory = contact_memory(machine, 12, points=5)
    assert memory.w.shape == (10, 3, 8) and len(memory.x_free) == 16 and memory.mix_f.shape == (DEPTH, 2, 8)
    assert not len(memory.turns) and not len(memory.axes)


def test_room_for_friction_of_joints_alone():
    model = gori.compile(gori.load("examples/arm.yaml").set({"joints.upper_roll.friction": 0.5}))
    machine, data = machine_of(model, contact=IMPULSES)
    memory = data.contact_memory
    assert [int(axis["dof"]) for axis in memory.axes] == [model.joint("upper_roll").v.start]
    assert memory.axis_w.shape == (1, 8) and memory.mix_f.shape == (DEPTH, 1, 8) and len(memory.root) == model.nv
    assert not len(contact_memory(machine, model.nv).axes)  # with other methods bristles do it
