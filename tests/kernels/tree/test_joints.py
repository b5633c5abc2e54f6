import numpy as np
from scipy.spatial.transform import Rotation

from gori.kernels.tree.joints import FREE, HELICAL, PRISMATIC, REVOLUTE, SPHERICAL, only_turns, rotation_of_quaternion
from tests.checks import close


def test_rotation_of_a_quaternion_of_any_length():
    for w, x, y, z in np.random.default_rng(0).normal(size=(5, 4)):
        R = np.reshape(rotation_of_quaternion.py_func(w, x, y, z), (3, 3))
        close(R, Rotation.from_quat([x, y, z, w]).as_matrix(), 1e-14)


def test_joints_whose_axes_have_no_linear_part():
    turning = [kind for kind in (REVOLUTE, PRISMATIC, HELICAL, SPHERICAL, FREE) if only_turns.py_func(kind)]
    assert turning == [REVOLUTE, SPHERICAL]
