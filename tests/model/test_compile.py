import pickle

import numpy as np

import gori
from gori.kernels.tree.columns import CHILDREN, DOF_BODY, DOF_END, DOF_PARENT, END, MASS, NQ, PARENT
from tests.checks import arm, machine


def test_tables_of_a_chain():
    t = gori.compile(arm()).tables
    assert t.body_i[0, NQ] == 2 and list(t.body_i[1:, PARENT]) == [0, 1] and list(t.body_i[1:, END]) == [3, 3]
    assert list(t.dof_i[:, DOF_PARENT]) == [-1, 0] and list(t.dof_i[:, DOF_BODY]) == [1, 2]
    assert list(t.dof_i[:, DOF_END]) == [2, 2] and t.body_f[:, MASS].sum() == 2.0


def test_rows_are_in_depth_first_order():
    for seed in range(5):
        body_i = machine(seed, n=9)[0].tables.body_i
        for i in range(1, len(body_i)):
            assert body_i[i, PARENT] < i < body_i[i, END] <= body_i[body_i[i, PARENT], END] or body_i[i, PARENT] == 0
            assert np.count_nonzero(body_i[1:, PARENT] == i) == body_i[i, CHILDREN]


def test_a_model_is_pickled_as_its_spec():
    model = gori.compile(arm(lower__mass=3.0))
    again = pickle.loads(pickle.dumps(model))
    assert again.mass == model.mass == 4.0 and np.array_equal(again.tables.body_f, model.tables.body_f)
