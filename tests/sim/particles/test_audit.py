"""Momentum and energy of grains, free, against walls, and with a body that holds them."""

from typing import NamedTuple

import numpy as np
import pytest
import trimesh

from gori.analysis import granular
from tests.reference.collisions import e_star
from validation.particles_scenes import FLOOR, scene, simulation

E, NU = 1e7, 0.25
STILL = (0.0, 0.0, 0.0)


def cloud(side=4, R=0.01, speed=1.0, seed=1):
    """Grains of several sizes that fly into each other, spinning."""
    rng = np.random.default_rng(seed)
    grid = np.stack(np.meshgrid(*[np.arange(side)] * 3, indexing="ij"), -1).reshape(-1, 3).astype(float)
    place = (grid - grid.mean(axis=0)) * 2.3 * R + rng.uniform(-0.1 * R, 0.1 * R, grid.shape)
    velocity = -speed * place / np.abs(place).max() + 0.3 * speed * rng.normal(size=grid.shape)
    radius, spin = rng.uniform(0.7 * R, R, len(grid)), 30.0 * rng.normal(size=grid.shape)
    return np.column_stack([place, radius, velocity, spin])


class Books(NamedTuple):
    """After each step: energy of motion and of normal contacts [J], contacts, momentum (n, 3), about the origin."""

    energy: np.ndarray
    contacts: np.ndarray
    linear: np.ndarray
    angular: np.ndarray


def books(dt, duration, e, mu, rolling=0.0):
    """A free cloud; velocities are those of half a step, so energy takes the mean of two."""
    contact = {"restitution": e, "friction": mu, "rolling": rolling}
    sim = simulation(scene(cloud(), E=E, nu=NU, gravity=STILL, step=dt, **contact), dt)
    particles, rows = sim.particles, []
    k, r, m = 4.0 / 3.0 * e_star(E, NU, E, NU), particles.radius, particles.mass
    for _ in range(round(duration / dt)):
        _, place, motion = particles.engine.snapshot()
        sim.advance()
        frame = particles.frame()
        mean = 0.5 * (motion + particles.engine.snapshot()[2])
        moving = 0.5 * m @ ((mean[:, :3] ** 2).sum(axis=1) + 0.4 * r**2 * (mean[:, 4:7] ** 2).sum(axis=1))
        pairs, d = granular.contacts(place)
        i, j = pairs.T
        stored = 0.4 * k * (np.sqrt(r[i] * r[j] / (r[i] + r[j])) * d**2.5).sum()
        rows.append((moving + stored, len(d), *granular.momentum(frame)))
    return Books(*(np.array(column) for column in zip(*rows)))


def test_elastic_cloud_keeps_its_energy():
    """Within the leapfrog's error, of second order; momentum to rounding."""
    errors = []
    for dt in (4e-5, 2e-5):
        found = books(dt, 0.02, 1.0, 0.0)
        errors.append(np.abs(found.energy / found.energy[0] - 1.0).max())
        assert found.contacts.max() > 15
        check_momentum(found)
    assert errors[0] < 5e-4  # with a third of the suggested step
    assert np.log2(errors[0] / errors[1]) > 1.7


def check_momentum(found):
    scale = np.linalg.norm(found.linear[0]), np.linalg.norm(found.angular[0])
    assert np.ptp(found.linear, axis=0).max() < 1e-13 * scale[0]
    assert np.ptp(found.angular, axis=0).max() < 1e-12 * scale[1]


@pytest.mark.parametrize("e, mu, rolling", [(1.0, 0.5, 0.0), (0.5, 0.5, 0.0), (0.5, 0.5, 0.2)])
def test_friction_and_damping_only_take_energy(e, mu, rolling):
    """Tangential springs, which are not in the books, give back what they hold: up to 2 % for a while."""
    found = books(4e-5, 0.02, e, mu, rolling)
    check_momentum(found)
    least = np.minimum.accumulate(found.energy)
    assert (found.energy / least).max() < 1.02
    assert found.energy[-1] < 0.8 * found.energy[0]


@pytest.mark.parametrize("e, mu", [(1.0, 0.3), (1.0, 1.0), (0.7, 0.5)])
def test_impacts_on_a_wall_never_gain_energy(e, mu):
    """From head on to grazing, with and without spin. What an elastic one gains is the leapfrog's error, second order;
    a grazing one gains nothing at all."""
    rng, n, R = np.random.default_rng(2), 400, 0.01
    grid = np.stack(np.meshgrid(np.arange(20.0), np.arange(20.0)), -1).reshape(-1, 2)
    angle, turn, speed = (
        np.radians(rng.uniform(0.0, 89.9, n)),
        rng.uniform(0.0, 2.0 * np.pi, n),
        rng.uniform(0.2, 2.0, n),
    )
    angle[:150] = np.radians(rng.uniform(85.0, 89.95, 150))
    along = np.sin(angle) * speed
    velocity = np.column_stack([along * np.cos(turn), along * np.sin(turn), -speed * np.cos(angle)])
    spin = 100.0 * rng.normal(size=(n, 3)) * rng.integers(0, 2, n)[:, None]
    rows = np.column_stack([grid, np.full((n, 2), R), velocity, spin])
    worst = []
    for dt in (1e-4, 5e-5):
        sim = simulation(scene(rows, FLOOR, E=E, restitution=e, friction=mu, gravity=STILL, step=dt), 0.01)
        before = energies(sim)
        sim.advance(20)
        assert (sim.particles.position[:, 2] > R).all()
        gain = energies(sim) / before - 1.0
        assert gain[:150].max() < 1e-6
        worst.append(gain.max())
    assert worst[0] < 2e-3  # with 0.6 of the suggested step
    assert worst[1] < 0.3 * worst[0] or worst[1] < 0.0


def energies(sim):
    """(n,) of motion [J]"""
    g = sim.particles
    return 0.5 * g.mass * ((g.velocity**2).sum(axis=1) + 0.4 * g.radius**2 * (g.angular_velocity**2).sum(axis=1))


def test_a_grain_slides_over_the_edges_of_a_mesh_as_over_a_plane(tmp_path):
    """100 triangles in one plane: neither a bump nor a second contact at their edges."""
    x, y = np.meshgrid(np.linspace(-0.1, 0.1, 6), np.linspace(-0.05, 0.05, 11))
    points = np.column_stack([x.ravel(), y.ravel(), np.zeros(x.size)])
    corner = np.arange(5) + 6 * np.arange(10)[:, None]
    a = corner.ravel()
    faces = np.concatenate([np.column_stack([a, a + 1, a + 7]), np.column_stack([a, a + 7, a + 6])])
    trimesh.Trimesh(points, faces, process=False).export(tmp_path / "floor.stl")
    mesh = {"floor": {"type": "mesh", "file": str(tmp_path / "floor.stl"), "surface": True, "material": "wall"}}
    ends = []
    for shapes in (FLOOR, mesh):
        rows = [[-0.08, -0.031, 0.00999, 0.01, 0.8, 0.21, 0.0, 0.0, 40.0, 10.0]]
        sim = simulation(scene(rows, shapes, E=E, friction=0.3, step=5e-5), 1e-2)
        heights = []
        for _ in range(15):
            sim.advance()
            heights.append(sim.particles.position[0, 2])
        assert sim.particles.contacts()["wall_contacts"] == 1
        ends.append(
            np.concatenate(
                [sim.particles.position[0], sim.particles.velocity[0], sim.particles.angular_velocity[0], heights]
            )
        )
    np.testing.assert_allclose(ends[1], ends[0], rtol=0, atol=1e-9)


BIN = {"bin": {"type": "box", "size": [0.11, 0.12, 0.13], "hollow": True, "material": "wall"}}


def floating_box():
    """A closed box that floats, with a spinning cloud of grains inside."""
    body = {"box": {"mass": 0.5, "inertia": [1e-3, 1.2e-3, 1.4e-3], "shapes": BIN}}
    joints = {"free": {"type": "free", "parent": "ground", "child": "box"}}
    return scene(cloud(), E=E, gravity=STILL, bodies=body, joints=joints)


def audited(H):
    """Momentum of body and grains, and with what is on its way, after each step (n, 6): angular, linear."""
    sim = simulation(floating_box(), H)
    particles, there, whole = sim.particles, [], []
    for _ in range(round(0.05 / H)):
        sim.advance()
        frame, (moment, force) = particles.frame(), np.split(particles.wrench[1] * H, 2)
        linear, angular = granular.momentum(frame)
        spinning, moving = np.split(sim.model.momentum(sim.q, sim.v), 2)
        arm = sim.model.center_of_mass(sim.q)
        there.append(np.concatenate([angular + spinning + np.cross(arm, moving), linear + moving]))
        whole.append(there[-1] + np.concatenate([moment + np.cross(arm, force), force]))
    return np.array(there), np.array(whole)


def test_grains_in_a_floating_box_keep_all_momentum():
    """With what is on its way: the mean wrench of the last step, which acts over the next one.

    Linear: but for the fourth order of the bodies' method. Angular: the moment is held about an origin that moves on
    while it acts, so to first order in the step.
    """
    runs = {H: audited(H) for H in (1e-3, 5e-4)}
    for there, whole in runs.values():
        scale = np.abs(whole[0]).max()
        assert np.ptp(there[:, 3:], axis=0).max() > 0.1 * scale  # there is much on its way at times
        assert np.ptp(whole[:, 3:], axis=0).max() < 1e-10 * scale
    coarse, fine = (np.ptp(whole[:, :3], axis=0).max() for _, whole in runs.values())
    assert coarse < 1e-3 * np.abs(whole[0, :3]).max()
    assert coarse / fine > 1.6


def test_what_grains_give_a_body_receives_one_step_later():
    """A box on a slide: its momentum is the sum of all wrenches but the last, each times the step."""
    slide = {"slide": {"type": "prismatic", "parent": "ground", "child": "box", "axis": [1, 0, 0]}}
    body = {"box": {"mass": 0.5, "inertia": [1e-3, 1e-3, 1e-3], "shapes": BIN}}
    H, given = 1e-3, [0.0]
    sim = simulation(scene(cloud(), E=E, gravity=STILL, bodies=body, joints=slide), H)
    for _ in range(40):
        before = sim.v[0] * 0.5
        sim.advance()
        assert sim.v[0] * 0.5 - before == pytest.approx(given[-1], abs=1e-14)
        given.append(sim.particles.wrench[1, 3] * H)
    assert max(map(abs, given)) > 1e-4
    rec = sim.run(10 * H, sample=H, progress=False)
    # a sample has the wrench that acted over the step before it
    wrench = rec["box.wrench_from.particles"]
    np.testing.assert_allclose(np.diff(rec.v[:, 0]) * 0.5, wrench[1:, 3] * H, rtol=0, atol=1e-14)
