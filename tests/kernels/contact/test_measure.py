"""What is recorded of contact."""

import numpy as np

from gori.kernels.contact.measure import begin_measure, measure_force, measure_gap, measure_impulses
from gori.kernels.contact.memory import HEAD, POINT
from gori.kernels.contact.tables import SHAPE
from gori.kernels.tree.columns import N_BODY_W, P_WB
from tests.plain import Plain, plain, rows

AT = np.array([1.0, 2.0, 3.0])


def memory_of(points):
    """Two shapes, on the ground and on body 0 of what is recorded, and so many points between them."""
    head, point = HEAD.zeros(1), POINT.zeros(points)
    head["points"], point["b"], point["position"] = points, 1, AT
    return Plain(
        head=rows(head), point=rows(point), body=np.array([-1, 0]), wrench=np.ones((1, 6)), measured=np.ones(2)
    )


def bodies():
    body_w = np.zeros((2, N_BODY_W))
    body_w[1, P_WB : P_WB + 3] = [0.5, 0.0, 0.0]
    return body_w


def test_forces_add_up_about_the_origin_of_the_row():
    memory, body_w, force, torque = memory_of(0), bodies(), np.array([1.0, -2.0, 4.0]), np.array([0.1, 0.2, 0.3])
    plain(begin_measure)(memory)
    assert not memory.wrench.any() and memory.measured[0] == 0.0 and np.isnan(memory.measured[1])
    for _ in range(2):
        plain(measure_force)(memory, body_w, 1, 1, AT, *torque, *force)
        plain(measure_force)(memory, body_w, 0, 0, AT, *torque, *force)  # the ground has no row here
    expected = np.concatenate([torque + np.cross(AT - [0.5, 0.0, 0.0], force), force])
    assert np.allclose(memory.wrench[0], 2.0 * expected)


def test_the_smallest_gap():
    memory = memory_of(0)
    plain(begin_measure)(memory)
    for gap in (0.3, -0.1, 0.2):
        plain(measure_gap)(memory, gap)
    assert memory.measured[1] == -0.1


def test_mean_forces_of_impulses():
    memory, shape = memory_of(3), SHAPE.zeros(2)
    shape["row"] = 0, 1
    memory.point["force"][:2], memory.point["gap"] = [0.0, 0.0, 5.0], [0.0, -1e-4, 1e-3]
    machine, data = Plain(contact=Plain(shape=rows(shape))), Plain(contact_memory=memory, body_w=bodies())
    plain(measure_impulses)(machine, data)
    assert memory.measured.tolist() == [2.0, -1e-4]
    assert np.allclose(memory.wrench[0, 3:], [0.0, 0.0, 10.0])
