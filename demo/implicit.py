"""Demo of implicit steps: where the Jacobian comes from, and what it costs."""

import time

import matplotlib.pyplot as plt
import numpy as np

import gori
from bench.chains import chain
from demo.report import Case, Report


def strategies(case: Case, report: Report) -> None:
    """Strategies for the Jacobian of an implicit step.

    A chain of 100 links, stiff by its dampers, released horizontally: 3 s by implicit Euler with steps of 2 ms. Error:
    the largest distance of the tip from a run of second order with steps of 0.1 ms. Strategies that measure what they
    need stay as accurate as the whole Jacobian in every step; those on a fixed plan are cheap, and may go wrong.
    """
    model = chain(100)
    exact = gori.Simulation(model, gori.GeneralizedAlpha(1e-4)).run(3.0, sample=0.05)["link99.position"]
    tips, errors, times = {}, {}, {}
    for name, strategy in {
        "Full": gori.jacobian.Full(),
        "MatrixFree": gori.jacobian.MatrixFree(),
        "ErrorDriven": gori.jacobian.ErrorDriven(),
        "RoundRobin(5)": gori.jacobian.RoundRobin(5),
        "RoundRobin(1)": gori.jacobian.RoundRobin(1),
        "Fastest(5)": gori.jacobian.Fastest(5),
        "Frozen": gori.jacobian.Frozen(),
    }.items():
        method, times[name] = gori.ImplicitEuler(2e-3, jacobian=strategy), np.inf
        rec = gori.Simulation(model, method).run(3.0, sample=0.05)
        tips[name] = rec["link99.position"]
        errors[name] = np.linalg.norm(tips[name] - exact, axis=1).max()
        # the time leaves the first step out: there the strategies that keep a matrix make all of it
        for _ in range(3):
            simulation = gori.Simulation(model, method)
            simulation.step()
            start = time.perf_counter()
            simulation.step(500)
            times[name] = min(times[name], (time.perf_counter() - start) / 500)
        words = f"error {errors[name] * 1e3:.0f} mm, {rec.info['jacobian']['columns_per_step']:.2f} columns a step"
        case.note(name, f"{times[name] * 1e6:.0f} us a step, {words}")
    case.check("MatrixFree, tip against Full's", np.abs(tips["MatrixFree"] - tips["Full"]).max(), 1e-8, " m")
    for name in ("ErrorDriven", "RoundRobin(5)"):
        case.check(f"{name}, error against Full's", errors[name] / errors["Full"], 1.2)
    for name in ("MatrixFree", "ErrorDriven"):
        case.check(f"{name}, time against Full's", times[name] / times["Full"], 1.0)
    figure, ax = plt.subplots(figsize=(6.5, 4))
    for name, error in errors.items():
        ax.semilogy(times[name] * 1e6, error * 1e3, "o", label=name)
    ax.set(xlabel="time of a step [us]", ylabel="error of the tip [mm]", title="left and low is good")
    ax.set_xlim(left=0.0)
    ax.grid(True, which="both", alpha=0.3)
    ax.legend()
    report.picture(case, "strategies.png", figure)


def matrix_free(case: Case, report: Report) -> None:
    """An implicit step in O(n), without a matrix.

    Chains of 50 to 1000 links: steps of generalized-alpha. Without a matrix the same steps come out as with one.
    """
    model = chain(50)
    rng = np.random.default_rng(5)
    state = gori.State(0.0, 0.3 * rng.normal(size=model.nq), rng.normal(size=model.nv), np.zeros(0))
    ends = {}
    for strategy in (gori.jacobian.Full(), gori.jacobian.MatrixFree()):
        method = gori.GeneralizedAlpha(2e-3, jacobian=strategy)
        simulation = gori.Simulation(model, method, state=state)
        ends[strategy.kind] = [simulation.step().v, simulation.step(100).v]
    for words, full, free in zip(("one step", "100 steps more"), ends["full"], ends["matrix_free"]):
        case.check(f"{words} of 50 links against the dense solution", np.abs(free - full).max(), 1e-8, " rad/s")
    links, times = np.array([50, 100, 200, 500, 1000]), {"MatrixFree": [], "Full": []}
    for n in links:
        model = chain(int(n))
        for name, strategy in (("MatrixFree", gori.jacobian.MatrixFree()), ("Full", gori.jacobian.Full())):
            if name == "Full" and n > 200:
                continue
            simulation = gori.Simulation(model, gori.GeneralizedAlpha(2e-3, jacobian=strategy))
            simulation.step()
            best, count = np.inf, int(5000 // n)
            for _ in range(30):
                start = time.perf_counter()
                simulation.step(count)
                best = min(best, (time.perf_counter() - start) / count)
            times[name].append(best)
    slope = np.polyfit(np.log(links), np.log(times["MatrixFree"]), 1)[0]
    case.check("slope in log-log, 50 to 1000 links", slope, 1.2)
    case.note("1000 links", f"{times['MatrixFree'][-1] * 1e6:.0f} us a step")
    case.note(
        "200 links", f"{times['MatrixFree'][2] * 1e6:.0f} us a step, with a matrix {times['Full'][2] * 1e6:.0f} us"
    )
    figure, ax = plt.subplots(figsize=(6, 4))
    for name, values in times.items():
        ax.loglog(links[: len(values)], np.array(values) * 1e6, "o-", label=name)
    ax.set(xlabel="links", ylabel="time of a step [us]")
    ax.grid(True, which="both", alpha=0.3)
    ax.legend()
    report.picture(case, "matrix_free.png", figure)


CASES = (strategies, matrix_free)
