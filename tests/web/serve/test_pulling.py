"""The force of a pull on the joints."""

import numpy as np
import pytest

import gori
from gori.web.serve.pulling import Pull


def test_force_is_that_of_a_spring_at_a_point_of_the_body():
    model = gori.compile(gori.load("examples/branched_chain.yaml"))
    rng = np.random.default_rng(1)
    q, v = model.integrate(model.q0, rng.normal(size=model.nv)) if hasattr(model, "integrate") else model.q0, None
    v = rng.normal(size=model.nv)
    pull = Pull(model)
    assert not pull(0.0, q, v).any()
    body, point, target = 2, np.array([0.1, 0.2, -0.3]), np.array([1.0, -2.0, 0.5])
    assert pull.hold(0.0, body, point, target)
    name = pull.names[body]

    def place(q):
        return (model.forward_kinematics(q)[name] @ [*point, 1.0])[:3]

    # without speed the power of tau along any v is that of the spring's force at the point
    J = model.jacobian(q, name)
    arm = model.forward_kinematics(q)[name][:3, :3] @ point
    speed = J[3:] @ v + np.cross(J[:3] @ v, arm)
    force = pull.stiffness * (target - place(q))
    assert pull(0.0, q, np.zeros(model.nv)) @ v == pytest.approx(force @ speed)
    assert pull(0.0, q, v) @ v == pytest.approx((force - pull.damping * speed) @ speed)
    assert not pull.hold(1.0, None) and not pull.hold(1.0, 99)
    assert [row[1] for row in pull.log] == [name, None]
