"""Steps of implicit Euler that are halved where bodies touch."""

import warnings

import numpy as np

import gori
from gori.integrate import ImplicitEuler
from gori.integrate.euler_steps import PARTS, euler_steps, goes_through
from gori.kernels.codes import CONTACT_PASSED, NO_CONVERGENCE, OK
from gori.kernels.machine import PASSES
from gori.sim import Simulation
from tests.integrate.steps import bundle, slider
from tests.plain import plain
from tests.sim.contact.machines import solid, spec_of


def lengths_of(solvable, passes=lambda length: False):
    """Lengths of the steps that were tried, where those that are not solvable fail; and what came of it."""
    tried = []

    def core(machine, data, memory, y):
        tried.append(memory.step[0].length)
        memory.work.x[:] = 0.0
        return OK if solvable(tried[-1]) else NO_CONVERGENCE

    def penalty(machine, data, t, q, v, what):
        return CONTACT_PASSED if what == PASSES and passes(tried[-1]) else OK

    machine, data, memory, y = bundle(slider(v=1.0), ImplicitEuler(1.0), penalty=penalty)
    machine = machine.replace(core=core)
    code = plain(euler_steps)(machine, data, memory, 0.0, 1.0, y)
    return tried, code, y, memory


def test_a_step_is_halved_until_it_is_solved_and_grows_again():
    tried, code, y, memory = lengths_of(lambda length: length <= 0.25)
    assert code == OK and tried == [1.0, 0.5, 0.25, 0.25, 0.5, 0.25, 0.25]
    assert y[0] == 1.0 and memory.head[0].halved == 1


def test_one_that_leads_through_a_body_too():
    tried, code, y, _ = lengths_of(lambda length: True, passes=lambda length: length > 0.5)
    assert code == OK and tried == [1.0, 0.5, 0.5] and y[0] == 1.0


def test_the_shortest_is_taken_or_fails():
    tried, code, *_ = lengths_of(lambda length: False)
    assert code == NO_CONVERGENCE and tried[-1] == 1.0 / PARTS and len(tried) == 7
    tried, code, *_ = lengths_of(lambda length: True, passes=lambda length: True)
    assert code == OK and tried.count(1.0 / PARTS) >= PARTS // 2


def test_the_end_of_a_step_is_looked_at():
    seen = []
    machine, data, memory, y = bundle(
        slider(v=2.0), ImplicitEuler(1.0), penalty=lambda *given: seen.append(given[2:]) or CONTACT_PASSED
    )
    memory.work.base_velocity[0], memory.work.base_increment[0], memory.step[0].end_time = 2.0, 3.0, 5.0
    assert plain(goes_through)(machine, data, memory, y)
    time, q, v, what = seen[0]
    assert (time, q[0], v[0], what) == (5.0, 3.0, 2.0, PASSES)


def test_a_pile_that_falls_at_long_steps_gains_no_energy():
    """Balls and boxes that meet at 2 m/s, k = 1e9, 10 ms: without halving such steps have no solution that is found."""
    rng, shapes = np.random.default_rng(3), [solid("box", size=[0.2, 0.15, 0.1], density=300.0),
                                            solid("sphere", radius=0.08, density=400.0)]  # fmt: skip
    one = spec_of(shapes[0], {"stiffness": 1e9}, height=0.1)
    bodies, joints = dict(one.bodies), dict(one.joints)
    for i in range(1, 5):
        at = [*(0.05 * rng.uniform(-1, 1, 2)), 0.1 + 0.18 * i]
        bodies[f"b{i}"] = {"shapes": {"s": shapes[i % 2]}}
        joints[f"j{i}"] = {"type": "free", "parent": "ground", "child": f"b{i}", "q": [1, 0, 0, 0, *at]}
    spec = gori.Spec(gravity=one.gravity, materials=one.materials, contacts=one.contacts, bodies=bodies, joints=joints)
    model = gori.compile(spec)
    simulation = Simulation(model, ImplicitEuler(step=0.01))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        energy = simulation.run(0.6, sample=0.01, progress=False)["energy.total"]
    assert np.diff(energy).max() < 1e-3 * energy[0] and energy[-1] < 0.5 * energy[0]
