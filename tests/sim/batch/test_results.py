from gori.sim.batch.results import Cotangents, StepJacobian


def test_they_unpack_into_the_first_two():
    by_state, by_inputs = StepJacobian(1, 2, {"path": 3})
    of_start, of_inputs = Cotangents(4, 5)
    assert (by_state, by_inputs, of_start, of_inputs) == (1, 2, 4, 5) and Cotangents(4, 5).of_parameters == {}
