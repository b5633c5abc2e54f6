"""Who is next to whom, and what lies in one plane."""

import numpy as np

from gori.model.particles.edges import connected, edge_ends, partners, surface_of

CUBE = np.array([(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)], float)
SIDES = np.array([(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)])
HALVES = np.concatenate([SIDES[:, [0, 1, 2]], SIDES[:, [0, 2, 3]]])


def test_partners_are_mutual_and_share_both_ends():
    for faces in (SIDES, HALVES):
        partner = partners(faces).ravel()
        assert (partner[partner] == np.arange(faces.size)).all()
        ends = edge_ends(faces)
        assert np.array_equal(ends[partner], ends) and (ends[:, 0] < ends[:, 1]).all()
    assert (partners(SIDES[:1]) == -1).all()


def test_groups():
    count, group = connected(np.array([0, 3]), np.array([1, 4]), 6)
    assert count == 4 and group[0] == group[1] != group[2] and group[3] == group[4]


def test_halves_of_a_side_lie_in_one_plane():
    turned = HALVES.copy()
    turned[3] = turned[3][::-1]
    s = surface_of(CUBE, turned)
    assert s.flat.sum() == 12 and (s.plane[:6] == s.plane[6:]).all() and len(set(s.plane)) == 6
    np.testing.assert_allclose(s.common, s.normal, atol=1e-15)  # each with the sign of its own
    np.testing.assert_allclose(s.normal[3], -s.normal[9], atol=1e-15)
    np.testing.assert_allclose(np.einsum("nki,nki->nk", s.out, s.edges), 0.0, atol=1e-15)
    middle = s.corners.mean(axis=1, keepdims=True)
    assert (np.einsum("nki,nki->nk", s.out, s.corners - middle) > 0.0).all()
