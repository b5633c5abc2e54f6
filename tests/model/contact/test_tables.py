"""Contact of a Model: tables that match the poses of bodies, and a fingerprint that knows them."""

import pickle

import numpy as np
import pytest

import gori
from gori.errors import SpecError, SpecWarning
from gori.kernels.contact import tables as t
from gori.kernels.contact.poses import shapes_at
from gori.kernels.tree.columns import N_BODY_W, N_DOF_W
from gori.model.contact.tables import BodyContact, can_touch, hull_planes
from tests.model.contact.machines import machine, solid


def two(**fields):
    shapes = {"s": solid("capsule", radius=0.1, length=0.4, at=[0.1, 0.2, 0.3], rpy_deg=[10, 20, 30]) | fields}
    joints = {
        "j": {"type": "revolute", "parent": "ground", "child": "a", "axis": [0, 1, 1], "q": 0.3},
        "w": {"type": "fixed", "parent": "a", "child": "b", "at": [1, 2, 3], "rpy_deg": [40, 50, 60]},
    }
    return machine({"a": {}, "b": shapes}, {"floor": solid("plane", "stone")}, joints)


def test_shapes_stand_in_their_rows():
    model = gori.compile(two())
    contact = model.contact
    assert isinstance(contact, BodyContact)
    assert contact.names == ("ground.floor", "b.s") and contact.bodies == ("ground", "b")
    assert contact.tables.shape["row"].tolist() == [0, 1]
    pose, box = np.empty((2, 12)), np.empty((2, 6))
    work = np.zeros((2, N_BODY_W)), np.zeros((model.nv, N_DOF_W))
    kt = model.kernel_tables
    shapes_at(kt.body_i, kt.body_f, contact.tables, model.q0, 0.0, pose, box, *work)
    T = model.forward_kinematics(model.q0)["b"]
    R_BS, p_BS = model.spec.bodies["b"].shapes["s"].pose()
    R, p = T[:3, :3] @ R_BS, T[:3, 3] + T[:3, :3] @ p_BS
    assert np.allclose(pose[1, 9:], p + 0.2 * R[:, 0], atol=1e-14)  # the middle of a bar along its x
    assert np.allclose(pose[1, :9].reshape(3, 3)[:, 2], R[:, 0], atol=1e-14)


def test_nothing_where_nothing_can_touch():
    assert gori.compile(two(collide=False)).contact is None
    with pytest.warns(SpecWarning, match="rubber"):
        assert gori.compile(two(material="rubber").set("contacts.steel/rubber.friction", 0.1)).contact is None


def test_bodies_fixed_together_do_not_touch():
    ball = {"s": solid("sphere", radius=1.0)}
    joints = {
        "f": {"type": "free", "parent": "ground", "child": "a"},
        "w": {"type": "fixed", "parent": "a", "child": "b"},
    }
    assert gori.compile(machine({"a": ball, "b": ball}, joints=joints)).contact is None


def test_can_touch_sees_exclusions():
    model = gori.compile(two())
    tables = model.contact.tables
    assert can_touch(tables)
    assert not can_touch(tables.replace(excluded=np.array([1])))
    assert gori.compile(two().set("no_contact", [["ground", "b"]])).contact is None


def test_fingerprint_and_pickle():
    model = gori.compile(two())
    again = pickle.loads(pickle.dumps(model))
    assert again.fingerprint == model.fingerprint and again.contact.names == model.contact.names
    assert gori.compile(two(radius=0.2)).fingerprint != model.fingerprint
    assert gori.compile(two().set("contacts.stone/steel.friction", 0.1)).fingerprint != model.fingerprint
    assert gori.compile(two(collide=False)).fingerprint != model.fingerprint


def test_terrain_is_a_shape():
    spec = two().set({"terrain": {"material": "stone", "grade": [0.1, 0.0]}})
    contact = gori.compile(spec).contact
    assert contact.names[-1] == contact.bodies[-1] == "terrain" and len(contact.tables.terrain) == 1
    row = contact.tables.shape[-1]
    assert row["kind"] == t.GROUND and row["row"] == 0 and np.isinf(row["half"]).all()
    assert len(gori.compile(two()).contact.tables.terrain) == 0
    with pytest.raises(SpecError, match="'wood' is not a material"):
        two().set({"terrain": {"material": "wood"}})


def test_masses_of_all_that_is_connected():
    """Free bodies by themselves, chains and loops as a whole, the ground without end."""
    shapes = {name: {"s": solid("sphere", radius=0.1)} for name in ("ball", "upper", "lower", "left", "right")}
    spec = machine(
        shapes,
        ground={"floor": solid("plane")},
        joints={
            "a": {"type": "revolute", "parent": "ground", "child": "upper"},
            "b": {"type": "revolute", "parent": "upper", "child": "lower", "at": [1, 0, 0]},
            "c": {"type": "revolute", "parent": "ground", "child": "left"},
            "d": {"type": "revolute", "parent": "ground", "child": "right", "at": [1, 0, 0]},
        },
        cuts={"e": {"type": "distance", "parent": "left", "child": "right", "length": 1.0}},
    )
    contact = gori.compile(spec).contact
    found = dict(zip(contact.bodies, contact.tables.shape["mass"].tolist()))
    assert found == {"ground": np.inf, "ball": 1.0, "upper": 2.0, "lower": 2.0, "left": 2.0, "right": 2.0}


def test_what_a_run_records_of_contact():
    spec = machine(
        {"b": {"s": solid("sphere", radius=0.1), "t": solid("sphere", radius=0.2)}}, {"floor": solid("plane")}
    )
    contact = gori.compile(spec).contact
    assert contact.touched == ("ground", "b") and contact.rows == (0, 1) and contact.columns == 14


def test_planes_of_hulls():
    """Corners of a cuboid: six planes, each with half of the corners on it and none outside; rows know theirs."""
    shape = t.SHAPE.zeros(3)
    shape["vertices"], shape["first"] = [8, 0, 8], [0, 0, 8]
    corners = np.array([[x, y, z] for x in (-1, 1) for y in (-2, 2) for z in (-3, 3)], float)
    planes = hull_planes(shape, np.concatenate([corners, 0.5 * corners]).T)
    assert shape["planes"].tolist() == [6, 0, 6] and shape["first_plane"].tolist() == [0, 0, 6]
    for own, points in ((planes[:6], corners), (planes[6:], 0.5 * corners)):
        gaps = points @ own[:, :3].T - own[:, 3]
        assert gaps.max() < 1e-9 and (np.abs(gaps) < 1e-9).sum(axis=0).tolist() == [4] * 6
