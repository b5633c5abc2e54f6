"""Time stepping of closed machines that touch something."""

from itertools import pairwise

import numpy as np
import pytest

import gori
from gori.errors import UnsupportedError
from gori.integrate.time_stepping import TimeStepping
from tests.integrate.closed_contact import four_bar, ring
from tests.integrate.test_time_stepping import at, scene


def opening(model, q):
    return np.abs(model.loop_system.terms(q).gap).max()


def test_without_contact_it_is_of_first_order():
    model = gori.compile(four_bar())
    reference = gori.Simulation(model, gori.Dopri5(rtol=1e-11, atol=1e-12))
    reference.run(0.5, progress=False)
    errors = []
    for step in (2e-3, 1e-3, 5e-4):
        simulation = gori.Simulation(model, TimeStepping(step=step))
        simulation.run(0.5, progress=False)
        errors.append(np.abs(simulation.q - reference.q).max())
        assert opening(model, simulation.q) < 1e-10
    assert errors[2] < 0.02 and all(0.4 < b / a < 0.6 for a, b in pairwise(errors))


def test_a_rocker_that_hits_a_stop_stands_with_the_force_of_statics():
    """F along the normal times its way is the change of potential energy, for the one motion that the loop allows."""
    model = gori.compile(four_bar(stop=0.4))
    simulation = gori.Simulation(model, TimeStepping(step=1e-3))
    rec = simulation.run(1.0, sample=1e-2, progress=False)
    late, start = rec.time > 0.6, model.q0
    assert (
        np.ptp(rec["D.q"][late]) < 1e-9 and np.abs(simulation.v).max() < 1e-9 and opening(model, simulation.q) < 1e-10
    )
    assert np.abs(simulation.q - start).max() > 0.2
    (point,) = model.contacts(simulation.q)
    assert abs(point.gap) < 1e-6
    motion, still = np.linalg.svd(model.loop_system.terms(simulation.q).J)[2][-1], np.zeros(model.nv)
    along = [model.energy(model.integrate(simulation.q, d * motion), still)[1] for d in (1e-6, -1e-6)]
    expected = (along[0] - along[1]) / 2e-6 / (point.jacobian[0] @ motion)
    force = simulation.stepper.data.contact_memory.point[0]["force"]
    assert np.linalg.norm(force) == pytest.approx(expected, rel=1e-5)


def test_the_rocker_rests_where_the_penalty_law_leaves_it():
    """At rest both laws hold the loop at the stop with the same force; the penalty goes in by (F / k)^(2/3)."""
    rigid = gori.Simulation(gori.compile(four_bar(stop=0.4)), TimeStepping(step=1e-3))
    rigid.step(1000)
    apart = []
    for stiffness in (1e7, 1e8):
        model = gori.compile(four_bar(stop=0.4, law={"stiffness": stiffness}))
        soft = gori.Simulation(model, gori.RK4(step=2e-5))
        soft.run(1.5, progress=False)
        apart.append(np.abs(soft.q - rigid.q).max())
        force = [np.linalg.norm(one.stepper.data.contact_memory.point[0]["force"]) for one in (soft, rigid)]
        assert force[0] == pytest.approx(force[1], rel=5e-3)
    assert apart[0] < 2e-3 and apart[1] == pytest.approx(apart[0] * 0.1 ** (2.0 / 3.0), rel=0.1)


def test_a_ring_of_four_bars_falls_on_the_floor():
    """Loops stay closed, no energy appears, and it folds up flat."""
    model = gori.compile(ring())
    simulation = gori.Simulation(model, TimeStepping(step=2e-3))
    rec = simulation.run(3.0, sample=2e-3, progress=False)
    assert max(opening(model, q) for q in rec.q[::50]) < 1e-10
    energy = rec["energy.total"]
    assert np.diff(energy).max() < 1e-3 * np.ptp(energy) and energy.max() <= energy[0] * (1.0 + 1e-9)
    assert np.abs(simulation.v).max() < 1e-4 and np.nanmin(rec["contact.gap"]) > -1e-4


def test_a_state_of_a_loop_goes_on_bit_for_bit():
    model = gori.compile(ring())
    whole = gori.Simulation(model, TimeStepping(step=2e-3))
    whole.step(100)
    state = whole.state
    whole.step(100)
    other = gori.Simulation(model, TimeStepping(step=2e-3), state=gori.State.from_bytes(state.to_bytes()))
    other.step(100)
    assert other.state.digest() == whole.state.digest()


def test_another_loop_solver_is_refused():
    with pytest.raises(UnsupportedError, match="time_stepping solves the loop equations together with contact"):
        gori.Simulation(gori.compile(four_bar()), TimeStepping(), loops="partition")


def test_the_report_counts_solves():
    """One for each step in which anything is near."""
    model, near = gori.compile(ring()), 0
    stepped, simulation = (gori.Simulation(model, TimeStepping(step=2e-3)) for _ in range(2))
    for _ in range(100):
        stepped.step()
        near += int(stepped.stepper.data.contact_memory.head["points"][0]) > 0
    rec = simulation.run(0.2, progress=False)
    found, head = simulation.report["impulses"], simulation.stepper.data.contact_memory.head
    assert 10 < near < 90
    assert found == {"solves": near, "sweeps": int(head["iterations"][0]), "unconverged": int(head["stalled"][0])}
    assert rec.info["impulses"] == found


def test_a_solve_that_does_not_converge_is_counted_once():
    """However many tries it took: with one sweep no solve of a tilted box inside the floor does."""
    deep = ({"type": "box", "size": [0.3, 0.2, 0.1]}, at(z=0.02, turn=0.3), [1.0, 2.0, 0.5, 1.0, 0.3, 0.0])
    simulation = gori.Simulation(gori.compile(scene(box=deep)), TimeStepping(step=5e-3, sweeps=1, tolerance=1e-12))
    simulation.step(40)
    found = simulation.report["impulses"]
    assert 0 < found["unconverged"] <= found["solves"]
    assert simulation.stepper.data.contact_memory.head[0]["stalled"] > found["unconverged"]


def shaken(share, w=2.0):
    """A box on a base that is moved by A (1 - cos w t) along x, w^2 A = share mu g."""
    amplitude = share * 0.4 * 9.81 / w**2
    box = ({"type": "box", "size": [0.3, 0.2, 0.05]}, at(z=0.025), [0.0] * 6)
    base = {"position": [f"{amplitude!r}*(1 - cos({w!r}*t))", 0, 0]}
    return scene(friction=0.4, box=box).set("base", base), amplitude


def slid(share, w, t):
    """Way of a rigid block on the base against it, by small steps: sticks, or slides with mu g (NumPy)."""
    mu_g, dt = 0.4 * 9.81, 1e-5
    v, way, ways = 0.0, 0.0, []
    for time in np.arange(dt, t + 0.5 * dt, dt):
        base = share * mu_g / w * np.sin(w * time)
        v += np.clip(base - v, -mu_g * dt, mu_g * dt)
        way += dt * (v - base)
        ways.append(way)
    return np.array(ways)


@pytest.mark.parametrize("step", [1e-2, 1e-3])
def test_a_box_on_a_shaking_base_sticks_below_the_limit_of_friction(step):
    spec, amplitude = shaken(0.95)
    rec = gori.Simulation(gori.compile(spec), TimeStepping(step=step)).run(3.0, sample=1e-2, progress=False)
    relative = rec["box.vx"] - rec["base.x.v"]
    # the velocity is that of the base; positions follow the velocities at the ends of steps, half a step ahead
    # points give way by a thousandth of their mobility before they hold
    assert np.abs(relative).max() < 2e-3 * step * 4.0 * amplitude and np.ptp(rec["base.x.q"]) > 1.5 * amplitude
    ahead = rec["box.x"] - rec["base.x.q"] - 0.5 * step * rec["base.x.v"]
    assert np.abs(ahead).max() < 0.2 * step**2 * 10.0 and np.abs(rec["box.z"] - 0.025).max() < 1e-5
    mass = 0.3 * 0.2 * 0.05 * 1000.0
    expected = mass * 4.0 * amplitude * np.cos(2.0 * (rec.time - 0.5 * step))  # drive of the base
    np.testing.assert_allclose(rec["base.x.drive"][2:], expected[2:], atol=2e-3 * mass * 4.0 * amplitude)


def test_a_box_on_a_shaking_base_slides_beyond_the_limit():
    spec, _ = shaken(1.05)
    rec = gori.Simulation(gori.compile(spec), TimeStepping(step=2e-4)).run(3.0, sample=1e-2, progress=False)
    way = rec["box.x"] - rec["base.x.q"] - 0.5 * 2e-4 * rec["base.x.v"]
    expected = np.concatenate([[0.0], slid(1.05, 2.0, 3.0)[999::1000]])
    assert np.abs(expected).max() > 5e-3
    np.testing.assert_allclose(way, expected, atol=2e-2 * np.abs(expected).max())


def test_massless_carriages_of_a_base_are_lent_inertia_that_they_give_back():
    """A tilting base with a free box, and a pendulum hung on it: as the method without impulses has them."""
    spec = shaken(0.2)[0]
    rod = {"mass": 1.0, "com": [0, 0, -0.3], "inertia": [0.03, 0.03, 0.001]}
    pin = {"type": "revolute", "axis": [0, 1, 0], "parent": "ground", "at": [0, 2, 1], "child": "rod", "q": 0.3}
    more = {"position": ["0.2*sin(3*t)", 0, "0.05*sin(5*t)"], "rpy": ["0.1*sin(2*t)", "0.05*sin(4*t)", 0]}
    parts = spec.model_dump(exclude_unset=True)
    parts["bodies"]["rod"], parts["joints"]["pin"], parts["base"] = rod, pin, more
    model = gori.compile(gori.Spec.model_validate(parts))
    reference = gori.Simulation(gori.compile(gori.Spec.model_validate({**parts, "contacts": {}})), gori.RK4(step=1e-3))
    reference.run(1.0, progress=False)
    pin = model.joint("pin").q.start
    errors = []
    for step in (4e-3, 2e-3, 1e-3):
        simulation = gori.Simulation(model, TimeStepping(step=step))
        simulation.run(1.0, progress=False)
        errors.append(abs(simulation.q[pin] - reference.q[pin]))
    assert errors[2] < 2e-3 and all(0.4 < b / a < 0.6 for a, b in pairwise(errors))
