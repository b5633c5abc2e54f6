"""Steps that keep where they began, in plain Python."""

from types import SimpleNamespace

import numpy as np

import gori
from gori.integrate.batch.recorded import RECORD, recorded_step
from gori.kernels.codes import OK
from tests.checks import close
from tests.plain import plain, records
from tests.sim.batch.machines import EXAMPLES


def test_inputs_are_taken_and_starts_are_kept():
    model, h, rng = gori.compile(gori.load(EXAMPLES / "robot_pd.yaml")), 1e-3, np.random.default_rng(0)
    batch = gori.batch(model, 1, gori.SemiImplicit(step=h))
    stepper = batch.another().stepper
    signals = len(stepper.data.values)
    trace = RECORD.make(nstep=3, ny=len(stepper.y), nval=signals)
    trace.values[:] = rng.normal(size=(3, signals))
    memory = SimpleNamespace(work=stepper.memory.work, trace=trace)
    held = [batch.model.forces.signal_names.index(f"forces.{name}.target") for name in batch.inputs]
    y = stepper.y.copy()
    for k in range(3):
        assert np.array_equal(batch.q[0], y[: model.nq])
        code = plain(recorded_step)(records(stepper.machine), records(stepper.data), memory, k * h, h, y)
        close(trace.states[k, : model.nq], batch.q[0], 1e-13)
        for name, signal in zip(batch.inputs, held):
            batch.inputs[name] = trace.values[k, signal]
        batch.step(1)
        assert code == OK and trace.next[0] == k + 1
        y[: model.nq], y[model.nq : -1] = batch.q[0], batch.v[0]
