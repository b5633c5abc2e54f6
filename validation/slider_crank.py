"""Haug's spatial slider-crank (`bench.haug`): closed-form kinematics with three rods, and the IFToMM dynamics.

Driven (the paper's phase, theta = pi/2 - 2 pi t from +y):
    rho^2 = 0.0308 + 0.0192 cos 2 pi t + 0.016 sin 2 pi t,    x = sqrt(l^2 - rho^2),
and the rod locks below l = sqrt(0.1^2 + 0.12^2) + 0.08. Free, from 6 rad/s for 5 s: no motion is published, but the
energy gives the speed of the crank at each angle, m(theta) w^2 / 2 + V(theta) = E, as it never comes to rest.
"""

from collections.abc import Iterator

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import minimize_scalar

import gori
from bench.haug import CENTRE, RADIUS, slider_crank, slider_crank_pose
from validation.check import Check, attempt, compare, order, small
from validation.driven import driven
from validation.solvers import PRECISE, Solver, first_order, with_loops

CASE, FREE = "slider-crank, driven", "slider-crank, free"
TURN = 2.0 * np.pi
DRIVE = "pi/2 - 2*pi*t"
RODS = {
    0.30: (0.184952, 0.290160, 0.330521, -1.7002, 2.6674),
    0.27: (0.130794, 0.259023, 0.402841, -1.9046, 3.7719),
    0.24: (0.042511, 0.227580, 0.581412, -2.1678, 11.605),
}
"""length of the rod [m]: lowest and highest x [m], highest speed [m/s], lowest and highest acceleration [m/s2]"""
LOCK_UP, PEAK, TORQUE = 0.2362, 0.11057, (-0.2025, 0.2981)
"""shortest rod [m]; time of the highest acceleration with 0.24 m [s]; range of the driving torque with 0.3 m [N m]"""
DURATION, SHORT = 5.0, 0.5
"""[s]; the short run shows the order of methods that are far off after the long one"""
BOUNDS = {"dopri5": 1e-6, "rk4": 1e-6, "adams": 1e-3, "generalized_alpha": 1e-3}
METHODS = (PRECISE, gori.RK4(step=5e-4), gori.Adams(step=1e-4), gori.GeneralizedAlpha(step=1e-4))


# ---- driven


def closed_form(t: np.ndarray, length: float) -> np.ndarray:
    """x, v and a of the slider, (N, 3): x^2 = l^2 - rho^2, differentiated twice."""
    cos, sin = np.cos(TURN * t), np.sin(TURN * t)
    rho2 = 0.0308 + 0.0192 * cos + 0.016 * sin
    rate = TURN * (-0.0192 * sin + 0.016 * cos)
    bend = -(TURN**2) * (0.0192 * cos + 0.016 * sin)
    x = np.sqrt(length**2 - rho2)
    v = -0.5 * rate / x
    return np.column_stack([x, v, -(0.5 * bend + v**2) / x])


def kinematics(solver: str, length: float) -> Iterator[Check]:
    model = gori.compile(slider_crank(length, speed=-TURN, drive=DRIVE))
    path = driven(model, np.linspace(0.0, 1.0, 401))
    found, exact = path.joint("slider"), closed_form(path.time, length)
    for k, name in enumerate(("position [m]", "velocity [m/s]", "acceleration [m/s2]")):
        worst = int(np.argmax(np.abs(found[:, k] - exact[:, k])))
        words = f"l = {length:g}, {name}, worst of a turn"
        yield compare(CASE, words, solver, exact[worst, k], found[worst, k], 1e-9, source="exact")
    names = ("lowest x", "highest x", "highest speed", "lowest acceleration", "highest acceleration")
    values = [_extreme(model, path, *which) for which in ((0, -1), (0, 1), (1, 0), (2, -1), (2, 1))]
    # printed with six decimals of x and v, with five digits of a
    for name, printed, (_, value), half in zip(
        names, RODS[length], values, (5e-7, 5e-7, 5e-7, 5e-5, 5e-5 if length > 0.25 else 5e-4), strict=True
    ):
        yield compare(CASE, f"l = {length:g}, {name}", solver, printed, value, half, source="calculated")
    if length == 0.24:
        yield compare(
            CASE,
            "l = 0.24, time of the highest acceleration [s]",
            solver,
            PEAK,
            values[-1][0] % 1.0,
            5e-6,
            source="calculated",
        )


def torque(solver: str, length: float = 0.3) -> Iterator[Check]:
    """The torque, calculated beforehand, is that of a rod whose universal joint turns about z; about x: 0.2 % off."""
    x, y, z = slider_crank_pose(np.pi / 2, length)[0], CENTRE[1], CENTRE[2] + RADIUS
    spec = slider_crank(length, speed=-TURN, drive=DRIVE).set("joints.wrist.axis2", (0, 1, 0))
    spec = spec.set("joints.wrist.axis", (0, 0, 1)).set("joints.wrist.q", (np.arctan2(-y, x), np.arcsin(z / length)))
    model = gori.compile(spec)
    path = driven(model, np.linspace(0.0, 1.0, 401))
    power = [v @ model.tree.inverse_dynamics(q, v, a) for q, v, a in zip(path.q, path.v, path.a, strict=True)]
    found = np.array(power) / TURN  # counted in the direction of the turn
    ends = {"lowest": found.min(), "highest": found.max()}
    printed = dict(zip(ends, TORQUE, strict=True))
    yield compare(CASE, f"l = {length:g}, driving torque [N m]", solver, printed, ends, 5e-5, source="calculated")


def _extreme(model, path, column: int, side: int) -> tuple[float, float]:
    """When q, v or a of the slider (0, 1, 2) is highest (1), lowest (-1) or largest (0), and its value there."""

    def height(values):
        return np.abs(values) if side == 0 else side * values

    k = int(np.argmax(height(path.joint("slider")[:-1, column])))
    step = path.time[1]

    def at(time):
        return driven(model, np.array([path.time[k], time]), path.q[k]).joint("slider")[-1, column]

    bounds = (path.time[k] - step, path.time[k] + step)
    best = minimize_scalar(lambda time: -height(at(time)), bounds=bounds, method="bounded", options={"xatol": 1e-9})
    value = at(best.x)
    return float(best.x), float(abs(value) if side == 0 else value)


def lock_up(solver: str) -> Iterator[Check]:
    """The shortest rod that still closes where pin and slider's axis are farthest from each other, by bisection."""
    theta = float(np.arctan2(CENTRE[2], CENTRE[1]))
    low, high = 0.23, 0.24
    while high - low > 1e-9:
        middle = 0.5 * (low + high)
        # a rod of 0.24 m gives the start; the length is changed afterwards
        spec = slider_crank(0.24, theta).set("cuts.pin.child_at", (-middle, 0.0, 0.0))
        try:
            gori.assemble(gori.compile(spec), hold=("crank",))
            high = middle
        except gori.errors.ClosureError as error:
            assert error.cut == "pin", error
            low = middle
    yield compare(CASE, "lock-up, shortest rod as printed [m]", solver, LOCK_UP, high, 5e-5, source="published")
    exact = np.hypot(*CENTRE[1:]) + RADIUS
    yield compare(CASE, "lock-up, shortest rod, exact [m]", solver, exact, high, 1e-8, source="exact")


# ---- free


def turning(theta: float, length: float = 0.3) -> tuple[float, float]:
    """The generalised mass m(theta) [kg m2] and V(theta) [J] of the IFToMM case."""
    x, _, b = slider_crank_pose(theta, length)
    y, z = CENTRE[1] + RADIUS * np.cos(theta), CENTRE[2] + RADIUS * np.sin(theta)
    dy, dz = -RADIUS * np.sin(theta), RADIUS * np.cos(theta)
    dx = -(y * dy + z * dz) / x
    da = (y * dz - z * dy) / (y**2 + z**2)
    db = -(y * dy + z * dz) / np.hypot(y, z) / (length * np.cos(b))
    middle = 0.25 * (dx**2 + dy**2 + dz**2)
    spin = 4e-4 * (da * np.cos(b)) ** 2 + 4e-3 * ((da * np.sin(b)) ** 2 + db**2)
    return 1e-4 + 2.0 * dx**2 + 0.5 * middle + spin, 0.5 * 9.81 * z / 2


def exact_end(duration: float) -> dict[str, float]:
    """Crank and slider."""
    mass, potential = turning(np.pi / 2)
    energy = 0.5 * mass * 6.0**2 + potential

    def speed(theta):
        mass, potential = turning(theta)
        return np.sqrt(2.0 * (energy - potential) / mass)

    motion = solve_ivp(
        lambda _, y: [speed(y[0])], (0.0, duration), [np.pi / 2], method="DOP853", rtol=3e-14, atol=1e-13
    )
    theta = float(motion.y[0, -1])
    return {"crank [rad]": theta, "speed [rad/s]": float(speed(theta)), "slider [m]": slider_crank_pose(theta, 0.3)[0]}


def ours(solver: Solver, duration: float) -> tuple[dict[str, float], float]:
    """Crank and slider at the end, and the largest drift of the energy [J]."""
    rec = solver.run(gori.compile(slider_crank()), duration, sample=0.01)
    energy = rec["energy.total"]
    found = {"crank [rad]": rec["crank.q"], "speed [rad/s]": rec["crank.v"], "slider [m]": rec["slider.q"]}
    return {name: values[-1] for name, values in found.items()}, float(np.abs(energy - energy[0]).max())


def checks(long: bool = False) -> Iterator[Check]:
    for length in RODS:
        yield from attempt(CASE, "driven", kinematics, length)
    yield from attempt(CASE, "driven", torque)
    yield from attempt(CASE, "gori.assemble", lock_up)
    yield from attempt(FREE, "gori.consistent_velocity", _start)
    exact, short = exact_end(DURATION), exact_end(SHORT)
    for solver in with_loops(METHODS):
        yield from attempt(FREE, solver, accurate, exact)
    for solver in with_loops(first_order(1e-4)):
        yield from attempt(FREE, solver, convergent, short)


def _start(solver: str) -> Iterator[Check]:
    model = gori.compile(slider_crank())
    q = gori.assemble(model)
    v = gori.consistent_velocity(model, q)
    rod = model.tree.jacobian(q, "rod_centre") @ v
    published = {"slider": 0.24, "rod x": 0.12, "rod y": -0.24, "rod z": 0.0}
    found = dict(zip(published, (float(v[model.joint("slider").v][0]), *rod[3:]), strict=True))
    yield compare(FREE, "velocities at the start [m/s]", solver, published, found, 1e-12, source="published")
    spins = dict(zip(("x", "y", "z"), (1.92, -0.96, 0.48), strict=True))
    yield compare(
        FREE,
        "rod at the start [rad/s]",
        solver,
        spins,
        dict(zip(spins, rod[:3], strict=True)),
        1e-12,
        source="published",
    )


def accurate(solver: Solver, exact: dict[str, float]) -> Iterator[Check]:
    found, drift = ours(solver, DURATION)
    yield compare(FREE, "at 5 s", solver, exact, found, BOUNDS[solver.kind], relative=True, source="exact")
    yield small(FREE, "energy, largest drift in 5 s [J]", solver, drift, BOUNDS[solver.kind])


def convergent(solver: Solver, exact: dict[str, float]) -> Iterator[Check]:
    ends = [ours(trial, SHORT)[0] for trial in (solver, solver.halved())]
    coarse, fine = (max(abs(end[name] / value - 1.0) for name, value in exact.items()) for end in ends)
    yield order(FREE, f"state at {SHORT:g} s", solver, solver.order, coarse, fine, 0.2)
