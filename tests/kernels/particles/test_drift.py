"""How far walls may move before lists are due, seen from the body that particles ride on."""

from typing import Any, NamedTuple

import numpy as np
from numba import types

from gori.kernels.jit import kernel
from gori.kernels.particles import columns as c
from gori.kernels.particles import drift
from gori.kernels.particles.arrays import SETTINGS
from gori.spec.base import rotation


class Arrays(NamedTuple):
    settings: Any
    listed_pose: Any
    extent: Any
    skin: Any


def scene(turns=1, home=0, skin=0.01, extent=(1.0, 1.0)):
    pose = np.zeros((2, c.N_POSE))
    pose[:, [c.ROT, c.ROT + 4, c.ROT + 8]] = 1.0
    pose[1, c.POS] = 3.0
    settings = SETTINGS.zeros(1)
    settings["turns"], settings["home"], settings["bodies"], settings["roam"] = turns, home, 2, 10.0
    return Arrays(settings, pose, np.array(extent), np.array([skin, 0.0, 0.0])), pose.copy()


def moved(pose, by, degrees):
    """All bodies, carried along by one motion."""
    R, out = rotation((0, 0, degrees), None), pose.copy()
    for b in range(2):
        out[b, : c.POS] = (R @ pose[b, : c.POS].reshape(3, 3)).ravel()
        out[b, c.POS : c.VEL] = R @ pose[b, c.POS : c.VEL] + by
    return out


SCENE = types.NamedTuple([SETTINGS.type[::1], types.float64[:, ::1], types.float64[::1], types.float64[::1]], Arrays)


@kernel(types.void(SCENE, types.float64[:, ::1], types.float64[::1], types.float64[::1]))
def drifted(g, pose, x, out):
    """out: where a point goes back to (3), and whether walls have moved."""
    back = drift.way_back(g, g.settings[0].home, pose)
    ex, ey, ez = drift.put_back(back, x[0], x[1], x[2])
    out[0], out[1], out[2] = x[0] + ex + back[9], x[1] + ey + back[10], x[2] + ez + back[11]
    out[3] = 1.0 if drift.walls_moved(g, pose, back) else 0.0


def computed(g, pose, x=(0.0, 0.0, 0.0)):
    out = np.zeros(4)
    drifted(g, pose, np.array(x, float), out)
    return out[:3], bool(out[3])


def test_a_point_of_the_home_goes_back_to_where_it_was():
    g, pose = scene()
    now = moved(pose, [1.0, 2.0, 3.0], 40.0)
    x = np.array([0.3, -0.2, 0.7])
    R, p = now[0, : c.POS].reshape(3, 3), now[0, c.POS : c.VEL]
    back, _ = computed(g, now, R @ x + p)
    np.testing.assert_allclose(back, x, atol=1e-14)
    assert computed(scene(home=-1)[0], now, x)[0].tolist() == x.tolist()


def test_bodies_that_go_along_have_not_moved():
    g, pose = scene()
    now = moved(pose, [0.1, 0.0, 0.0], 5.0)
    assert not computed(g, now)[1]
    alone = pose.copy()
    alone[1, c.POS] += 0.0051  # more than half of the skin
    assert computed(g, alone)[1]
    alone[1, c.POS] -= 0.0002
    assert not computed(g, alone)[1]


def test_a_body_without_walls_does_not_count():
    g, pose = scene(extent=(1.0, -1.0))
    pose[1, c.POS] += 1.0
    assert not computed(g, pose)[1]
