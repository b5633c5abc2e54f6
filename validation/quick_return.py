"""Haug's quick-return (`bench.haug`), with assumed lengths: its motion at a steady crank, and with the cutting force.

The figures calculated beforehand are rounded; they count as met within half of their last digit. Beside them
stands the exact motion. With one degree of freedom the energy gives the speed w of the crank at each angle phi,
    m(phi) w^2 / 2 + V(phi) = m(phi0) w0^2 / 2 + V(phi0) + T (phi - phi0) - F (what is cut),
and the period is the integral of dphi / w over a turn.
"""

from collections.abc import Iterator

import numpy as np
from scipy.integrate import quad
from scipy.optimize import brentq, minimize_scalar

import gori
from bench.haug import COUPLER, CUT, CUTTING, DRIVE, PIVOT, ROCKER, quick_return, quick_return_events, quick_return_pose
from validation.check import Check, attempt, compare
from validation.driven import Path, driven
from validation.solvers import PRECISE, Solver, with_loops

CASE = "quick-return"
CRANK, TURN, PHI0, SPEED0 = 1.5, 2.0 * np.pi, 3.23297, 4.2
RIGHT, LEFT = 5.43512, 3.98965
"""dead centres: angle of the crank [rad]"""
CALCULATED = {1000.0: (0.4526, 28.56), 2000.0: (0.5528, 21.10), 3000.0: (0.6239, 17.60)}
"""J [kg m2]: period [s], highest speed [rad/s]; the lowest is that at the start"""
FREQUENCY = {1000.0: 2.21, 2000.0: 1.81, 4000.0: 1.47}
"""J [kg m2]: turns in a second"""
BOUNDS = {"dopri5": 1e-6, "rk4": 1e-3, "adams": 1e-3, "generalized_alpha": 2e-3}
"""as a share. A step that ends at a jump of the force has evaluated the force behind it; with a fixed step h this is an
error of first order whatever the method, in RK4 of F v h / 6 = 10 J with the step below. The start is 7e-7 rad inside
the cut: generalized-alpha takes the acceleration there over into its first steps
"""
METHODS = (PRECISE, gori.RK4(step=1e-5), gori.Adams(step=1e-5), gori.GeneralizedAlpha(step=1e-5))


# ---- steady crank


def kinematics() -> Iterator[Check]:
    """At 2 pi and 4 pi rad/s from phi = 0.44."""
    for speed in (TURN, 2 * TURN):
        period, solver = TURN / speed, f"driven at {speed / np.pi:g} pi rad/s"
        spec = quick_return(phi=0.44, speed=speed, forces=False)
        motions = {"drive": {"joint": "crank", "value": f"0.44 + {speed!r}*t"}}
        model = gori.compile(gori.Spec(**{**spec.model_dump(exclude_unset=True), "motions": motions}))
        path = driven(model, np.linspace(0.0, period, 721))
        x = path.joint("slider")[:, 0]
        exact = np.array([quick_return_pose(0.44 + speed * t)[0] for t in path.time])
        worst = int(np.argmax(np.abs(x - exact)))
        yield compare(CASE, "slider x, worst of a turn [m]", solver, exact[worst], x[worst], 1e-9, source="exact")
        found = {"left": dead_centre(path, -1.0), "right": dead_centre(path, 1.0)}
        ends = {name: place for name, (_, place) in found.items()}
        yield compare(
            CASE, "slider range [m]", solver, {"left": -4.3938, "right": 1.6062}, ends, 5e-5, source="calculated"
        )
        times = {name: time for name, (time, _) in found.items()}
        phases = {name: (0.44 + speed * time) % TURN for name, time in times.items()}
        yield compare(
            CASE, "dead centres, phi [rad]", solver, {"left": LEFT, "right": RIGHT}, phases, 5e-6, source="calculated"
        )
        # these times are those at 2 pi rad/s
        calculated = {"left": 0.5649 * period, "right": 0.7950 * period}
        yield compare(CASE, "dead centres, time [s]", solver, calculated, times, 5e-5 * period, source="calculated")
        share = 1.0 - (times["right"] - times["left"]) / period
        yield compare(CASE, "share of the turn that cuts", solver, 0.770, share, 5e-4, source="calculated")
        coupler = np.degrees(np.abs(path.joint("swing")[:, 0] + path.joint("tip")[:, 0]).max())
        yield compare(CASE, "largest angle of the coupler [deg]", solver, 32.0, coupler, 0.5, source="calculated")


def dead_centre(path: Path, side: float) -> tuple[float, float]:
    """When the slider turns round on the right (1) or left (-1) [s], and where [m]."""
    k = int(np.argmax(side * path.joint("slider")[:, 0]))

    def slider(time):
        return driven(path.model, np.array([path.time[k], time]), path.q[k]).joint("slider")[-1]

    time = brentq(lambda time: slider(time)[1], path.time[k - 1], path.time[k + 1], xtol=1e-12)
    return float(time), float(slider(time)[0])


# ---- with forces


class Exact:
    """The motion from the balance of energy."""

    def __init__(self, J: float):
        self.J = J
        self.end = PHI0 + TURN
        # the tool moves left, from the start to the left dead centre and again from the right one on
        self.left, self.right = (brentq(lambda phi: self.rates(phi)[3], a, b) for a, b in ((3.8, 4.2), (5.2, 5.7)))
        self.edges = [
            brentq(lambda phi: quick_return_pose(phi)[0] - CUT[1], self.right, self.right + 1.0),
            brentq(lambda phi: quick_return_pose(phi)[0] - CUT[0], self.end - 0.1, self.end + 0.1),
        ]

    @staticmethod
    def rates(phi: float) -> tuple[float, np.ndarray, float, float]:
        """By dphi: angle of the rocker, tip of the rocker (2,), angle of the coupler, x of the tool."""
        _, psi, along, chi = quick_return_pose(phi)
        rocker = CRANK * np.cos(phi - psi) / along
        tip = ROCKER * rocker * np.array([-np.sin(psi), np.cos(psi)])
        coupler = tip[1] / (COUPLER * np.cos(chi))
        return rocker, tip, coupler, tip[0] + COUPLER * np.sin(chi) * coupler

    def mass(self, phi: float) -> float:
        rocker, tip, coupler, tool = self.rates(phi)
        middle = 0.5 * (tip + np.array([tool, 0.0]))
        return (
            self.J
            + (100.0 + 100.0 * (ROCKER / 2) ** 2 + 0.5) * rocker**2
            + 5.0 * CRANK**2
            + 30.0 * middle @ middle
            + 10.0 * coupler**2
            + 50.0 * tool**2
        )

    def potential(self, phi: float) -> float:
        _, psi, _, chi = quick_return_pose(phi)
        tip = PIVOT + ROCKER * np.sin(psi)
        heights = (
            100.0 * ROCKER / 2 * np.sin(psi) + 5.0 * CRANK * np.sin(phi) + 30.0 * (tip - COUPLER / 2 * np.sin(chi))
        )
        return 9.81 * heights

    def cut(self, phi: float) -> float:
        """Length that is cut since the start [m]."""
        start, first, x = (float(np.clip(quick_return_pose(p)[0], *CUT)) for p in (PHI0, self.left, phi))
        if phi <= self.left:
            return start - x
        return start - first + (0.0 if phi <= self.right else CUT[1] - x)

    def speed(self, phi: float) -> float:
        energy = 0.5 * self.mass(PHI0) * SPEED0**2 + self.potential(PHI0) - self.potential(phi)
        energy += DRIVE * (phi - PHI0) - CUTTING * self.cut(phi)
        return float(np.sqrt(2.0 * energy / self.mass(phi)))

    def turn(self) -> dict[str, float]:
        """Period [s], lowest and highest speed of the crank in it [rad/s]."""
        points = [self.left, self.right, *self.edges]
        period = quad(lambda phi: 1.0 / self.speed(phi), PHI0, self.end, points=points, epsabs=1e-12, limit=500)[0]
        top = minimize_scalar(
            lambda phi: -self.speed(phi),
            bounds=(self.right, self.edges[0] + 0.2),
            method="bounded",
            options={"xatol": 1e-9},
        )
        angles = np.linspace(PHI0, self.end, 721)
        return {
            "period": period,
            "lowest speed": min(self.speed(phi) for phi in angles),
            "highest speed": max(-top.fun, *(self.speed(phi) for phi in angles)),
        }


def ours(solver: Solver, J: float) -> dict[str, float]:
    """The same by simulation; the event of the full turn ends the run."""
    events = quick_return_events() | {"turn": gori.Event(f"crank.q - {PHI0 + TURN!r}", when="rising", action="stop")}
    rec = solver.run(gori.compile(quick_return(J, phi=PHI0)), 2.0, sample=1e-4, events=events)
    speed = rec["crank.v"]
    return {"period": rec.time[-1], "lowest speed": speed.min(), "highest speed": speed.max()}


def checks(long: bool = False) -> Iterator[Check]:
    yield from attempt(CASE, "driven", lambda _: kinematics())
    exact = {J: Exact(J).turn() for J in (1000.0, 2000.0, 3000.0, 4000.0)}
    edges = Exact(2000.0).edges
    calculated = {"begins": -0.27018, "ends": 3.23297}
    yield compare(
        CASE,
        "cutting force, phi [rad]",
        "closed form",
        calculated,
        dict(zip(calculated, np.array(edges) - TURN)),
        6e-6,
        source="calculated",
    )
    for J, (period, top) in CALCULATED.items():
        words = {"period": period, "highest speed": top, "lowest speed": SPEED0}
        for name, half in (("period", 5e-5), ("highest speed", 5e-3), ("lowest speed", 5e-3)):
            yield compare(
                f"{CASE}, J = {J:g}", name, "balance of energy", words[name], exact[J][name], half, source="calculated"
            )
    for J, value in FREQUENCY.items():
        yield compare(
            f"{CASE}, J = {J:g}",
            "turns in a second",
            "balance of energy",
            value,
            1 / exact[J]["period"],
            5e-3,
            source="calculated",
        )
    for J, reference in exact.items():
        for solver in with_loops(METHODS):
            yield from attempt(f"{CASE}, J = {J:g}", solver, accurate, f"{CASE}, J = {J:g}", J, reference)


def accurate(solver: Solver, case: str, J: float, reference: dict[str, float]) -> Iterator[Check]:
    found = ours(solver, J)
    yield compare(case, "a turn", solver, reference, found, BOUNDS[solver.kind], relative=True, source="exact")
