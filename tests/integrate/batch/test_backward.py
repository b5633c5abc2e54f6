"""Steps backwards, of one machine: what is left is counted, and a machine that fails is lost."""

import numpy as np

import gori
from gori.integrate.batch.backward import BackwardJob, back_in_turn, backward_step
from gori.kernels.codes import OK
from gori.sim.batch.backward import backward_memory
from tests.checks import close
from tests.plain import plain, records
from tests.sim.batch.machines import arm

H = 1e-3


def in_turn(stepper, states, given) -> BackwardJob:
    """One machine, with its gradients."""
    memory, body_f, element_f = backward_memory(stepper, 2), stepper.machine.body_f, stepper.machine.element_f
    memory.head["tables"] = 1
    job = BackwardJob(
        machine=stepper.machine, data=stepper.data, memory=memory, numbers=np.zeros(0, np.int64),
        values=np.zeros((0, 1)), times=np.zeros((1, 2)), states=states[None], signals=np.zeros((1, 2, 0)),
        given=given[None, None, None], of_state=np.empty((1, 1, len(given))), of_signals=np.empty((1, 1, 2, 0)),
        of_body=np.empty((1, 1, *body_f.shape)), of_element=np.empty((1, 1, *element_f.shape)),
    )  # fmt: skip
    assert back_in_turn(job, H, np.zeros(len(stepper.y)), 0, 1) == OK
    return job


def test_in_plain_python_and_compiled():
    model, rng = arm(), np.random.default_rng(0)
    stepper = gori.Simulation(model, gori.SemiImplicit(step=H)).stepper
    states, given = rng.normal(size=(2, 2 * model.nv)), rng.normal(size=2 * model.nv)
    compiled, memory = in_turn(stepper, states, given), backward_memory(stepper, 2)
    memory.trace.states[:, : 2 * model.nv], memory.trace.given[0] = states, given
    memory.head["left"], memory.head["tables"] = 2, 1
    machine, data, own = (records(x) for x in (stepper.machine, stepper.data, memory))
    for left in (1, 0):
        assert plain(backward_step)(machine, data, own, 0.0, H, stepper.y) == OK
        assert memory.head["left"][0] == left
    close(compiled.of_state[0, 0], memory.trace.of_state, 1e-12)
    close(compiled.of_body[0, 0], memory.work.of_body, 1e-12)
    assert np.abs(memory.work.of_body).max() > 1e-6


def test_a_machine_that_is_lost_stays_lost():
    model = arm()
    stepper = gori.Simulation(model, gori.SemiImplicit(step=H)).stepper
    states = np.zeros((2, 2 * model.nv))
    states[1, 0] = np.nan
    job = in_turn(stepper, states, np.ones(2 * model.nv))
    assert np.isnan(job.of_state).all() and job.memory.head["lost"][0] == 1 and job.memory.head["left"][0] == 0
