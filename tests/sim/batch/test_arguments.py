"""What a batch is given: which machines are meant, and what is refused."""

import numpy as np
import pytest

import gori
from gori.errors import InputError, UnsupportedError
from gori.sim.batch.arguments import (
    contact_room,
    machine_count,
    machine_index,
    machine_mask,
    machine_order,
    refuse_fewer,
    refuse_other_sets,
    refuse_twice,
    refuse_unable,
    step_count,
    worker_count,
)
from gori.sim.batch.varied import Numbers
from gori.sim.grid import MOST
from tests.sim.batch.machines import arm, balls, four_bar


def test_one_machine():
    assert machine_index(np.int32(4), 5) == 4
    for wrong in (-1, 5, 1.0, True, "0"):
        with pytest.raises(InputError, match="a number from 0 to 4"):
            machine_index(wrong, 5)


@pytest.mark.parametrize(
    ("machines", "mask"),
    [
        (None, [1, 1, 1, 1]),
        (2, [0, 0, 1, 0]),
        ([3, 0, 3], [1, 0, 0, 1]),
        (np.array([1], np.uint8), [0, 1, 0, 0]),
        (np.array([1, 0, 0, 1], np.uint8), [1, 0, 0, 1]),
        (np.array([0, 2, 3, 3], np.int8), [1, 0, 1, 1]),
        ([False, True, True, False], [0, 1, 1, 0]),
        ([], [0, 0, 0, 0]),
    ],
)
def test_some_machines(machines, mask):
    assert machine_mask(machines, 4).tolist() == [bool(x) for x in mask]


@pytest.mark.parametrize("wrong", [4, -1, [0, 4], [0.5], [True, False], [[0], [1, 2]], ["a"]])
def test_what_says_no_machines(wrong):
    with pytest.raises(InputError, match=r"machines must be|a mask of machines"):
        machine_mask(wrong, 4)


def test_a_mask_is_of_bool_or_of_bytes():
    """Other whole numbers are indices, and what would be a mask of them is told of."""
    for kind in (np.int64, np.int8, np.uint32):
        with pytest.raises(InputError, match="a mask is of bool or uint8"):
            machine_mask(np.array([1, 0, 1, 1], kind), 4)
    assert machine_mask(np.array([1, 0]), 2).all()  # both machines, by number
    with pytest.raises(InputError, match="is a mask, of 0 and 1, and this one holds 3: give indices another type"):
        machine_mask(np.array([3, 0, 2, 1], np.uint8), 4)


def test_indices_keep_their_order():
    assert machine_order([3, 1], 4).tolist() == [3, 1] and machine_order(2, 4).tolist() == [2]
    for mask in ([False, True, False, True], np.array([0, 1, 0, 1], np.uint8)):
        assert machine_order(mask, 4).tolist() == [1, 3]
    assert machine_order(None, 3).tolist() == [0, 1, 2] and machine_order([], 3).tolist() == []
    with pytest.raises(InputError, match="indices from 0 to 3"):
        machine_order([4], 4)
    refuse_twice(np.array([3, 1]), "State")
    with pytest.raises(InputError, match="machine 1 is named more than once: give each one State"):
        refuse_twice(np.array([3, 1, 1]), "State")


def test_most_machines():
    with pytest.raises(InputError, match=r"at most 2147483647 machines, not 10000000000: make several"):
        machine_count(10**10)


def test_counts():
    assert machine_count(np.int64(3)) == 3 and step_count(MOST) == MOST and worker_count(2) == 2
    assert worker_count(None) == gori.threads()
    for check, words in ((machine_count, "machines"), (step_count, "steps"), (worker_count, "workers")):
        for wrong in (0, -2, 1.0, True, "2"):
            with pytest.raises(InputError, match=words):
                check(wrong)
    for check in (machine_count, step_count):
        with pytest.raises(InputError):
            check(1 << 70)


def test_parameters_of_fewer_machines():
    numbers = [Numbers("y", np.zeros(1, int), np.zeros((1, 3)))]
    refuse_fewer(numbers, 3)
    refuse_fewer(numbers, 2)  # more sets than machines
    with pytest.raises(InputError, match="given for 3 machines, and the batch has 4"):
        refuse_fewer(numbers, 4)


def test_sets_of_parameters():
    chosen = np.array([True, False, True])
    refuse_other_sets(np.array([4, 99, 0]), chosen, 5)
    for wrong in ([4, 0, 5], [-1, 0, 0]):
        with pytest.raises(InputError, match="from 0 to 4"):
            refuse_other_sets(np.array(wrong), chosen, 5)
    for wrong in ([0, 1], [0.0, 1.0, 2.0]):
        with pytest.raises(InputError, match="3 whole numbers"):
            refuse_other_sets(np.array(wrong), chosen, 5)


def test_room_for_contact_points():
    assert contact_room(arm(), "cuda", None) == 0 and contact_room(balls(), "cuda", None) == 8 * 5
    assert contact_room(balls(), "cpu", None) == balls().contact.room and contact_room(balls(), "cpu", 7) == 7
    for wrong in (0, -1, 1.5, True, "many"):
        with pytest.raises(InputError, match="contacts must be a positive number of contact points"):
            contact_room(balls(), "cuda", wrong)


def test_models_that_machines_of_a_batch_cannot_have():
    refuse_unable(arm(), "cuda")
    refuse_unable(balls(), "cpu")
    refuse_unable(balls(), "cuda", method=gori.TimeStepping())
    with pytest.raises(UnsupportedError, match=r"contact between bodies on a GPU with adams \(take time_stepping\)"):
        refuse_unable(balls(), "cuda", method=gori.Adams())
    soft = balls().spec.set(
        {"terrain": {"material": "steel", "soft": {"soil": gori.soil("dry_sand"), "at": [-1, -1], "size": [2, 2]}}}
    )
    with pytest.raises(UnsupportedError, match="contact of bodies beside vehicles or soft soil on a GPU"):
        refuse_unable(gori.compile(soft), "cuda", method=gori.TimeStepping())
    with pytest.raises(UnsupportedError, match="closed loops with time_stepping on a GPU"):
        refuse_unable(four_bar(), "cuda", method=gori.TimeStepping())
    spec = gori.Spec(
        materials={"stone": {"E": 1e7, "density": 2500.0}},
        contacts={"stone/stone": {"restitution": 0.5, "friction": 0.5}},
        particles={"a": {"material": "stone", "radius": 0.1, "positions": [[0.0, 0.0, 0.1]]}},
    )
    with pytest.raises(UnsupportedError, match=r"a batch does not support particles: use gori\.batch with a list"):
        refuse_unable(gori.compile(spec), "cpu")
