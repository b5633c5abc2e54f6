"""A box on a spring with grains in it: what the exchange between bodies and grains costs.

Bodies take a step H, then grains follow in steps of their own and answer with their mean wrench, which the bodies feel
during the next step: a lag of one step. Measured here, against a run in which H is the step of the grains:

    order       the lag makes an error of first order in H
    energy      work of grains on the box plus work of the box on grains would be zero without the lag
    momentum    nothing is lost: what was given and not yet received is one wrench times H
    stability   largest H for a box lighter than its load, in units of sqrt(mass / stiffness of the contacts)

    python examples/sprung_box.py [FOLDER] [--full]
"""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

import gori

spec = gori.load(Path(__file__).parent / "sprung_box.yaml")
full = "--full" in sys.argv
METHODS = {"generalized-alpha": gori.GeneralizedAlpha, "RK4": gori.RK4}
G, NU, FLOOR = 9.81, 0.25, -0.04  # m/s2; Poisson's ratio of the grains; height of the floor in the box [m]


def settled(spec: gori.Spec, duration: float) -> tuple[gori.Model, gori.State]:
    """The machine at rest: settled with a strong damper, then with its own.

    Grains are taken over, and not what is on its way to the box: it is the wrench that acts on, whatever H comes.
    """
    calm = gori.Simulation(gori.compile(spec.set("guide.damping", 50.0 * spec.bodies["box"].mass)), gori.RK4(5e-4))
    calm.run(duration)
    model, state = gori.compile(spec), calm.state
    return model, gori.State(0.0, state.q, 0.0 * state.v, state.z, {"particles": state.particles}, model.fingerprint)


def kicked(model: gori.Model, rest: gori.State, method: str, step: float, duration: float, speed: float):
    """The box gets a speed upwards [m/s]; all steps are recorded."""
    state = rest.replace(v=rest.v + speed)
    simulation = gori.Simulation(model, METHODS[method](step=step), state=state)
    before = simulation.particles.momentum
    recording = simulation.run(duration, sample=step, progress=False)
    return simulation, recording, simulation.particles.momentum - before


def created(recording: gori.Recording) -> float:
    """Energy that the exchange made out of nothing [J].

    The wrench that acted in a step is what grains gave in the step before: row k + 1 holds what they gave while the box
    went from row k - 1 to row k.
    """
    force, travel = recording["box.wrench_from.particles"][:, 5], np.diff(recording["guide.q"])
    return float(((force[1:-1] - force[2:]) * travel[:-1]).sum())


def floor_stiffness(simulation: gori.Simulation) -> float:
    """Stiffness of all contacts with the floor [N/m]: 2 E* sqrt(r d) of each, against steel that hardly yields."""
    particles = simulation.particles
    deep = particles.radius - (particles.position[:, 2] - simulation.q[0] - FLOOR)
    touch = deep > 0.0
    modulus = simulation.model.spec.materials["grain"].E / (1.0 - NU**2)
    return float(2.0 * modulus * np.sqrt(particles.radius * deep, where=touch, out=0.0 * deep).sum())


def calms_down(model: gori.Model, rest: gori.State, method: str, step: float) -> bool:
    """Whether a tiny kick has died away after 0.4 s."""
    tiny = 2e-3
    try:
        _, recording, _ = kicked(model, rest, method, step, 0.4, tiny)
    except gori.errors.SimulationError:
        return False
    late = recording["guide.v"][recording.time > 0.3]
    return bool(np.sqrt((late**2).mean()) < tiny)


def largest_step(model: gori.Model, rest: gori.State, method: str, halvings: int) -> float:
    """Between 0.2 and 8 ms, by bisection in the logarithm."""
    low, high = 2e-4, 8e-3
    if calms_down(model, rest, method, high):
        return np.inf
    for _ in range(halvings):
        middle = np.sqrt(low * high)
        low, high = (middle, high) if calms_down(model, rest, method, middle) else (low, middle)
    return low


def order(steps: list[float], errors: list[float]) -> float:
    """Slope of log error over log step."""
    return float(np.polyfit(np.log(steps), np.log(errors), 1)[0])


out = Path(next((word for word in sys.argv[1:] if word[0] != "-"), "out/examples/sprung_box"))
out.mkdir(parents=True, exist_ok=True)

# ---- order and energy: a kick so gentle that grains stay where they are, and the motion is smooth
model, rest = settled(spec, 2.0 if full else 1.2)
duration, speed = (0.4, 0.05) if full else (0.12, 0.05)
steps = [4e-3 / k for k in ((1, 2, 4, 8, 16) if full else (1, 2, 4, 8))]
own = gori.Simulation(model, gori.RK4(), state=rest).particles.step
single = 4e-3 / (4 * np.ceil(4e-3 / own))  # both march as one, in steps short enough to forget their own lag
_, reference, _ = kicked(model, rest, "RK4", single, duration, speed)
figure, (left, middle, right) = plt.subplots(1, 3, figsize=(12, 3.6), layout="constrained")
left.plot(reference.time, 1e3 * reference["guide.q"], "k", label=f"one step for all, {1e6 * single:.0f} us")
energy = 0.5 * 1.2 * speed**2
print(f"grains step {1e6 * own:.0f} us; reference {1e6 * single:.0f} us; energy of the kick {1e3 * energy:.2f} mJ")
print(f"{'method':18} {'H [ms]':>7} {'sub-steps':>9} {'error [um]':>10} {'created [uJ]':>12} {'momentum [N s]':>14}")
for method in METHODS:
    errors, gains = [], []
    for step in steps:
        simulation, recording, change = kicked(model, rest, method, step, duration, speed)
        at = np.interp(recording.time, reference.time, reference["guide.q"])
        errors.append(float(np.abs(recording["guide.q"] - at).max()))
        gains.append(created(recording))

        # what grains lost the coupling was given; what bodies have not received yet is the last wrench, times H
        particles, coupling = simulation.particles, simulation.exchanges["particles"]
        first = step * rest.particles["wrench"][1, 5]  # of the wrench that acts in the first step
        lost = -G * particles.mass.sum() * recording.time[-1] - change[2] - (coupling.impulse[5] - first)
        pending = (coupling.impulse - coupling.given)[3:] - step * coupling.wrench[1, 3:]
        print(
            f"{method:18} {1e3 * step:7.3f} {particles.substeps:9d} {1e6 * errors[-1]:10.2f} {1e6 * gains[-1]:12.2f} "
            f"{abs(lost):14.1e}"
        )
        assert abs(lost) < 1e-12 and np.abs(pending).max() < 1e-12
        if step == steps[0]:
            left.plot(recording.time, 1e3 * recording["guide.q"], "--", label=f"{method}, {1e3 * step:.0f} ms")
    print(f"{method:18} order {order(steps, errors):.2f}; energy {order(steps, np.abs(gains)):.2f}")
    middle.loglog(steps, errors, "o-", label=f"{method}: error [m]")
    middle.loglog(steps, np.abs(gains), "s:", label=f"{method}: energy [J]")
    assert 0.9 < order(steps, errors) < 1.1 and all(gain < 0.0 for gain in gains)

# ---- momentum in free flight: no spring, no weight, grains that the box runs into
free = spec.set("gravity", [0.0, 0.0, 0.0]).set("guide.stiffness", 0.0).set("guide.damping", 0.0)
for method in METHODS:
    simulation = gori.Simulation(gori.compile(free), METHODS[method](step=1e-3))
    state = simulation.state
    simulation.state = state.replace(v=state.v + 0.3)
    worst = 0.0
    for _ in range(200):
        simulation.advance()
        coupling = simulation.exchanges["particles"]
        total = simulation.v[0] + simulation.particles.momentum[2] + (coupling.impulse - coupling.given)[5]
        worst = max(worst, abs(total - 0.3))
    print(f"{method}: momentum of box, grains and what is on its way stays within {worst:.1e} N s of 0.3")
    assert worst < 1e-14

# ---- stability: boxes lighter than their load of 0.2 kg; springs that give all of them one period
print(f"{'box [kg]':>8} {'E [Pa]':>8} {'k [N/m]':>8} {'method':18} {'largest H [ms]':>14} {'H sqrt(k/m)':>11}")
cases = [(0.05, 5e6), (0.05, 1.25e6), (0.05, 2e7), (0.1, 5e6), (0.4, 5e6)] if full else [(0.05, 5e6), (0.4, 5e6)]
for mass, modulus in cases:
    lighter = spec.set("box.mass", mass).set("grain.E", modulus).set("guide.stiffness", 1500.0 * mass)
    model, rest = settled(lighter.set("guide.damping", 40.0 * mass), 1.0)
    stiffness = floor_stiffness(gori.Simulation(model, gori.RK4(), state=rest))
    for method in METHODS if full else ["RK4"]:
        limit = largest_step(model, rest, method, 7 if full else 4)
        ratio = limit * np.sqrt(stiffness / mass)
        print(f"{mass:8g} {modulus:8.2g} {stiffness:8.0f} {method:18} {1e3 * limit:14.2f} {ratio:11.2f}")
        if mass > 0.2:
            assert limit == np.inf  # a box heavier than its load bears any step
        else:
            assert 0.5 < ratio < 6.0
            mark = "o" if mass < 0.08 else "s"
            right.semilogx(stiffness, ratio, mark, label=f"{method}, {mass:g} kg, {modulus:.2g} Pa")

left.set(xlabel="time [s]", ylabel="box [mm]")
middle.set(xlabel="H [s]", title="error and energy lost over H")
right.set(xlabel="stiffness of contacts with the floor [N/m]", title="largest stable H sqrt(k/m)", ylim=(0, 6))
for ax in (left, middle, right):
    ax.legend(fontsize=7)
figure.savefig(out / "sprung_box.png", dpi=90)
