"""What is handed in by mistake is refused by a sentence that says what was meant."""

import numpy as np
import pytest

import gori
from gori.errors import InputError
from gori.sim.callers.mistaken import refuse_mistaken
from tests.sim.machines import falling

SPEC = falling()
MODEL = gori.compile(SPEC)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: gori.Simulation(SPEC), r"a Model is needed here, not a Spec: gori.compile\(spec\) makes it"),
        (lambda: gori.Simulation(gori.Model), "not the class Model"),
        (lambda: gori.Simulation(None), "not a NoneType"),
        (lambda: gori.Simulation(MODEL, gori.RK4), r"method is the class RK4: make one, RK4\(\.\.\.\)"),
        (lambda: gori.Simulation(MODEL, int), "method must be a Method, not the class int"),
        (lambda: gori.Simulation(MODEL, loops=gori.loops.Partition), "loops is the class Partition: make one"),
        (lambda: gori.Simulation(MODEL).step(10**30), "that many steps cannot be counted: at most 9.01e[+]15"),
        (lambda: gori.Simulation(MODEL).run(1e30), r"a duration of 1e\+30 s is more than 9e\+15 steps of 0.001 s"),
        (lambda: gori.Simulation(MODEL).run(10**400), "duration must be a positive number of seconds"),
        (lambda: gori.compile(MODEL), "this is a Model already: to compile it again, compile its Spec, model.spec"),
        (lambda: gori.save(MODEL, "out.yaml"), "save takes a Spec, not a Model: model.spec is the Spec"),
        (lambda: gori.save(None, "out.yaml"), "save takes a Spec, not a NoneType"),
        (lambda: gori.assemble(SPEC), "a Model is needed here, not a Spec"),
        (lambda: gori.consistent_velocity(SPEC, [0.0]), "a Model is needed here, not a Spec"),
        (lambda: gori.kinematics(SPEC, [0.0]), "a Model is needed here, not a Spec"),
        (lambda: gori.Recording(SPEC, [0.0], [[0.0]], [[0.0]]), "a Model is needed here, not a Spec"),
    ],
)
def test_what_was_meant_is_said(call, words):
    with pytest.raises(InputError, match=words):
        call()


def test_what_is_right_is_taken():
    for method, loops in ((None, None), (gori.RK4(), gori.loops.Partition()), ("rk4", "partition")):
        refuse_mistaken(MODEL, method, loops)
    assert gori.Simulation(MODEL).step(np.int64(2)).time == pytest.approx(2e-3)
