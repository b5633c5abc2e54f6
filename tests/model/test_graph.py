import numpy as np

from gori.kernels.tree.joints import PRISMATIC, REVOLUTE, WELD
from gori.model.graph import build, compose, expand, invert
from gori.spec import Joint, Spec
from tests.checks import arm, close


def test_compose_and_invert():
    rng = np.random.default_rng(0)
    R, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    pose = R * np.sign(np.linalg.det(R)), rng.normal(size=3)
    for part, expected in zip(compose(pose, invert(pose)), (np.eye(3), np.zeros(3))):
        close(part, expected, 1e-14)


def test_joints_of_several_axes_become_rows_of_simple_ones():
    kinds = {
        "cylindrical": [REVOLUTE, PRISMATIC],
        "planar": [PRISMATIC, PRISMATIC, REVOLUTE],
        "universal": [REVOLUTE, REVOLUTE],
    }
    for kind, simple in kinds.items():
        found = [row for row, _, _ in expand(Joint(type=kind, parent="ground", child="a"))]
        assert [row for row in found if row != WELD] == simple


def test_fixed_bodies_share_a_row():
    spec = arm()
    joints = {**spec.joints, "weld": {"type": "fixed", "parent": "lower", "child": "hand", "at": [0, 0, 1]}}
    spec = Spec(bodies={**spec.bodies, "hand": {"mass": 1.0}}, joints=joints)
    assert len(build(spec).rows) == 3 == len(build(arm()).rows)
