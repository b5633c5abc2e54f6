"""Rigid impacts by events against closed forms: bounces, a cradle, a rocking block, Kane's pendulum, a closed loop."""

from collections.abc import Iterator
from typing import Any

import numpy as np

import gori
from gori.sim.contact.impact_laws import Colliding, impulses
from tests.sim.contact.impact_machines import G, above, ball, block, double_pendulum, four_bar, row_of_balls
from validation.check import Check, compare

CASE = "contact_impacts"
METHOD = gori.Dopri5(rtol=1e-10, atol=1e-12)


def column(recording: gori.Recording, name: str) -> np.ndarray:
    """A column of the table of impacts."""
    return np.array([row[name] for row in recording.info["impacts"]])


def run(model: gori.Model, duration: float, **options: Any) -> gori.Recording:
    return gori.Simulation(model, METHOD, **{"impacts": True} | options).run(duration, progress=False)


def bounces() -> Iterator[Check]:
    """A ball that falls 1 m, e = 0.8: t_n = v0/g (1 + 2 e (1 - e^n) / (1 - e)), speeds v0 e^n; then it lies still."""
    model, e, n = ball(0.8), 0.8, np.arange(20)
    v0 = np.sqrt(2.0 * G)
    rec = run(model, 6.0, state=above(model, 0, 0, 1.1))
    time, impulse = column(rec, "time"), column(rec, "impulse")
    exact = v0 / G * (1.0 + 2.0 * e * (1.0 - e**n) / (1.0 - e))
    words = [f"bounce {k + 1}" for k in n]
    yield compare(
        CASE,
        "times of 20 bounces [s]",
        "dopri5",
        dict(zip(words, exact)),
        dict(zip(words, time)),
        1e-9,
        True,
        source="exact",
    )
    speeds = dict(zip(words, impulse / (1.0 + e)))
    yield compare(
        CASE, "speeds of 20 bounces [m/s]", "dopri5", dict(zip(words, v0 * e**n)), speeds, 1e-9, True, source="exact"
    )
    energies = dict(zip(words, column(rec, "energy_after")))
    exact = dict(zip(words, 0.5 * v0**2 * e ** (2 * n + 2)))
    yield compare(CASE, "energy after 20 bounces [J]", "dopri5", exact, energies, 1e-9, True, source="exact")
    late = rec.time > time[-1]
    height = float(np.abs(rec.q[late, 6] - 0.1).max())
    yield compare(CASE, "gap at rest [m]", "dopri5", 0.0, height, 1e-9, source="exact")


def cradles() -> Iterator[Check]:
    """Newton's cradle of 3 and 5 balls, one after the other, e = 1: the last leaves with the speed of the first."""
    for count in (3, 5):
        model, v = row_of_balls(count), np.zeros(count)
        v[0] = 1.5
        rec = run(model, 0.5, state=model.state(v=v), impacts=gori.Impacts(order="sequential"))
        wanted = {f"ball {k + 1}": x for k, x in enumerate(v[::-1])}
        ours = {f"ball {k + 1}": x for k, x in enumerate(rec.v[-1])}
        yield compare(CASE, f"cradle of {count} balls [m/s]", "sequential", wanted, ours, 1e-9, source="exact")


def rocking() -> Iterator[Check]:
    """Housner (1963): at each impact kinetic energy falls to (1 - 3/2 sin^2 a)^2."""
    w, h, angle = 0.1, 0.4, 0.5 * np.arctan2(0.1, 0.4)
    model = block(w, h, 2.0)
    start = model.state(q=[0.0, w * np.sin(angle) + h * np.cos(angle), angle])
    exact = (1.0 - 1.5 * w * w / (w * w + h * h)) ** 2
    for order in ("simultaneous", "sequential"):
        rec = run(model, 1.6, state=start, impacts=gori.Impacts(order=order))
        left = column(rec, "energy_after") / column(rec, "energy_before")
        words = [f"impact {k + 1}" for k in range(len(left))]
        ours = dict(zip(words, left))
        yield compare(
            CASE, "energy left by a rocking block", order, dict.fromkeys(words, exact), ours, 1e-8, True, source="exact"
        )


def kane() -> Iterator[Check]:
    """Kane's double pendulum, mu from 0 to 1, e from 0.5 to 0.7: the default law gains no energy."""
    angles, rng = np.radians([20.0, 30.0]), np.random.default_rng(0)
    q, worst = [angles[0], angles[1] - angles[0]], -np.inf
    for mu in np.linspace(0.0, 1.0, 11):
        for e in (0.5, 0.6, 0.7):
            model = double_pendulum(float(mu), e, float(np.cos(angles).sum()) + 0.01)
            (point,), M, v = model.contacts(q, 1e-6), model.mass_matrix(q), rng.normal(size=2)
            v = -v if point.jacobian[0] @ v > 0.0 else v
            W = point.jacobian @ np.linalg.solve(M, point.jacobian.T)
            problem = Colliding(W, point.jacobian @ v, np.array([mu]), np.array([e]))
            p = impulses(problem, "stronge", "simultaneous", 1e-9)
            worst = max(worst, problem.gain(p) / (0.5 * v @ M @ v))
    yield compare(CASE, "energy gained, share, at most", "stronge", 0.0, max(worst, 0.0), 1e-12, source="exact")


def kane_runs() -> Iterator[Check]:
    """The same pendulum let go, through all its impacts within a second: its energy never rises."""
    angles, rises, impacts = np.radians([20.0, 30.0]), [], 0
    for mu in (0.0, 0.25, 0.5, 0.75, 1.0):
        model = double_pendulum(mu, 0.7, float(np.cos(angles).sum()) + 0.01)
        state = model.state(q=[angles[0], angles[1] - angles[0]], v=[0.0347, -0.7444])
        energy = (rec := run(model, 1.0, state=state))["energy.total"]
        rises.append(float(np.diff(energy).max()) / float(np.ptp(energy)))
        impacts += len(rec.info["impacts"])
    words = f"energy gained in a sample, share, worst of 5 runs with {impacts} impacts"
    yield compare(CASE, words, "stronge", 0.0, max(*rises, 0.0), 1e-6, source="exact")


def loop() -> Iterator[Check]:
    """A four-bar that falls on the floor: its loop stays closed, J v = 0 after each impact."""
    model = four_bar()
    rec = run(model, 1.5)
    slip = 0.0
    for time in column(rec, "time"):
        k = np.flatnonzero(rec.time == time)[-1]
        slip = max(slip, float(np.abs(model.loop_system.terms(rec.q[k], rec.v[k]).slip).max()))
    yield compare(CASE, "loop velocities after impacts [m/s]", "multipliers", 0.0, slip, 1e-10, source="exact")


def checks(long: bool) -> Iterator[Check]:
    for case in (bounces, cradles, rocking, kane, kane_runs, loop):
        yield from case()
