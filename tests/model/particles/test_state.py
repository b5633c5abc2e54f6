"""A saved state of particles is checked field by field."""

import numpy as np
import pytest

from gori.errors import InputError
from gori.kernels.particles import columns as c
from gori.model.particles.state import FIELDS, ParticleState, checked_state, fresh_state


def saved():
    motion = np.zeros((4, 8))
    motion[:, c.MASS] = 1.0
    sphere = np.array([[0.0, 0.0, k, 0.4] for k in range(4)])
    state = fresh_state(sphere, motion, np.array([1, 2, 5, 7]), np.zeros((2, c.N_POSE)))
    pairs, walls = np.array([[1, 5]]), np.array([[7, 0], [2, 1]])
    state = state._replace(pairs=pairs, history=np.ones((1, 8)), walls=walls, wall_history=np.ones((2, 8)))
    return state._asdict()


def checked(data):
    return checked_state(data, bodies=2, primitives=3, materials=2, ever=8, widest=4.0)


def test_a_good_state_is_copied():
    data = saved()
    state = checked(data)
    assert set(FIELDS) == set(ParticleState._fields)
    for name in FIELDS:
        np.testing.assert_array_equal(getattr(state, name), data[name])
    state.sphere[0, 0] = 9.0
    assert data["sphere"][0, 0] == 0.0


WRONG = {
    "id": [lambda x: x[::-1].copy(), lambda x: x - 3, lambda x: x.astype(float), lambda x: x[:3]],
    "sphere": [lambda x: x[:, :3], lambda x: x * np.nan, lambda x: -x, lambda x: x[:2]],
    "motion": [lambda x: 0.0 * x, lambda x: x + 0.5, lambda x: x + 3.0, lambda x: x.astype(str)],
    "listed_position": [lambda x: x[:, :2], lambda x: x + np.inf],
    "listed_pose": [lambda x: x[:1], lambda x: x[:, :17]],
    "pairs": [lambda x: x + 1, lambda x: x[:, ::-1].copy(), lambda x: np.tile(x, (2, 1)), lambda x: x.ravel()],
    "history": [lambda x: x[:, :4], lambda x: x * np.nan],
    "walls": [lambda x: x + np.array([[0, 3]]), lambda x: x + np.array([[1, 0]]), lambda x: x - np.array([[0, 1]])],
    "wall_history": [lambda x: x[:1]],
    "grid": [lambda x: x + 12, lambda x: x[:2]],
    "due": [lambda x: np.float64(0.0)],
    "skin": [lambda x: x - 1e-9, lambda x: x + 4.1, lambda x: x + np.nan],
    "since": [lambda x: x - 1, lambda x: np.zeros(2, int)],
}


@pytest.mark.parametrize(("name", "k"), [(name, k) for name, changes in WRONG.items() for k in range(len(changes))])
def test_what_is_wrong_is_named(name, k):
    data = saved()
    data[name] = WRONG[name][k](data[name])
    other = {"id": "sphere", "pairs": "history"}.get(name, "") if k == len(WRONG[name]) - 1 or k == 2 else ""
    with pytest.raises(InputError, match=rf"state.particles\['({name}|{other or name})'\]"):
        checked(data)


def test_what_is_missing_is_named():
    data = saved()
    del data["history"]
    with pytest.raises(InputError, match=r"\['history'\] is missing"):
        checked(data)
