"""Frames of joints in rows of tables: zero where the joint is zero, and paths between rows."""

import numpy as np
import pytest

import gori
from gori.kernels.loops import tables as t
from gori.model.graph import compose
from gori.model.loops.frames import KINDS, axis_frames, fill_frames, path_between, place_on_row, start_of_cut
from gori.spec.joint import NQ
from tests.checks import close
from tests.integrate.closed_machines import rockers
from tests.reference.cut_coordinates import coordinates
from tests.reference.random_loops import CUT_TYPES, random_closed


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "spherical"])
def test_the_start_of_a_cut(kind):
    """In the start pose, which closes the loop: what the joint functions give the other way round."""
    spec, q, v = random_closed(np.random.default_rng(3), n_cuts=1, cut_types=(kind,))
    found = start_of_cut(gori.compile(spec), "c0")
    assert len(found) == NQ[kind]
    close(found, coordinates(spec, "c0", q, v, 0.0 * v)[0], 1e-12)
    close(start_of_cut(gori.compile(spec, open_loops=True), "c0"), found, 1e-15)


@pytest.mark.parametrize("kind", CUT_TYPES)
def test_rows_hold_the_frames_in_the_world(kind):
    spec, q, _ = random_closed(np.random.default_rng(1), n_cuts=1, cut_types=(kind,))
    model = gori.compile(spec)
    joint, row, poses = model.connections[-1], t.CUT.zeros(1), model.forward_kinematics(q)
    path = fill_frames(row, model, joint)
    assert (int(row["root"][0]), path) == path_between(model, int(row["row_a"][0]), int(row["row_b"][0])) and path
    for side, body, frame in zip("AB", (joint.parent, joint.child), axis_frames(joint)):
        at, (R, p) = place_on_row(model, body, frame)
        assert at == row[f"row_{side.lower()}"][0]
        close(row[f"R_{side}"][0].reshape(3, 3), R, 0.0)
        own = poses[body][:3, :3], poses[body][:3, 3]
        k = model.frame(body)
        in_row = model.tables.frame_f[k, :9].reshape(3, 3), model.tables.frame_f[k, 9:]
        R_row = own[0] @ in_row[0].T
        of_row = R_row, own[1] - R_row @ in_row[1]
        for one, other in zip(compose(own, frame), compose(of_row, (R, p))):
            close(one, other, 1e-12)


def test_a_path_leads_down_both_ways():
    model = gori.compile(rockers())
    a, b = (int(model.tables.frame_i[model.frame(body)]) for body in ("coupler", "rocker"))
    root, path = path_between(model, a, b)
    assert root == 0 and path == [model.joint(name).v.start for name in ("B", "A", "D")]
    assert path_between(model, a, a) == (a, [])
