"""What a run keeps is enough: a new Simulation that is given only that goes on bit for bit, whatever its work holds."""

import numpy as np
import pytest

import gori
from bench.mechanisms import four_bar
from gori.integrate import (
    RK4,
    STRATEGIES,
    Adams,
    AdamsMoulton,
    Dopri5,
    GeneralizedAlpha,
    ImplicitEuler,
    Method,
    Radau5,
    SemiImplicit,
)
from gori.kernels.tree.tree_solve import FELT, OWN, SCREW, TWIST
from gori.model.state import State
from gori.sim import Event, Simulation
from gori.sim.run import Block
from gori.spec import Spec
from tests.integrate.closed_machines import rockers, slider_crank
from tests.integrate.test_claims import chain

SOLVERS = ("multipliers", "partition", "frozen_explicit")
EXPLICIT = [
    RK4(step=1e-3),
    Adams(step=1e-3),
    AdamsMoulton(step=1e-3),
    SemiImplicit(step=1e-3),
    Dopri5(rtol=1e-8, atol=1e-10),
    Radau5(rtol=1e-8, atol=1e-10),
]
CASES = [(method, loops) for method in EXPLICIT for loops in SOLVERS]
CASES += [(GeneralizedAlpha(step=1e-3), None), (ImplicitEuler(step=1e-3), None)]


def free_four_bar() -> Spec:
    """A square four-bar that swings freely under gravity."""
    spec = four_bar()
    for name, sign in (("foot0", -1), ("foot1", -1), ("elbow1", 1)):
        spec = spec.set(f"joints.{name}.v", sign * 1.5)
    return spec


MACHINES = {"four_bar": free_four_bar, "rockers": rockers, "slider_crank": lambda: slider_crank(armature=0.02)}


def spoil(simulation: Simulation) -> None:
    """Fill all that is recomputable with NaN, and numbers of the present step with nonsense."""
    data, memory = simulation.stepper.data, simulation.stepper.memory
    for array in (data.dof_w, data.tau, data.values, data.stack, data.zdot, data.loops.work.flat):
        array[:] = np.nan
    data.body_w[1:] = np.nan  # row 0 is the ground, which never moves
    work = [memory.members()[name] for name in memory.members() if name in ("work", "dense", "tree")]
    for pieces in (*work, simulation.stepper._watch.work):
        pieces.flat[:] = np.nan
    if "tree" in memory.members() and memory.tree.flat.size:
        clear_padding(simulation)
    for name in memory.step.dtype.names:
        memory.step[name] = np.nan if memory.step.dtype[name].kind == "f" else -7


def clear_padding(simulation: Simulation) -> None:
    """Columns of eight numbers have two that are zero from the beginning and are never written (`tree_solve.py`)."""
    tree = simulation.stepper.memory.tree
    for start in range(OWN, FELT, 8):
        tree.body_n[:, start + 6 : start + 8] = 0.0
    for start in (SCREW, TWIST):
        tree.dof_n[:, start + 6 : start + 8] = 0.0


def advance(simulation: Simulation, duration: float) -> None:
    """Some steps. Adaptive methods go on until the duration is over, without cutting the last step."""
    if not simulation.method.adaptive:
        simulation.advance(round(duration / simulation.method.settings()["step"]))
        return
    stepper, end, block = simulation.stepper, simulation.time + duration, Block()
    clock = stepper._clock
    clock.end_time = clock.duration = 10.0
    clock.sample_period, clock.largest_step = 1.0, 1e9
    stages = simulation._stages(None, None, None)
    while simulation.time < end:
        block.most = 1
        for stage in stages:
            stage(block)
        assert block.failure is None


def check(make, at: float, more: float) -> None:
    """A run to `at`, and on; against a new Simulation that takes up the State of the first there."""
    first = make()
    advance(first, at)
    saved = first.state
    advance(first, more)
    other = make(state=State.from_bytes(saved.to_bytes()))
    spoil(other)
    advance(other, more)
    assert np.isfinite(first.q).all() and not np.array_equal(first.q, saved.q)
    assert first.event_log == other.event_log
    for name, array in first.state.arrays().items():
        np.testing.assert_array_equal(array, other.state.arrays()[name], err_msg=name)
    assert first.state.digest() == other.state.digest()


@pytest.mark.parametrize("name", MACHINES)
@pytest.mark.parametrize("method, loops", CASES, ids=lambda x: getattr(x, "kind", x))
def test_loops(name: str, method: Method, loops: str | None):
    model = gori.compile(MACHINES[name]())
    first = model.joint_names[0]
    events = {"passing": Event(f"{first}.q - {1.2 if name == 'rockers' else -0.3 if name == 'four_bar' else 1.1}")}
    for at in (0.05, 0.153):
        check(lambda **at: Simulation(model, method, loops=loops, events=events, **at), at, 0.3)


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("method", [ImplicitEuler, GeneralizedAlpha])
def test_strategies(strategy: str, method):
    model = gori.compile(chain())
    events = {"e": Event("j1.q")}
    check(lambda **at: Simulation(model, method(step=2e-3, jacobian=strategy), events=events, **at), 0.05, 0.1)


@pytest.mark.parametrize("method", EXPLICIT, ids=lambda method: method.kind)
def test_trees(method: Method):
    model = gori.compile(chain())
    check(lambda **at: Simulation(model, method, events={"e": Event("j1.q")}, **at), 0.05, 0.1)


@pytest.mark.parametrize("method", [*EXPLICIT[:-2], GeneralizedAlpha(), EXPLICIT[-1]], ids=lambda method: method.kind)
def test_forgetting_leaves_nothing_of_the_past(method: Method):
    """After `forget` a run is the one of a new Simulation from that state."""
    model = gori.compile(chain())
    used = Simulation(model, method)
    advance(used, 0.05)
    start = used.state.replace(v=used.v)
    assert "method" not in start.parts
    used.state = start
    fresh = Simulation(model, method, state=start)
    advance(used, 0.05)
    advance(fresh, 0.05)
    np.testing.assert_array_equal(used.q, fresh.q)
