from gori.model.tables import JointInfo


def test_lengths_of_a_joint():
    info = JointInfo("ball", "spherical", slice(2, 6), slice(1, 4), (3,))
    assert (info.nq, info.nv) == (4, 3)
