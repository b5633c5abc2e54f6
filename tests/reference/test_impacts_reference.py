"""The closed forms of impact proved: against stepwise laws, limits, and what must be conserved."""

import math

import numpy as np
import pytest

from tests.reference import impacts
from tests.reference.tops import Rattleback, TippeTop

G = impacts.G


def test_a_bouncing_ball_step_by_step():
    times, speeds = impacts.bouncing_ball(1.0, 0.8, 20)
    t, v = math.sqrt(2.0 / G), math.sqrt(2.0 * G)
    for time, speed in zip(times, speeds):
        v *= 0.8
        assert (time, speed) == (pytest.approx(t, rel=1e-13), pytest.approx(v, rel=1e-13))
        t += 2.0 * v / G
    assert impacts.bouncing_ball(1.0, 0.8, 400)[0][-1] == pytest.approx(impacts.end_of_bouncing(1.0, 0.8), rel=1e-12)


def test_a_rocking_block_keeps_its_angular_momentum_about_the_new_edge():
    block = impacts.RockingBlock(0.2, 0.8)
    b, h, w = 0.1, 0.4, 1.0
    J = (b * b + h * h) / 3.0  # about the centre, per mass
    center, velocity = np.array([-b, h]), w * np.array([-h, -b])  # from the old edge at the origin, turning about it
    new_edge = np.array([-2.0 * b, 0.0])
    arm = center - new_edge
    before = J * w + arm[0] * velocity[1] - arm[1] * velocity[0]
    after = J + arm @ arm
    assert abs(before / after) == pytest.approx(block.speed_ratio, rel=1e-12)


def test_a_slender_rocking_block_has_housners_period():
    slender = impacts.RockingBlock(0.02, 1.0)
    for share in (0.1, 0.5, 0.9):
        angle = share * slender.alpha
        assert 4.0 * slender.quarter(angle) == pytest.approx(slender.period(angle), rel=2e-4)
    angles = slender.amplitudes(0.5 * slender.alpha, 50)
    assert (np.diff(angles) < 0.0).all()
    energy = 1.0 - (1.0 - np.r_[0.5, angles / slender.alpha]) ** 2  # of the slender block, in proportion
    assert energy[1:] / energy[:-1] == pytest.approx(slender.energy_ratio, rel=1e-9)


@pytest.mark.parametrize(("v0", "w0", "end"), [(2.0, 0.0, 5 / 7 * 2.0), (0.0, 30.0, 2 / 7 * 0.1 * 30.0)])
def test_a_sliding_ball_rolls_in_the_end(v0, w0, end):
    mu, R = 0.3, 0.1
    t = impacts.rolling_from(v0, w0, mu, R)
    v, w = impacts.sliding_ball(2.0 * t, v0, w0, mu, R)
    assert v == pytest.approx(end, rel=1e-13) and v == pytest.approx(R * w, rel=1e-13)
    assert impacts.rolling_speed(v0, w0, R) == pytest.approx(end, rel=1e-13)
    v, w = impacts.sliding_ball(t * np.linspace(0.0, 1.0, 9), v0, w0, mu, R)  # momentum about the contact stays
    assert v + 0.4 * R * w == pytest.approx(v0 + 0.4 * R * w0, rel=1e-13)
    if w0 == 0.0:
        assert t == pytest.approx(2.0 * v0 / (7.0 * mu * G), rel=1e-13)


@pytest.mark.parametrize("bodies", [1, 2])
def test_impulses_of_a_ball_end_its_approach_and_slip_or_slide(bodies):
    m, R, J = 0.17, 0.03, 0.4 * 0.17 * 0.03**2
    for mu in (0.05, 2.0):
        normal, friction = impacts.ball_impulses(2.0, 0.7, 0.9, mu, m, bodies)
        assert bodies * normal / m == pytest.approx(1.9 * 2.0)  # from 2 m/s to -0.9 x 2 m/s
        slip = 0.7 - bodies * (1.0 / m + R**2 / J) * friction
        assert slip == pytest.approx(0.0, abs=1e-14) if mu == 2.0 else slip > 0.0 and friction == mu * normal


@pytest.mark.parametrize("moving", [1, 2, 3, 4])
def test_as_many_balls_leave_newtons_cradle_as_come(moving):
    after = impacts.cradle(np.ones(5), [1.0] * moving + [0.0] * (5 - moving))
    assert after == pytest.approx([0.0] * (5 - moving) + [1.0] * moving, abs=1e-13)


def test_a_cradle_with_loss_keeps_momentum():
    m, v = np.array([1.0, 2.0, 0.5, 3.0]), np.array([2.0, 0.0, 0.0, -1.0])
    after = impacts.cradle(m, v, 0.7)
    assert m @ after == pytest.approx(m @ v, rel=1e-13)
    assert m @ after**2 < m @ v**2 and (np.diff(after) >= -1e-12).all()


def test_a_block_on_an_incline():
    edge = math.atan(0.5)
    assert impacts.incline(edge - 1e-9, 0.5) == 0.0
    slope = G * (math.cos(edge) + 0.5 * math.sin(edge))
    assert impacts.incline(edge + 1e-6, 0.5) == pytest.approx(1e-6 * slope, rel=1e-4)
    assert impacts.incline(math.pi / 2, 0.5) == pytest.approx(G, rel=1e-12)
    assert impacts.angle_of_no_toppling(1.0, 1.0) == pytest.approx(math.pi / 4)


def test_painleves_rod_against_its_equations_of_motion():
    m, length, theta, mu, rate = 2.0, 1.0, 1.1, 1.6, 3.0
    c, s, half = math.cos(theta), math.sin(theta), length / 2.0
    rod = impacts.PainleveRod(m, length, theta, mu, -1, rate)
    M = np.diag([m, m, m * length**2 / 12.0])
    normal, tangent = np.array([0.0, 1.0, -half * c]), np.array([1.0, 0.0, half * s])  # of the end, by (x, y, theta)
    accelerations = np.linalg.solve(M, np.array([normal + mu * tangent, [0.0, -m * G, 0.0]]).T)
    by_force, free = normal @ accelerations + [0.0, half * rate**2 * s]
    assert (rod.A, rod.b) == (pytest.approx(by_force, rel=1e-12), pytest.approx(free, rel=1e-12))


def test_where_painleves_paradox_is():
    steep = math.atan(2.0)
    assert impacts.PainleveRod.critical_friction(steep) == pytest.approx(4.0 / 3.0, rel=1e-12)
    near = [impacts.PainleveRod.critical_friction(steep + d) for d in (-1e-3, 1e-3)]
    assert min(near) > 4.0 / 3.0
    cases = {(1.3, 0.0): "contact", (1.4, 0.0): "inconsistent", (1.4, 9.0): "indeterminate", (1.3, 9.0): "flight"}
    for (mu, rate), case in cases.items():
        assert impacts.PainleveRod(1.0, 1.0, steep, mu, -1, rate).case == case
    assert impacts.PainleveRod(1.0, 1.0, steep, 9.0, +1).case == "contact"  # pulled, not pushed


def test_a_rattleback_reverses_its_spin_in_one_direction():
    stone = Rattleback()
    spins = {}
    for spin in (-5.0, 5.0):
        _, up, w = stone.run(12.0, spin)
        energies = np.array([stone.energy(u, x) for u, x in zip(up, w)])
        assert np.ptp(energies) < 1e-7 * energies[0]
        assert np.linalg.norm(up, axis=1) == pytest.approx(1.0, abs=1e-8)
        spins[spin] = np.sum(up * w, axis=1) / spin
    reversals = {spin: float(share.min()) for spin, share in spins.items()}
    assert min(reversals.values()) < -0.3 and max(reversals.values()) > 0.3, reversals


def test_a_tippe_top_stands_up():
    top = TippeTop()
    _, axis, w, v = top.run(4.0)
    assert axis[0, 2] > 0.99 and axis[-1, 2] < -0.99
    jellett = np.array([top.jellett(a, x) for a, x in zip(axis, w)])
    assert np.ptp(jellett) < 1e-6 * jellett[0]
    energy = np.array([top.energy(a, x, u) for a, x, u in zip(axis, w, v)])
    assert min(top.forces(a, x, u)[0] for a, x, u in zip(axis, w, v)) > 0.0  # it never leaves the floor
    assert (np.diff(energy) < 1e-9 * energy[0]).all()
    # the spin about the vertical keeps its sign, and so that about its own axis changes
    assert w[-1] @ axis[-1] < 0.0 < w[-1, 2]
