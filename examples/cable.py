"""A heavy cable falls: 200 links, 400 degrees of freedom, solved in O(n) without a matrix.

Assumptions: a steel rope 16 mm thick and 5 m long, of 1 kg/m. Its wires slide on each other, so that it bends far more
easily than a solid rod: EI is taken as 3 % of that of the rod, 19 N m2. It does not twist or stretch. Where it bends it
is damped in proportion to its stiffness, with a relaxation time of 10 ms (a guess). The air is left out.

A rod on universal joints stands for every l = L/n: springs EI/l between the links, 2 EI/l at the clamp, where only half
a link bends. The fastest bending waves have about (pi/l)^2 sqrt(EI/rho) = 69000 rad/s: an explicit method would need
steps of 40 us.

Checks: while the cable falls, energy is lost to the dampers alone; at rest it has the shape of the heavy elastica,
EI theta'' = -rho g (L - s) cos theta, with an error that falls as 1/n^2.
"""

import time
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from scipy.integrate import solve_bvp

import gori

LENGTH, THICKNESS, RHO, RELAXATION = 5.0, 0.016, 1.0, 0.01  # m, m, kg/m, s
EI = 0.03 * 200e9 * np.pi * THICKNESS**4 / 64  # N m2
GRAVITY = 9.81


def cable(links: int, sideways: float = 0.0) -> gori.Model:
    """The cable, horizontal; sideways [rad/s] is how fast its tip turns about the vertical at the start."""
    length, radius = LENGTH / links, THICKNESS / 2
    mass = RHO * length
    across = mass * (length**2 / 12 + radius**2 / 4)
    link = gori.spec.Body(mass=mass, com=(length / 2, 0, 0), inertia=(mass * radius**2 / 2, across, across))
    joints = {}
    for k in range(links):
        stiffness = EI / length if k else 2 * EI / length
        joints[f"bend{k}"] = gori.spec.Joint(
            type="universal", parent=f"link{k - 1}" if k else "ground", child=f"link{k}", at=(length if k else 0, 0, 0),
            axis=(0, 1, 0), axis2=(0, 0, 1), stiffness=stiffness, damping=RELAXATION * stiffness,
            v=(0, sideways / links),
        )  # fmt: skip
    return gori.compile(
        gori.Spec(
            gravity=(0, 0, -GRAVITY),
            bodies={f"link{k}": link for k in range(links)},
            joints=joints,
            frames={"tip": gori.spec.Frame(body=f"link{links - 1}", at=(length, 0, 0))},
        )
    )


def elastica() -> np.ndarray:
    """Where the points of the cable are at rest, x and z (2, N) [m]: theta, theta', x, z as functions of s."""

    def slope(s, y):
        return np.array([y[1], -RHO * GRAVITY * (LENGTH - s) * np.cos(y[0]) / EI, np.cos(y[0]), -np.sin(y[0])])

    s = np.linspace(0, LENGTH, 200)
    guess = np.array([1.5 * (1 - np.exp(-2 * s)), 3 * np.exp(-2 * s), 0.2 * s, -0.9 * s])
    answer = solve_bvp(slope, lambda a, b: np.array([a[0], b[1], a[2], a[3]]), s, guess, tol=1e-10, max_nodes=10**5)
    assert answer.success, answer.message
    return answer.sol(s)[2:]


def shape(model: gori.Model, q: np.ndarray) -> np.ndarray:
    """The ends of all links (3, n + 1) [m]."""
    poses = model.forward_kinematics(q)
    return np.array([poses[name][:3, 3] for name in (*model.spec.bodies, "tip")]).T


# the fall
model = cable(200, sideways=1.0)
step = 1e-3
method = gori.GeneralizedAlpha(step, jacobian=gori.jacobian.MatrixFree())
gori.Simulation(model, method).step()  # compiles what is not compiled yet
start = time.perf_counter()
rec = gori.Simulation(model, method).run(1.5, sample=step)
seconds = time.perf_counter() - start
work = rec.info["jacobian"]
print(f"{model.nv} degrees of freedom: 1.5 s in {seconds:.2f} s, {work['iterations_per_step']:.1f} iterations a step")

stiffness = np.array([k for joint in model.spec.joints.values() for k in joint.stiffness * 2])
stored, energy = rec["energy.elastic"], rec["energy.total"]
assert np.abs(stored - 0.5 * rec.q**2 @ stiffness).max() < 1e-9 * stored.max()
middle = (rec.v[1:] + rec.v[:-1]) / 2
lost = np.append(0, np.cumsum(step * middle**2 @ (RELAXATION * stiffness)))
kinetic = rec["energy.kinetic"].max()
error = np.abs(energy + lost - energy[0]).max()
assert np.abs(rec["energy.work"] + lost).max() < 1e-3 * lost[-1], "the dampers' work, as the steps have it"
print(f"kinetic energy up to {kinetic:.1f} J, in the springs up to {stored.max():.1f} J, lost {lost[-1]:.2f} J")
speed = np.linalg.norm(rec["tip.velocity"][:, 3:], axis=1).max()
print(f"energy balance to {error:.1e} J; the tip moves with up to {speed:.1f} m/s")
assert error < 1e-5 * kinetic
assert np.diff(energy).max() <= 1e-6 * kinetic, "energy only falls"

# at rest: implicit Euler with steps of 0.2 s takes the motion out
exact, errors = elastica(), {}
for links in (50, 100, 200):
    hanging = cable(links)
    still = gori.Simulation(hanging, gori.ImplicitEuler(0.2)).run(200.0).q[-1]
    errors[links] = np.linalg.norm(shape(hanging, still)[::2, -1] - exact[:, -1])
    print(f"{links:3d} links: the tip hangs {errors[links] * 1e3:.3f} mm from the exact place")
assert errors[200] < 1e-3
assert 3.8 < errors[50] / errors[100] < 4.2 and 3.8 < errors[100] / errors[200] < 4.2, "second order"

# time of a step, against a matrix
for links in (50, 200):
    small, count = cable(links), 40
    times, ends = {}, {}
    for strategy in (gori.jacobian.MatrixFree(), gori.jacobian.Full()):
        simulations = [gori.Simulation(small, gori.GeneralizedAlpha(step, jacobian=strategy)) for _ in range(4)]
        rounds = []
        for simulation in simulations:
            start = time.perf_counter()
            ends[strategy.kind] = simulation.step(count).q
            rounds.append(time.perf_counter() - start)
        times[strategy.kind] = min(rounds) / count
    far = np.abs(ends["matrix_free"] - ends["full"]).max()
    words = ", ".join(f"{kind} {1e6 * best:.0f} us" for kind, best in times.items())
    print(f"{small.nv} degrees of freedom, one step: {words}; they differ by {far:.0e} rad")
    assert far < 1e-9 and times["matrix_free"] < times["full"]

figure, ax = plt.subplots(figsize=(8, 5))
for t in (0.0, 0.3, 0.6, 0.9, 1.2, 1.5):
    x, _, z = shape(model, rec.q[round(t / step)])
    ax.plot(x, z, label=f"{t:.1f} s")
ax.plot(*exact, "k--", label="at rest, exact")
ax.plot(*shape(hanging, still)[::2, ::10], "ko", markersize=3, label="at rest")
ax.set(xlabel="x [m]", ylabel="height [m]", title="A cable falls", aspect="equal")
ax.legend(loc="upper left", fontsize="small")
out = Path("out") / "examples"
out.mkdir(parents=True, exist_ok=True)
figure.savefig(out / "cable.png", dpi=110)
