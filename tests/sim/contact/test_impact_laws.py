"""Laws of impact: closed forms, energy, and complementarity."""

import time

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from gori.sim.contact.impact_laws import Colliding, complementary, friction_for, impulses, in_sequence, single, together
from tests.sim.contact.impact_machines import double_pendulum

RNG = np.random.default_rng(0)
ANGLES = np.radians([20.0, 30.0])


def contacts_of(k, mu, e, rng=RNG):
    """Random contacts of a machine with many degrees of freedom."""
    J = rng.normal(size=(3 * k, 3 * k + 2))
    return Colliding(J @ J.T, rng.normal(size=3 * k), np.full(k, mu), np.full(k, e))


def kane(mu, e, v):
    """Kane's double pendulum as it strikes the floor, and its kinetic energy."""
    model = double_pendulum(mu, e, float(np.cos(ANGLES).sum()) + 0.01)
    q = [ANGLES[0], ANGLES[1] - ANGLES[0]]
    (point,), M = model.contacts(q, 1e-6), model.mass_matrix(q)
    v = -v if point.jacobian[0] @ v > 0.0 else v
    W = point.jacobian @ np.linalg.solve(M, point.jacobian.T)
    return Colliding(W, point.jacobian @ v, np.array([mu]), np.array([e])), 0.5 * v @ M @ v


@pytest.mark.parametrize("law", ["stronge", "poisson", "newton"])
@pytest.mark.parametrize("order", ["simultaneous", "sequential"])
def test_a_ball_without_friction(law, order):
    one = Colliding(np.diag([2.0, 7.0, 7.0]), np.array([-3.0, 1.0, 0.0]), np.zeros(1), np.array([0.8]))
    np.testing.assert_allclose(impulses(one, law, order, 1e-5), [1.8 * 3.0 / 2.0, 0.0, 0.0], atol=1e-14)
    slow = one._replace(u=np.array([-1e-6, 1.0, 0.0]))
    np.testing.assert_allclose(impulses(slow, law, order, 1e-5), [5e-7, 0.0, 0.0], atol=1e-20)


@pytest.mark.parametrize("law", ["stronge", "poisson"])
def test_a_ball_that_slides_all_the_time(law):
    # W_nt = 0: friction takes mu p_n from the slip, and changes nothing else
    one = Colliding(np.diag([1.0, 3.5, 3.5]), np.array([-2.0, 3.0, 4.0]), np.array([0.1]), np.array([0.5]))
    np.testing.assert_allclose(single(one, law), [3.0, -0.18, -0.24], rtol=1e-12)


def test_slip_that_stops_and_sticks():
    one = Colliding(np.diag([1.0, 3.5, 3.5]), np.array([-2.0, 0.3, 0.4]), np.array([0.9]), np.array([0.5]))
    np.testing.assert_allclose(single(one, "stronge"), [3.0, -0.3 / 3.5, -0.4 / 3.5], rtol=1e-12)


def test_slip_that_reverses():
    # in the plane, with strong coupling: slip stops at p = s, then slides back, in closed form
    W, u, mu = np.array([[1.0, 0.8, 0.0], [0.8, 2.0, 0.0], [0.0, 0.0, 1.0]]), np.array([-1.0, -0.1, 0.0]), 0.2
    p = single(Colliding(W, u, np.array([mu]), np.array([0.0])), "poisson")
    s = 0.1 / (0.8 + 2.0 * mu)  # friction pushes with +mu until the slip has stopped
    rest = (1.0 - s * (1.0 + 0.8 * mu)) / (1.0 - 0.8 * mu)
    np.testing.assert_allclose(p, [s + rest, mu * s - mu * rest, 0.0], rtol=1e-10, atol=1e-12)


def test_energetic_restitution():
    # work of the normal impulse in restitution is e^2 times that of compression, in the plane by pieces
    W, u, mu, e = np.array([[1.0, 0.8, 0.0], [0.8, 2.0, 0.0], [0.0, 0.0, 1.0]]), np.array([-1.0, -0.1, 0.0]), 0.2, 0.6
    c = single(Colliding(W, u, np.array([mu]), np.array([0.0])), "stronge")
    p = single(Colliding(W, u, np.array([mu]), np.array([e])), "stronge")
    s = 0.1 / (0.8 + 2.0 * mu)
    at = -1.0 + s * (1.0 + 0.8 * mu)
    taken = 0.5 * (-1.0 + at) * s + 0.5 * at * (c[0] - s)
    back = 0.5 * (p[0] - c[0]) ** 2 * (1.0 - 0.8 * mu)
    assert back == pytest.approx(-(e**2) * taken, rel=1e-9)


def test_turning_slip_is_resolved():
    W = np.array([[1.0, 0.3, -0.2], [0.3, 2.0, 0.4], [-0.2, 0.4, 3.0]])
    one = Colliding(W, np.array([-1.0, 0.8, -0.5]), np.array([0.3]), np.array([0.7]))
    p, u, n = np.zeros(3), one.u.copy(), 200_000
    compressed, step, end = 0.0, 2.0 / n, np.inf
    while p[0] < end:  # explicit increments of Darboux and Keller
        d = np.array([1.0, *(-0.3 * u[1:] / np.hypot(*u[1:]))]) * step
        p, u = p + d, u + W @ d
        if compressed == 0.0 and u[0] >= 0.0:
            compressed, end = p[0], 1.7 * p[0]
    np.testing.assert_allclose(single(one, "poisson"), p, atol=3e-4)


@pytest.mark.parametrize("mu", [0.1, 0.3, 0.9])
@pytest.mark.parametrize("law", ["stronge", "poisson"])
def test_turning_slip_against_an_integration(law, mu):
    """Darboux and Keller by another program, with phases and the end of slip as its events."""
    W, u, e = np.array([[1.0, 0.3, -0.2], [0.3, 2.0, 0.4], [-0.2, 0.4, 3.0]]), np.array([-1.0, 0.8, -0.5]), 0.7

    def rates(p, x):  # speeds (3,), friction (2,), work
        slip = np.hypot(*x[1:3])
        t = -mu * x[1:3] / slip if slip > 1e-9 else np.array(friction_for(W, W[1:, 0], mu))
        return np.concatenate([W @ [1.0, *t], t, [x[0]]])

    def phase(p, x, goal):
        stops = lambda p, x: np.hypot(*x[1:3]) - 2e-9  # noqa: E731
        goal.terminal = stops.terminal = True
        while True:
            events = [goal, stops] if stops(p, x) > 0.0 else [goal]
            run = solve_ivp(rates, (p, p + 10.0), x, "DOP853", rtol=1e-11, atol=1e-13, events=events)
            p, x = run.t[-1], run.y[:, -1].copy()
            if len(run.t_events[0]):
                return p, x
            x[1:3] = 0.0

    p, x = phase(0.0, np.array([*u, 0.0, 0.0, 0.0]), lambda p, x: x[0])
    end = (1.0 + e) * p if law == "poisson" else (1.0 - e * e) * x[5]
    p, x = phase(p, x, (lambda p, x: p - end) if law == "poisson" else lambda p, x: x[5] - end)
    one = Colliding(W, u, np.array([mu]), np.array([e]))
    np.testing.assert_allclose(single(one, law), [p, *x[3:5]], atol=1e-8)


def test_an_impact_with_turning_slip_is_quick():
    W = np.array([[1.0, 0.3, -0.2], [0.3, 2.0, 0.4], [-0.2, 0.4, 3.0]])
    one = Colliding(W, np.array([-1.0, 0.8, -0.5]), np.array([0.3]), np.array([0.7]))
    times = []
    for _ in range(10):
        begin = time.perf_counter()
        single(one, "stronge")
        times.append(time.perf_counter() - begin)
    assert min(times) < 0.03  # about 1 ms; it was 300 ms


def test_friction_is_the_most_dissipative():
    W = np.array([[1.0, 0.3, -0.2], [0.3, 2.0, 0.4], [-0.2, 0.4, 3.0]])
    for _ in range(50):
        c, limit = RNG.normal(size=2), RNG.uniform(0.01, 2.0)
        p = np.array(friction_for(W, c, limit))
        slip = c + W[1:, 1:] @ p
        assert np.hypot(*p) <= limit * (1.0 + 1e-12)
        np.testing.assert_allclose(slip * limit, -p * np.hypot(*slip), atol=1e-9)


@pytest.mark.parametrize("law", ["stronge", "poisson", "newton"])
@pytest.mark.parametrize("e", [0.0, 0.5])
def test_friction_where_nothing_moves_along_the_tangents(law, e):
    """A pad on a guide meets a belt whose speed is given: the impulse of friction is mu p_n against the slip."""
    W, u = np.diag([2.0, 0.0, 0.0]), np.array([-1.0, 0.3, -0.4])
    assert friction_for(W, np.zeros(2), 1.0) == (0.0, 0.0)
    np.testing.assert_allclose(friction_for(W, u[1:], 0.7), [-0.42, 0.56])
    one = Colliding(W, u, np.array([0.5]), np.array([e]))
    both = Colliding(np.kron(np.eye(2), W), np.tile(u, 2), np.full(2, 0.5), np.full(2, e))
    normal = 0.5 * (1.0 + e)
    expected = normal * np.array([1.0, -0.3, 0.4])
    np.testing.assert_allclose(impulses(one, law, "simultaneous", 0.0), expected, rtol=1e-12)
    np.testing.assert_allclose(impulses(both, law, "simultaneous", 0.0), np.tile(expected, 2), rtol=1e-12)
    np.testing.assert_allclose(impulses(one._replace(u=np.array([-1.0, 0, 0])), law, "simultaneous", 0.0)[1:], 0.0)


@pytest.mark.parametrize("k", [1, 2, 5])
def test_complementarity(k):
    problem = contacts_of(k, 0.4, 0.0)
    p = complementary(problem, problem.u)
    after = problem.u + problem.W @ p
    assert (p[::3] >= 0.0).all() and (after[::3] > -1e-9).all()
    np.testing.assert_allclose(p[::3] * after[::3], 0.0, atol=1e-9)
    for i in range(k):
        push, slip = p[3 * i + 1 : 3 * i + 3], after[3 * i + 1 : 3 * i + 3]
        assert np.hypot(*push) <= 0.4 * p[3 * i] + 1e-12
        np.testing.assert_allclose(0.4 * p[3 * i] * slip, -push * np.hypot(*slip), atol=1e-8)


@pytest.mark.parametrize("order", ["simultaneous", "sequential"])
@pytest.mark.parametrize("law", ["stronge", "poisson"])
def test_energy_never_grows(law, order):
    rng = np.random.default_rng(1)
    for k in (1, 2, 3):
        for _ in range(8):
            problem = contacts_of(k, rng.uniform(0.0, 1.0), rng.uniform(0.0, 1.0), rng)
            p = impulses(problem, law, order, 1e-9)
            assert problem.gain(p) <= 1e-9 * problem.energy()
            assert (problem.u + problem.W @ p)[::3].min() > -1e-6


@pytest.mark.parametrize("mu", [0.0, 0.2, 0.4, 0.6, 0.8, 1.0])
def test_kane(mu):
    rng, gains = np.random.default_rng(2), []
    for e in (0.5, 0.6, 0.7):
        for _ in range(6):
            problem, energy = kane(mu, e, rng.normal(size=2))
            for law in ("stronge", "poisson"):
                assert problem.gain(impulses(problem, law, "simultaneous", 1e-9)) <= 1e-12 * energy
            gains.append(problem.gain(single(problem, "newton")) / energy)
    assert max(gains) > 0.01 or mu < 0.3  # Newton's law makes energy where friction changes the slip


@pytest.mark.parametrize("count", [3, 5])
def test_balls_in_a_row(count):
    J = np.zeros((3 * (count - 1), count))
    for k in range(count - 1):
        J[3 * k, k : k + 2] = -1.0, 1.0
    v = np.zeros(count)
    v[0] = 1.5
    problem = Colliding(J @ J.T, J @ v, np.zeros(count - 1), np.ones(count - 1))
    after = v + J.T @ in_sequence(problem, "stronge", 1e-9)
    np.testing.assert_allclose(after, [*np.zeros(count - 1), 1.5], atol=1e-12)
    shared = v + J.T @ together(problem, "poisson")
    assert shared[0] < 0.0 and shared @ shared <= v @ v * (1.0 + 1e-9)
