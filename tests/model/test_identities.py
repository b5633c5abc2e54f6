"""What must hold between the answers of a Model, whatever the machine; and that batches, threads and history do not
show in them."""

import numpy as np
import pytest

import gori
from gori.errors import InputError, SingularError
from tests.checks import close, machine, states, take
from tests.reference.dynamics import derivative

SEEDS = range(6)
TURNING = ("revolute", "universal", "fixed")

ANSWERS = {
    "forward_kinematics": lambda m, x: m.forward_kinematics(x["q"]).position,
    "rotations": lambda m, x: m.forward_kinematics(x["q"]).rotation,
    "jacobian": lambda m, x: m.jacobian(x["q"], "f0"),
    "jacobian, own axes": lambda m, x: m.jacobian(x["q"], "f0", "body"),
    "jacobian_rate": lambda m, x: m.jacobian_rate(x["q"], x["v"], "f0"),
    "jacobian_rate, own axes": lambda m, x: m.jacobian_rate(x["q"], x["v"], "f0", "body"),
    "inverse_dynamics": lambda m, x: m.inverse_dynamics(x["q"], x["v"], x["a"]),
    "inverse_dynamics, wrenches": lambda m, x: m.inverse_dynamics(x["q"], x["v"], x["a"], x["wrenches"]),
    "aba": lambda m, x: m.forward_dynamics(x["q"], x["v"], x["tau"]),
    "aba, wrenches": lambda m, x: m.forward_dynamics(x["q"], x["v"], x["tau"], x["wrenches"]),
    "crba": lambda m, x: m.forward_dynamics(x["q"], x["v"], x["tau"], method="crba"),
    "direct": lambda m, x: m.forward_dynamics(x["q"], x["v"], x["tau"], method="direct"),
    "mass_matrix": lambda m, x: m.mass_matrix(x["q"]),
    "derivatives": lambda m, x: np.stack(m.derivatives(x["q"], x["v"], x["tau"]), axis=-3),
    "inverse_derivatives": lambda m, x: np.stack(m.inverse_derivatives(x["q"], x["v"], x["a"]), axis=-3),
    "transposed_derivatives": lambda m, x: np.stack(
        m.transposed_derivatives(x["q"], x["v"], x["tau"], x["a"]), axis=-2
    ),
    "energy": lambda m, x: np.stack(m.energy(x["q"], x["v"]), axis=-1),
    "momentum": lambda m, x: m.momentum(x["q"], x["v"]),
    "center_of_mass": lambda m, x: m.center_of_mass(x["q"]),
    "integrate": lambda m, x: m.integrate(x["q"], x["v"]),
    "difference": lambda m, x: m.difference(x["q"], m.integrate(x["q"], 0.5 * x["v"])),
}
DYNAMICS = ("inverse_dynamics", "aba", "crba", "direct", "mass_matrix", "derivatives", "inverse_derivatives")


# ---- identities


@pytest.mark.parametrize("seed", SEEDS)
def test_mass_matrix_is_symmetric_and_positive(seed):
    model, tree = machine(seed)
    M = model.mass_matrix(states(tree, 19)["q"])
    assert np.array_equal(M, M.swapaxes(1, 2))
    assert np.linalg.eigvalsh(M).min() > 0.0
    close(model.condition(states(tree, 19)["q"]), np.linalg.cond(M), 1e-8)


@pytest.mark.parametrize("method", ["aba", "crba", "direct"])
@pytest.mark.parametrize("seed", SEEDS)
def test_forward_dynamics_inverts_inverse_dynamics(seed, method):
    model, tree = machine(seed)
    x = states(tree, 19)
    tau = model.inverse_dynamics(x["q"], x["v"], x["a"], x["wrenches"])
    close(model.forward_dynamics(x["q"], x["v"], tau, x["wrenches"], method), x["a"], 1e-9)


@pytest.mark.parametrize("seed", SEEDS)
def test_power_balance(seed):
    """d/dt (T + V) = v tau + the power of the wrenches."""
    model, tree = machine(seed)
    x = take(states(tree, 1, seed), 0)
    q, v, a = x["q"], x["v"], x["a"]
    tau = model.inverse_dynamics(q, v, a, x["wrenches"])
    outside = sum(wrench @ model.jacobian(q, name) @ v for name, wrench in x["wrenches"].items())
    rate = derivative(lambda t: sum(model.energy(model.integrate(q, t * v), v + t * a)))
    close(rate, v @ tau + outside, 1e-9)


@pytest.mark.parametrize("seed", SEEDS)
def test_mass_matrix_rate_and_velocity_forces_agree(seed):
    """v' (M' - 2 C) v = 0: the velocity forces C v and half the rate of M do the same work."""
    model, tree = machine(seed)
    x = take(states(tree, 1, seed), 0)
    q, v = x["q"], x["v"]
    rate = derivative(lambda t: model.mass_matrix(model.integrate(q, t * v)))
    close(0.5 * v @ rate @ v, v @ (model.bias(q, v) - model.gravity_force(q)), 1e-9)
    close(model.energy(q, v)[0], 0.5 * v @ model.mass_matrix(q) @ v, 1e-12)


@pytest.mark.parametrize("seed", SEEDS)
def test_derivatives_of_forward_and_inverse_dynamics_agree(seed):
    """d qdd/d tau = M^-1, and d qdd/dx = -M^-1 d tau/dx at the same point."""
    model, tree = machine(seed)
    x = states(tree, 19)
    M = model.mass_matrix(x["q"])
    qdd = model.forward_dynamics(x["q"], x["v"], x["tau"])
    forward = model.derivatives(x["q"], x["v"], x["tau"])
    inverse = model.inverse_derivatives(x["q"], x["v"], qdd)
    close(inverse.da, M, 1e-12)
    for b in range(19):
        close(forward.dtau[b], np.linalg.inv(M[b]), 1e-10)
        close(forward.dq[b], -np.linalg.solve(M[b], inverse.dq[b]), 1e-9)
        close(forward.dv[b], -np.linalg.solve(M[b], inverse.dv[b]), 1e-9)


@pytest.mark.parametrize("seed", SEEDS)
def test_integrate_and_difference_are_inverse(seed):
    model, tree = machine(seed)
    x = states(tree, 19)
    step = 0.4 * x["v"]
    close(model.difference(x["q"], model.integrate(x["q"], step)), step, 1e-12)
    moved = model.integrate(x["q"], model.difference(x["q"], np.roll(x["q"], 1, axis=0)))
    close(
        model.forward_kinematics(moved).rotation, model.forward_kinematics(np.roll(x["q"], 1, axis=0)).rotation, 1e-11
    )
    close(model.difference(x["q"], x["q"]), np.zeros_like(step), 1e-15)


# ---- far away, and many turns


@pytest.mark.parametrize("question", DYNAMICS)
@pytest.mark.parametrize("seed", SEEDS[:3])
def test_far_from_the_origin(seed, question):
    """No digit is lost 1e5 m away: the dynamics of a tree never see where its root stands, so results are equal."""
    model, tree = machine(seed, types=(*TURNING, "prismatic"), floating=True)
    near = states(tree, 19)
    far = near | {"q": near["q"].copy()}
    for info in model.joints:
        if info.type == "free":
            far["q"][:, info.q.start + 4 : info.q.stop] += [1e5, -2e5, 3e5]
    assert np.array_equal(ANSWERS[question](model, near), ANSWERS[question](model, far))
    one, other = take(near, 0), take(far, 0)
    assert np.array_equal(ANSWERS[question](model, one), ANSWERS[question](model, other))


@pytest.mark.parametrize("question", DYNAMICS)
@pytest.mark.parametrize("turn", [1e2, 1e4, 1e6, 1e7, 1e12])
def test_many_turns(turn, question):
    """Angles on both sides of what the lanes' own sine takes, against libm and without the turns."""
    model, tree = machine(1, types=TURNING)
    x = states(tree, 19)
    x["q"] *= turn
    x["q"][3] /= turn  # lanes of one block on different sides
    batch = ANSWERS[question](model, x)
    for b in range(19):
        # the sine of the single state is libm's
        alone = ANSWERS[question](model, take(x, b))
        wrapped = ANSWERS[question](model, take(x, b) | {"q": np.arctan2(np.sin(x["q"][b]), np.cos(x["q"][b]))})
        close(batch[b], alone, 1e-11)
        close(batch[b], wrapped, 1e-11)


# ---- batches, threads, history


@pytest.mark.parametrize("question", ANSWERS)
@pytest.mark.parametrize("seed", SEEDS[:3])
def test_single_and_batch_agree(seed, question):
    model, tree = machine(seed)
    x = states(tree, 19)
    batch = ANSWERS[question](model, x)
    for b in range(19):
        close(batch[b], ANSWERS[question](model, take(x, b)), 1e-11)


@pytest.mark.parametrize("question", ANSWERS)
def test_threads_and_order_change_no_bit(question):
    model, tree = machine(2)
    x = states(tree, 333)
    before = gori.threads()
    try:
        gori.threads(1)
        alone = ANSWERS[question](model, x)
        for count in (2, 3):
            gori.threads(count)
            assert np.array_equal(ANSWERS[question](model, x), alone)
        order = np.random.default_rng(0).permutation(333)
        assert np.array_equal(ANSWERS[question](model, take(x, order)), alone[order])
    finally:
        gori.threads(before)


@pytest.mark.parametrize("question", ANSWERS)
def test_nothing_is_left_of_earlier_calls(question):
    """After huge numbers, after numbers that overflow, and after all other questions: bit for bit as a new Model."""
    model, tree = machine(3, branching=0.8)
    small = states(tree, 13)
    fresh, _ = machine(3, branching=0.8)
    expected, expected_one = (
        ANSWERS[question](fresh, small),
        ANSWERS[question](machine(3, branching=0.8)[0], take(small, 4)),
    )
    for scale in (1e8, 1e160):
        large = {name: value * scale for name, value in states(tree, 29, 5).items() if name != "wrenches"}
        large |= {"q": states(tree, 29, 6)["q"], "wrenches": {"f0": np.full((29, 6), scale)}}
        for ask in ANSWERS.values():
            for x in (large, take(large, 0)):
                try:
                    with np.errstate(all="ignore"):
                        ask(model, x)
                except (InputError, SingularError) as error:
                    assert scale == 1e160 and "too large" in str(error)
    assert np.array_equal(ANSWERS[question](model, small), expected)
    assert np.array_equal(ANSWERS[question](model, take(small, 4)), expected_one)
