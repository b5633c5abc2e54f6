import numpy as np
import pytest

import gori
from gori.errors import UnsupportedError
from gori.kernels.forces import elements as el
from gori.kernels.forces import parameters as par
from tests.checks import arm


def rows(model, kind):
    return model.forces.element_f[model.forces.element_i[:, el.E_KIND] == kind]


def test_joint_fields_become_rows():
    spec = arm(elbow__stiffness=3.0, elbow__rest=0.2, elbow__damping=0.5, shoulder__friction=2.0)
    spec = spec.set("shoulder.stick_stiffness", 40.0)
    model = gori.compile(spec)
    (spring,) = rows(model, el.JOINT_SPRING)
    assert spring[par.SPRING_F.stiffness] == 3.0 and spring[par.SPRING_F.rest] == 0.2
    assert spring[par.SPRING_F.damping] == 0.5 and spring[par.SPRING_F.preload] == 0.0
    (friction,) = rows(model, el.JOINT_FRICTION)
    assert friction[par.FRICTION_F.coulomb] == 2.0 and friction[par.FRICTION_F.stiffness] == 40.0
    inertia = model.mass_matrix(model.q0)[0, 0]
    assert friction[par.FRICTION_F.damping] == pytest.approx(2.0 * np.sqrt(40.0 * inertia))
    assert model.forces.states == 1 and model.forces.names == ("shoulder", "elbow")


def test_a_spring_without_length_is_free_at_the_start():
    force = {"type": "spring", "parent": "ground", "child": "lower", "at": [1.0, 0, 0], "stiffness": 5.0}
    model = gori.compile(gori.Spec(**arm().model_dump(exclude_unset=True), forces={"s": force}))
    (line,) = rows(model, el.LINE)
    assert line[par.LINE_F.stiffness] == 5.0
    assert line[par.LINE_F.free_length] == pytest.approx(np.sqrt(2.0))  # from (1, 0, 0) to the elbow at (0, 0, 1)


def test_a_free_joint_takes_no_stiffness():
    joint = {"type": "free", "parent": "ground", "child": "a", "stiffness": [1.0] * 6}
    with pytest.raises((UnsupportedError, gori.errors.SpecError), match="stiffness"):
        gori.compile(gori.Spec(bodies={"a": {"mass": 1.0, "inertia": [1, 1, 1]}}, joints={"j": joint}))
