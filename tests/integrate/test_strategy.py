"""Strategies as settings: round trips through methods and files, and what is refused, in which words."""

import numpy as np
import pytest

import gori
from gori.errors import InputError, SimulationError
from gori.formats import read_yaml, write_yaml
from gori.integrate import STRATEGIES, method_of, strategy_of
from gori.sim import Simulation
from gori.sim.runfile import run_spec
from tests.sim.machines import hinge

GIVEN = {
    "full": (gori.jacobian.Full(differences=True), {"type": "full", "differences": True}),
    "frozen": (gori.jacobian.Frozen(), {"type": "frozen"}),
    "round_robin": (gori.jacobian.RoundRobin(2), {"type": "round_robin", "columns": 2}),
    "fastest": (gori.jacobian.Fastest(3), {"type": "fastest", "columns": 3}),
    "error_driven": (gori.jacobian.ErrorDriven(0.05), {"type": "error_driven", "tolerance": 0.05}),
    "matrix_free": (gori.jacobian.MatrixFree(1e-9), {"type": "matrix_free", "tolerance": 1e-9}),
}


def test_all_strategies_have_a_row_here():
    assert set(GIVEN) == set(STRATEGIES)


@pytest.mark.parametrize("kind", GIVEN)
@pytest.mark.parametrize("method", ["implicit_euler", "generalized_alpha"])
def test_settings_make_the_same_method(method, kind):
    strategy, settings = GIVEN[kind]
    one = method_of({"type": method, "step": 1e-3, "jacobian": settings})
    assert one.jacobian == strategy
    assert one == method_of({"type": method, "step": 1e-3, "jacobian": strategy})
    assert one.settings()["jacobian"] == settings
    assert method_of(one.settings()) == one


@pytest.mark.parametrize("kind", GIVEN)
def test_a_name_alone(kind):
    assert method_of({"type": "implicit_euler", "jacobian": kind}).jacobian == STRATEGIES[kind]()
    assert gori.GeneralizedAlpha(1e-3, jacobian=kind).settings()["jacobian"]["type"] == kind


def test_defaults():
    for method in (gori.ImplicitEuler(), gori.GeneralizedAlpha()):
        assert method.jacobian == gori.jacobian.MatrixFree() and method.jacobian.tolerance == 1e-6
    assert strategy_of("round_robin").columns == strategy_of("fastest").columns == 1
    assert strategy_of("error_driven").tolerance == 0.1 and not strategy_of("full").differences


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"type": "round_robin", "columns": 0}, "round_robin: columns must be 1, 2, 3, .*not 0"),
        ({"type": "fastest", "columns": True}, "fastest: columns must be 1, 2, 3, .*not True"),
        ({"type": "fastest", "columns": 2.0}, "fastest: columns must be 1, 2, 3, .*not 2.0"),
        ({"type": "round_robin", "columns": "all"}, "columns must be .*not 'all'"),
        ({"type": "error_driven", "tolerance": 2}, "error_driven: tolerance must lie between 0 and 1, not 2"),
        ({"type": "matrix_free", "tolerance": 0.0}, "matrix_free: tolerance must lie between 0 and 1, not 0.0"),
        ({"type": "matrix_free", "tolerance": float("nan")}, "tolerance must lie between 0 and 1, not nan"),
        ({"type": "error_driven", "tolerance": "small"}, "tolerance must lie between 0 and 1, not 'small'"),
        ({"type": "broyden"}, "jacobian 'broyden' is not one of full, frozen, round_robin, fastest, error_driven"),
        ("nothing", "jacobian 'nothing' is not one of full"),
        ({}, "jacobian None is not one of"),
        ({"type": "frozen", "columns": 2}, "jacobian frozen takes no parameters, not columns"),
        ({"type": "round_robin", "colums": 2}, "jacobian round_robin takes columns, not colums"),
        ({"type": "full", "columns": 1}, "jacobian full takes differences, not columns"),
    ],
    ids=str,
)
def test_what_is_refused(settings, words):
    with pytest.raises(InputError, match=words):
        method_of({"type": "implicit_euler", "step": 1e-3, "jacobian": settings})


def test_methods_without_a_jacobian_say_so():
    with pytest.raises(InputError, match=r"method rk4 takes .*not .*jacobian"):
        method_of({"type": "rk4", "step": 1e-3, "jacobian": "full"})


RUN = """gori: 1
bodies: {b: {mass: 1, com: [0, 0, -0.5]}, c: {mass: 1, com: [0, 0, -0.5]}}
joints:
  A: {type: revolute, parent: ground, child: b, axis: [0, 1, 0], q: 1.0}
  B: {type: revolute, parent: b, child: c, axis: [0, 1, 0], at: [0, 0, -1], stiffness: 5}
run:
  duration: 0.5
  method: {type: implicit_euler, step: 1e-2, jacobian: {type: round_robin, columns: 1}}
"""


def test_a_run_file_keeps_and_uses_the_strategy(tmp_path):
    spec = read_yaml(None, RUN)
    assert read_yaml(None, write_yaml(spec)) == spec
    rec = run_spec(spec, tmp_path / "out", plots=False, progress=False)
    method = gori.ImplicitEuler(1e-2, jacobian=gori.jacobian.RoundRobin(1))
    assert method_of(rec.info["method"]) == method
    assert rec.info["jacobian"]["steps"] == 50 and rec.info["jacobian"]["columns_per_step"] == (2 + 49) / 50
    again = Simulation(gori.compile(spec), method).run(0.5, progress=False)
    np.testing.assert_array_equal(rec.q[-1], again.q[-1])
    assert method_of(gori.Recording.load(tmp_path / "out" / "run.h5").info["method"]) == method


def test_a_run_file_with_a_wrong_strategy(tmp_path):
    spec = read_yaml(None, RUN.replace("round_robin", "robin"))
    with pytest.raises(InputError, match="jacobian 'robin' is not one of"):
        run_spec(spec, tmp_path / "out", progress=False)


@pytest.mark.parametrize("kind", GIVEN)
def test_a_function_of_the_user_that_fails_is_named(kind):
    """What goes wrong within the making of a Jacobian is told like anywhere else, and the state stays."""

    def force(t, q, v):
        if t > 0.5:
            raise ZeroDivisionError("no more")
        return 1.0 - v

    simulation = Simulation(gori.compile(hinge()), gori.ImplicitEuler(1e-2, jacobian=kind), forces=force)
    with pytest.raises(SimulationError, match=r"user function failed at t = 0\.(49|5).*no more"):
        simulation.run(1.0, progress=False)
    assert 0.48 < simulation.time <= 0.5 and np.isfinite(simulation.state.v).all()


@pytest.mark.parametrize("kind", GIVEN)
def test_a_machine_that_cannot_move(kind):
    spec = gori.Spec(bodies={"b": {"mass": 1.0}}, joints={"j": {"type": "fixed", "parent": "ground", "child": "b"}})
    state = Simulation(gori.compile(spec), gori.ImplicitEuler(1e-2, jacobian=kind)).step(3)
    assert state.time == pytest.approx(0.03) and state.q.size == 0
