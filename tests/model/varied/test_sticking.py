"""Friction that sticks."""

import numpy as np

import gori
from gori.kernels.forces.elements import JOINT_FRICTION
from gori.model.varied.sticking import START, Sticking, with_start
from gori.model.varied.tables import Words, compiled_tables
from tests.model.varied.machines import MANY, compare, pair, uniform


def test_what_is_ruled():
    model = gori.compile(pair().set("rail.stick_stiffness", 5e3))
    tables = with_start(compiled_tables)(model)
    words = Words(tables)
    rows = np.flatnonzero(model.forces.element_i[:, 0] == JOINT_FRICTION)
    expected = [f"element_f[{rows[0]}, 1]", f"element_f[{rows[0]}, 2]", f"element_f[{rows[1]}, 2]"]
    assert [words.name(k) for k in Sticking(model, words).ruled] == expected


def test_masses_lengths_and_friction():
    parameters = {"arm.mass": uniform(1, 3), "slide.mass": uniform(0.1, 0.6), "slide.com": uniform(-0.1, 0.1, 3),
                  "rail.at": uniform(-0.2, 0.2, 3), "hinge.friction": uniform(0.1, 0.3),
                  "rail.friction": uniform(0.1, 5), "rail.q": uniform(-0.5, 0.5),
                  "hinge.armature": uniform(0.0, 0.1)}  # fmt: skip
    few = {path: values[:100] for path, values in parameters.items()}
    found = compare(pair(), parameters, machines=range(MANY // 2))
    assert found.compiled < MANY and START not in found.tables
    assert (compare(pair(), few).tables["element_f"].values.std(axis=1) > 0.0).all()


def test_given_stiffness():
    spec = pair().set("rail.stick_stiffness", 5e3)
    compare(spec, {"rail.stick_stiffness": uniform(1e3, 1e4), "slide.mass": uniform(0.1, 0.6)}, machines=range(20))
