"""All particles at the start: groups, carriers, files of positions; and the state that is made of them."""

import numpy as np
import pytest

from gori.errors import FileError, InputError
from gori.formats import read_yaml
from gori.kernels.particles import columns as c
from gori.model import compile
from gori.model.particles.materials import suggested_step
from gori.model.particles.packing import near_pairs
from gori.model.particles.start import initial_state
from gori.model.particles.start import start as start_of
from gori.spec.base import rotation
from tests.formats.test_particles import SHAKER
from tests.spec.particles.tray import BIN, BOX, LOAD, TRAY, tray

FILL = {"shape": "tray.bin", "count": 200}


def start(spec, pose=None):
    return start_of(compile(spec).particles, pose)


def test_the_example_of_the_format_starts():
    spec = read_yaml(None, SHAKER)
    found = start(spec)
    assert found.sphere.shape == (5000, 4)
    assert (np.abs(found.sphere[:, :3]) + found.sphere[:, 3:] <= [0.25, 0.15, 0.15]).all()
    i, _ = near_pairs(found.sphere[:, :3], found.sphere[:, 3])
    assert not len(i)
    assert set(found.material) == {1}
    assert suggested_step(spec) == pytest.approx(0.2 * np.pi * 0.008 * np.sqrt(2500 / 4e7) / 0.917375, rel=1e-12)


def test_carried_by_a_body():
    spec = tray(particles={"load": LOAD | {"velocity": [1, 2, 3]}})
    R, p = rotation((10, 20, 30), None), np.array([1.0, 2.0, 3.0])
    found, rest = start(spec, lambda body: (R, p)), start(spec)
    np.testing.assert_allclose(found.sphere[:, :3], rest.sphere[:, :3] @ R.T + p, atol=1e-14)
    assert (found.velocity == [1, 2, 3]).all() and not found.angular_velocity.any()
    assert compile(tray(particles={})).particles is None


def test_groups_in_one_room():
    """At random they are mixed; poured and regular they stand above each other."""
    fine, coarse = LOAD | {"radius": 0.005}, LOAD | {"radius": 0.012}
    fills = [FILL | {"packing": packing} for packing in ("random", "poured", "regular")]
    for fill in fills:
        spec = tray(particles={"fine": fine | {"fill": fill}, "coarse": coarse | {"fill": fill | {"seed": 1}}})
        found = start(spec)
        assert found.group.tolist() == [0] * 200 + [1] * 200
        low, high = (found.sphere[found.group == k, 2] for k in (0, 1))
        assert (low.max() < high.min()) == (fill["packing"] != "random")
    both = {"fine": fine | {"fill": fills[1]}, "coarse": coarse | {"fill": fills[0] | {"count": 400}}}
    with pytest.raises(InputError, match=r"particles overlap at the start: \d+ of 'fine' at .* of 'coarse'"):
        start(tray(particles=both))


def test_gravity_says_where_the_floor_is():
    fill = {"fill": FILL | {"packing": "regular"}}
    up = start(tray(gravity=[0, 0, 9.81], particles={"load": LOAD | fill}))
    assert up.sphere[:, 2].min() > 0.1
    # a tray on its side, open at the face that is then on top
    side = TRAY | {"shapes": {"bin": BIN | {"open": ["x+"]}}}
    spec = tray(bodies={"tray": side}, particles={"load": LOAD | {"fill": FILL | {"packing": "poured", "count": 6000}}})
    turned = start(spec, lambda body: (rotation((0, -90, 0), None), np.zeros(3)))  # x of the tray points up
    assert turned.sphere[:, 2].max() > 0.3 and turned.sphere[:, 2].min() < -0.2
    assert np.abs(turned.sphere[:, 0]).max() < 0.15


def test_places_out_of_files(tmp_path):
    rows = np.array([[0, 0, 1, 0.01, 1, 0, 0, 0, 0, 5.0], [0, 0, 2, 0.02, 0, 1, 0, 0, 0, 0]])
    for columns in (3, 4, 7, 10):
        np.save(tmp_path / "a.npy", rows[:, :columns])
        np.savetxt(tmp_path / "a.csv", rows[:, :columns], delimiter=",")
        for file in ("a.npy", "a.csv"):
            part = {"material": "grain", "positions": str(tmp_path / file), "radius": 0.5, "body": "tray"}
            R = rotation((0, 0, 90), None)
            found = start(tray(particles={"load": part}), lambda body, R=R: (R, np.zeros(3)))
            full = np.zeros((2, 10))
            full[:, 3] = 0.5
            full[:, :columns] = rows[:, :columns]
            np.testing.assert_allclose(found.sphere, full[:, :4], atol=1e-15)
            np.testing.assert_allclose(found.velocity, full[:, 4:7] @ R.T, atol=1e-15)
            np.testing.assert_allclose(found.angular_velocity, full[:, 7:] @ R.T, atol=1e-15)

    def refused(name, text, words, kind=FileError, **more):
        (tmp_path / name).write_text(text)
        with pytest.raises(kind, match=words):
            start(tray(particles={"load": {"material": "grain", "positions": str(tmp_path / name)} | more}))

    refused("b.csv", "x,y,z\n1,2,3\n", "contains no rows of numbers")
    refused("c.csv", "1,2\n3,4\n", r"must hold rows of x y z, .* not an array of shape \(2, 2\)")
    refused("d.csv", "1,2,nan\n", "not finite in row 0", radius=0.1)
    refused("e.csv", "1,2,3\n", "the positions of 'load' have no radius", InputError)
    refused("f.csv", "1,2,3,0.1\n1,2,4,-1\n", "particle 1 of 'load' has -1", InputError)
    (tmp_path / "g.npy").write_text("nothing")
    refused("g.npy", "nothing", "contains no rows of numbers")
    with pytest.raises(FileError, match="there is no such file, for the positions of 'load'"):
        start(tray(particles={"load": {"material": "grain", "positions": str(tmp_path / "none.csv")}}))


def test_box_of_a_body():
    spec = tray(particles={"load": LOAD | {"fill": {"box": BOX | {"body": "tray"}, "count": 20}}})
    found = start(spec, lambda body: (np.eye(3), np.array([5.0, 0, 0])))
    assert compile(spec).particles.groups[0].body == "tray"
    assert (np.abs(found.sphere[:, :3] - [5, 0, 1]) <= np.array([0.1, 0.1, 0.05]) - 0.01).all()


def test_the_initial_state_moves_with_the_body_that_holds_it():
    tables = compile(tray(particles={"load": LOAD | {"velocity": [0, 0, 1]}})).particles
    poses = np.zeros((2, c.N_POSE))
    poses[:, [c.ROT, c.ROT + 4, c.ROT + 8]] = 1.0
    poses[1, c.POS : c.POS + 3], poses[1, c.VEL : c.VEL + 3] = (1.0, 2.0, 3.0), (0.5, 0.0, 0.0)
    poses[1, c.OMEGA + 2] = 2.0
    state, group = initial_state(tables, poses)
    again, _ = initial_state(tables, poses)
    assert all(a.tobytes() == b.tobytes() for a, b in zip(state, again)) and group.tolist() == [0] * 50
    arm = state.sphere[:, :3] - [1.0, 2.0, 3.0]
    np.testing.assert_allclose(state.motion[:, :3], np.cross([0, 0, 2.0], arm) + np.array([0.5, 0.0, 1.0]), atol=1e-15)
    assert (state.motion[:, c.WX : c.WX + 3] == [0, 0, 2.0]).all()
    np.testing.assert_allclose(state.motion[:, c.MASS], 2500 * 4 / 3 * np.pi * 0.01**3)
    np.testing.assert_array_equal(state.listed_pose, poses)
