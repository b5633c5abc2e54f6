"""Particles of a Spec as tables of the Model."""

import numpy as np
import pytest

from gori.errors import UnsupportedError
from gori.kernels.particles import columns as c
from gori.model import compile
from gori.model.particles.tables import FIRST_SKIN, radii_of, velocity_at
from tests.spec.particles.tray import BOX, LOAD, tray

INLET = {"material": "grain", "radius": [0.01, 0.03], "box": BOX, "rate": 5.0, "velocity": [0, 0, -1]}


def test_without_particles_there_are_none():
    assert compile(tray(particles={})).particles is None


def test_all_is_compiled_once():
    spec = tray(inlets={"feeder": INLET}, outlets={"out": {"below": -1.0}})
    tables = compile(spec).particles
    assert tables is not None and tables.names == ("load", "feeder") and tables.materials == ("steel", "grain")
    assert tables.rows.tolist() == [0, 1] and [carrier.name for carrier in tables.carriers] == ["ground", "tray"]
    assert tables.radius == 0.03 and tables.skin.start == pytest.approx(FIRST_SKIN * 0.01)
    assert tables.skin.follow and tables.skin.narrow < tables.skin.start < tables.skin.wide
    assert tables.density.tolist() == [0.0, 2500.0] and tables.law == c.HERTZ and not tables.rolling
    assert tables.groups[0].body == "tray" and tables.groups[0].material == 1 and tables.inlets[0].group == 1
    assert tables.outlets[0].below == -1.0 and tables.step == tables.suggested
    assert tables.walls.names == ("tray.bin",) and len(tables.walls.wall_i) == 6
    assert (tables.device, tables.frames, tables.decimate) == ("cpu", None, 1)


def test_settings_of_the_run():
    run = {"duration": 1.0, "subsystems": {"load": {"step": 1e-5, "skin": 0.002, "frames": 0.1, "decimate": 3}}}
    tables = compile(tray(run=run)).particles
    assert (tables.step, tables.frames, tables.decimate) == (1e-5, 0.1, 3)
    assert tables.skin[:4] == (0.002, 0.002, 0.002, False)


def test_sizes_come_in_levels():
    """Those of the start, and of inlets."""
    assert compile(tray()).particles.levels.tolist() == [0.01]
    many = {"load": LOAD | {"radius": [[0.01, 999], [0.05, 1]], "fill": LOAD["fill"] | {"count": 2000}}}
    assert compile(tray(particles=many)).particles.levels.tolist() == [0.05, 0.01]
    tables = compile(tray(inlets={"feeder": INLET | {"radius": 0.03}})).particles
    assert tables.levels[0] == tables.radius == 0.03 and not tables.alike


def test_nothing_can_be_changed():
    tables = compile(tray()).particles
    for array in (tables.pair_f, tables.walls.wall_f, tables.gravity, tables.density):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1.0
    with pytest.raises(TypeError):
        tables.bodies["tray"] = None


def test_radii_are_those_of_the_start():
    two = LOAD | {"radius": [0.005, 0.01]}
    group = compile(tray(particles={"load": two})).particles.groups[0]
    radii = radii_of(group)
    assert len(radii) == 50 and 0.005 <= radii.min() < radii.max() <= 0.01
    assert np.array_equal(radii, radii_of(group))
    given = compile(tray(particles={"load": {"material": "grain", "positions": [[0, 0, 0, 0.02]]}})).particles
    assert radii_of(given.groups[0]).tolist() == [0.02] and given.radius == 0.02


def test_poses_of_bodies():
    tables = compile(
        tray(particles={"load": {"material": "grain", "positions": [[0, 0, 0, 0.02]], "body": "tray"}})
    ).particles
    poses = np.zeros((2, c.N_POSE))
    poses[:, [c.ROT, c.ROT + 4, c.ROT + 8]] = 1.0
    poses[1, c.POS :] = np.arange(9.0)
    R, p = tables.pose_of("tray", poses)
    frame = tables.bodies["tray"]
    assert np.array_equal(R, frame.R) and np.allclose(p - frame.p, [0.0, 1.0, 2.0]) and frame.carrier == 1
    motion = tables.motion_of("tray", poses)
    np.testing.assert_allclose(velocity_at(motion, p[None]), [[3.0, 4.0, 5.0]])
    np.testing.assert_allclose(velocity_at(motion, p[None] + [[1, 0, 0]]), [[3.0, 12.0, -2.0]])


def test_a_body_without_walls_cannot_hold_particles():
    bare = tray(bodies={"tray": {"mass": 1, "inertia": [1, 1, 1]}}, particles={
        "load": {"material": "grain", "positions": [[0, 0, 0, 0.02]], "body": "tray"}})  # fmt: skip
    tables = compile(bare).particles
    with pytest.raises(UnsupportedError, match="which has no wall"):
        tables.pose_of("tray", np.zeros((1, c.N_POSE)))
