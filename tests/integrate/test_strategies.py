"""All strategies for the Jacobian on random trees: against the textbook twins, and against each other."""

import numpy as np
import pytest

import gori
from gori.model.state import State
from gori.sim import Simulation
from gori.spec import Spec
from tests.checks import close, machine
from tests.integrate.test_order import END, error_of
from tests.reference import dynamics as dyn
from tests.reference.forces import state_count
from tests.reference.implicit import Step, alpha_step, column_step, linear_step, newton_step
from tests.reference.random_spec import ALL_TYPES, random_state
from tests.reference.tree import Tree
from tests.sim.test_forces import random_machine

H = 0.01
STRATEGIES = {
    "full": gori.jacobian.Full(),
    "differences": gori.jacobian.Full(differences=True),
    "frozen": gori.jacobian.Frozen(),
    "round robin": gori.jacobian.RoundRobin(2),
    "fastest": gori.jacobian.Fastest(2),
    "error-driven": gori.jacobian.ErrorDriven(),
    "matrix-free": gori.jacobian.MatrixFree(),
}
LAGS = {"frozen": 3.0, "round robin": 0.2, "fastest": 1.0, "error-driven": 0.1}
"""what a Jacobian that lags behind may add to the error, as a share of it"""


def tree(seed):
    """A random tree without forces, every other one floating: Model, Tree, start."""
    model, tree = machine(seed, n=6, floating=seed % 2 == 1)
    q, v, _ = random_state(np.random.default_rng(seed), tree)
    return model, tree, State(0.0, q, v)


def with_forces(seed, smooth=False):
    """A random tree with forces of all kinds; smooth: without friction, stops and struts, whose dampers have a kink."""
    rng, spec = random_machine(seed, n=5)
    if smooth:
        fields = spec.model_dump(exclude_unset=True)
        for joint in fields["joints"].values():
            for name in ("friction", "stick_stiffness", "limits", "limit_stiffness", "limit_damping"):
                joint.pop(name, None)
        fields["forces"] = {name: force for name, force in fields["forces"].items() if force["type"] != "strut"}
        for force in fields["forces"].values():
            force.pop("limit", None)
        spec = Spec(**fields)
    tree = Tree(spec)
    q, v, _ = random_state(rng, tree)
    return gori.compile(spec), tree, State(0.3, q, v, 1e-3 * rng.normal(size=state_count(tree)))


def springy(seed, balls=True, stiffness=300.0):
    """A random tree with springs and dampers in its joints; balls: in spherical ones, too."""
    model, _ = machine(seed, n=6, floating=seed % 2 == 1)
    fields = model.spec.model_dump(exclude_unset=True)
    for joint in fields["joints"].values():
        if joint["type"] not in ("fixed", "free") and (balls or joint["type"] != "spherical"):
            joint |= {"stiffness": stiffness, "damping": 2.0}
    spec = Spec(**fields)
    tree = Tree(spec)
    q, v, _ = random_state(np.random.default_rng(seed), tree)
    return gori.compile(spec), tree, State(0.0, q, v)


def twin_of(model, tree, state, user=None):
    return Step(tree, model.q0, state.time, H, state.q, state.v, state.z, user)


def compare(state, step, x, tolerance):
    """A State with the end of the twin's step, for x."""
    for actual, expected in zip((state.q, state.v, state.z), step.end(x)[1:]):
        close(actual, expected, tolerance)


def converged(model, tree, start, user=None, tolerance=1e-7):
    """All strategies take the same converged steps as the twins: implicit Euler, then two of generalized-alpha."""
    step = twin_of(model, tree, start, user)
    x = newton_step(step, np.zeros(tree.nv))
    for strategy in STRATEGIES.values():
        method = gori.ImplicitEuler(H, jacobian=strategy, newton=True)
        compare(Simulation(model, method, state=start, forces=user).step(), step, x, tolerance)

    step = twin_of(model, tree, start, user)
    vdot = dyn.aba(tree, start.q, start.v, *step.load(start.time, start.q, start.v, start.z))
    x, a = alpha_step(step, vdot, vdot)
    second = Step(tree, model.q0, start.time + H, H, *step.end(x)[1:], user)
    y, _ = alpha_step(second, x, a)
    for strategy in STRATEGIES.values():
        simulation = Simulation(model, gori.GeneralizedAlpha(H, jacobian=strategy), state=start, forces=user)
        compare(simulation.step(), step, x, tolerance)
        compare(simulation.step(), second, y, tolerance)


@pytest.mark.parametrize("seed", range(5))
def test_converged_steps_of_random_trees(seed):
    converged(*tree(seed))


def test_these_trees_have_all_joints():
    kinds = {link.joint.type for seed in range(5) for link in tree(seed)[1].links}
    assert kinds == set(ALL_TYPES)


@pytest.mark.parametrize("seed", [0, 4, 7, 8])
def test_converged_steps_with_all_forces(seed):
    converged(*with_forces(seed))


@pytest.mark.parametrize("seed", [2, 3])
def test_converged_steps_with_springs_in_ball_joints(seed):
    model, twin, start = springy(seed)
    assert any(link.joint.type == "spherical" for link in twin.links)
    converged(model, twin, start)


def test_converged_steps_with_a_function_of_the_user():
    converged(*tree(0), user=lambda t, q, v: np.sin(9.0 * t) - 30.0 * v - 5.0 * v[::-1])


def after_two(model, start, strategy, **options):
    """States after a step, which is iterated, and after another, which is one linear solve."""
    simulation = Simulation(model, gori.ImplicitEuler(H, jacobian=strategy), state=start, **options)
    return simulation.step(), simulation.step()


@pytest.mark.parametrize("springs", [False, True], ids=["no forces", "springs"])
@pytest.mark.parametrize("seed", range(4))
def test_one_linear_solve(seed, springs):
    """Analytic derivatives are those for the last accelerations; by differences they are those of f."""
    model, tree_, start = springy(seed, balls=False) if springs else tree(seed)
    first, full = after_two(model, start, gori.jacobian.Full())
    step = twin_of(model, tree_, first)
    x = linear_step(step, (first.v - start.v) / H)
    compare(full, step, x, 1e-8)
    _, free = after_two(model, start, gori.jacobian.MatrixFree())
    close(free.q, full.q, 1e-11)
    close(free.v, full.v, 1e-11)

    _, differences = after_two(model, start, gori.jacobian.Full(differences=True))
    x = column_step(step, np.eye(tree_.nv), np.arange(tree_.nv))
    compare(differences, step, x, 1e-7)
    if not springs:  # with springs the accelerations change much from step to step
        close(differences.v, full.v, 1e-5)
    _, columns = after_two(model, start, gori.jacobian.RoundRobin(tree_.nv))
    close(columns.v, differences.v, 1e-7)
    close(columns.q, differences.q, 1e-7 * H * max(1.0, np.abs(differences.v).max()))  # q' = q (+) h v'


@pytest.mark.parametrize("seed", [0, 1, 4])
def test_one_linear_solve_with_forces_on_bodies(seed):
    model, twin, start = with_forces(seed, smooth=True)
    first, full = after_two(model, start, gori.jacobian.Full())
    step = twin_of(model, twin, first)
    compare(full, step, linear_step(step, (first.v - start.v) / H), 1e-5)
    _, differences = after_two(model, start, gori.jacobian.Full(differences=True))
    compare(differences, step, column_step(step, np.eye(twin.nv), np.arange(twin.nv)), 1e-6)
    close(differences.v, full.v, 1e-4)
    _, columns = after_two(model, start, gori.jacobian.RoundRobin(twin.nv))
    close(columns.v, differences.v, 1e-8)


@pytest.mark.parametrize("seed", [0, 1, 4])
def test_gmres_solves_what_full_solves(seed):
    """Forces on bodies are not in the recursion, but the linear equations are the same."""
    model, _, start = with_forces(seed, smooth=True)
    _, full = after_two(model, start, gori.jacobian.Full())
    _, free = after_two(model, start, gori.jacobian.MatrixFree(1e-10))
    close(free.v, full.v, 1e-5)


@pytest.mark.parametrize("seed", range(3))
def test_gmres_only_where_it_is_needed(seed):
    counts = {}
    for name, (model, _, start) in {"springs": springy(seed, balls=False), "bodies": with_forces(seed)}.items():
        simulation = Simulation(model, gori.ImplicitEuler(H), state=start)
        simulation.step(5)
        counts[name] = simulation.report["jacobian"]["products_per_step"]
    assert counts["springs"] == 0 and 1 <= counts["bodies"] <= 100


@pytest.mark.parametrize("seed", range(3))
def test_lagging_strategies_stay_close(seed):
    """Over 0.3 s of motion a lag of the Jacobian adds no more than a share to the error of implicit Euler."""
    model, _, start = springy(seed, stiffness=20.0)
    fine = Simulation(model, gori.Dopri5(rtol=1e-9, atol=1e-9), state=start).run(0.3, sample=0.3).q[-1]
    ends = {}
    for name, strategy in STRATEGIES.items():
        simulation = Simulation(model, gori.ImplicitEuler(1e-3, jacobian=strategy), state=start)
        ends[name] = simulation.run(0.3, sample=0.3).q[-1]
    error = np.abs(model.difference(fine, ends["full"])).max()
    lags = {name: np.abs(model.difference(ends["full"], q)).max() for name, q in ends.items()}
    print(f"\ntree {seed}: error {error:.1e};", ", ".join(f"{name} {lag:.1e}" for name, lag in lags.items()))
    assert all(lag < LAGS.get(name, 0.01) * error for name, lag in lags.items())


@pytest.mark.parametrize("machine", ["double pendulum", "ball chain"])
@pytest.mark.parametrize("name", STRATEGIES)
@pytest.mark.parametrize("kind", ["implicit_euler", "generalized_alpha"])
def test_order(kind, name, machine):
    expected, count = {"implicit_euler": (1, 500), "generalized_alpha": (2, 100)}[kind]
    method = {"implicit_euler": gori.ImplicitEuler, "generalized_alpha": gori.GeneralizedAlpha}[kind]
    steps = [END / (count << k) for k in range(3)]
    errors = np.array([error_of(machine, method(h, jacobian=STRATEGIES[name])) for h in steps])
    orders = np.log2(errors[:-1] / errors[1:])
    print(f"\n{kind} {name} {machine}: orders {orders[0]:.3f} {orders[1]:.3f}, error {errors[-1]:.1e}")
    assert abs(orders[-1] - expected) < 0.1 and errors[0] < 0.2
