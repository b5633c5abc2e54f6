"""Where the Jacobian of an implicit step comes from: one stiff chain, six strategies.

A hundred rods on hinges with springs and dampers, released horizontally; axes alternate, gravity pulls obliquely. The
dampers make it stiff: rates up to c/k omega^2 = 9500 1/s, an explicit method would need steps below 0.3 ms. Implicit
Euler takes steps of 2 ms. Error: the largest distance of the tip from a run of second order with steps of 0.1 ms.

MatrixFree and Full solve the same equations. ErrorDriven refreshes a column when the residual asks for it, so its error
stays that of Full. The others keep old columns on a fixed plan: cheap while the machine hardly moves, but nothing says
when they have become wrong.
"""

import time

import numpy as np

import gori

LINKS, LENGTH, MASS, RADIUS = 100, 0.1, 0.1, 0.015  # -, m, kg, m
STIFFNESS, DAMPING = 100.0, 1.0  # N m/rad, N m s/rad
STEP, DURATION = 2e-3, 3.0  # s

across = MASS * (LENGTH**2 / 12 + RADIUS**2 / 4)
link = gori.spec.Body(mass=MASS, com=(LENGTH / 2, 0, 0), inertia=(MASS * RADIUS**2 / 2, across, across))
joints = {
    f"hinge{k}": gori.spec.Joint(
        type="revolute", parent=f"link{k - 1}" if k else "ground", child=f"link{k}", at=(LENGTH if k else 0, 0, 0),
        axis=(0, 1, 0) if k % 2 else (0, 0, 1), stiffness=STIFFNESS, damping=DAMPING,
    )
    for k in range(LINKS)
}  # fmt: skip
spec = gori.Spec(gravity=(0, -5, -8.44), bodies={f"link{k}": link for k in range(LINKS)}, joints=joints)
model = gori.compile(spec)
omega = np.sqrt(STIFFNESS / np.linalg.eigvalsh(model.mass_matrix(model.q0))[0])
print(f"fastest rate {DAMPING / STIFFNESS * omega**2:.0f} 1/s, step {1e3 * STEP:.0f} ms")


def run(method, rounds=3):
    """Where the tip is, every 0.05 s (N, 3) [m]; seconds for one step, the best of some runs; what was done."""
    best = np.inf
    for _ in range(rounds):
        simulation = gori.Simulation(model, method)
        start = time.perf_counter()
        rec = simulation.run(DURATION, sample=0.05)
        best = min(best, (time.perf_counter() - start) / rec.info["steps"])
    return rec[f"link{LINKS - 1}.position"], best, rec.info["jacobian"]


exact, _, _ = run(gori.GeneralizedAlpha(1e-4), rounds=1)
errors, times = {}, {}
print("strategy       time of a step  columns a step  whole matrices  iterations    error")
strategies = (
    gori.jacobian.Full(),
    gori.jacobian.MatrixFree(),
    gori.jacobian.ErrorDriven(),
    gori.jacobian.RoundRobin(),
    gori.jacobian.Fastest(),
    gori.jacobian.Frozen(),
)
for strategy in strategies:
    kind = strategy.kind
    tip, times[kind], work = run(gori.ImplicitEuler(STEP, jacobian=strategy))
    errors[kind] = np.linalg.norm(tip - exact, axis=1).max()
    print(
        f"{kind:14s} {1e6 * times[kind]:11.0f} us {work['columns_per_step']:15.2f} {work['whole']:15d}"
        f" {work['iterations_per_step']:11.2f} {1e3 * errors[kind]:6.0f} mm"
    )

assert errors["error_driven"] < 1.2 * errors["full"] and times["error_driven"] < times["full"]
assert abs(errors["matrix_free"] - errors["full"]) < 1e-9 and times["matrix_free"] < times["full"]
