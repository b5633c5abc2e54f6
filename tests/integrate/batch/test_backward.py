"""Steps backwards, of one machine: what is left is counted, and a machine that fails is lost."""

import numpy as np

import gori
from gori.integrate.batch.backward import backward_step, steps_back
from gori.kernels.codes import OK
from gori.sim.batch.backward import backward_memory
from tests.checks import close
from tests.plain import plain, records
from tests.sim.batch.machines import arm


def test_in_plain_python_and_compiled():
    model, h, rng = arm(), 1e-3, np.random.default_rng(0)
    stepper = gori.Simulation(model, gori.SemiImplicit(step=h)).stepper
    states, given = rng.normal(size=(2, len(stepper.y))), rng.normal(size=2 * model.nv)
    found = []
    for call in ("compiled", "plain"):
        memory = backward_memory(stepper, 2)
        memory.trace.states[:], memory.trace.given[0] = states, given
        memory.head["left"], memory.head["tables"] = 2, 1
        if call == "compiled":
            steps_back(stepper.machine, stepper.data, memory, h, stepper.y)
        else:
            machine, data, own = (records(x) for x in (stepper.machine, stepper.data, memory))
            for left in (1, 0):
                assert plain(backward_step)(machine, data, own, 0.0, h, stepper.y) == OK
                assert memory.head["left"][0] == left
        found.append(np.concatenate([memory.trace.of_state, memory.work.of_body.ravel()]))
    assert np.isfinite(found[0]).all()
    close(found[1], found[0], 1e-12)


def test_a_machine_that_is_lost_stays_lost():
    model = arm()
    stepper = gori.Simulation(model, gori.SemiImplicit(step=1e-3)).stepper
    memory = backward_memory(stepper, 2)
    memory.trace.states[1, 0] = np.nan
    memory.head["left"] = 2
    assert steps_back(stepper.machine, stepper.data, memory, 1e-3, stepper.y) == OK
    assert np.isnan(memory.trace.of_state).all() and memory.head["lost"][0] == 1 and memory.head["left"][0] == 0
