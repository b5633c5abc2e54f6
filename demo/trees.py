"""Demo of the core: descriptions, kinematics, dynamics, derivatives of trees."""

import tempfile
import time
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import gori
from bench.machines import chain_urdf, humanoid_path, load_urdf
from bench.pinocchio_peer import Peer, pin
from bench.timing import race
from demo.report import Case, Report
from gori.view import draw

ARM = Path(__file__).parent.parent / "examples" / "arm.yaml"


def arm(case: Case, report: Report) -> None:
    """A robot arm from a YAML file.

    Forward kinematics, the Jacobian against differences of it, and forward dynamics as the inverse of inverse dynamics.
    """
    model = gori.compile(gori.load(ARM))
    rng = np.random.default_rng(1)
    q, v, a = model.random(rng), rng.normal(size=model.nv), rng.normal(size=model.nv)
    h = 1e-6
    ahead, behind = (model.forward_kinematics(model.integrate(q, s * h * v))["tool"][:3, 3] for s in (1, -1))
    error = np.abs(model.jacobian(q, "tool")[3:] @ v - (ahead - behind) / (2 * h)).max()
    case.check("Jacobian against differences", error, 1e-8, " m/s")
    back = model.forward_dynamics(q, v, model.inverse_dynamics(q, v, a))
    case.check("forward after inverse dynamics", np.abs(back - a).max(), 1e-10, " rad/s2")
    figure = plt.figure(figsize=(6, 6))
    ax = figure.add_subplot(projection="3d")
    for turn, color in ((-60, "tab:blue"), (0, "tab:orange"), (60, "tab:green")):
        pose = np.array(model.q0)
        pose[0] = np.radians(turn)
        draw(model, pose, ax, color, f"shoulder_yaw {turn} deg")
    ax.legend()
    ax.set(xlabel="x [m]", ylabel="y [m]", zlabel="z [m]", title="examples/arm.yaml")
    report.picture(case, "arm.png", figure)


def humanoid(case: Case, report: Report) -> None:
    """A humanoid from a URDF file, against Pinocchio.

    Talos with a free base, 38 degrees of freedom: the same states in both programs, results and times compared.
    """
    path = humanoid_path()
    model = load_urdf(path, "free")
    peer = Peer(model, path, "free")
    rng = np.random.default_rng(2)
    q, v, tau = model.random(rng, 256), rng.normal(size=(256, model.nv)), rng.normal(size=(256, model.nv))
    pq, pv, pt = peer.q(q), peer.v(v), peer.v(tau)
    theirs = np.array([pin.aba(peer.model, peer.data, *x)[peer.v_index] for x in zip(pq, pv, pt)])
    ours = model.forward_dynamics(q, v, tau)
    case.check("accelerations against Pinocchio", np.abs(ours - theirs).max() / np.abs(theirs).max(), 1e-9)
    gori.threads(1)
    times = race(
        {
            "Gori": lambda: model.forward_dynamics(q, v, tau),
            "Pinocchio": lambda: [pin.aba(peer.model, peer.data, *x) for x in zip(pq, pv, pt)],
        }
    )
    for name, seconds in times.items():
        case.note(f"{name}, one thread", f"{seconds / 256 * 1e6:.2f} us for one forward dynamics")
    figure = plt.figure(figsize=(11, 5))
    ax = figure.add_subplot(1, 2, 1, projection="3d")
    draw(model, None, ax)
    ax.view_init(elev=10, azim=35)
    ax.set_title("Talos, start pose")
    ax = figure.add_subplot(1, 2, 2)
    ax.spy(np.abs(model.mass_matrix(model.q0)) > 1e-12, markersize=4)
    ax.set_title("non-zero entries of its mass matrix")
    report.picture(case, "humanoid.png", figure)


def growth(case: Case, report: Report) -> None:
    """The time grows with the number of links, no faster.

    Chains of 10 to 1000 links: one forward dynamics by articulated bodies.
    """
    links, times = np.array([10, 30, 100, 300, 1000]), []
    with tempfile.TemporaryDirectory() as folder:
        for n in links:
            path = Path(folder) / f"{n}.urdf"
            path.write_text(chain_urdf(int(n)))
            model = load_urdf(path)
            q, v, tau = model.random(0), np.ones(model.nv), np.zeros(model.nv)
            model.forward_dynamics(q, v, tau)
            best = np.inf
            for _ in range(50):
                start = time.perf_counter()
                model.forward_dynamics(q, v, tau)
                best = min(best, time.perf_counter() - start)
            times.append(best)
    slope = np.polyfit(np.log(links[2:]), np.log(times[2:]), 1)[0]
    case.check("slope in log-log, 100 to 1000 links", slope, 1.15)
    case.note("1000 links", f"{times[-1] * 1e6:.0f} us")
    figure, ax = plt.subplots(figsize=(6, 4))
    ax.loglog(links, np.array(times) * 1e6, "o-")
    ax.set(xlabel="links", ylabel="one forward dynamics [us]")
    ax.grid(True, which="both", alpha=0.3)
    report.picture(case, "growth.png", figure)


def derivatives(case: Case, report: Report) -> None:
    """Analytic derivatives of the dynamics.

    Of the accelerations with respect to positions, velocities and forces, against differences.
    """
    model = gori.compile(gori.load(ARM))
    rng = np.random.default_rng(3)
    q, v, tau = model.random(rng), rng.normal(size=model.nv), 10 * rng.normal(size=model.nv)
    exact = model.derivatives(q, v, tau)
    h, step = 1e-6, np.eye(model.nv)
    ahead = model.forward_dynamics(model.integrate(np.tile(q, (model.nv, 1)), h * step), v, tau)
    behind = model.forward_dynamics(model.integrate(np.tile(q, (model.nv, 1)), -h * step), v, tau)
    difference = (ahead - behind).T / (2 * h)
    case.check("with respect to q", np.abs(difference - exact.dq).max() / np.abs(exact.dq).max(), 1e-7)
    difference = (model.forward_dynamics(q, v + h * step, tau) - model.forward_dynamics(q, v - h * step, tau)).T / (
        2 * h
    )
    case.check("with respect to v", np.abs(difference - exact.dv).max() / np.abs(exact.dv).max(), 1e-7)
    case.check("with respect to tau", np.abs(exact.dtau @ model.mass_matrix(q) - step).max(), 1e-10)
    figure, axes = plt.subplots(1, 3, figsize=(11, 3.4))
    for ax, name, matrix in zip(axes, ("dq", "dv", "dtau"), exact):
        bound = np.abs(matrix).max()
        image = ax.imshow(matrix, cmap="RdBu", vmin=-bound, vmax=bound)
        figure.colorbar(image, ax=ax, shrink=0.8)
        ax.set_title(f"acceleration by {name}")
    report.picture(case, "derivatives.png", figure)


CASES = (arm, humanoid, growth, derivatives)
