"""What a Model takes: arrays in any form, empty batches, machines that cannot move, and calls from several threads."""

import threading

import numpy as np
import pytest

import gori
from gori.errors import InputError
from gori.model.arrays import Rows, frozen, numbers_of, rows_of
from gori.spec import Spec
from tests.checks import close, machine, states, take
from tests.model.test_model import ALL, MODEL, V


@pytest.mark.parametrize("name", ALL)
def test_any_form_of_array_gives_the_same(name):
    def answer(q, v):
        found = ALL[name](MODEL, q, v)
        return found.position if name == "forward_kinematics" else np.array(found)

    exact = np.array([0.25, -0.5]), np.array([1.0, 2.0])  # numbers that float32 and integers hold as well
    expected = answer(*exact)
    frozen = tuple(x.copy() for x in exact)
    for x in frozen:
        x.flags.writeable = False
    strided = tuple(np.stack([x, x + 9.0], axis=1)[:, 0] for x in exact)
    assert not strided[0].flags.c_contiguous
    for q, v in (
        frozen,
        strided,
        tuple(x[::-1].copy()[::-1] for x in exact),
        tuple(x.astype(np.float32) for x in exact),
        tuple(x.astype(">f8") for x in exact),
        (exact[0].tolist(), [1, 2]),
        (exact[0], np.array([1, 2])),
        (tuple(exact[0]), np.array([1, 2], np.int8)),
    ):
        close(answer(q, v), expected, 1e-13)
    batch = tuple(np.tile(x, (9, 1)) for x in exact)
    for q, v in (batch, tuple(np.asfortranarray(x) for x in batch), tuple(np.broadcast_to(x, (9, 2)) for x in exact)):
        found = answer(q, v)
        rows = np.moveaxis(found, -1, 0) if name == "energy" else found
        if name in ("derivatives", "inverse_derivatives", "transposed_derivatives"):
            rows = np.moveaxis(found, 1, 0)
        for row in rows:
            close(row, expected, 1e-13)
    assert np.array_equal(frozen[0], exact[0]) and np.array_equal(batch[0], np.tile(exact[0], (9, 1)))


def test_empty_batch():
    assert MODEL.forward_dynamics(np.zeros((0, 2)), V, V).shape == (0, 2)
    assert MODEL.mass_matrix(np.zeros((0, 2))).shape == (0, 2, 2)


def test_machine_that_cannot_move():
    model = gori.compile(
        Spec(bodies={"a": {"mass": 1.0}}, joints={"j": {"type": "fixed", "parent": "ground", "child": "a"}})
    )
    none = np.zeros(0)
    assert model.forward_dynamics(none, none, none).shape == model.inverse_dynamics(none, none, none).shape == (0,)
    assert (
        model.mass_matrix(np.zeros((3, 0))).shape
        == model.derivatives(np.zeros((3, 0)), none, none).dq.shape
        == (3, 0, 0)
    )
    assert model.jacobian(none, "a").shape == (6, 0)
    close(model.forward_kinematics(none)["a"], np.eye(4), 1e-15)
    assert model.condition(none) == 1.0


def test_model_is_frozen():
    for table in MODEL.tables:
        with pytest.raises(ValueError, match="read-only"):
            table[...] = 0
    for name in ("rest", "lower", "upper", "velocity_limit", "effort_limit", "damping", "friction", "armature"):
        with pytest.raises(ValueError, match="read-only"):
            getattr(MODEL, name)[...] = 1.0
    for name in ("q0", "v0"):  # the caller's own copies, to start from
        getattr(MODEL, name)[...] = 9.0
        assert not getattr(MODEL, name).any()
    with pytest.raises(AttributeError, match="a Model is immutable"):
        MODEL.nq = 3


def test_concurrent_calls():
    """Four threads ask one Model at once, single states and batches: all get what one thread gets."""
    model, tree = machine(4)
    batch = states(tree, 200)
    single = take(batch, 3)
    questions = [
        lambda: model.forward_dynamics(batch["q"], batch["v"], batch["tau"]),
        lambda: model.forward_dynamics(single["q"], single["v"], single["tau"]),
        lambda: model.inverse_dynamics(single["q"], single["v"], single["a"], single["wrenches"]),
        lambda: model.derivatives(batch["q"], batch["v"], batch["tau"]).dq,
        lambda: model.mass_matrix(single["q"]),
        lambda: model.forward_kinematics(batch["q"]).position,
    ]
    expected = [ask() for ask in questions]
    wrong, start = [], threading.Barrier(4)

    def work(seed):
        try:
            start.wait()
            for k in np.random.default_rng(seed).integers(len(questions), size=200):
                if not np.array_equal(questions[k](), expected[k]):
                    wrong.append(k)
        except Exception as error:
            wrong.append(error)

    workers = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert not wrong


def test_rows_of_an_argument():
    given = np.arange(6.0).reshape(2, 3)
    assert rows_of(given, 3, "q") is given or np.shares_memory(rows_of(given, 3, "q"), given)  # nothing to copy
    assert rows_of([1, 2], 2, "q").tolist() == [[1.0, 2.0]] and rows_of(5, 1, "q").tolist() == [[5.0]]
    assert not np.shares_memory(rows_of(frozen(given), 3, "q"), given) and given.flags.writeable
    assert rows_of(np.zeros((4, 0)), 0, "q").shape == (4, 0) and rows_of([], 0, "q").shape == (1, 0)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ([1.0, 2.0, 3.0], r"q must have shape \(2,\) or \(B, 2\), not \(3,\)"),
        (np.zeros((2, 2, 2)), "q must have shape"),
        ([1.0, np.nan], r"q\[1\] is nan: all numbers must be finite"),
        ([[0.0, 0.0], [-np.inf, 0.0]], r"q\[1, 0\] is -inf"),
        ([1j, 0.0], "q must be an array of numbers: it is complex"),
        (["a", "b"], "q must be an array of numbers"),
        (np.ma.array([1.0, 2.0], mask=[0, 1]), "q must be an array of numbers: it is a masked array"),
        ([10**400, 1], "q must be an array of numbers"),
    ],
    ids=str,
)
def test_arguments_that_are_refused(value, words):
    with pytest.raises(InputError, match=words):
        rows_of(value, 2, "q")


def test_single_states_are_repeated_beside_batches():
    rows = Rows(q=(np.zeros((3, 2)), 2), v=([1.0, 2.0], 2))
    assert rows.count == 3 and not rows.single and rows["v"].tolist() == [[1.0, 2.0]] * 3
    assert rows.shaped(np.zeros((3, 4))).shape == (3, 4) and rows.shaped(np.zeros((3, 4)), 2, 2).shape == (3, 2, 2)
    one = Rows(q=([0.0, 0.0], 2), v=([1.0, 2.0], 2))
    assert one.single and one.shaped(np.zeros((1, 4))).shape == (4,) and [len(x) for x in one.values()] == [1, 1]
    with pytest.raises(InputError, match="batches of different sizes: q has 3, v has 2"):
        Rows(q=(np.zeros((3, 2)), 2), v=(np.zeros((2, 2)), 2))


@pytest.mark.parametrize(
    "value", [np.ma.zeros(2), np.zeros(2, complex), np.array(["a", "b"])], ids=["masked", "complex", "text"]
)
def test_nothing_is_lost_on_the_way_to_numbers(value):
    """The mask and the imaginary part were dropped."""
    for call in (
        lambda: numbers_of(value, "q"),
        lambda: MODEL.state(value),
        lambda: MODEL.state(v=value),
        lambda: gori.State(0.0, value, V),
        lambda: gori.assemble(MODEL, value),
        lambda: gori.consistent_velocity(MODEL, V, value),
        lambda: MODEL.mobility(value),
        lambda: gori.Recording(MODEL, value, [V, V], [V, V]),
        lambda: gori.Recording(MODEL, [0.0], value[None], [V]),
        *(lambda name=name: ALL[name](MODEL, value, V) for name in ALL),
    ):
        with pytest.raises(InputError, match="must be an array of numbers"):
            call()
